//! What scripts of each language are read as.

use scripttree::{Kind, Language, ReadError, Text, Tree, read};

fn tree(language: Language, text: &str) -> Tree {
    read(language, text.as_bytes()).unwrap()
}

/// Calls, with the loops around each.
fn calls(tree: &Tree) -> Vec<(&str, u8)> {
    let calls = tree.nodes.iter().filter(|node| node.kind == Kind::Call);
    calls.map(|node| (&*node.name, node.loops)).collect()
}

/// How often loops run.
fn repeats(tree: &Tree) -> Vec<Option<f64>> {
    tree.nodes.iter().filter(|node| node.kind == Kind::Loop).map(|node| node.value).collect()
}

#[test]
fn calls_of_python_have_the_names_that_imports_give_them() {
    let text = "\
import numpy as np, os.path
from urllib.request import urlopen as u
from . import near
x = np.random.rand(3)
u('http://a/b').read()
os.path.join(a, b)
near.f()
x.sort()
";
    let tree = tree(Language::Python, text);
    assert_eq!(
        calls(&tree),
        [
            ("numpy.random.rand", 0),
            (".read", 0),
            ("urllib.request.urlopen", 0),
            ("os.path.join", 0),
            ("..near.f", 0),
            (".sort", 0)
        ]
    );
    let modules = tree.nodes.iter().filter(|node| node.kind == Kind::Import);
    let modules: Vec<&str> = modules.map(|node| &*node.name).collect();
    assert_eq!(modules, ["numpy", "os.path", "urllib.request", "."]);
    assert!(tree.nodes.iter().any(|node| node.text == Text::Url));
}

#[test]
fn functions_of_the_script_have_no_names() {
    let text =
        "def run(n):\n    return n\nclass A:\n    def go(self):\n        self.go()\nrun(1)\n";
    assert_eq!(calls(&tree(Language::Python, text)), [("", 0), ("", 0)]);
    let text = "run <- function(n) n\nrun(1)\n";
    assert_eq!(calls(&tree(Language::R, text)), [("", 0)]);
    let text = "run() { date; }\nrun 1\n";
    assert_eq!(calls(&tree(Language::Shell, text)), [("date", 0), ("", 0)]);
}

#[test]
fn the_body_of_a_loop_is_in_it_and_its_head_is_not() {
    let text = "\
n = 10**3
for i in range(n):
    while f():
        g()
    y = [h(x) for x in range(5)]
";
    let python = tree(Language::Python, text);
    assert_eq!(calls(&python), [("range", 0), ("f", 2), ("g", 2), ("h", 2), ("range", 2)]);
    assert_eq!(repeats(&python), [Some(1000.0), None, Some(5.0)]);
    let text = "\
n=20
for i in $(seq 1 $n); do a $i; done
for i in {1..7}; do b; done
for ((i=0; i<9; i++)); do c; done
while read -r l; do d; done
";
    let shell = tree(Language::Shell, text);
    assert_eq!(calls(&shell), [("seq", 0), ("a", 1), ("b", 1), ("c", 1), ("read", 1), ("d", 1)]);
    assert_eq!(repeats(&shell), [Some(20.0), Some(7.0), Some(9.0), None]);
    let text = "for (i in 1:4) f(i)\nx <- sapply(xs, function(k) g(k))\nrepeat h()\n";
    let r = tree(Language::R, text);
    assert_eq!(calls(&r), [("f", 1), ("sapply", 0), ("g", 1), ("h", 1)]);
    assert_eq!(repeats(&r), [Some(4.0), None]);
}

#[test]
fn numbers_are_computed_of_literals() {
    let python = tree(Language::Python, "n = 2 * 500\nk = n\nn += 1\nnumpy(k, n, -3)\n");
    let call = python.nodes.iter().position(|node| node.kind == Kind::Call).unwrap();
    assert_eq!(python.numbers_inside(call).collect::<Vec<_>>(), [1000.0, 3.0]);
    let shell = tree(Language::Shell, "c=5\ndd if=/dev/zero bs=1M count=$c\n");
    let call = shell.nodes.iter().position(|node| node.kind == Kind::Call).unwrap();
    assert_eq!(shell.numbers_inside(call).collect::<Vec<_>>(), [1_048_576.0, 5.0]);
    let r = tree(Language::R, "n <- 1e3\nmatrix(0, nrow = n, ncol = n^2)\n");
    let call = r.nodes.iter().position(|node| node.kind == Kind::Call).unwrap();
    assert_eq!(r.numbers_inside(call).collect::<Vec<_>>(), [0.0, 1e3, 1e6]);
}

#[test]
fn commands_that_are_started_are_calls() {
    let text = "\
import subprocess, os
subprocess.run(['wget', '-q', 'http://a/b'])
os.system(f'sudo nice -n 5 /usr/bin/dd if=x of={y}')
";
    let python = tree(Language::Python, text);
    assert_eq!(calls(&python), [("subprocess.run", 0), ("wget", 0), ("os.system", 0), ("dd", 0)]);
    let r = tree(Language::R, "system('gzip f')");
    assert_eq!(calls(&r), [("system", 0), ("gzip", 0)]);
    let shell = tree(Language::Shell, "time env A=1 /usr/bin/sort x | xargs -n 1 rm &\n");
    assert_eq!(calls(&shell), [("sort", 0), ("rm", 0)]);
    let kinds: Vec<Kind> = shell.nodes.iter().map(|node| node.kind).collect();
    assert!(kinds.contains(&Kind::Pipe) && kinds.contains(&Kind::Background), "{kinds:?}");
}

#[test]
fn redirects_to_nowhere_are_none() {
    let shell = tree(Language::Shell, "a > f 2>&1\nb >/dev/null\n");
    let redirects = shell.nodes.iter().filter(|node| node.kind == Kind::Redirect).count();
    assert_eq!(redirects, 1);
}

#[test]
fn what_is_no_syntax_is_counted_and_left_out() {
    let tree = tree(Language::Python, "x = = 1\nfor i in range(3):\n    f()\n");
    assert!(tree.faults > 0);
    assert!(calls(&tree).contains(&("f", 1)), "{:?}", calls(&tree));
    assert_eq!(read(Language::R, b" \n\t"), Err(ReadError::Empty));
}
