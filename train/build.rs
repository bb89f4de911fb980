//! Lets the binary find libtorch without LD_LIBRARY_PATH: in `lib` beside the `bin` it lies in, or
//! where it was linked. Compiles the shim that makes CUDA graphs, a library that is part of the
//! binary and empty where the headers of CUDA's runtime are not there (`scripts/libtorch` fetches
//! them).

use std::path::{Path, PathBuf};
use std::{env, fs};

const SHIM: &str = "src/training/fitting/graph.cpp";

fn main() {
    println!("cargo::rerun-if-changed={SHIM}");
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    if env::var_os("CARGO_FEATURE_TORCH").is_none() {
        return;
    }
    let library = PathBuf::from(env::var_os("OUT_DIR").expect("OUT_DIR")).join("graph.so");
    fs::write(&library, "").expect("a file that can be written");
    let torch = env::var_os("LIBTORCH").and_then(|folder| fs::canonicalize(folder).ok());
    let Some(torch) = torch else { return };
    let libraries = torch.join("lib");
    println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib:{}", libraries.display());
    // Beside libtorch, as the wheels lie.
    let cuda = torch.join("../nvidia/cu13/include");
    let header = torch.join("include/ATen/cuda/CUDAGraph.h");
    let needed = [header, cuda.join("crt/host_config.h"), libraries.join("libtorch_cuda.so")];
    for path in &needed {
        let there = path.ancestors().find(|path| path.exists()).expect("a root");
        println!("cargo::rerun-if-changed={}", there.display());
    }
    match needed.iter().find(|path| !path.exists()) {
        None => compile(&library, &torch, &cuda),
        Some(path) => println!("cargo::warning=no CUDA graphs: no {}", path.display()),
    }
}

fn compile(library: &Path, torch: &Path, cuda: &Path) {
    let include = torch.join("include");
    let mut compiler = cc::Build::new()
        .cpp(true)
        .std("c++17")
        .pic(true)
        .opt_level(2)
        .debug(false)
        .includes([&include.join("torch/csrc/api/include"), &include, cuda])
        // The same bytes wherever libtorch lies.
        .flag(format!("-ffile-prefix-map={}=torch", torch.display()))
        .get_compiler()
        .to_command();
    compiler.args(["-w", "-shared", SHIM, "-o"]).arg(library).arg("-L").arg(torch.join("lib"));
    compiler.args(["-ltorch_cuda", "-lc10_cuda", "-ltorch_cpu", "-lc10"]);
    let status = compiler.status().expect("a C++ compiler that starts");
    assert!(status.success(), "{SHIM} does not compile: {compiler:?}");
}
