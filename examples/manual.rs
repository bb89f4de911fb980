//! Writes the manual page of `condor_holdadvise`, or of the tool that is named, to standard output.

fn main() {
    let page = match std::env::args().nth(1).as_deref() {
        Some("condor_releaseexpr") => holdadvise::cli::releaseexpr::manual_page(),
        Some("condor_holdadvise_collect") => holdadvise::cli::collect::manual_page(),
        _ => holdadvise::cli::manual_page(),
    };
    print!("{page}");
}
