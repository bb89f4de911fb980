//! The manual page of `condor_releaseexpr`.

use super::options::TOOL;
use crate::cli::arguments::Page;
use crate::policy::lint::RULES;

/// The manual page of `condor_releaseexpr`, section 1, in the language of man(7).
pub fn manual_page() -> String {
    let mut page = Page::begin(&TOOL, "check the release policies of jobs");
    page.section("Description");
    for text in DESCRIPTION {
        page.paragraph(text);
    }
    page.section("Options");
    page.options();
    page.section("General Remarks");
    for text in REMARKS {
        page.paragraph(text);
    }
    page.section("Rules");
    for rule in RULES {
        page.tagged(&[(rule.name, false)], &format!("({}) {}", rule.severity, rule.summary));
    }
    page.section("Exit Status");
    page.paragraph("0 - Nothing was found, or notes only.");
    page.paragraph("1 - Warnings or errors were found.");
    page.paragraph(
        "2 - Failure: the arguments or a file cannot be read, or a file sets no policy.",
    );
    page.section("Examples");
    for (text, command) in EXAMPLES {
        page.paragraph(text);
        page.example(command);
    }
    page.section("See Also");
    page.text("condor_holdadvise(1), condor_submit(1), condor_q(1), condor_release(1), condor_config_val(1)");
    page.section("Availability");
    page.text("Linux");
    page.finish()
}

const DESCRIPTION: [&str; 2] = [
    "condor_releaseexpr looks at the policies by which HTCondor releases, holds and removes jobs by itself: periodic_release, periodic_hold, \
     periodic_remove, on_exit_hold and on_exit_remove of submit descriptions, SYSTEM_PERIODIC_RELEASE and its like of the configuration.",
    "With -lint it says what is wrong with them. What a release policy does is seen by evaluating it, as the condor_schedd does, on held jobs \
     of every hold reason code, of many subcodes, ages and counts of holds; what attributes it names, and of which types, by reading it. Each \
     finding has a rule, a severity, the place, why, and where that can be said the text that should stand instead.",
];

const REMARKS: [&str; 3] = [
    "The text for people may change between versions; scripts should use -json and the exit status.",
    "In a file, macros that the same file sets are expanded; of what depends on others nothing is said. Both branches of an if are looked at, \
     includes are not followed.",
    "An expression is read as condor_submit and the configuration read it, in the syntax of old ClassAds.",
];

const EXAMPLES: [(&str, &str); 3] = [
    (
        "Look at an expression:",
        "condor_releaseexpr -lint '(NumJobStarts < 5) && (time() - EnteredCurrentStatus) > 3600'",
    ),
    (
        "Look at a submit description, as an access point with HTCondor 23 would evaluate it:",
        "condor_releaseexpr -condor 23 -lint job.sub",
    ),
    (
        "Look at the configuration of an access point:",
        "condor_config_val -dump PERIODIC | condor_releaseexpr -lint -",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_tree_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/man/condor_releaseexpr.1");
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == manual_page(),
            "run: cargo run --example manual -- condor_releaseexpr > man/condor_releaseexpr.1"
        );
    }
}
