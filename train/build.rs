//! Lets the binary find libtorch without LD_LIBRARY_PATH: in `lib` beside the `bin` it lies in, or
//! where it was linked.

fn main() {
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    if std::env::var_os("CARGO_FEATURE_TORCH").is_some()
        && let Ok(folder) = std::env::var("LIBTORCH")
        && let Ok(library) = std::fs::canonicalize(format!("{folder}/lib"))
    {
        println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib:{}", library.display());
    }
}
