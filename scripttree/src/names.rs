//! What is called.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use crate::Language;

/// Bytes of a name, at most: longer ones are left out.
const LENGTH: usize = 128;

/// Names that are kept, at most.
const NAMES: usize = 4096;

/// Commands that start the command behind their options.
const WRAPPERS: [&str; 16] = [
    "sudo", "time", "nice", "ionice", "env", "exec", "nohup", "timeout", "xargs", "command",
    "builtin", "stdbuf", "taskset", "setsid", "strace", "numactl",
];

/// Functions of Python and R that start a command, which their first string has.
const STARTERS: [&str; 15] = [
    "os.system",
    "os.popen",
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "subprocess.Popen",
    "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell",
    "system",
    "system2",
    "shell",
    "pipe",
];

/// Functions that call what they are given, once for each element.
const LOOPS: [&str; 16] = [
    "map",
    "filter",
    "sapply",
    "lapply",
    "vapply",
    "mapply",
    "apply",
    "tapply",
    "Map",
    "Filter",
    "Reduce",
    "replicate",
    "outer",
    "rapply",
    "mclapply",
    "parLapply",
];

/// Functions whose value is a number they are given, or that many.
const COUNTS: [&str; 15] = [
    "range",
    "xrange",
    "int",
    "float",
    "numpy.arange",
    "numpy.int64",
    "tqdm.tqdm",
    "tqdm.trange",
    "seq",
    "seq_len",
    "as.integer",
    "as.numeric",
    "round",
    "math.floor",
    "enumerate",
];

/// The function starts a command.
pub(crate) fn starts_command(name: &str) -> bool {
    STARTERS.contains(&name)
}

/// The function calls what it is given, again and again.
pub(crate) fn is_loop(name: &str) -> bool {
    LOOPS.contains(&name)
}

/// The number that a call is given is its value, or its length.
pub(crate) fn is_count(name: &str) -> bool {
    COUNTS.contains(&name)
}

/// What names stand for in one script.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// A name that was imported, and what it stands for.
    imported: HashMap<Box<str>, Box<str>>,
    /// Functions and classes of the script.
    pub(crate) defined: HashSet<Box<str>>,
}

impl Names {
    /// A function or class of the script itself.
    pub(crate) fn define(&mut self, name: &str) {
        if self.defined.len() < NAMES && name.len() <= LENGTH {
            self.defined.insert(name.into());
        }
    }

    /// Notes an import of Python. Returned: the modules.
    pub(crate) fn import(&mut self, node: Node<'_>, text: &[u8]) -> Vec<Box<str>> {
        let mut modules = Vec::new();
        let from = node.child_by_field_name("module_name").map(|module| of(module, text));
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor).take(NAMES) {
            let alias = name.child_by_field_name("alias").map(|alias| of(alias, text));
            let full =
                name.child_by_field_name("name").map_or_else(|| of(name, text), |n| of(n, text));
            let (known, stands_for) = match &from {
                Some(module) => (alias.unwrap_or(full), format!("{module}.{full}")),
                // `import a.b` brings the name a.
                None => match alias {
                    Some(alias) => (alias, full.to_owned()),
                    None => (first(full), first(full).to_owned()),
                },
            };
            if from.is_none() {
                modules.push(full.into());
            }
            if self.imported.len() < NAMES && stands_for.len() <= LENGTH {
                self.imported.insert(known.into(), stands_for.into());
            }
        }
        modules.extend(from.map(Into::into));
        modules
    }

    /// What a call calls; empty: a function of the script itself, or not known.
    pub(crate) fn called(&self, language: Language, node: Node<'_>, text: &[u8]) -> Box<str> {
        let name = match language {
            Language::Python => self.python(node, text),
            Language::Shell => command(node, text),
            Language::R => r(node, text),
        };
        match name {
            Some(name) if name.len() <= LENGTH => name.into(),
            _ => Box::default(),
        }
    }

    fn python(&self, node: Node<'_>, text: &[u8]) -> Option<String> {
        let function = node.child_by_field_name("function")?;
        match function.kind() {
            "identifier" => {
                let name = of(function, text);
                Some(self.imported.get(name).map_or_else(|| name.to_owned(), ToString::to_string))
            }
            "attribute" => {
                let last = of(function.child_by_field_name("attribute")?, text);
                let object = function.child_by_field_name("object")?;
                let chain = of(object, text);
                let is_chain = chain.len() <= LENGTH
                    && chain.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
                if !is_chain {
                    return Some(format!(".{last}"));
                }
                let module = first(chain);
                if module == "self" || module == "cls" {
                    return None;
                }
                match self.imported.get(module) {
                    Some(full) => Some(format!("{full}{}.{last}", &chain[module.len()..])),
                    None => Some(format!(".{last}")),
                }
            }
            _ => None,
        }
    }
}

/// The text of a node; empty where it is no UTF-8 or too long to be a name.
pub(crate) fn of<'t>(node: Node<'_>, text: &'t [u8]) -> &'t str {
    let bytes = text.get(node.byte_range()).unwrap_or_default();
    if bytes.len() > LENGTH { "" } else { std::str::from_utf8(bytes).unwrap_or_default() }
}

/// What stands before the first dot.
fn first(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn r(node: Node<'_>, text: &[u8]) -> Option<String> {
    let function = node.child_by_field_name("function")?;
    match function.kind() {
        "identifier" => Some(of(function, text).to_owned()),
        // Packages of R do not tell their functions apart: they are attached as a whole.
        "namespace_operator" => Some(of(function.child_by_field_name("rhs")?, text).to_owned()),
        "extract_operator" => Some(format!(".{}", of(function.child_by_field_name("rhs")?, text))),
        _ => None,
    }
}

/// The command of a shell's command, behind `sudo`, `time` and others like them.
fn command(node: Node<'_>, text: &[u8]) -> Option<String> {
    let mut cursor = node.walk();
    let arguments = node.children_by_field_name("argument", &mut cursor).take(32);
    let words = node.child_by_field_name("name").into_iter().chain(arguments);
    started(words.map(|word| of(word, text)))
}

/// The command that words of a command line start.
pub(crate) fn started<'t>(words: impl Iterator<Item = &'t str>) -> Option<String> {
    let mut name = None;
    for word in words {
        let word = word.trim_matches(['"', '\'']);
        let is_setting = word.contains('=') || word.starts_with('-') || word.is_empty();
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if name.is_some() && (is_setting || is_number) {
            continue;
        }
        let base = word.rsplit('/').next().unwrap_or(word);
        if !base
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '[' | ':'))
        {
            break;
        }
        name = Some(base.to_owned());
        if !WRAPPERS.contains(&base) {
            break;
        }
    }
    name.filter(|name| !name.is_empty())
}
