//! Completions of bash, zsh and fish, written from the tables of options.
//!
//! All three find the nearest option before the word that is completed, cut short or in full, and
//! offer what that option takes at the word's place behind it.

use super::option::{OptionSpec, Tool};

/// What begins each file.
const ORIGIN: &str =
    "# Written by `cargo run --example completions`; change the tables in src/cli instead.\n";

/// The path below `completions/` and the text of each shell's file.
pub(crate) fn completions_of<A: 'static>(tool: &Tool<A>) -> [(String, String); 3] {
    let name = tool.name;
    [
        (format!("bash/{name}"), tool.bash()),
        (format!("zsh/_{name}"), tool.zsh()),
        (format!("fish/{name}.fish"), tool.fish()),
    ]
}

impl<A: 'static> Tool<A> {
    /// For each name of an option that takes something: how it may be written, what is offered at
    /// each place behind it, and at all later ones.
    fn takers(&self) -> impl Iterator<Item = (Vec<String>, Vec<String>, String)> {
        self.options().flat_map(|option| {
            let mut places: Vec<String> = option.takes.iter().map(|word| word.offered()).collect();
            let rest = if option.is_many { places.pop() } else { None }.unwrap_or_default();
            let is_known = places.iter().chain([&rest]).any(|words| !words.is_empty());
            let names = option.names().filter(move |_| is_known);
            names.map(move |of| (spellings(of.name, of.min), places.clone(), rest.clone()))
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

    fn filled(&self, template: &str, cases: &str, options: &str) -> String {
        let text = template.replace("@NAME@", self.name).replace("@ORIGIN@", ORIGIN);
        text.replace("@CASES@", cases).replace("@OPTIONS@", options)
    }

    fn bash(&self) -> String {
        let names: Vec<_> = self.options().map(|option| format!("-{}", option.name)).collect();
        self.filled(BASH, &self.cases(), &names.join(" "))
    }

    fn zsh(&self) -> String {
        let described = self.options().map(|option| {
            format!("        {}\n", quoted(&format!("-{}:{}", option.name, brief(option))))
        });
        self.filled(ZSH, &self.cases(), &described.collect::<String>())
    }

    fn fish(&self) -> String {
        let cases = self.takers().map(|(spellings, places, rest)| {
            let places: Vec<_> = places.iter().chain([&rest]).map(|words| quoted(words)).collect();
            let (spellings, places) = (spellings.join(" "), places.join(" "));
            format!("        case {spellings}\n            set places {places}\n")
        });
        let options = self.options().map(|option| {
            let text = quoted(&brief(option));
            format!("complete -c {} -o {} -d {text}\n", self.name, option.name)
        });
        self.filled(FISH, &cases.collect::<String>(), &options.collect::<String>())
    }
}

/// From the shortest prefix to the full name behind one dash, and the full name behind two.
fn spellings(name: &str, min: usize) -> Vec<String> {
    let prefixes = (min..=name.len()).map(|end| format!("-{}", &name[..end]));
    prefixes.chain([format!("--{name}")]).collect()
}

/// The first sentence of an option's help, up to a colon.
fn brief<A>(option: &OptionSpec<A>) -> String {
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

    #[test]
    fn every_spelling_of_an_option_is_known() {
        let (words, places, rest) =
            TOOL.takers().find(|(words, ..)| words.contains(&"--checks".to_owned())).unwrap();
        assert_eq!(words, ["-ch", "-che", "-chec", "-check", "-checks", "--checks"]);
        assert_eq!((places, rest), (vec!["own local all none".to_owned()], String::new()));
    }

    #[test]
    fn names_for_options_are_understood_and_not_offered() {
        let bash = TOOL.bash();
        assert!(!bash.contains(" -all-users "));
        assert!(bash.contains("--autoformat) rest='") && bash.contains(" ClusterId "));
    }

    #[test]
    fn a_brief_is_one_line_that_all_shells_read_alike() {
        for option in TOOL.options() {
            let brief = brief(option);
            assert!(!brief.is_empty() && brief.chars().count() < 120, "{brief}");
            assert!(!brief.contains(['\n', '\\']), "{brief}");
        }
    }
}
