//! Brings libtorch's CUDA part in where it is present, so that one program serves CPU and GPU nodes.
//!
//! The program is linked to the CPU part alone. libtorch finds a GPU only when `libtorch_cuda.so`
//! was loaded before the first tensor is made.

/// Loads `libtorch_cuda.so` if the dynamic linker finds it, and leaves it loaded. Without it, or
/// without the CUDA libraries it needs, everything works on the CPU.
#[allow(unsafe_code)]
pub fn load() {
    // SAFETY: the library is libtorch's own; its initialisers only register kernels.
    if let Ok(library) = unsafe { libloading::Library::new("libtorch_cuda.so") } {
        std::mem::forget(library);
    }
}
