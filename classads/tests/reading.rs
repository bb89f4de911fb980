//! Ads in every form they come in, and what is wrong with them.

use std::io::{self, BufRead, BufReader, Read};

use classads::{ClassAd, EvalContext, Value, long};

fn ads(text: &str) -> Vec<Result<ClassAd, String>> {
    classads::read_ads(text.as_bytes()).map(|ad| ad.map_err(|error| error.to_string())).collect()
}

fn good(text: &str) -> Vec<ClassAd> {
    ads(text).into_iter().map(|ad| ad.expect("the text is in order")).collect()
}

#[test]
fn long_output_is_read() {
    let text = "\n\n-- Schedd: ap.example.org : <127.0.0.1:9618?... @ 11/21/26 12:00:00\nClusterId = 1\nCmd = \"/bin/a \\\"b\\\"\"\r\n\
                Args = \"C:\\dir\\\"\n# a comment\nRequirements = (TARGET.Arch == \"X86_64\")\n\n\nClusterId = 2\nclusterid = 3";
    let ads = good(text);
    assert_eq!(ads.len(), 2);
    assert_eq!(ads[0].string("Cmd").as_deref(), Some("/bin/a \"b\""));
    assert_eq!(ads[0].string("Args").as_deref(), Some("C:\\dir\\"));
    assert_eq!(ads[0].raw("requirements"), Some("(TARGET.Arch == \"X86_64\")"));
    assert_eq!(ads[1].len(), 1, "the last of two equal names counts");
    assert_eq!(ads[1].integer("ClusterId"), Some(3));
}

#[test]
fn epoch_files_end_each_ad_with_a_banner() {
    let text = "ClusterId = 5\nProcId = 0\n*** EPOCH ClusterId=5 ProcId=0 RunInstanceId=0 Owner=\"ada\" CurrentTime=17\n\
                ClusterId = 5\nProcId = 1\n*** Offset = 0 ClusterId = 5 ProcId = 1 Owner = \"ada b\" CompletionDate = 0\n";
    let ads = good(text);
    assert_eq!(ads.len(), 2);
    let banner = long::Banner::parse(ads[0].banner().expect("a banner")).expect("a banner");
    assert_eq!(banner.kind, "EPOCH");
    assert_eq!(banner.fields.integer("RunInstanceId"), Some(0));
    let banner = long::Banner::parse(ads[1].banner().expect("a banner")).expect("a banner");
    assert_eq!(banner.kind, "");
    assert_eq!(banner.fields.integer("ProcId"), Some(1));
    assert_eq!(banner.fields.string("Owner").as_deref(), Some("ada b"));
}

#[test]
fn a_bad_line_is_reported_and_the_rest_is_used() {
    let read = ads("A = 1\nthis is no attribute\nB = 2\nC = \"unbalanced\n\nA = 3\n");
    let errors: Vec<_> = read.iter().filter_map(|ad| ad.as_ref().err()).collect();
    assert_eq!(errors, ["line 2: expected 'Attribute = expression', found 'this is no attribute'"]);
    let good: Vec<_> = read.iter().filter_map(|ad| ad.as_ref().ok()).collect();
    assert_eq!(good.len(), 2);
    assert_eq!(good[0].integer("B"), Some(2));
    let bad: Vec<_> = good[0].errors().map(|(name, _)| name).collect();
    assert_eq!(bad, ["C"]);
    assert!(good[0].get("C").is_none());
    assert_eq!(good[0].evaluate("C", &EvalContext::at(0)), Value::Error);
}

#[test]
fn json_is_read_in_both_forms() {
    let array = "[\n{\n  \"A\": 1,\n  \"B\": \"\\/Expr(A + 1)\\/\",\n  \"C\": {\"x\": [1, 2.5, null, true]},\n  \"D\": \"a\\n\\u00e9\\ud83d\\ude00/\"\n}\n,\n{\"A\": 2}\n]\n";
    let ads = good(array);
    assert_eq!(ads.len(), 2);
    let context = EvalContext::at(0);
    assert_eq!(ads[0].evaluate("B", &context), Value::Integer(2));
    assert_eq!(ads[0].raw("C"), Some("[x = {1,2.5,undefined,true};]"));
    assert_eq!(ads[0].string("D").as_deref(), Some("a\né😀/"));
    let lines = good("{\"A\": 1}\n{\"A\": 2}\n{\"A\": 3}\n");
    assert_eq!(lines.len(), 3);
    assert!(good("[]").is_empty());
    assert!(good("[\n]\n").is_empty());
    assert!(good("").is_empty());
}

#[test]
fn bad_json_is_reported_with_its_line() {
    let read = ads(
        "[\n{\"A\": 1},\n{\"A\" 2},\n{\"A\": 3}, junk\n{\"A\": 4, \"B\": nope, \"C\": 5}\n,{\"A\": ",
    );
    let errors: Vec<_> =
        read.iter().filter_map(|ad| ad.as_ref().err().map(String::as_str)).collect();
    assert_eq!(
        errors,
        [
            "line 3: expected ':', found '2'",
            "line 4: expected an ad in JSON, found 'j'",
            "line 5: attribute B: 'nope' is no JSON value",
            "line 6: the ad that starts here has no closing '}'",
        ]
    );
    let good: Vec<_> = read.iter().filter_map(|ad| ad.as_ref().ok()).collect();
    assert_eq!(good.iter().filter_map(|ad| ad.integer("A")).collect::<Vec<_>>(), [1, 3, 4]);
    assert_eq!(good[2].integer("C"), Some(5));
}

#[test]
fn a_damaged_json_ad_costs_itself_alone() {
    let text = "[\n{\n\"A\": 1,\n\"B\": \"never closed,\n\"C\": {\"D\": 0}\n}\n,\n{\n\"A\": 2\n}\n,\n{\n\"A\": 3,\n{\n\"A\": 4\n}\n]\n";
    let read = ads(text);
    let errors: Vec<&String> = read.iter().filter_map(|ad| ad.as_ref().err()).collect();
    assert_eq!(
        errors,
        [
            "line 4: a string does not end on its line; its ad is skipped",
            "line 12: the ad that starts here has no closing '}'"
        ]
    );
    let clusters: Vec<_> = read.into_iter().filter_map(|ad| ad.ok()?.integer("A")).collect();
    assert_eq!(clusters, [2, 4]);
}

#[test]
fn attributes_know_their_line_and_can_be_left_out() {
    for text in [
        "\nA = 1\nB = (\nC = 3\n",
        "{\n\"A\": 1,\n\"B\": \"/Expr(()/\",\n\"C\": 3}",
        "<c>\n<a n=\"A\"><i>1</i></a>\n<a n=\"B\"><e>(</e></a>\n<a n=\"C\"><i>3</i></a></c>",
    ] {
        let mut ad = good(text).remove(0);
        assert_eq!((ad.line("a"), ad.line("B"), ad.line("D")), (Some(2), Some(3), None), "{text}");
        ad.retain(|name| name != "A");
        assert_eq!(ad.names().collect::<Vec<_>>(), ["B", "C"]);
        assert_eq!((ad.integer("A"), ad.integer("C")), (None, Some(3)));
        assert_eq!(ad.errors().next().map(|(name, _)| name), Some("B"));
    }
}

#[test]
fn xml_is_read() {
    let text = concat!(
        "\n<?xml version=\"1.0\"?>\n<!DOCTYPE classads SYSTEM \"classads.dtd\">\n<classads>\n<c>\n",
        "<a n=\"A\"><i>1</i></a> <a n=\"B\"><e>A + 1 &lt; 3 &amp;&amp; true</e></a>\n",
        "<a n='C'><c><a n=\"x y\"><l><i>1</i><r>2.5</r> <un/><b v=\"T\"/></l></a></c></a>\n",
        "<a n=\"D\"><s> a\\n\\303\\251&#x1F600;\\\\ &quot;&amp;lt;\\&quot; &nbsp;&</s></a><!-- <c> -->\n",
        "<a n=\"E\"><b v=\"f\"></b></a><a n=\"F\"><er/></a><a n=\"G\"><s/></a>\n",
        "<a n=\"H\"><at>2026-01-01T00:00:00Z</at></a><a n=\"I\"><rt>1:00</rt></a>\n",
        "<a n=\"J\"><e>{ 1 }</e></a><a n=\"a\\&quot;b\\\"c\"><s><![CDATA[a<b]]></s></a></c>\n",
        "<c>\n    <a n=\"A\"><i>2</i></a>\n</c>\n</classads>\n<c/>",
    );
    let ads = good(text);
    assert_eq!(ads.len(), 3);
    let context = EvalContext::at(0);
    assert_eq!(ads[0].integer("A"), Some(1));
    assert_eq!(ads[0].evaluate("B", &context), Value::Boolean(true));
    assert_eq!(ads[0].raw("C"), Some("['x y' = {1,2.5,undefined,true};]"));
    assert_eq!(ads[0].string("D").as_deref(), Some(" a\né😀\\ \"&lt;\" &nbsp;&"));
    assert_eq!(ads[0].boolean("E"), Some(false));
    assert_eq!(ads[0].evaluate("F", &context), Value::Error);
    assert_eq!(ads[0].string("G").as_deref(), Some(""));
    let time = Value::AbsoluteTime { seconds: 1_767_225_600, offset: 0 };
    assert_eq!(ads[0].evaluate("H", &context), time);
    assert_eq!(ads[0].evaluate("I", &context), Value::Real(60.0));
    assert_eq!(ads[0].string("a\"b\"c").as_deref(), Some("a<b"));
    assert_eq!(ads[1].integer("A"), Some(2));
    assert!(ads[2].is_empty());
    assert!(good("<classads>\n</classads>\n").is_empty());
}

#[test]
fn numbers_in_xml_are_those_htcondor_reads() {
    let text = |element: &str, text: &str| {
        let text = format!("<c><a n=\"A\"><{element}>{text}</{element}></a></c>");
        good(&text).remove(0).raw("A").map(str::to_owned)
    };
    for (given, read) in [
        (" 12abc", "12"),
        ("-5", "-5"),
        ("+5", "error"),
        ("x", "error"),
        ("1.5", "1"),
        ("010", "10"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775808", "error"),
    ] {
        assert_eq!(text("i", given).as_deref(), Some(read), "{given}");
    }
    for (given, read) in [
        ("1.500000000000000E+00", "1.5"),
        ("0.12345678901234567", "0.12345678901234566"),
        (" 5x", "5.0"),
        ("x", "error"),
        ("-INF", "real(\"-INF\")"),
        ("NaN", "real(\"NaN\")"),
    ] {
        assert_eq!(text("r", given).as_deref(), Some(read), "{given}");
    }
}

#[test]
fn bad_xml_is_reported_with_its_line_and_the_rest_is_used() {
    let read = ads(concat!(
        "<classads>\n<c>\n<a n=\"A\"><i>1</i></a>\n<a n=\"B\">text</a>\n<a><i>1</i></a>\n<foo>1</foo>\n",
        "<a n=\"C\"><b v=\"true\"/></a>\n<a n=\"D\"><l><i>1</i> 2</l></a>\n<a n=\"E\"><s>a\\0</s></a>\n",
        "<a n=\"F\"><l><e>1}, {2</e></l></a>\n<a n=\"G\"><c><a n=\"x\"><i/></a></c></a>\n",
        "<a n=\"H><i>1</i></a>\n<a n=\"Z\"><i>1</i></a>\n</c>\n",
        "</c> junk\n<c>\n<a n=\"A\"><i>2</i></a>\n<c><a n=\"A\"><i>3</i></a>\n</classads>\n<c><a n=\"A\"><i>4"
    ));
    let errors: Vec<_> = read
        .iter()
        .filter_map(|ad| ad.as_ref().err().and_then(|error| error.lines().next()))
        .collect();
    assert_eq!(
        errors,
        [
            "line 4: attribute B: expected a value, found 'text'",
            "line 5: expected a name n=\"...\" in an element <a>",
            "line 6: expected an element <a>, found <foo>",
            "line 7: attribute C: expected v=\"t\" or v=\"f\" in an element <b>",
            "line 8: attribute D: expected a value or </l>, found '2'",
            "line 9: attribute E: the string holds a NUL character",
            "line 10: attribute F: expected an operator or the end of the expression, found '}'",
            "line 11: attribute G: the element <i> is empty",
            "line 12: a tag has no end '>'",
            "line 15: expected an element <c>, found '</c>'",
            "line 16: the ad that starts here has no closing </c>",
            "line 18: the ad that starts here has no closing </c>",
            "line 20: the ad that starts here has no closing </c>",
        ]
    );
    let good: Vec<_> = read.iter().filter_map(|ad| ad.as_ref().ok()).collect();
    assert_eq!(good.iter().filter_map(|ad| ad.integer("A")).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(good[0].names().collect::<Vec<_>>(), ["A", "Z"]);
    assert_eq!(good[0].line("Z"), Some(13));
}

#[test]
fn hostile_xml_costs_no_more_than_its_size() {
    let deep = "<l>".repeat(100_000);
    let entities = format!(
        "<!DOCTYPE classads [<!ENTITY a \"{}\"> <!ENTITY b \"&a;&a;\">]>\n",
        "x".repeat(1000)
    );
    let text = format!(
        "{entities}<c><a n=\"A\">{deep}</a><a n=\"B\"><s>&b;</s></a>{}</c>",
        "<x \"".repeat(100_000)
    );
    let read = ads(&text);
    let ad = read.iter().find_map(|ad| ad.as_ref().ok()).expect("an ad");
    assert_eq!(ad.string("B").as_deref(), Some("&b;"));
    assert!(read.len() < 1000, "{} errors", read.len());
}

#[test]
fn an_xml_text_gives_its_first_ad() {
    let ad = classads::xml::parse("<c><a n=\"A\"><i>1</i></a></c><c></c>").expect("an ad");
    assert_eq!(ad.integer("A"), Some(1));
    for text in ["", "A = 1", "<c><a n=\"A\"><i/></a></c>"] {
        assert!(classads::xml::parse(text).is_err(), "{text}");
    }
}

/// What HTCondor's `condor_q -xml` makes of ads, and what they are when they come back.
#[test]
fn xml_is_written_as_htcondor_writes_it() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let held = data.join("../../../tests/data/pool-25.14/held.long");
    for (from, recorded) in [(data.join("kinds.long"), "kinds.xml"), (held, "held.xml")] {
        let from = std::fs::read_to_string(from).expect("the ads are readable");
        let recorded = std::fs::read_to_string(data.join(recorded)).expect("the ads are readable");
        let read = good(&recorded);
        let id = |ad: &ClassAd| (ad.integer("ClusterId"), ad.integer("ProcId"));
        let ads: Vec<_> = good(&from)
            .into_iter()
            .filter(|ad| read.iter().any(|read| id(read) == id(ad)))
            .map(|ad| sorted(&ad))
            .collect();
        for ads in [&ads, &read] {
            let written: String = ads.iter().map(classads::xml::to_string).collect();
            let written = [classads::xml::HEADER, &written, classads::xml::FOOTER].concat();
            assert!(written == recorded, "{written}");
        }
    }
}

#[test]
fn recorded_jobs_survive_xml() {
    let pools = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    let mut count = 0;
    for pool in ["pool-23.9", "pool-25.14"] {
        for file in ["held.long", "history.long", "epochs.long"] {
            let text = std::fs::read_to_string(pools.join(pool).join(file)).expect("recorded ads");
            let ads = good(&text);
            let written: String = ads.iter().map(classads::xml::to_string).collect();
            let again = good(&written);
            assert_eq!(again.len(), ads.len(), "{pool}/{file}");
            for (again, ad) in again.iter().zip(&ads) {
                let texts = |ad: &ClassAd| -> Vec<String> {
                    ad.iter().map(|(name, expr)| format!("{name} = {expr}")).collect()
                };
                assert_eq!(texts(again), texts(ad), "{pool}/{file}");
                count += ad.len();
            }
        }
    }
    assert!(count > 10_000, "{count} attributes");
}

/// The ad with its attributes in the order in which HTCondor's tools print them.
fn sorted(ad: &ClassAd) -> ClassAd {
    let mut attributes: Vec<_> = ad.iter().collect();
    attributes.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    let mut sorted = ClassAd::new();
    attributes.into_iter().for_each(|(name, expr)| sorted.insert(name, expr.clone()));
    sorted
}

#[test]
fn brackets_are_read() {
    for text in ["[ A = 1; S = \"]\" ]\n[ A = 2 ]", "{\n[ A = 1; S = \"]\" ],\n[ A = 2 ]\n}"] {
        let ads = good(text);
        assert_eq!(ads.iter().filter_map(|ad| ad.integer("A")).collect::<Vec<_>>(), [1, 2]);
    }
    let read = ads("[ A = 1 ]\n[ B =\n* ]\n[ A = 3 ]");
    assert!(read[1].as_ref().is_err_and(|error| error.starts_with("line 3: expected an operand")));
    assert!(read[2].is_ok());
}

#[test]
fn a_projection_keeps_what_is_named() {
    let long = "A = 1\nB = 2\nLongName = 3\n\nB = 4\n";
    let json = "[{\"A\": 1, \"B\": 2, \"LongName\": {\"A\": 5}}, {\"B\": 4}]";
    let brackets = "[ A = 1; B = 2; LongName = 3 ] [ B = 4 ]";
    let xml = "<c><a n=\"A\"><i>1</i></a><a n=\"B\"><c><a n=\"A\"><i>5</i></a></c></a><a n=\"LongName\"><i>3</i></a></c>\
               <c><a n=\"B\"/></c>";
    for text in [long, json, brackets, xml] {
        let ads: Vec<_> = classads::read_ads(text.as_bytes())
            .with_projection(["a", "longname"])
            .map(|ad| ad.expect("the text is in order"))
            .filter(|ad| !ad.is_empty())
            .collect();
        assert_eq!(ads.len(), 1, "{text}");
        assert_eq!(ads[0].names().collect::<Vec<_>>(), ["A", "LongName"]);
    }
}

#[test]
fn an_expression_in_json_stays_within_its_list() {
    let text = r#"{"A": [ "\/Expr(1, 2)\/", 3 ], "B": {"x": "\/Expr(1; y = 2)\/"}, "C": [ "\/Expr(1 + 2)\/", what ], "D": 4}"#;
    let read: Vec<_> = classads::read_ads(text.as_bytes()).collect();
    let errors: Vec<String> =
        read.iter().filter_map(|ad| ad.as_ref().err()).map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "line 1: attribute A: /Expr(...)/: expected an operator or the end of the expression, found ','",
            "line 1: attribute B: /Expr(...)/: expected an operator or the end of the expression, found ';'",
            "line 1: attribute C: 'what' is no JSON value",
        ]
    );
    let ad = read.into_iter().find_map(Result::ok).expect("the rest of the ad is read");
    assert_eq!(ad.names().collect::<Vec<_>>(), ["D"]);
}

#[test]
fn every_form_says_the_same() {
    let text = "A = 1\nB = A + 1\nR = 0.1\nS = \"a \\\"quoted\\\" word\"\nL = { 1,\"two\" }\nN = [ x = 1; y = x =?= 2 ]\nU = undefined\n";
    let ad = good(text).remove(0);
    let mut written = Vec::new();
    long::write(&mut written, &ad).expect("memory takes all");
    let again = good(&String::from_utf8(written).expect("text")).remove(0);
    let json =
        classads::json::parse(&classads::json::to_string(&ad)).expect("written JSON is read");
    let mut json_as_long = Vec::new();
    long::write(&mut json_as_long, &json).expect("memory takes all");
    let json_again = good(&String::from_utf8(json_as_long).expect("text")).remove(0);
    let xml = classads::xml::parse(&classads::xml::to_string(&ad)).expect("written XML is read");
    let brackets = ClassAd::parse(&ad.to_string()).expect("the printed ad parses");
    for other in [&again, &json, &json_again, &xml] {
        assert_eq!(other.names().collect::<Vec<_>>(), ad.names().collect::<Vec<_>>());
    }
    for other in [&again, &json, &json_again, &xml, &brackets] {
        for (name, expr) in ad.iter() {
            assert_eq!(other.get(name).map(ToString::to_string), Some(expr.to_string()), "{name}");
        }
    }
}

#[test]
fn json_is_written_as_htcondor_writes_it() {
    let ad = ClassAd::parse(
        r#"[ Long = relTime("1:00"); S = "\001\"/"; E = A is 1; L = { 1, [ bb = 1; a = { } ] }; U = undefined ]"#,
    )
    .expect("the ad parses");
    let line = r#"{"Long": 60.0,"S": "\u0001\"/","E": "\/Expr(A is 1)\/","L": [1,{"a": [],"bb": 1}],"U": null}"#;
    assert_eq!(classads::json::to_string(&ad), line);
    let lines = r#"{
  "Long": 60.0,
  "S": "\u0001\"/",
  "E": "\/Expr(A is 1)\/",
  "L": [
    1,
    {
      "a": [
      ],
      "bb": 1
    }
  ],
  "U": null
}"#;
    assert_eq!(classads::json::to_string_pretty(&ad), lines);
}

#[test]
fn a_name_is_what_stands_before_the_sign() {
    let read = ads("b.##$% = 5\nan odd name =  B + 1\nno attribute = of an ad\nB = 2\n");
    assert!(read[0].as_ref().is_err_and(|error| error.starts_with("line 3: expected 'Attribute")));
    let ad = read[1].as_ref().expect("the rest of the ad");
    assert_eq!((ad.integer("b.##$%"), ad.integer("an odd name")), (Some(5), Some(3)));
}

#[test]
fn attributes_can_be_changed() {
    let mut ad = good("A = 1\nB = 2\n").remove(0);
    for turn in 0..10_000 {
        ad.insert_value("a", turn);
    }
    ad.insert_value("C", "c");
    assert!(ad.remove("b"));
    assert!(!ad.remove("b"));
    assert_eq!(ad.names().collect::<Vec<_>>(), ["A", "C"]);
    assert_eq!(ad.integer("A"), Some(9_999));
    assert_eq!(ad.string("C").as_deref(), Some("c"));
}

/// Gives its bytes a few at a time, then fails.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("the disk is gone"));
        }
        let length = self.0.len().min(buffer.len()).min(3);
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

#[test]
fn a_failing_input_ends_the_ads() {
    for text in [
        "A = 1\n\nA = 2\n",
        "[{\"A\": 1}, {\"A\"",
        "[ A = 1 ] [ A",
        "<c><a n=\"A\"><i>1</i></a></c><c><a",
    ] {
        let reader = BufReader::with_capacity(4, Failing(text.as_bytes()));
        let read: Vec<_> = classads::read_ads(reader).collect();
        assert_eq!(read.len(), 2, "{text}");
        assert_eq!(read[0].as_ref().expect("one whole ad").integer("A"), Some(1));
        assert!(read[1].as_ref().is_err_and(classads::AdError::is_io));
    }
}

#[test]
fn lines_longer_than_the_buffer_are_read() {
    let text = format!("A = \"{}\"\nB = 2\n", "x".repeat(100_000));
    let ad = classads::read_ads(BufReader::with_capacity(16, text.as_bytes())).next();
    let ad = ad.expect("an ad").expect("in order");
    assert_eq!(ad.string("A").map(|text| text.len()), Some(100_000));
    assert_eq!(ad.integer("B"), Some(2));
}

#[test]
fn a_line_without_end_is_skipped_and_costs_no_memory() {
    let endless = io::repeat(b'x').take(2 * classads::MAX_AD_SIZE as u64);
    let reader = BufReader::new(b"A = ".chain(endless).chain(&b"\nB = 2\n"[..]));
    let read: Vec<_> = classads::read_ads(reader).collect();
    assert!(read[0].as_ref().is_err_and(|error| error.to_string().contains("longer than 64 MiB")));
    assert_eq!(read[1].as_ref().expect("the rest of the ad").integer("B"), Some(2));
}

#[test]
fn an_xml_ad_without_end_is_skipped_and_costs_no_memory() {
    let endless = io::repeat(b'x').take(2 * classads::MAX_AD_SIZE as u64);
    let end = b"</s></a></c>\n<c><a n=\"B\"><i>2</i></a></c>";
    let reader = BufReader::new(b"<c><a n=\"A\"><s>".chain(endless).chain(&end[..]));
    let read: Vec<_> = classads::read_ads(reader).collect();
    assert!(read[0].as_ref().is_err_and(|error| error.to_string().contains("larger than 64 MiB")));
    assert_eq!(read[1].as_ref().expect("the next ad").integer("B"), Some(2));
}

#[test]
fn recorded_ads_are_read() {
    let given = std::env::var_os("HOLDADVISE_REAL_DATA").map(std::path::PathBuf::from);
    let directory = given.unwrap_or_else(|| {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data")
    });
    let directory = directory.join("classads");
    if !directory.is_dir() {
        println!("skipped: no recorded data (HOLDADVISE_REAL_DATA)");
        return;
    }
    let expected = [
        ("htcondor+htcondor__src_condor_tests_StatusAds_basic4slot", 4),
        ("htcondor+htcondor__src_condor_tests_StatusAds_partionable8core", 1),
        ("dmwm+WMCore__test_data_WMCore_Services_Dashboard_job_ad_file", 1),
        ("htcondor+htcondor__src_condor_tests_python_bindings_test_multiple.ad", 2),
        ("htcondor+htcondor__src_condor_tests_python_bindings_test_multiple.old.ad", 2),
        ("htcondor+htcondor__src_condor_tests_python_bindings_test.old.ad", 1),
    ];
    for (name, least) in expected {
        let file = std::fs::File::open(directory.join(name)).expect("the recorded ad opens");
        let mut count = 0;
        for ad in classads::read_ads(BufReader::new(file)) {
            let ad = ad.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(ad.errors().next(), None, "{name}");
            for (attribute, expr) in ad.iter() {
                let again = classads::Expr::parse_old(&expr.to_string())
                    .unwrap_or_else(|error| panic!("{name} {attribute}: {error}"));
                assert_eq!(again.to_string(), expr.to_string());
            }
            let xml = classads::xml::to_string(&ad);
            let again = classads::xml::parse(&xml)
                .unwrap_or_else(|error| panic!("{name}: {error} in {xml}"));
            assert_eq!(again.to_string(), ad.to_string(), "{name}");
            count += 1;
        }
        assert!(count >= least, "{name}: {count} ads");
    }
}

#[test]
fn reading_goes_on_behind_an_ad() {
    let mut reader = BufReader::new(&b"A = 1\n\nrest"[..]);
    let ad = classads::read_ads(&mut reader).next();
    assert!(ad.is_some_and(|ad| ad.is_ok()));
    let mut rest = String::new();
    reader.read_line(&mut rest).expect("memory is readable");
    assert_eq!(rest, "rest");
}

#[test]
fn bytes_of_two_attributes_make_no_character_together() {
    let input = b"a = x\xC3\n\xA9b = 1\nc = 2\n";
    let ad = classads::read_ads(&input[..]).next().expect("an ad").expect("no error");
    assert_eq!(ad.names().collect::<Vec<_>>(), ["a", "\u{FFFD}b", "c"]);
    assert_eq!(ad.raw("a"), Some("x\u{FFFD}"));
    assert_eq!(ad.integer("\u{FFFD}b"), Some(1));
    assert_eq!(ad.integer("C"), Some(2));
}

#[test]
fn the_last_of_attributes_with_one_name_counts_at_the_place_of_the_first() {
    let lines = |name: &str, first: i64| -> String {
        (0..500).map(|number| format!("{name}{number} = {}\n", first + number)).collect()
    };
    let text = lines("Name", 0) + &lines("NAME", 1000);
    let ad = good(&text).remove(0);
    assert_eq!(ad.len(), 500);
    for (number, name) in ad.names().enumerate() {
        assert_eq!(name, format!("Name{number}"));
        assert_eq!(ad.integer(name), i64::try_from(1000 + number).ok());
        assert_eq!(ad.line(name), Some(501 + number as u64));
    }
    let mut few = ad.clone();
    few.retain(|name| name.ends_with('7'));
    assert_eq!((few.len(), few.integer("name497"), few.integer("name498")), (50, Some(1497), None));
    assert!(few.remove("name7") && !few.contains("name7") && few.contains("name17"));
}
