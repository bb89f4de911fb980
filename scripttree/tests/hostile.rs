//! Whatever the bytes are, they are read within bounds.

use proptest::prelude::*;
use scripttree::{Language, MAX_BYTES, ReadError, read};

/// Nodes are in order, and each ends behind those that it contains.
fn check(language: Language, text: &[u8]) {
    let tree = match read(language, text) {
        Ok(tree) => tree,
        Err(ReadError::Empty | ReadError::TooComplex) => return,
        Err(error) => panic!("{error}"),
    };
    assert!(tree.nodes.len() <= 2 * MAX_BYTES);
    assert_eq!(tree.is_cut, text.len() > MAX_BYTES);
    let mut open: Vec<u32> = Vec::new();
    for (number, node) in tree.nodes.iter().enumerate() {
        while open.last().is_some_and(|end| *end as usize <= number) {
            open.pop();
        }
        assert!(node.end as usize > number, "{number}: {node:?}");
        assert!(open.last().is_none_or(|end| node.end <= *end), "{number}: {node:?}");
        assert!(node.value.is_none_or(f64::is_finite));
        open.push(node.end);
        let _ = tree.numbers_inside(number).take(10).count();
    }
}

/// Texts that nest, each with the text that ends it.
const NESTED: [(&str, &str); 18] = [
    ("(", ")"),
    ("[", "]"),
    ("{ ", "}"),
    ("-", ""),
    ("not ", ""),
    ("1+", ""),
    ("a.", "a"),
    ("f(", ")"),
    ("$(", ")"),
    ("\"$(", ""),
    ("if x:\n ", ""),
    ("a[", "]"),
    ("lambda: ", ""),
    ("function(x) ", ""),
    ("if true; then ", "fi;"),
    ("f'{", "}'"),
    ("cat <<A\n", ""),
    ("a()", ""),
];

#[test]
fn nesting_of_100_000_needs_no_stack() {
    for (language, at) in
        [(Language::Python, 0), (Language::Python, 3), (Language::R, 5), (Language::Shell, 8)]
    {
        let (open, close) = NESTED[at];
        check(language, (open.repeat(100_000) + "1" + &close.repeat(100_000)).as_bytes());
    }
}

#[test]
fn whatever_nests_is_read() {
    for (open, close) in NESTED {
        let text = open.repeat(2_000) + "1" + &close.repeat(2_000);
        for language in Language::ALL {
            check(language, text.as_bytes());
        }
    }
}

#[test]
fn a_text_that_takes_too_long_is_given_up() {
    let text = "a()".repeat(100_000);
    assert_eq!(read(Language::Shell, text.as_bytes()), Err(ReadError::TooComplex));
}

#[test]
fn ten_megabytes_are_cut() {
    let line = b"for i in range(1000): x[i] = np.zeros((10, 10))\n";
    let text: Vec<u8> = line.iter().copied().cycle().take(10 << 20).collect();
    let noise: Vec<u8> =
        (0..10_u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for language in Language::ALL {
        check(language, &text);
        check(language, &noise);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(text in proptest::collection::vec(any::<u8>(), 0..400)) {
        for language in Language::ALL {
            check(language, &text);
        }
    }

    #[test]
    fn anything_like_a_script_is_read(
        words in proptest::collection::vec(
            prop_oneof![
                Just("for"), Just("in"), Just("do"), Just("done"), Just("if"), Just("("), Just(")"), Just("\n"),
                Just("    "), Just(":"), Just("x"), Just("="), Just("1"), Just("$("), Just("\""), Just("'"), Just("{"),
                Just("}"), Just("<-"), Just("function"), Just("def f"), Just("import"), Just("as"), Just("|"), Just("&"),
                Just(">"), Just("<<E"), Just("E"), Just("os.system"), Just("[["), Just("]]"), Just(".."), Just("**"),
            ],
            0..80,
        )
    ) {
        let text = words.join(" ");
        for language in Language::ALL {
            check(language, text.as_bytes());
        }
    }
}
