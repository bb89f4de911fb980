//! Where to compute, and libtorch's CUDA part brought in where it is present, so that one program
//! serves CPU and GPU nodes.
//!
//! The program is linked to the CPU part alone. libtorch finds a GPU only when `libtorch_cuda.so`
//! was loaded before the first tensor is made.

use tch::Device;

use super::error::TrainError;
use super::options::Place;

/// The device that was asked for.
pub(super) fn device(place: Place) -> Result<Device, TrainError> {
    if place != Place::Cpu {
        load_cuda();
    }
    match place {
        Place::Cpu => Ok(Device::Cpu),
        Place::Auto => Ok(Device::cuda_if_available()),
        Place::Cuda if tch::Cuda::is_available() => Ok(Device::Cuda(0)),
        Place::Cuda => Err(TrainError::Refused(
            "libtorch sees no GPU: put the folder of libtorch_cuda.so (such as that of PyTorch's \
             `torch/lib`) into LD_LIBRARY_PATH, or use --device cpu"
                .to_owned(),
        )),
    }
}

/// Loads `libtorch_cuda.so` if the dynamic linker finds it, and leaves it loaded. Without it, or
/// without the CUDA libraries it needs, everything works on the CPU.
#[allow(unsafe_code)]
fn load_cuda() {
    // SAFETY: the library is libtorch's own; its initialisers only register kernels.
    if let Ok(library) = unsafe { libloading::Library::new("libtorch_cuda.so") } {
        std::mem::forget(library);
    }
}
