//! The counts of a pass for what watches machines: a text file for Prometheus' node_exporter.
//!
//! Ganglia takes the same attributes from the ad of the schedd (`ganglia.d/`).

use std::fmt::Write as _;
use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Attributes of a pass that are numbers, without `HoldAdvice` before them, and what they say.
pub const METRICS: &[(&str, &str)] = &[
    ("Jobs", "Held jobs that were judged"),
    ("JobsRelease", "Held jobs whose advice is release"),
    ("JobsTry", "Held jobs whose advice is try"),
    ("JobsChange", "Held jobs whose advice is change"),
    ("JobsWait", "Held jobs whose advice is wait"),
    ("JobsLook", "Held jobs whose advice is look"),
    ("JobsRemove", "Held jobs whose advice is remove"),
    ("JobsUndecided", "Held jobs without advice"),
    ("JobsMayGo", "Held jobs that the schedd may release now"),
    ("JobsReleased", "Jobs released since the pass before"),
    ("JobsLeftToPeople", "Held jobs that are left to people"),
    ("JobsOverBounds", "Held jobs that wait for a bound of releases"),
    ("LeftOver", "Held jobs for which there was no time"),
    ("PassSeconds", "Seconds that the pass took"),
    ("PassPeriod", "Seconds from pass to pass"),
    ("JudgeMemoryMB", "Most memory of the judge, MiB"),
    ("LastGood", "The last pass that judged, Unix seconds"),
];

/// Writes what a pass prints for the ad of the schedd into the file that node_exporter reads. What
/// is there is replaced at once.
///
/// # Errors
/// The file cannot be made in its folder.
pub fn write(file: &Path, ad: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(exposition(ad).as_bytes())?;
    new.as_file().set_permissions(Permissions::from_mode(0o644))?;
    new.persist(file)?;
    Ok(())
}

/// The numbers of an ad in the text format of Prometheus.
fn exposition(ad: &str) -> String {
    let mut text = String::new();
    for (name, value) in ad.lines().filter_map(|line| line.split_once(" = ")) {
        let Some((_, help)) = METRICS.iter().find(|(metric, _)| *metric == name) else { continue };
        if value.parse::<f64>().is_ok() {
            let name = snake(name);
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
    }
    text
}

/// `JobsMayGo` as `holdadvise_jobs_may_go`.
fn snake(name: &str) -> String {
    let mut snake = "holdadvise".to_owned();
    let mut was_lower = true;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = letter.is_ascii_lowercase();
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::counts::Counts;

    #[test]
    fn numbers_of_a_pass_are_gauges_and_the_file_is_for_all() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("holdadvise.prom");
        let counts = Counts { may_go: 3, memory: 200, seconds: 1.25, ..Counts::default() };
        write(&file, &counts.to_string()).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let may_go = "# HELP holdadvise_jobs_may_go Held jobs that the schedd may release now\n\
                      # TYPE holdadvise_jobs_may_go gauge\nholdadvise_jobs_may_go 3\n";
        assert!(text.contains(may_go), "{text}");
        assert!(text.contains("\nholdadvise_judge_memory_mb 200\n"), "{text}");
        assert!(!text.contains("period") && !text.contains("problem"), "undefined: {text}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
        let names = fs::read_dir(place.path()).unwrap().count();
        assert_eq!(names, 1);
    }

    #[test]
    fn a_pass_prints_each_metric_and_ganglia_has_each() {
        let counts =
            Counts { period: Some(180), ..Counts::default() }.to_string() + "LastGood = 1\n";
        let ganglia = include_str!("../ganglia.d/40_holdadvise_metrics");
        for (name, help) in METRICS {
            assert!(counts.contains(&format!("\n{name} = ")) || counts.starts_with(name), "{name}");
            let one = format!("Name = \"HoldAdvice{name}\";");
            assert!(ganglia.contains(&one) && ganglia.contains(help), "{name}");
        }
        assert_eq!(ganglia.matches("Name = \"").count(), METRICS.len());
        // condor_gangliad ends where one of them is no ad.
        for ad in ganglia.trim_end().split_inclusive("\n]\n") {
            assert!(classads::Expr::parse(ad).is_ok(), "{ad}");
        }
    }
}
