//! A step as a CUDA graph. One by one, the kernels of a small network take many times as long to
//! launch as they compute; a graph launches all of them at once.

use std::ffi::{CStr, c_char, c_void};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::OnceLock;

use tch::Device;

use super::error::TrainError;
use super::rows::Inputs;

/// Steps that are taken one by one before the next is captured: libraries set themselves up.
const WARM_UP: usize = 4;

/// The shim, made by `build.rs`; empty where the headers of CUDA were not there.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/graph.so"));

/// What takes the steps of one shape.
pub(super) enum Steps {
    /// Kernel by kernel.
    Eager,
    /// As a graph, once it is captured.
    Graph {
        graph: Box<dyn Graph>,
        /// Where the graph finds its inputs.
        inputs: Option<Inputs>,
        /// Steps taken: [`WARM_UP`] at most, and one more once it is captured.
        taken: usize,
    },
}

/// A graph of work on a GPU. What goes wrong is said in words.
pub(super) trait Graph {
    /// The work that follows is captured, not done.
    fn capture(&mut self) -> Result<(), String>;
    /// The work was captured.
    fn end(&mut self) -> Result<(), String>;
    /// The work cannot be captured.
    fn abandon(&mut self);
    /// Does the work that was captured.
    fn replay(&mut self) -> Result<(), String>;
}

impl Steps {
    /// For a device.
    pub(super) fn on(device: Device) -> Self {
        if !device.is_cuda() {
            return Self::Eager;
        }
        match CudaGraph::new() {
            Ok(graph) => Self::Graph { graph: Box::new(graph), inputs: None, taken: 0 },
            Err(why) => Self::eager(&why),
        }
    }

    fn eager(why: &str) -> Self {
        let why = why.lines().next().unwrap_or_default();
        eprintln!("no CUDA graph, and training is many times slower: {why}");
        Self::Eager
    }

    /// Takes a step. All inputs are of one shape.
    pub(super) fn take(
        &mut self,
        given: &Inputs,
        mut step: impl FnMut(&Inputs) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let Self::Graph { graph, inputs, taken } = self else { return step(given) };
        let inputs = match inputs {
            Some(inputs) => {
                inputs.copy_from(given)?;
                inputs
            }
            None => inputs.insert(given.copy()),
        };
        if *taken < WARM_UP {
            *taken += 1;
            return step(inputs);
        }
        if *taken == WARM_UP {
            let captured = graph.capture().and_then(|()| {
                step(inputs).map_err(|error| error.to_string())?;
                graph.end()
            });
            if let Err(why) = captured {
                graph.abandon();
                *self = Self::eager(&why);
                return step(given);
            }
            *taken += 1;
        }
        graph.replay().map_err(|why| TrainError::Refused(format!("a CUDA graph: {why}")))
    }
}

/// Functions of the shim, `graph.cpp`.
struct Shim {
    error: unsafe extern "C" fn() -> *const c_char,
    new: unsafe extern "C" fn() -> *mut c_void,
    capture: unsafe extern "C" fn(*mut c_void) -> bool,
    end: unsafe extern "C" fn(*mut c_void) -> bool,
    abandon: unsafe extern "C" fn(*mut c_void),
    replay: unsafe extern "C" fn(*mut c_void) -> bool,
    free: unsafe extern "C" fn(*mut c_void),
}

/// A graph of libtorch.
struct CudaGraph {
    shim: &'static Shim,
    /// Null once it is abandoned.
    graph: *mut c_void,
    capturing: bool,
}

#[allow(unsafe_code)]
impl Shim {
    /// The functions, of a library that stays open.
    fn get() -> Result<&'static Self, String> {
        static SHIM: OnceLock<Result<Shim, String>> = OnceLock::new();
        SHIM.get_or_init(Self::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Self, String> {
        if LIBRARY.is_empty() {
            let text = "the program was built without the headers of CUDA (scripts/libtorch)";
            return Err(text.to_owned());
        }
        let mut file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
        file.write_all(LIBRARY).map_err(|error| error.to_string())?;
        Self::open(file.path()).map_err(|error| error.to_string())
    }

    fn open(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: the library is our own, and its functions have the types that `graph.cpp` says.
        unsafe {
            let library = ManuallyDrop::new(libloading::Library::new(path)?);
            Ok(Self {
                error: *library.get(b"graph_error")?,
                new: *library.get(b"graph_new")?,
                capture: *library.get(b"graph_capture")?,
                end: *library.get(b"graph_end")?,
                abandon: *library.get(b"graph_abandon")?,
                replay: *library.get(b"graph_replay")?,
                free: *library.get(b"graph_free")?,
            })
        }
    }

    /// Why the last call failed.
    fn why(&self) -> String {
        // SAFETY: the text ends with 0 and lives until the next call of this thread.
        unsafe { CStr::from_ptr((self.error)()) }.to_string_lossy().into_owned()
    }
}

#[allow(unsafe_code)]
impl CudaGraph {
    fn new() -> Result<Self, String> {
        let shim = Shim::get()?;
        // SAFETY: it has no conditions.
        let graph = unsafe { (shim.new)() };
        if graph.is_null() { Err(shim.why()) } else { Ok(Self { shim, graph, capturing: false }) }
    }

    fn call(&self, function: unsafe extern "C" fn(*mut c_void) -> bool) -> Result<(), String> {
        if self.graph.is_null() {
            return Err("the graph was abandoned".to_owned());
        }
        // SAFETY: the graph lives, and is used by one thread at a time.
        if unsafe { function(self.graph) } { Ok(()) } else { Err(self.shim.why()) }
    }
}

#[allow(unsafe_code)]
impl Graph for CudaGraph {
    fn capture(&mut self) -> Result<(), String> {
        self.capturing = true;
        self.call(self.shim.capture)
    }

    fn end(&mut self) -> Result<(), String> {
        self.call(self.shim.end)?;
        self.capturing = false;
        Ok(())
    }

    fn abandon(&mut self) {
        if !self.graph.is_null() {
            // SAFETY: the graph lives, and is used no more hereafter.
            unsafe { (self.shim.abandon)(self.graph) };
            self.graph = std::ptr::null_mut();
        }
    }

    fn replay(&mut self) -> Result<(), String> {
        self.call(self.shim.replay)
    }
}

#[allow(unsafe_code)]
impl Drop for CudaGraph {
    fn drop(&mut self) {
        if self.capturing {
            self.abandon();
        }
        if !self.graph.is_null() {
            // SAFETY: the graph lives, and this is its end.
            unsafe { (self.shim.free)(self.graph) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use tch::Tensor;

    use super::*;

    /// A graph without a GPU. It captures the factors of the step, and takes the step at a replay.
    #[derive(Default)]
    struct Recorded {
        capturing: bool,
        captured: Option<Tensor>,
        /// What each step that was done was given.
        done: Vec<f64>,
        abandoned: bool,
    }

    #[derive(Clone, Default)]
    struct Fake(Rc<RefCell<Recorded>>);

    impl Graph for Fake {
        fn capture(&mut self) -> Result<(), String> {
            self.0.borrow_mut().capturing = true;
            Ok(())
        }

        fn end(&mut self) -> Result<(), String> {
            self.0.borrow_mut().capturing = false;
            Ok(())
        }

        fn abandon(&mut self) {
            let mut recorded = self.0.borrow_mut();
            (recorded.capturing, recorded.abandoned) = (false, true);
        }

        fn replay(&mut self) -> Result<(), String> {
            let mut recorded = self.0.borrow_mut();
            let factors = recorded.captured.as_ref().ok_or("nothing was captured")?;
            let given = factors.double_value(&[0]);
            recorded.done.push(given);
            Ok(())
        }
    }

    /// Takes ten steps, of which the one that is captured fails or not.
    fn ten_steps(fails: bool) -> (Fake, bool) {
        let fake = Fake::default();
        let graph = Box::new(fake.clone());
        let mut steps = Steps::Graph { graph, inputs: None, taken: 0 };
        for number in 0..10 {
            let step = |inputs: &Inputs| {
                let mut recorded = fake.0.borrow_mut();
                if !recorded.capturing {
                    recorded.done.push(inputs.factors.double_value(&[0]));
                } else if fails {
                    return Err(TrainError::Refused("it waits for the GPU".to_owned()));
                } else {
                    recorded.captured = Some(inputs.factors.shallow_clone());
                }
                Ok(())
            };
            steps.take(&Inputs::of(number), step).unwrap();
        }
        (fake, matches!(steps, Steps::Eager))
    }

    #[test]
    fn a_graph_does_each_step_once_with_what_it_is_given() {
        for fails in [false, true] {
            let (fake, eager) = ten_steps(fails);
            let recorded = fake.0.borrow();
            let expected: Vec<f64> = (0..10).map(f64::from).collect();
            assert_eq!(recorded.done, expected, "fails: {fails}");
            assert_eq!((eager, recorded.abandoned), (fails, fails));
            assert_eq!(recorded.captured.is_some(), !fails);
        }
    }

    #[test]
    fn without_cuda_there_is_a_reason_and_no_graph() {
        match CudaGraph::new() {
            Ok(_) => println!("skipped: there is a GPU"),
            Err(why) => assert!(why.contains("CUDA") || why.contains(".so"), "{why}"),
        }
    }
}
