//! Reads a DAG file, with its splices and what it includes.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eventlog::input;

use super::submit::Submit;
use super::{ALL_NODES, Dag, Edge, LONGEST, Line, Node, SUBMITS, located};

/// Words of a line that are read, but of PARENT: none of the commands that are followed has more.
const WORDS: usize = 32;

/// Files within each other, and files in all.
const DEEPEST: usize = 32;
const FILES: usize = 10_000;

/// What may still be read of a DAG.
#[derive(Debug, PartialEq)]
pub(super) struct Left {
    /// Of [`LONGEST`].
    bytes: u64,
    /// Of [`Dag::MOST_LINES`].
    lines: usize,
    /// Of [`Dag::MOST_JOINED`].
    joined: usize,
    /// It was said that something is left out.
    is_said: bool,
}

impl Default for Left {
    fn default() -> Self {
        Self { bytes: LONGEST, lines: Dag::MOST_LINES, joined: Dag::MOST_JOINED, is_said: false }
    }
}

impl Left {
    /// One more line; else the bound that is reached.
    fn line(&mut self) -> Result<(), &'static str> {
        self.lines = self.lines.checked_sub(1).ok_or("4,000,000 lines")?;
        Ok(())
    }

    /// What one more name takes that stands for so many nodes behind a prefix; else the bound that
    /// is reached.
    fn take(&mut self, prefix: &str, joined: usize) -> Result<(), &'static str> {
        self.bytes = self.bytes.checked_sub(prefix.len() as u64).ok_or(BYTES)?;
        self.joined = self.joined.checked_sub(joined).ok_or("4,000,000 parents and children")?;
        Ok(())
    }
}

/// What [`LONGEST`] is of.
const BYTES: &str = "128 MiB";

impl Dag {
    /// Reads a file; names of its nodes get the `prefix` of its splice.
    pub(super) fn file(&mut self, path: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        let mut text = Vec::new();
        let mut file = input::open_regular(path)?.take(self.left.bytes);
        file.read_to_end(&mut text)?;
        let is_cut = file.into_inner().read(&mut [0])? > 0;
        self.left.bytes -= text.len() as u64;
        let text = String::from_utf8_lossy(&text);
        let (folder, shared) = (path.parent().unwrap_or(Path::new("")), Arc::<Path>::from(path));
        // The nodes of each splice of this file: those without parents, and those without children.
        let mut splices: HashMap<String, [Vec<usize>; 2]> = HashMap::new();
        let mut inline: Option<String> = None;
        // Nodes may follow the lines that join them.
        let mut joined: Vec<(usize, &str)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Err(over) = self.left.line() {
                self.leave_out(path, number + 1, over);
                break;
            }
            if let Some(end) = &inline {
                if line == end.as_str() {
                    inline = None;
                }
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().take(WORDS).collect();
            let Some((&command, rest)) = words.split_first() else { continue };
            if command.starts_with('#') {
                continue;
            }
            inline = begins_inline(line);
            let names = [self.nodes.len(), self.without_file.len(), self.descriptions.len()];
            let is_over = names.into_iter().any(|names| names > Self::MOST_NODES);
            let taken = self.left.take(prefix, 0);
            if let Err(over) = if is_over { Err("1,000,000 nodes") } else { taken } {
                self.leave_out(path, number + 1, over);
                break;
            }
            match (command.to_ascii_uppercase().as_str(), rest) {
                // FINAL, SERVICE and PROVISIONER belong to the DAG itself, not to its order.
                ("JOB", [name, options @ ..]) => {
                    let node = self.node(prefix, name, options);
                    self.has_inline |= inline.is_some();
                    if let (None, [file, options @ ..]) = (&inline, options)
                        && self.submits.len() <= SUBMITS
                    {
                        let line = (Arc::clone(&shared), number + 1);
                        self.take_submit(node, line, folder, (file, options));
                    }
                }
                ("SUBDAG", [external, name, options @ ..])
                    if external.eq_ignore_ascii_case("EXTERNAL") =>
                {
                    self.node(prefix, name, options);
                }
                ("DONE", [name, ..]) => self.set_done(prefix, name),
                ("SUBMIT-DESCRIPTION", [name, ..]) => {
                    self.descriptions.insert((*name).to_owned());
                }
                ("SCRIPT", words) => self.take_script(prefix, words),
                ("SPLICE", [name, file, options @ ..]) => {
                    let begin = self.nodes.len();
                    let within = format!("{prefix}{name}+");
                    let file = in_folder(folder, file, options);
                    match self.deeper(&file, &within, depth) {
                        Ok(()) => {
                            let all = begin..self.nodes.len();
                            let ends = |has: fn(&Node) -> bool| -> Vec<usize> {
                                all.clone().filter(|&at| !has(&self.nodes[at])).collect()
                            };
                            let first = ends(|node| !node.parents.is_empty());
                            let last = ends(|node| !node.children.is_empty());
                            splices.insert((*name).to_owned(), [first, last]);
                        }
                        Err(error) => self.fault(path, number + 1, &error.to_string()),
                    }
                }
                ("INCLUDE", [file, ..]) => {
                    let file = in_folder(folder, file, &[]);
                    if let Err(error) = self.deeper(&file, prefix, depth) {
                        self.fault(path, number + 1, &error.to_string());
                    }
                }
                ("PARENT", _) => joined.push((number, line)),
                _ => {}
            }
        }
        if is_cut {
            self.leave_out(path, text.lines().count(), BYTES);
        }
        for (number, line) in joined {
            let mut sides = [Vec::new(), Vec::new()];
            let mut side = 0;
            for name in line.split_whitespace().skip(1) {
                if side == 0 && name.eq_ignore_ascii_case("CHILD") {
                    side = 1;
                    continue;
                }
                let of_splice = splices.get(name).map(|ends| ends[1 - side].as_slice());
                let node = self.names.get(&format!("{prefix}{name}"));
                let of = of_splice.unwrap_or_else(|| node.map_or(&[], std::slice::from_ref));
                if let Err(over) = self.left.take(prefix, of.len()) {
                    self.leave_out(path, number + 1, over);
                    return Ok(());
                }
                sides[side].extend_from_slice(of);
            }
            let [parents, children] = sides;
            if side == 0 {
                self.fault(path, number + 1, "PARENT without CHILD");
                continue;
            }
            if parents.is_empty() || children.is_empty() {
                self.fault(path, number + 1, "PARENT or CHILD names no node");
                continue;
            }
            self.lines.push((Arc::clone(&shared), number + 1));
            self.join(&parents, &children);
        }
        Ok(())
    }

    /// Reads the submit file that a line names for a node, once for all nodes of it.
    fn take_submit(
        &mut self,
        node: usize,
        line: Line,
        folder: &Path,
        (file, options): (&str, &[&str]),
    ) {
        let place = in_folder(folder, "", options);
        let entry = self.submits.entry((place.join(file), place));
        let submit = entry.or_insert_with_key(|(path, folder)| {
            let mut submit = Submit::read(path, folder, line);
            // DAGMan runs where condor_submit_dag was called, which need not be where the file is.
            submit.absent.take_if(|_| in_folder(Path::new(""), file, options).exists());
            Arc::new(submit)
        });
        self.nodes[node].submit = Some(Arc::clone(submit));
        if options.iter().any(|word| word.eq_ignore_ascii_case("NOOP")) {
            self.without_file.insert(self.nodes[node].name.clone());
        }
    }

    /// Takes note of a PRE script: `SCRIPT [DEFER ...] [DEBUG ...] PRE node program`.
    fn take_script(&mut self, prefix: &str, words: &[&str]) {
        let is = |word: &str, kind: &str| word.eq_ignore_ascii_case(kind);
        let is_kind = |word: &&str| ["PRE", "POST", "HOLD"].iter().any(|kind| is(word, kind));
        let at = words.iter().position(is_kind).unwrap_or(words.len());
        if let [kind, node, ..] = &words[at..]
            && is(kind, "PRE")
        {
            let all = is(node, ALL_NODES).then(|| ALL_NODES.to_owned());
            self.without_file.insert(all.unwrap_or_else(|| format!("{prefix}{node}")));
        }
    }

    /// Makes a fault of the first bound that is reached, the first of all.
    fn leave_out(&mut self, path: &Path, line: usize, over: &str) {
        if !std::mem::replace(&mut self.left.is_said, true) {
            let text = format!(
                "more than {over}, those of splices as often as they are used; what follows is left out"
            );
            self.faults.insert(0, located(path, line, &text));
        }
    }

    fn deeper(&mut self, file: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        if depth >= DEEPEST {
            return Err(io::Error::other(format!("more than {DEEPEST} files within each other")));
        }
        self.files += 1;
        if self.files > FILES {
            return Err(io::Error::other(format!("more than {FILES} files")));
        }
        self.file(file, prefix, depth + 1).map_err(|error| {
            io::Error::other(format!("{}: {error}", crate::queue::display_path(file)))
        })
    }

    fn node(&mut self, prefix: &str, name: &str, options: &[&str]) -> usize {
        let name = format!("{prefix}{name}");
        let done = options.iter().any(|word| word.eq_ignore_ascii_case("DONE"));
        if let Some(&at) = self.names.get(&name) {
            return at;
        }
        self.names.insert(name.clone(), self.nodes.len());
        self.nodes.push(Node { name, done, ..Node::default() });
        self.nodes.len() - 1
    }

    pub(super) fn set_done(&mut self, prefix: &str, name: &str) {
        if let Some(&at) = self.names.get(&format!("{prefix}{name}")) {
            self.nodes[at].done = true;
        }
    }

    /// All parents come before all children, as the last of the lines says. Many with many go through a node between, as in DAGMan.
    fn join(&mut self, parents: &[usize], children: &[usize]) {
        let line = self.lines.len() - 1;
        let mut edge = |parent: usize, child: usize| {
            self.nodes[parent].children.push(Edge { child, line });
            self.nodes[child].parents.push(parent);
        };
        if parents.len() <= 1 || children.len() <= 1 {
            for &parent in parents {
                children.iter().for_each(|&child| edge(parent, child));
            }
            return;
        }
        let between = self.nodes.len();
        self.nodes.push(Node { joins: true, ..Node::default() });
        self.join(parents, &[between]);
        self.join(&[between], children);
    }
}

/// The line that ends an inline submit description which begins on this line.
fn begins_inline(line: &str) -> Option<String> {
    if line.ends_with('{') {
        return Some("}".to_owned());
    }
    let (_, mark) = line.rsplit_once("@=")?;
    (!mark.is_empty() && !mark.contains(char::is_whitespace)).then(|| format!("@{mark}"))
}

/// A file named in a DAG file, with `DIR` if that is given.
fn in_folder(folder: &Path, file: &str, options: &[&str]) -> PathBuf {
    let dir = options.iter().position(|word| word.eq_ignore_ascii_case("DIR"));
    match dir.and_then(|at| options.get(at + 1)) {
        Some(dir) => folder.join(dir).join(file),
        None => folder.join(file),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{children, dag};
    use super::*;

    #[test]
    fn splices_and_joins_are_followed() {
        let (_folder, dag) = dag(&[
            (
                "a.dag",
                "# comment\njob A a.sub\nJOB B b.sub DIR x DONE\nSUBDAG EXTERNAL C c.dag\n\
                 SPLICE S part.dag DIR sub\nINCLUDE more.dag\n\
                 PARENT A B CHILD C D\nparent C child S\nPARENT S CHILD E\nFINAL F f.sub\n\
                 JOB G {\n  executable = x\n  PARENT is no command here\n}\n\
                 JOB H @=end\nJOB I no.sub\n@end\nPARENT NONE CHILD A\n",
            ),
            ("sub/part.dag", "JOB X x\nJOB Y y\nJOB Z z\nPARENT X CHILD Y Z\n"),
            ("more.dag", "JOB D d\nJOB E e\nDONE D\n"),
        ]);
        assert_eq!(dag.len(), 10);
        assert_eq!(children(&dag, "A"), ["C", "D"]);
        assert_eq!(children(&dag, "C"), ["S+X"]);
        assert_eq!(children(&dag, "S+Z"), ["E"]);
        assert!(dag.nodes[dag.names["D"]].done && dag.nodes[dag.names["B"]].done);
        assert_eq!(dag.faults.len(), 1, "{:?}", dag.faults);
        assert!(
            dag.faults[0].contains("line 18: PARENT or CHILD names no node"),
            "{:?}",
            dag.faults
        );
    }

    #[test]
    fn products_of_splices_end_at_a_bound() {
        let nodes: String = (0..2_000).map(|at| format!("JOB N{at} a\n")).collect();
        let first = "JOB A a\nSPLICE S part.dag\nPARENT A CHILD S\nPARENT ";
        let text = format!("{first}{}CHILD A\n", "S ".repeat(700_000));
        let (_folder, dag) = dag(&[("a.dag", &text), ("part.dag", &nodes)]);
        let said = "a.dag: line 4: more than 4,000,000 parents and children, those of splices as often \
                    as they are used; what follows is left out";
        assert!(dag.faults.len() == 1 && dag.faults[0].ends_with(said), "{:?}", dag.faults);
        // What stands before is kept.
        assert_eq!((dag.len(), dag.edges()), (2_001, 2_000));
    }

    #[test]
    fn names_of_splices_count_where_they_are_put_before_names() {
        let part = format!("{}INCLUDE more.dag\n", "DONE X\n".repeat(100_000));
        let text = format!("JOB A a\nSPLICE {} part.dag\nJOB B b\n", "s".repeat(100_000));
        let (_folder, dag) = dag(&[("a.dag", &text), ("part.dag", &part)]);
        let said = "more than 128 MiB, those of splices as often as they are used; what follows is left out";
        assert!(dag.faults.len() == 1 && dag.faults[0].ends_with(said), "{:?}", dag.faults);
        assert_eq!(dag.len(), 2);
    }

    #[test]
    fn lines_of_files_that_are_included_again_and_again_end_at_a_bound() {
        let (_folder, dag) = dag(&[
            ("a.dag", &format!("JOB A a\n{}JOB B b\n", "INCLUDE b.dag\n".repeat(100))),
            ("b.dag", &"#\n".repeat(50_000)),
        ]);
        let said = "b.dag: line 49920: more than 4,000,000 lines, those of splices as often as they are used; what \
                    follows is left out";
        assert!(dag.faults.len() == 1 && dag.faults[0].ends_with(said), "{:?}", dag.faults);
        assert_eq!(dag.len(), 1);
    }

    #[test]
    fn a_file_that_includes_itself_ends() {
        let (_folder, dag) = dag(&[("a.dag", "JOB A a\nINCLUDE a.dag\nSPLICE S a.dag\n")]);
        assert!(!dag.faults.is_empty() && dag.faults.len() <= 20);
        assert!(dag.len() <= Dag::MOST_NODES + 1);
    }
}
