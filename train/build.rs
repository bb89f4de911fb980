//! Lets the binary find libtorch where it was linked, without LD_LIBRARY_PATH.

fn main() {
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    if std::env::var_os("CARGO_FEATURE_TORCH").is_some()
        && let Ok(folder) = std::env::var("LIBTORCH")
        && let Ok(library) = std::fs::canonicalize(format!("{folder}/lib"))
    {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", library.display());
    }
}
