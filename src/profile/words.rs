//! What functions and commands of scripts do, by their names.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use scripttree::{Language, Text, Tree};
use strum::{IntoStaticStr, VariantArray};

use super::binding::Binding;

/// What calls are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Use {
    /// Sends or receives.
    Network,
    /// Reads files.
    Reads,
    /// Writes files.
    Writes,
    /// Copies, packs or searches files.
    Files,
    /// Makes something as large as its arguments say.
    Makes,
    /// Reads or joins whole tables.
    Tables,
    /// Calculates with matrices.
    Matrices,
    /// Fits, simulates, optimises.
    Fits,
    /// Computes one number of another, or a digest.
    Computes,
    /// Draws random numbers.
    Random,
    /// Works on text.
    Strings,
    /// Sorts, or groups.
    Sorts,
    /// Waits.
    Waits,
    /// Starts threads or processes.
    Parallel,
    /// Starts another script or program that computes.
    Programs,
    /// Prints or draws.
    Prints,
}

impl Use {
    /// One lower-case word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The resource that such calls use most; `None`: it depends.
    #[must_use]
    pub const fn binding(self) -> Option<Binding> {
        match self {
            Self::Network => Some(Binding::Network),
            Self::Reads | Self::Writes | Self::Files => Some(Binding::Disk),
            Self::Makes | Self::Tables => Some(Binding::Memory),
            Self::Matrices
            | Self::Fits
            | Self::Computes
            | Self::Random
            | Self::Strings
            | Self::Sorts => Some(Binding::Cpu),
            Self::Waits | Self::Parallel | Self::Programs | Self::Prints => None,
        }
    }

    /// What a call is for; `None`: not known. The whole name goes before its last part, and that
    /// before its module. `number`: that of the call in the tree.
    #[must_use]
    pub fn of_call(tree: &Tree, number: usize) -> Option<Self> {
        let node = tree.nodes.get(number)?;
        let of_language = match tree.language {
            _ if node.is_command => &TABLE.shell,
            Language::Python => &TABLE.python,
            Language::Shell => &TABLE.shell,
            Language::R => &TABLE.r,
        };
        let used = of_language.get(&*node.name).copied().or_else(|| Self::of(&node.name))?;
        let is_read = matches!(used, Self::Reads | Self::Tables);
        let has_url = || tree.inside(number).iter().take(ARGUMENTS).any(|of| of.text == Text::Url);
        Some(if is_read && has_url() { Self::Network } else { used })
    }

    /// What a call of this name is for in any language.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let last = name.rfind('.').map(|dot| &name[dot..]);
        let calls = &TABLE.calls;
        let known = calls.get(name).or_else(|| calls.get(last?));
        known.copied().or_else(|| Self::of_module(name))
    }

    /// What a module is for; `None`: not known.
    #[must_use]
    pub fn of_module(name: &str) -> Option<Self> {
        TABLE.modules.get(name.split('.').next()?).copied()
    }
}

/// Nodes of a call among which a URL is looked for.
const ARGUMENTS: usize = 16;

/// A shell does this itself, without a program.
#[must_use]
pub(super) fn is_builtin(command: &str) -> bool {
    TABLE.builtins.contains(command)
}

/// What names are for.
#[derive(Default)]
struct Table {
    calls: HashMap<&'static str, Use>,
    python: HashMap<&'static str, Use>,
    shell: HashMap<&'static str, Use>,
    r: HashMap<&'static str, Use>,
    modules: HashMap<&'static str, Use>,
    builtins: HashSet<&'static str>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for line in include_str!("words.txt").lines() {
        let mut words = line.split(' ');
        let of = match words.next() {
            Some("call") => &mut table.calls,
            Some("python") => &mut table.python,
            Some("shell") => &mut table.shell,
            Some("R") => &mut table.r,
            Some("module") => &mut table.modules,
            Some("builtin") => {
                table.builtins.extend(words);
                continue;
            }
            _ => continue,
        };
        let named = |word| Use::VARIANTS.iter().copied().find(|of| of.name() == word);
        let used = words.next().and_then(named);
        of.extend(words.filter_map(|name| Some((name, used?))));
    }
    table
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_name_goes_before_its_last_part_and_its_module() {
        assert_eq!(Use::of("numpy.zeros"), Some(Use::Makes));
        assert_eq!(Use::of("pandas.read_csv"), Some(Use::Tables));
        assert_eq!(Use::of("x.read_csv"), Some(Use::Tables));
        assert_eq!(Use::of("requests.get"), Some(Use::Network));
        assert_eq!(Use::of("numpy.sin"), Some(Use::Computes));
        assert_eq!(Use::of("wget"), Some(Use::Network));
        assert_eq!(Use::of("nothing"), None);
        assert_eq!(Use::of(""), None);
        assert_eq!(Use::of_module("urllib.request"), Some(Use::Network));
    }

    #[test]
    fn every_line_has_a_use_and_no_name_two() {
        let mut names = 0;
        for line in include_str!("words.txt").lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            if matches!(words[0], "builtin" | "python" | "shell" | "R") {
                continue;
            }
            assert!(matches!(words[0], "call" | "module"), "{line}");
            assert!(Use::VARIANTS.iter().any(|of| of.name() == words[1]), "{line}");
            names += words.len() - 2;
        }
        assert_eq!(TABLE.calls.len() + TABLE.modules.len(), names);
    }
}
