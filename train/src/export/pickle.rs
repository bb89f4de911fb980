//! The names, storages and shapes of tensors in `data.pkl` of a TorchScript archive.
//!
//! Only what PyTorch's serializer writes (pickle protocol 2) is read, as data: nothing is imported
//! or called. Sizes and nesting are bounded, so any bytes are safe to hand in.
//! (Opcodes: Python's `pickletools`; layout of a tensor: `torch._utils._rebuild_tensor_v2`.)

use std::collections::HashMap;
use std::rc::Rc;

/// Deepest nesting read.
const MAX_DEPTH: u32 = 64;

/// Most values read.
const MAX_VALUES: usize = 1 << 20;

/// A tensor as the pickle describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickledTensor {
    /// Path of attributes, joined by dots.
    pub name: String,
    /// Type of the storage, such as `FloatStorage`.
    pub storage: String,
    /// Name of the storage: the file is `data/<key>`.
    pub key: String,
    /// First element of the storage that belongs to the tensor.
    pub offset: u64,
    /// Shape.
    pub shape: Vec<usize>,
    /// Elements from one index to the next, per side.
    pub strides: Vec<usize>,
}

impl PickledTensor {
    /// The values lie without gaps in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1_usize;
        for (&side, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if side != 1 && stride != expected {
                return false;
            }
            expected = expected.saturating_mul(side.max(1));
        }
        self.shape.len() == self.strides.len()
    }
}

/// What the machine of the pickle builds.
#[derive(Clone, Debug)]
enum Value {
    Mark,
    /// Nothing, a truth value, or a number that is no whole one.
    Other,
    Int(i64),
    Text(String),
    Global(String),
    Tuple(Vec<Node>),
    List(Vec<Node>),
    Dict(Vec<(Node, Node)>),
    /// `function(arguments)`.
    Call(Node, Node),
    /// What lies outside of the pickle, named by a tuple.
    Persistent(Node),
    /// An object with its attributes.
    Object(Vec<(Node, Node)>),
}

#[derive(Clone, Debug)]
struct Node {
    value: Rc<Value>,
    depth: u32,
}

/// All tensors that are attributes of the module or of modules in it, in the order of the pickle.
///
/// # Errors
/// A sentence with the offset at which the pickle could not be read.
pub fn tensors(pickle: &[u8]) -> Result<Vec<PickledTensor>, String> {
    let mut machine = Machine { bytes: pickle, at: 0, stack: Vec::new(), memo: HashMap::new() };
    let root = machine.run()?;
    let mut found = Vec::new();
    collect(&root, &mut String::new(), &mut found, &mut 0)?;
    Ok(found)
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Node>,
    memo: HashMap<u32, Node>,
}

impl Machine<'_> {
    fn run(&mut self) -> Result<Node, String> {
        for _ in 0..MAX_VALUES {
            let start = self.at;
            let done = self.step().map_err(|what| format!("data.pkl at byte {start}: {what}"))?;
            if let Some(root) = done {
                return Ok(root);
            }
        }
        Err(format!("data.pkl has more than {MAX_VALUES} steps"))
    }

    fn step(&mut self) -> Result<Option<Node>, String> {
        match self.byte()? {
            0x80 => drop(self.byte()?),
            b'.' => return self.pop().map(Some),
            b'(' => self.push(Value::Mark, 0)?,
            b'N' | 0x88 | 0x89 => self.push(Value::Other, 0)?,
            b'G' => {
                self.take(8)?;
                self.push(Value::Other, 0)?;
            }
            b'K' => self.whole(1, false)?,
            b'M' => self.whole(2, false)?,
            b'J' => self.whole(4, true)?,
            0x8a => {
                let length = usize::from(self.byte()?);
                self.whole(length, true)?;
            }
            b'X' => {
                let length = self.size()? as usize;
                let text = self.take(length)?;
                let text = std::str::from_utf8(text).map_err(|_| "text is not UTF-8")?.to_owned();
                self.push(Value::Text(text), 0)?;
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.push(Value::Global(format!("{module} {name}")), 0)?;
            }
            code @ (b'q' | b'r' | b'h' | b'j') => {
                let short = matches!(code, b'q' | b'h');
                let key = if short { self.byte()?.into() } else { self.size()? };
                if matches!(code, b'q' | b'r') { self.memorise(key)? } else { self.recall(key)? }
            }
            b')' => self.push(Value::Tuple(Vec::new()), 0)?,
            b']' => self.push(Value::List(Vec::new()), 0)?,
            b'}' => self.push(Value::Dict(Vec::new()), 0)?,
            code @ (0x85..=0x87 | b't') => {
                let items = if code == b't' { self.since_mark()? } else { self.last(code - 0x84)? };
                self.tuple(items)?;
            }
            b'Q' => {
                let name = self.pop()?;
                let depth = name.depth;
                self.push(Value::Persistent(name), depth + 1)?;
            }
            // NEWOBJ and REDUCE: nothing is called, what would be called is noted.
            0x81 | b'R' => {
                let (arguments, function) = (self.pop()?, self.pop()?);
                let depth = arguments.depth.max(function.depth);
                self.push(Value::Call(function, arguments), depth + 1)?;
            }
            code @ (b'a' | b'e') => {
                let items = if code == b'e' { self.since_mark()? } else { self.last(1)? };
                self.append(items)?;
            }
            code @ (b's' | b'u') => {
                let items = if code == b'u' { self.since_mark()? } else { self.last(2)? };
                self.set(items)?;
            }
            b'b' => {
                let (state, _object) = (self.pop()?, self.pop()?);
                let Value::Dict(attributes) = state.value.as_ref() else {
                    return Err("the state of an object is not a dictionary".to_owned());
                };
                self.push(Value::Object(attributes.clone()), state.depth + 1)?;
            }
            code => return Err(format!("opcode {code:#04x} is not one PyTorch writes")),
        }
        Ok(None)
    }

    fn take(&mut self, count: usize) -> Result<&[u8], String> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or("it ends in the middle of a value")?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    /// A length or a key of four bytes.
    fn size(&mut self) -> Result<u32, String> {
        let taken = self.take(4)?;
        Ok(u32::from_le_bytes(std::array::from_fn(|at| taken[at])))
    }

    fn line(&mut self) -> Result<String, String> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&b| b == b'\n').ok_or("a name has no end")?;
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.at += end + 1;
        Ok(line)
    }

    /// Pushes a whole number of so many bytes.
    fn whole(&mut self, length: usize, signed: bool) -> Result<(), String> {
        let bytes = self.take(length)?;
        if length > 8 {
            return Err("an integer does not fit in 64 bits".to_owned());
        }
        let fill = if signed && bytes.last().is_some_and(|&b| b >= 0x80) { 0xff } else { 0 };
        let value =
            i64::from_le_bytes(std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(fill)));
        self.push(Value::Int(value), 0)
    }

    fn push(&mut self, value: Value, depth: u32) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("values lie more than {MAX_DEPTH} deep in each other"));
        }
        self.stack.push(Node { value: Rc::new(value), depth });
        Ok(())
    }

    fn pop(&mut self) -> Result<Node, String> {
        self.stack.pop().ok_or_else(|| "the stack is empty".to_owned())
    }

    fn last(&mut self, count: u8) -> Result<Vec<Node>, String> {
        let from = self.stack.len().checked_sub(count.into()).ok_or("the stack is empty")?;
        Ok(self.stack.split_off(from))
    }

    fn since_mark(&mut self) -> Result<Vec<Node>, String> {
        let mark = self.stack.iter().rposition(|node| matches!(*node.value, Value::Mark));
        let items = self.stack.split_off(mark.ok_or("there is no mark on the stack")? + 1);
        self.stack.pop();
        Ok(items)
    }

    fn tuple(&mut self, items: Vec<Node>) -> Result<(), String> {
        let depth = items.iter().map(|item| item.depth).max().unwrap_or(0);
        self.push(Value::Tuple(items), depth + 1)
    }

    fn append(&mut self, items: Vec<Node>) -> Result<(), String> {
        let list = self.pop()?;
        let Value::List(mut all) = unshared(list.value) else {
            return Err("there is no list to append to".to_owned());
        };
        let depth = items.iter().map(|item| item.depth + 1).max().unwrap_or(0).max(list.depth);
        all.extend(items);
        self.push(Value::List(all), depth)
    }

    fn set(&mut self, items: Vec<Node>) -> Result<(), String> {
        let dict = self.pop()?;
        let Value::Dict(mut all) = unshared(dict.value) else {
            return Err("there is no dictionary to set an item of".to_owned());
        };
        let depth = items.iter().map(|item| item.depth + 1).max().unwrap_or(0).max(dict.depth);
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            all.push((key, value));
        }
        self.push(Value::Dict(all), depth)
    }

    fn memorise(&mut self, key: u32) -> Result<(), String> {
        let top = self.stack.last().ok_or("the stack is empty")?;
        self.memo.insert(key, top.clone());
        Ok(())
    }

    fn recall(&mut self, key: u32) -> Result<(), String> {
        let node = self.memo.get(&key).ok_or("a value is recalled that was not kept")?;
        self.stack.push(node.clone());
        Ok(())
    }
}

fn unshared(value: Rc<Value>) -> Value {
    Rc::try_unwrap(value).unwrap_or_else(|shared| (*shared).clone())
}

fn collect(
    node: &Node,
    path: &mut String,
    found: &mut Vec<PickledTensor>,
    seen: &mut usize,
) -> Result<(), String> {
    *seen += 1;
    if *seen > MAX_VALUES {
        return Err(format!("data.pkl has more than {MAX_VALUES} values"));
    }
    let Value::Object(attributes) = node.value.as_ref() else {
        if let Some(tensor) = tensor(node, path) {
            found.push(tensor);
        }
        return Ok(());
    };
    for (key, value) in attributes {
        let Value::Text(name) = key.value.as_ref() else { continue };
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(name);
        collect(value, path, found, seen)?;
        path.truncate(length);
    }
    Ok(())
}

fn tensor(node: &Node, name: &str) -> Option<PickledTensor> {
    let Value::Call(function, arguments) = node.value.as_ref() else { return None };
    let Value::Global(function) = function.value.as_ref() else { return None };
    if function != "torch._utils _rebuild_tensor_v2" {
        return None;
    }
    let [storage, offset, shape, strides, ..] = tuple(arguments)? else { return None };
    let Value::Persistent(storage) = storage.value.as_ref() else { return None };
    let [_, class, key, _, _] = tuple(storage)? else { return None };
    let (Value::Global(class), Value::Text(key)) = (class.value.as_ref(), key.value.as_ref())
    else {
        return None;
    };
    let sides = |node: &Node| -> Option<Vec<usize>> {
        tuple(node)?.iter().map(|side| usize::try_from(integer(side)?).ok()).collect()
    };
    Some(PickledTensor {
        name: name.to_owned(),
        storage: class.strip_prefix("torch ").unwrap_or(class).to_owned(),
        key: key.clone(),
        offset: u64::try_from(integer(offset)?).ok()?,
        shape: sides(shape)?,
        strides: sides(strides)?,
    })
}

fn tuple(node: &Node) -> Option<&[Node]> {
    match node.value.as_ref() {
        Value::Tuple(items) => Some(items),
        _ => None,
    }
}

fn integer(node: &Node) -> Option<i64> {
    match *node.value {
        Value::Int(value) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn template() -> Vec<u8> {
        let bytes = crate::training::TEMPLATE;
        holdadvise::model::Archive::new(bytes)
            .unwrap()
            .entry("data.pkl", 1 << 20)
            .unwrap()
            .into_owned()
    }

    #[test]
    fn the_tensors_of_the_template_are_found() {
        let tensors = tensors(&template()).unwrap();
        let names: Vec<&str> = tensors.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names.len(), 25);
        assert_eq!((names[0], names[24]), ("embedding", "tree_steps"));
        let stacked = &tensors[2];
        assert_eq!(stacked.name, "lstm_stacked_weight");
        assert_eq!((stacked.key.as_str(), stacked.storage.as_str()), ("2", "FloatStorage"));
        assert_eq!((&stacked.shape, &stacked.strides), (&vec![0, 4, 1], &vec![4, 1, 1]));
        assert!(tensors.iter().all(|t| t.is_contiguous() && t.offset == 0));
    }

    #[test]
    fn gaps_and_transposes_are_not_contiguous() {
        let of = |shape: &[usize], strides: &[usize]| PickledTensor {
            name: String::new(),
            storage: String::new(),
            key: String::new(),
            offset: 0,
            shape: shape.to_vec(),
            strides: strides.to_vec(),
        };
        assert!(of(&[2, 3], &[3, 1]).is_contiguous());
        assert!(of(&[2, 1, 3], &[3, 99, 1]).is_contiguous());
        assert!(of(&[], &[]).is_contiguous());
        assert!(!of(&[2, 3], &[1, 2]).is_contiguous());
        assert!(!of(&[2, 3], &[4, 1]).is_contiguous());
    }

    #[test]
    fn deep_nesting_and_cut_pickles_are_refused() {
        let mut deep = vec![0x80, 2, b')'];
        deep.extend([0x85; 5000]);
        deep.push(b'.');
        assert!(tensors(&deep).unwrap_err().contains("deep"));
        let whole = template();
        for cut in 0..whole.len() {
            assert!(tensors(&whole[..cut]).is_err(), "cut at {cut}");
        }
        assert!(tensors(b"cos\nsystem\n(X\x02\0\0\0lstR.").unwrap().is_empty());
        assert!(tensors(b"i").unwrap_err().contains("opcode 0x69"));
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_list_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = tensors(&bytes);
        }

        #[test]
        fn a_changed_byte_is_survived(at in 0..1182_usize, byte in any::<u8>()) {
            let mut bytes = template();
            bytes[at] = byte;
            let _ = tensors(&bytes);
        }
    }
}
