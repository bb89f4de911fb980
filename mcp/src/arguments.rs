//! What the tools may be given: of each field the name that assistants know, what they read of it,
//! and the option that it is for a program.

use std::path::Path;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Elements of a list that a caller may give.
const MOST: usize = 1_000;

/// Which jobs, and where to read of them.
#[derive(Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Jobs {
    /// Clusters (1234), jobs (1234.0) or owners; none: all held jobs of the user, or of the files
    #[serde(rename(serialize = ""))]
    jobs: Vec<String>,
    /// A file of job ads (condor_q -long or -json), read in place of the queue
    #[serde(rename(serialize = "-jobads"))]
    job_ads: Option<String>,
    /// Job event logs of the jobs
    #[serde(rename(serialize = "-userlog"))]
    user_logs: Vec<String>,
    /// Event logs of the access point; default: that of its configuration
    #[serde(rename(serialize = "-eventlog"))]
    event_logs: Vec<String>,
    /// Files of the ads of earlier runs
    #[serde(rename(serialize = "-epochs"))]
    epochs: Vec<String>,
    /// Unix seconds as of which is judged; default: the clock
    #[serde(rename(serialize = "-now"))]
    now: Option<u64>,
}

/// Jobs whose policies are looked at.
#[derive(Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Held {
    /// Clusters (1234) or jobs (1234.0); needed without job_ads
    #[serde(rename(serialize = ""))]
    jobs: Vec<String>,
    /// A file of job ads (condor_q -long or -json), read in place of the queue
    #[serde(rename(serialize = "-jobads"))]
    job_ads: Option<String>,
    /// Unix seconds as of which is judged; default: the clock
    #[serde(rename(serialize = "-now"))]
    now: Option<u64>,
}

/// A policy that is looked at.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Looked {
    /// An expression, or the path of a submit description or configuration file
    #[serde(rename(serialize = "-lint"))]
    policy: String,
    /// What an expression by itself is for; default: release
    #[serde(rename(serialize = "-kind"))]
    kind: Option<Kind>,
}

/// A policy that is tried on the past.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tried {
    /// An expression, or the path of a submit description or configuration file
    #[serde(rename(serialize = "-replay"))]
    policy: String,
    /// Job event logs of the jobs
    #[serde(default, rename(serialize = "-userlog"))]
    user_logs: Vec<String>,
    /// Event logs of the access point; default: that of its configuration
    #[serde(default, rename(serialize = "-eventlog"))]
    event_logs: Vec<String>,
    /// Files of the ads of earlier runs
    #[serde(default, rename(serialize = "-epochs"))]
    epochs: Vec<String>,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Kind {
    Release,
    Hold,
    Remove,
    Exit,
}

/// How what is expected reads in plain words.
const EXPECTED: [(&str, &str); 3] = [
    ("a sequence", "a list"),
    ("expected u64", "expected whole seconds since 1970"),
    ("field `", "argument `"),
];

/// The words for a program, of arguments that may be none of these.
pub(crate) fn words<T>(mut arguments: JsonObject) -> Result<Vec<String>, String>
where
    T: Serialize + for<'a> Deserialize<'a>,
{
    arguments.retain(|_, value| !value.is_null());
    for (name, value) in &arguments {
        let all = elements(value);
        if all.len() > MOST {
            return Err(format!("{name}: expected {MOST} at most, found {}", all.len()));
        }
        all.iter().filter_map(Value::as_str).try_for_each(|word| check(name, word))?;
    }
    let given: T = serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string().replace('.', "arguments");
        let why = error.into_inner().to_string();
        let plain = |why: String, (from, to): &(&str, &str)| why.replace(from, to);
        format!("{path}: {}", EXPECTED.iter().fold(why, plain))
    })?;
    let mut words = Vec::new();
    for (option, value) in serde_json::to_value(given).iter().flat_map(Value::as_object).flatten() {
        for value in elements(value).iter().filter(|value| !value.is_null()) {
            words.extend(Some(option.clone()).filter(|option| !option.is_empty()));
            let word = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // An expression may begin with a sign.
            words.push(if word.starts_with('-') { format!(" {word}") } else { word });
        }
    }
    Ok(words)
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// Fails for a word that could be taken for an option, and for a name of what is no regular file: a
/// pipe would be waited for.
fn check(name: &str, word: &str) -> Result<(), String> {
    let is_option = word.starts_with('-') && name != "policy";
    if is_option || word.is_empty() || word.contains('\0') {
        return Err(format!("{name}: {word:?} cannot be used: expected a name, no option"));
    }
    match Path::new(word).metadata() {
        Ok(metadata) if !metadata.is_file() && !["jobs", "kind"].contains(&name) => {
            Err(format!("{name}: {word:?} is no regular file"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read<T: Serialize + for<'a> Deserialize<'a>>(given: &Value) -> Result<Vec<String>, String> {
        words::<T>(given.as_object().unwrap().clone())
    }

    #[test]
    fn nothing_that_is_passed_becomes_an_option() {
        for (given, said) in [
            (json!({ "jobs": ["-apply"] }), "jobs: \"-apply\" cannot be used"),
            (json!({ "jobs": [""] }), "jobs: \"\" cannot be used"),
            (json!({ "jobs": ["a\0b"] }), "jobs: \"a\\0b\" cannot be used"),
            (json!({ "jobs": [1] }), "jobs[0]: invalid type: integer `1`, expected a string"),
            (json!({ "jobs": "1.0" }), "jobs: invalid type: string \"1.0\", expected a list"),
            (json!({ "jobs": vec!["1.0"; 1_001] }), "jobs: expected 1000 at most, found 1001"),
            (
                json!({ "apply": true }),
                "apply: unknown argument `apply`, expected one of `jobs`, `job_ads`",
            ),
            (json!({ "job_ads": "-yes" }), "job_ads: \"-yes\" cannot be used"),
            (json!({ "user_logs": ["a", "-apply"] }), "user_logs: \"-apply\" cannot be used"),
            (
                json!({ "now": -5 }),
                "now: invalid value: integer `-5`, expected whole seconds since 1970",
            ),
            (
                json!({ "now": "5" }),
                "now: invalid type: string \"5\", expected whole seconds since 1970",
            ),
            (json!({ "job_ads": "/dev/stdin" }), "job_ads: \"/dev/stdin\" is no regular file"),
            (json!({ "job_ads": "/dev/null" }), "job_ads: \"/dev/null\" is no regular file"),
            (json!({ "epochs": ["/proc"] }), "epochs: \"/proc\" is no regular file"),
        ] {
            let error = read::<Jobs>(&given).expect_err(said);
            assert!(error.starts_with(said), "{error}");
        }
        for (given, said) in [
            (json!({ "policy": "/dev/stdin" }), "policy: \"/dev/stdin\" is no regular file"),
            (json!({ "policy": 3 }), "policy: invalid type: integer `3`, expected a string"),
            (json!({}), "arguments: missing argument `policy`"),
            (json!({ "policy": null }), "arguments: missing argument `policy`"),
            (json!({ "policy": "true", "kind": "-json" }), "kind: \"-json\" cannot be used"),
        ] {
            let error = read::<Looked>(&given).expect_err(said);
            assert!(error.starts_with(said), "{error}");
        }
        assert!(read::<Tried>(&json!({ "policy": "/dev/zero" })).is_err());
    }

    #[test]
    fn each_argument_is_the_option_that_it_says() {
        let files = json!(["/none", "/none.2"]);
        let given = json!({
            "jobs": ["1.0", "alice"], "job_ads": "a", "user_logs": files, "event_logs": files,
            "epochs": files, "now": 17,
        });
        let said = "1.0 alice -jobads a -userlog /none -userlog /none.2 -eventlog /none \
                    -eventlog /none.2 -epochs /none -epochs /none.2 -now 17";
        assert_eq!(read::<Jobs>(&given).unwrap().join(" "), said);
        assert_eq!(read::<Held>(&json!({ "jobs": null, "now": 3 })).unwrap(), ["-now", "3"]);
        let signed = json!({ "policy": "-1 < NumHolds", "kind": "exit" });
        assert_eq!(read::<Looked>(&signed).unwrap(), ["-lint", " -1 < NumHolds", "-kind", "exit"]);
        let tried = json!({ "policy": "true", "epochs": ["b"] });
        assert_eq!(read::<Tried>(&tried).unwrap(), ["-replay", "true", "-epochs", "b"]);
    }
}
