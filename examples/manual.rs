//! Writes the manual page of `condor_holdadvise` to standard output.

fn main() {
    print!("{}", holdadvise::cli::manual_page());
}
