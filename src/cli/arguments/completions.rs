//! Completions of bash, zsh and fish, written from the tables of options.
//!
//! All three find the nearest option before the word that is completed, cut short or in full, and
//! offer what that option takes at the word's place behind it.

use super::option::{OptionSpec, Takes, Tool};

/// What begins each file.
const ORIGIN: &str =
    "# Written by `cargo run --example completions`; change the tables in src/cli instead.\n";

/// A tool and the attributes that its options may name.
pub(crate) struct Completed {
    pub(crate) tool: &'static Tool,
    pub(crate) attributes: Vec<&'static str>,
}

impl Completed {
    /// The path below `completions/` and the text of each shell's file.
    pub(crate) fn files(&self) -> [(String, String); 3] {
        let name = self.tool.name;
        [
            (format!("bash/{name}"), self.bash()),
            (format!("zsh/_{name}"), self.zsh()),
            (format!("fish/{name}.fish"), self.fish()),
        ]
    }

    /// The options that are offered; another name of one is understood only.
    fn options(&self) -> impl Iterator<Item = &'static OptionSpec> {
        self.tool.options.iter().filter(|option| option.alias_of.is_none())
    }

    /// What may follow `value` in the table of options: `@files`, words, or nothing.
    fn offered(&self, value: &str) -> String {
        match value {
            "attribute" => self.attributes.join(" "),
            _ if value.contains("filename") => "@files".to_owned(),
            _ if value.contains('|') => value.replace('|', " "),
            _ => String::new(),
        }
    }

    /// For each option that takes something: how it may be written, what is offered at each place
    /// behind it, and at all later ones.
    fn takers(&self) -> impl Iterator<Item = (Vec<String>, Vec<String>, String)> {
        self.tool.options.iter().filter_map(|option| {
            let (places, rest) = match option.takes {
                Takes::Nothing => return None,
                Takes::One(value) => (vec![self.offered(value)], String::new()),
                Takes::Two(first, second) => {
                    (vec![self.offered(first), self.offered(second)], String::new())
                }
                Takes::Many(value) => (vec![], self.offered(value)),
            };
            let known = places.iter().chain([&rest]).any(|words| !words.is_empty());
            known.then(|| (spellings(option), places, rest))
        })
    }

    /// `case` of bash and zsh: sets `places` and `rest`.
    fn cases(&self) -> String {
        let mut out = String::new();
        for (spellings, places, rest) in self.takers() {
            let mut sets = Vec::new();
            if !places.is_empty() {
                let places: Vec<_> = places.iter().map(|words| quoted(words)).collect();
                sets.push(format!("places=({})", places.join(" ")));
            }
            if !rest.is_empty() {
                sets.push(format!("rest={}", quoted(&rest)));
            }
            out.push_str(&format!("    {}) {} ;;\n", spellings.join(" | "), sets.join(" ")));
        }
        out
    }

    fn bash(&self) -> String {
        let names: Vec<_> = self.options().map(|option| format!("-{}", option.name)).collect();
        BASH.replace("@NAME@", self.tool.name)
            .replace("@ORIGIN@", ORIGIN)
            .replace("@CASES@", &self.cases())
            .replace("@OPTIONS@", &names.join(" "))
    }

    fn zsh(&self) -> String {
        let described: String = self
            .options()
            .map(|option| {
                format!("        {}\n", quoted(&format!("-{}:{}", option.name, brief(option))))
            })
            .collect();
        ZSH.replace("@NAME@", self.tool.name)
            .replace("@ORIGIN@", ORIGIN)
            .replace("@CASES@", &self.cases())
            .replace("@OPTIONS@", &described)
    }

    fn fish(&self) -> String {
        let cases: String = self
            .takers()
            .map(|(spellings, places, rest)| {
                let places: Vec<_> =
                    places.iter().chain([&rest]).map(|words| quoted(words)).collect();
                format!(
                    "        case {}\n            set places {}\n",
                    spellings.join(" "),
                    places.join(" ")
                )
            })
            .collect();
        let options: String = self
            .options()
            .map(|option| {
                let text = quoted(&brief(option));
                format!("complete -c {} -o {} -d {text}\n", self.tool.name, option.name)
            })
            .collect();
        FISH.replace("@NAME@", self.tool.name)
            .replace("@ORIGIN@", ORIGIN)
            .replace("@CASES@", &cases)
            .replace("@OPTIONS@", &options)
    }
}

/// From the shortest prefix to the full name behind one dash, and the full name behind two.
fn spellings(option: &OptionSpec) -> Vec<String> {
    let prefixes = (option.min..=option.name.len()).map(|end| format!("-{}", &option.name[..end]));
    prefixes.chain([format!("--{}", option.name)]).collect()
}

/// The first sentence of an option's help, up to a colon.
fn brief(option: &OptionSpec) -> String {
    let sentence = option.help.split(". ").next().unwrap_or_default();
    let clause = sentence.split(": ").next().unwrap_or_default();
    clause.trim_end_matches('.').to_owned()
}

/// One word of a shell: bash, zsh and fish read text without a backslash alike.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

const BASH: &str = r#"@ORIGIN@
_@NAME@() {
    local word=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) places=() rest= offered
    COMPREPLY=()
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '@OPTIONS@' -- "$word")
        return
    fi
    while [[ $at -gt 0 && ${COMP_WORDS[at]} != -?* ]]; do at=$((at - 1)); done
    case ${COMP_WORDS[at]%%:*} in
@CASES@    esac
    offered=${places[COMP_CWORD - at - 1]-$rest}
    if [[ $offered == @files ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$word")
    fi
}
complete -F _@NAME@ @NAME@
"#;

const ZSH: &str = r#"#compdef @NAME@
@ORIGIN@
_@NAME@() {
    local at=$((CURRENT - 1)) rest= offered
    local -a places names
    if [[ $PREFIX == -* ]]; then
        names=(
@OPTIONS@        )
        _describe -o option names
        return
    fi
    while [[ $at -gt 1 && $words[at] != -?* ]]; do at=$((at - 1)); done
    case ${words[at]%%:*} in
@CASES@    esac
    offered=${places[CURRENT - at]-$rest}
    if [[ $offered == @files ]]; then
        _files
    else
        compadd -- ${=offered}
    fi
}
_@NAME@ "$@"
"#;

const FISH: &str = r#"@ORIGIN@
# What may stand at the place of the cursor: @files, or words.
function __@NAME@_offered
    set -l words (commandline -opc)
    set -l at (count $words)
    while test $at -gt 1; and not string match -q -- '-?*' $words[$at]
        set at (math $at - 1)
    end
    set -l places
    switch (string replace -r ':.*' '' -- $words[$at])
@CASES@    end
    set -l place (math (count $words) - $at + 1)
    if test $place -gt (count $places)
        set place -1
    end
    string split -n ' ' -- $places[$place]
end
function __@NAME@_files
    string match -q -- @files (__@NAME@_offered)
end
complete -c @NAME@ -f
complete -c @NAME@ -n __@NAME@_files -F
complete -c @NAME@ -n 'not __@NAME@_files' -a '(__@NAME@_offered)'
@OPTIONS@"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::options::TOOL;

    fn completed() -> Completed {
        Completed { tool: &TOOL, attributes: vec!["Band", "ClusterId"] }
    }

    #[test]
    fn every_spelling_of_an_option_is_known() {
        let long = TOOL.option("checks").unwrap();
        assert_eq!(spellings(long), ["-ch", "-che", "-chec", "-check", "-checks", "--checks"]);
        let (_, places, rest) = completed()
            .takers()
            .find(|(words, ..)| words.contains(&"--checks".to_owned()))
            .unwrap();
        assert_eq!((places, rest), (vec!["local all none".to_owned()], String::new()));
    }

    #[test]
    fn names_for_options_are_understood_and_not_offered() {
        let bash = completed().bash();
        assert!(!bash.contains(" -all-users "));
        assert!(bash.contains("--autoformat) rest='Band ClusterId' ;;"));
    }

    #[test]
    fn a_brief_is_one_line_that_all_shells_read_alike() {
        for option in TOOL.options {
            let brief = brief(option);
            assert!(!brief.is_empty() && brief.chars().count() < 120, "{brief}");
            assert!(!brief.contains(['\n', '\\']), "{brief}");
        }
    }
}
