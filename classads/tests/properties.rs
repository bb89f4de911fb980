//! Properties of parser, printer and evaluator on generated text.

use classads::{ClassAd, EvalContext, Expr, Form, Style, Value};
use proptest::prelude::*;

/// Text made of pieces of the language, well-formed or not.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "1",
        "-1",
        "2.5",
        "1e3",
        "0x1",
        "true",
        "undefined",
        "error",
        "x",
        "MY.x",
        "TARGET.y",
        "\"a\"",
        "\"",
        "'q n'",
        "'",
        "\\",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "+",
        "-",
        "*",
        "/",
        "%",
        "==",
        "=?=",
        "=!=",
        "!=",
        "<",
        "<=",
        ">",
        ">>",
        ">>>",
        "&&",
        "||",
        "&",
        "|",
        "^",
        "~",
        "!",
        "?",
        ":",
        "?:",
        ".",
        "=",
        "is",
        "isnt",
        "strcat(",
        "ifThenElse(",
        "eval(",
        "regexp(",
        "//",
        "/*",
        "*/",
        " ",
        "\n",
        "é",
        "\u{0}",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// Well-formed expressions.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        // Few digits: `-long` output keeps 16.
        (-1e6..1e6_f64).prop_map(|number| format!("{number:.3}")),
        Just("true".to_owned()),
        Just("undefined".to_owned()),
        Just("error".to_owned()),
        "[a-zA-Z_][a-zA-Z0-9_]{0,8}".prop_filter("a keyword", |name| {
            !["is", "isnt", "true", "false", "error", "undefined"]
                .contains(&name.to_lowercase().as_str())
        }),
        "[ -!#-\\[\\]-~]{0,8}".prop_map(|text| format!("\"{text}\"")),
        Just("relTime(\"1+00:00:01.5\")".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "==", "!=", "=?=", "=!=", "<", ">=", "&&", "||", "&", "|",
            "^", "<<", ">>>",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}) ? {b} : {c}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) ?: ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("{{ {} }}", all.join(", "))),
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("strcat({})", all.join(", "))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[ a = {a}; b = {b} ].b")),
            inner.prop_map(|a| format!("isUndefined({a})")),
        ]
    })
}

/// Text made of pieces of the XML form, well-formed or not.
fn xml_pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<c>",
        "</c>",
        "<c/>",
        "<c",
        "<classads>",
        "</classads>",
        "<a n=\"A\">",
        "<a n='B' >",
        "<a n=\"C",
        "<a>",
        "</a>",
        "<a n=\"A\"><i>1</i></a>",
        "<i>",
        "</i>",
        "<i/>",
        "<r>",
        "</r>",
        "<s>",
        "</s>",
        "<e>",
        "</e>",
        "<b v=\"t\"/>",
        "<b v='F'>",
        "</b>",
        "<un/>",
        "<er>",
        "<at>",
        "</at>",
        "<rt>",
        "<l>",
        "</l>",
        "<l/>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?xml",
        "?>",
        "<!DOCTYPE x [",
        "]>",
        "<!",
        "<",
        ">",
        "/",
        "\"",
        "'",
        "&lt;",
        "&#65;",
        "&#0;",
        "&",
        ";",
        "\\",
        "\\\"",
        "12",
        "-1.5",
        "A + 1",
        "}",
        "x\n",
        " ",
        "é",
        "\u{0}",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn ad() -> ClassAd {
    ClassAd::parse("[ x = 5; a = 1.5; b = \"b\"; q = { 1, 2 }; y = [ x = 6 ] ]")
        .expect("the ad parses")
}

proptest! {
    #[test]
    fn any_text_parses_or_is_refused(text in pieces()) {
        for parsed in [Expr::parse(&text), Expr::parse_old(&text)] {
            match parsed {
                Ok(expr) => {
                    let _ = ad().evaluate_expr(&expr, &EvalContext::at(0));
                    let _ = ad().evaluate_tree(&expr, &EvalContext::at(0));
                    let _ = expr.attribute_references();
                }
                Err(error) => {
                    prop_assert!(error.offset() <= text.len());
                    prop_assert!(!error.to_string().is_empty());
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for ad in classads::read_ads(&bytes[..]).flatten() {
            let _ = ad.errors().count();
            let _ = classads::json::to_string(&ad);
            let _ = classads::xml::to_string(&ad);
            prop_assert!(classads::long::write(Vec::new(), &ad).is_ok());
        }
    }

    #[test]
    fn any_lines_are_read(text in "([a-z]{1,3} ?= ?[ -~é]{0,12}\r?\n|\n|[*]{3} [A-Z]{3} [a-z]=1\n){0,8}") {
        for ad in classads::read_ads(text.as_bytes()).flatten() {
            prop_assert!(!ad.is_empty());
            let _ = ad.errors().count();
        }
    }

    #[test]
    fn any_json_is_read(text in "[\\[\\]{}\":,a-z0-9.\\\\/ eEu-]{0,60}") {
        let _ = classads::read_ads_in(Form::Json, text.as_bytes()).count();
        let _ = classads::json::parse(&text);
    }

    #[test]
    fn any_xml_is_read(text in xml_pieces()) {
        let ads: Vec<_> = classads::read_ads_in(Form::Xml, text.as_bytes()).flatten().collect();
        // In small bites it is the same.
        let bites = std::io::BufReader::with_capacity(1, text.as_bytes());
        let again: Vec<_> = classads::read_ads_in(Form::Xml, bites).flatten().collect();
        prop_assert_eq!(ads.len(), again.len());
        for (ad, again) in ads.iter().zip(&again) {
            prop_assert_eq!(ad.to_string(), again.to_string());
            let _ = ad.errors().count();
        }
        let _ = classads::xml::parse(&text);
    }

    #[test]
    fn ads_survive_xml(texts in prop::collection::vec(("[^\\x00]{1,8}", expressions()), 0..5)) {
        let mut job = ad();
        for (name, text) in &texts {
            // HTCondor writes a constant of this type as a real.
            let text = text.replace("relTime(\"1+00:00:01.5\")", "86401.5");
            job.insert_raw(name, &text, classads::Syntax::New);
        }
        let written = classads::xml::to_string(&job);
        let again = classads::xml::parse(&written).unwrap_or_else(|error| panic!("{error} in {written}"));
        prop_assert_eq!(again.names().collect::<Vec<_>>(), job.names().collect::<Vec<_>>());
        prop_assert_eq!(classads::xml::to_string(&again), written);
        let context = EvalContext { random_seed: Some(1), ..EvalContext::at(0) };
        for name in job.names() {
            prop_assert_eq!(again.evaluate(name, &context), job.evaluate(name, &context), "{}", name);
        }
    }

    #[test]
    fn a_printed_ad_is_read_back(
        texts in prop::collection::vec(("[^\\x00]{1,8}", expressions(), "[^\\x00]{0,8}"), 0..5)
    ) {
        let mut job = ClassAd::new();
        for (name, text, string) in texts {
            let expr = Expr::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            job.insert(&name, expr);
            job.insert_value(&format!("{name}_"), string.as_str());
        }
        let printed = job.to_string();
        let again = ClassAd::parse(&printed).unwrap_or_else(|error| panic!("{error} in {printed}"));
        prop_assert_eq!(again.to_string(), printed.clone());
        prop_assert_eq!(again.len(), job.len());
        for name in job.names() {
            prop_assert_eq!(again.string(name), job.string(name), "{}", printed);
        }
    }

    #[test]
    fn printing_and_parsing_again_changes_nothing(text in expressions()) {
        let expr = Expr::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let new = expr.print(Style::New);
        let again = Expr::parse(&new).unwrap_or_else(|error| panic!("{text} printed as {new}: {error}"));
        prop_assert_eq!(again.print(Style::New), new);
        let long = expr.print(Style::Long);
        let again = Expr::parse_old(&long).unwrap_or_else(|error| panic!("{text} printed as {long}: {error}"));
        prop_assert_eq!(again.print(Style::Long), long);
        let context = EvalContext { random_seed: Some(1), ..EvalContext::at(0) };
        prop_assert_eq!(ad().evaluate_expr(&expr, &context), ad().evaluate_expr(&again, &context));
    }

    #[test]
    fn the_text_of_a_node_is_that_node(text in expressions()) {
        let Ok(expr) = Expr::parse(&text) else { return Ok(()) };
        let mut open = vec![expr.root()];
        while let Some(node) = open.pop() {
            open.extend(node.children());
            let Some(source) = node.source() else { continue };
            let alone = Expr::parse(source).map(|alone| alone.to_string());
            prop_assert_eq!(alone, Ok(node.to_string()), "{} of {}", source, &text);
        }
    }

    #[test]
    fn strings_survive_every_form(text in "[^\\x00]{0,20}") {
        let expr = Expr::literal(text.as_str());
        let again = Expr::parse(&expr.print(Style::New)).expect("a printed string parses");
        prop_assert_eq!(again.as_literal(), Some(&Value::from(text.as_str())));

        let mut job = ClassAd::new();
        job.insert_value("S", text.as_str());
        let xml = classads::xml::parse(&classads::xml::to_string(&job)).expect("the written XML is read");
        prop_assert_eq!(xml.string("S"), Some(text.clone()));
        let json = classads::json::to_string(&job);
        // The one string JSON cannot tell from an expression.
        prop_assume!(!text.starts_with("/Expr("));
        let again = classads::json::parse(&json).expect("the written JSON is read");
        prop_assert_eq!(again.string("S"), Some(text));
    }
}
