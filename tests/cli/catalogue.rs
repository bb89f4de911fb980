//! `-catalogue`, and entries of a site in the advice.

use serde_json::Value;

use crate::harness::{NOW, Place, ad};

const REASON: &str = "Error from slot1@c3.example.org: scratch server fs7.example.org is offline";

/// An entry of a site that fits [`REASON`].
const ENTRY: &str = r#"[site-scratch-offline]
text = ["scratch server {host} is offline"]
means = "the scratch server of the cluster is offline"
fault = { server = 9, machine = 1 }
ends = "time"
lasts = ["10m", "4h"]
remedy = "wait until {host} is back"
source = "https://status.example.org/scratch"
examples = ["Error from slot1@c3.example.org: scratch server fs7.example.org is offline"]
near = ["scratch server fs7.example.org is full"]
"#;

/// The entry under this name, with a part of it changed.
fn entry(name: &str, from: &str, to: &str) -> String {
    assert!(ENTRY.contains(from), "{from}");
    ENTRY.replace("site-scratch-offline", name).replace(from, to)
}

/// A place whose administrator has these entries.
fn site(entries: &str) -> Place {
    let place = Place::new();
    let path = place.file("site.toml", entries);
    let setting = format!("echo 'HOLDADVISE_CATALOGUE = {}'", path.display());
    place.tool("condor_config_val", &setting);
    place
}

/// What is advised of a job with this code and reason, and what is said besides.
fn advice(place: &Place, code: i32, reason: &str) -> (Value, String) {
    advice_at(place, NOW, code, reason)
}

fn advice_at(place: &Place, now: &str, code: i32, reason: &str) -> (Value, String) {
    let ad = ad(
        7,
        0,
        &format!("HoldReasonCode = {code}\nHoldReasonSubCode = 0\nHoldReason = \"{reason}\""),
    );
    place.file("held.ads", ad);
    let said = place.advise(&format!("-jobads held.ads -now {now} -json"));
    assert_eq!(said.status, 0, "{said:?}");
    let mut all: Vec<Value> = serde_json::from_str(&said.stdout).expect("JSON");
    (all.remove(0), said.stderr)
}

#[test]
fn entries_are_listed_and_printed() {
    let place = site(ENTRY);
    let said = place.advise("-catalogue");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    assert!(said.stdout.lines().count() > 150, "{said:?}");
    let row = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = said.stdout.lines().next().map(row);
    let expected = "site-scratch-offline time the scratch server of the cluster is offline";
    assert_eq!(first.as_deref(), Some(expected));
    let said = place.advise("-catalogue site-scratch-offline");
    insta::assert_snapshot!(said.stdout);
    let said = place.advise("-catalogue curl-404");
    assert!(said.stdout.starts_with("# shipped, curl.toml, line "), "{said:?}");
    assert!(said.stdout.contains("\n[curl-404]\ncode = [13, 12]\n"), "{said:?}");
}

#[test]
fn a_text_names_the_entries_that_fit() {
    let place = site(ENTRY);
    let said = place.run(&["-catalogue", REASON], "");
    insta::assert_snapshot!(said.stdout, @r"
    site-scratch-offline (counts 22)
      It means: the scratch server of the cluster is offline.
      It passes.
      What helps: wait until fs7.example.org is back.
    ");
    let said = place.advise("-catalogue The requested URL returned error: 404");
    assert!(said.stdout.starts_with("curl-404 (counts 31)\n"), "{said:?}");
    assert!(said.stdout.contains("\n  curl-status fits too (counts 28)\n"), "{said:?}");
    let said = place.advise("-catalogue Segmentation fault");
    assert!(said.stdout.starts_with("As a line of a program's output: output-"), "{said:?}");
    let said = place.advise("-catalogue the cat sat on it");
    said.is_error(&["no entry of the catalogue fits \"the cat sat on it\""]);
}

#[test]
fn a_file_is_checked_with_its_own_examples() {
    let place = Place::new();
    for name in ["good.toml", "curl.toml"] {
        place.file(name, ENTRY);
        let said = place.advise(&format!("-catalogue -check {name}"));
        assert_eq!(
            (said.status, said.stdout.as_str()),
            (0, &*format!("{name}: 1 entry in order\n"))
        );
    }
    let example = "scratch server fs7.example.org is offline\"]";
    let other = "The requested URL returned error: 404\"]";
    let remedy = "remedy = \"wait until {host} is back\"\n";
    let broken = [
        ENTRY.to_owned(),
        entry("unknown-field", "source", "sources"),
        entry("without-remedy", remedy, "")
            .replace("time\"\nlasts = [\"10m\", \"4h\"]", "change\""),
        entry("bad-wording", "{host} is offline", "{hots} is offline"),
        entry("other-example", example, other),
        entry("wrong-end", "\"time\"", "\"soon\""),
        ENTRY.to_owned(),
        "[no-toml]\ntext = [\n".to_owned(),
        entry("Capital", "offline", "away"),
        entry("two-likeliest", "machine = 1", "machine = 9"),
        entry("no-type", "means", "error = [\"Specfication\"]\nmeans"),
        entry(
            "of-output",
            "means",
            "reads = \"output\"\nkind = \"Own\"\nworth = 40\ncode = [3]\nmeans",
        ),
        entry("of-worth", "means", "reads = \"output\"\nkind = \"Own\"\nworth = 400\nmeans"),
        entry("", "offline", "away"),
        entry("last # a comment", "offline", "down").replace("# a comment]", "] # a comment"),
    ];
    place.file("broken.toml", format!("stray = 1\n{}", broken.concat()));
    let said = place.advise("-catalogue -check broken.toml");
    assert_eq!((said.status, said.stderr.as_str()), (1, "Error: broken.toml: 14 problems\n"));
    insta::assert_snapshot!(said.stdout);
    // Names may be quoted, and have tables of their own.
    let table = ENTRY.replace("fault = { server = 9, machine = 1 }\n", "");
    let table = table.replace("[site-scratch-offline]", "[ \"site-a\" ]");
    place.file("table.toml", format!("{table}[site-a.fault]\nserver = 9\nmachine = 1\n"));
    let said = place.advise("-catalogue -check table.toml");
    assert_eq!(said.stdout, "table.toml: 1 entry in order\n", "{said:?}");
    // One that takes texts of others says so.
    place.file("wide.toml", entry("wide", "\"scratch server {host} is offline\"", "\"scratch server {host} is offline\", \"The requested URL returned error: 404 Not Found\""));
    let said = place.advise("-catalogue -check wide.toml");
    assert!(
        said.status == 0 && said.stderr.contains("of the shipped entry curl-404, "),
        "{said:?}"
    );
    place.file("empty.toml", "# nothing\n");
    place.advise("-catalogue -check empty.toml").is_error(&["empty.toml: it has no entry"]);
    place.advise("-catalogue -check /dev/zero").is_error(&["cannot read /dev/zero: "]);
    place.advise("-catalogue -check absent").is_error(&["cannot read absent: No such file"]);
}

#[test]
fn an_entry_of_the_site_changes_what_is_advised() {
    let (shipped, of_site) = (Place::new(), site(ENTRY));
    let (before, _) = advice(&shipped, 4711, REASON);
    let (after, said) = advice(&of_site, 4711, REASON);
    assert_eq!(said, "");
    assert_eq!(
        (&before["Recommendation"], &before["CatalogueEntry"]),
        (&"undecided".into(), &Value::Null)
    );
    assert_eq!(after["Recommendation"], "wait", "{after}");
    assert_eq!(after["CatalogueEntry"], "site-scratch-offline");
    assert!(
        after["Meaning"].as_str().unwrap().contains("wait until fs7.example.org is back"),
        "{after}"
    );
    let change = entry("site-scratch-gone", "\"time\"\nlasts = [\"10m\", \"4h\"]", "\"change\"");
    let change = change.replace("server = 9", "submit = 9");
    let change = site(&change.replace("wait until {host} is back", "name another server"));
    assert_eq!(advice(&shipped, 6, REASON).0["Recommendation"], "wait");
    assert_eq!(advice(&change, 6, REASON).0["Recommendation"], "change");
    let said = of_site.advise(&format!("-jobads held.ads -now {NOW}")).stdout;
    assert!(said.contains("  WAIT       Do not release it yet: wait until"), "{said}");
}

#[test]
fn what_is_wrong_is_noted_and_the_rest_is_used() {
    let place = site(&format!("{}{ENTRY}", entry("bad", "source", "sources")));
    let (advice, said) = advice(&place, 4711, REASON);
    assert_eq!(advice["CatalogueEntry"], "site-scratch-offline");
    let problem = "DIR/site.toml, line 8: entry bad: unknown field `sources`";
    assert!(said.contains(problem) && said.contains("; it is not used"), "{said}");
    let said = place.advise("-catalogue bad");
    assert!(said.status == 1 && said.stderr.contains(problem), "{said:?}");
    std::fs::remove_file(place.path("site.toml")).unwrap();
    let said = place.advise("-catalogue curl-404");
    let problem = "Note: catalogue file DIR/site.toml is not used: No such file or directory\n";
    assert_eq!((said.status, said.stderr.as_str()), (0, problem));
}

#[test]
fn an_entry_of_a_shipped_name_replaces_it() {
    let place =
        site(&entry("curl-404", "\"scratch server {host} is offline\"", "\"HTTP code 410\""));
    let said = place.advise("-catalogue curl-404");
    assert!(said.stdout.starts_with("# DIR/site.toml, line 1\n[curl-404]\n"), "{said:?}");
    let said = place.advise("-catalogue The requested URL returned error: 404");
    assert!(said.stdout.starts_with("curl-status "), "{said:?}");
}

#[test]
fn entries_of_a_site_change_no_probability() {
    // Of what is said most, another meaning and end.
    let texts =
        ["No such file or directory", "HTTP code 404", "memory usage exceeded request_memory"];
    let entries: String = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            entry(
                &format!("site-{at}"),
                "scratch server {host} is offline\"]\nm",
                &format!("{text}\"]\nm"),
            )
        })
        .collect();
    let (shipped, of_site) = (Place::new(), site(&entries));
    let server = "Transfer input files failure at execution point slot1@c3.example.org using \
                  protocol https. Details: HTTP code 404 ( URL file = https://d.example.org/a )";
    let memory = "Error from slot1@c3.example.org: memory usage exceeded request_memory";
    let mut changed = 0;
    for (code, reason) in [(6, texts[0]), (13, server), (12, texts[0]), (34, memory), (21, memory)]
    {
        // As soon as it is held: later the model is asked as of the last event where time does not
        // help, else as of now.
        let at_once = |place| advice_at(place, "1772359200", code, reason).0;
        let (before, after) = (at_once(&shipped), at_once(&of_site));
        assert!(after["CatalogueEntry"].as_str().unwrap().starts_with("site-"), "{after}");
        changed += usize::from(before["Recommendation"] != after["Recommendation"]);
        let success = |advice: &Value| advice["Success"].as_object().cloned().unwrap_or_default();
        let after = success(&after);
        for (action, probability) in success(&before) {
            assert!(
                after.get(&action).is_none_or(|other| *other == probability),
                "{code} {action}"
            );
        }
        assert_eq!(after["as-is"], before["Success"]["as-is"], "{code}");
    }
    assert!(changed > 0);
}

#[test]
fn the_ad_decides_of_each_job_though_reason_and_codes_are_alike() {
    let by_codes = "code = [3]\nsubcode = [77]\nwhen = \"JobPrio > 5\"";
    let place = site(&entry("by-codes", "text = [\"scratch server {host} is offline\"]", by_codes));
    let of = |cluster, prio: i32| {
        let hold = "HoldReasonCode = 3\nHoldReasonSubCode = 77\nHoldReason = \"odd\"";
        ad(cluster, 0, &format!("{hold}\nJobPrio = {prio}"))
    };
    place.file("held.ads", [of(7, 0), of(8, 9), of(9, 1)].join("\n"));
    let said = place.advise(&format!("-jobads held.ads -now {NOW} -json"));
    let all: Vec<Value> = serde_json::from_str(&said.stdout).expect("JSON");
    let hit: Vec<bool> = all.iter().map(|one| one["CatalogueEntry"] == "by-codes").collect();
    assert_eq!(hit, [false, true, false], "{said:?}");
}

#[test]
fn what_is_read_of_one_job_is_not_given_for_another() {
    let by_codes = |more: &str| format!("code = [12]\nsubcode = [77]{more}");
    let ads = |jobs: &[&str]| {
        let hold = "HoldReason = \"Transfer output files failure at execution point slot1@c3\"";
        let ads = jobs.iter().zip(7..).map(|(more, id)| ad(id, 0, &format!("{hold}\n{more}\n")));
        ads.collect::<Vec<_>>().join("\n")
    };
    let text = "text = [\"scratch server {host} is offline\"]";
    for (more, jobs, expected) in [
        (
            "\nwhen = \"JobPrio > 5\"",
            [
                "HoldReasonCode = 13\nHoldReasonSubCode = 77\nJobPrio = 9",
                "HoldReasonCode = 13\nHoldReasonSubCode = 77\nJobPrio = 0",
            ],
            [true, false],
        ),
        ("", ["HoldReasonCode = 12", "HoldReasonCode = 12\nHoldReasonSubCode = 77"], [false, true]),
    ] {
        let place = site(&entry("by-codes", text, &by_codes(more)));
        place.file("held.ads", ads(&jobs));
        let said = place.advise(&format!("-jobads held.ads -now {NOW} -json"));
        let all: Vec<Value> = serde_json::from_str(&said.stdout).expect("JSON");
        let hit: Vec<bool> = all.iter().map(|one| one["CatalogueEntry"] == "by-codes").collect();
        assert_eq!(hit, expected, "{more}");
    }
}
