//! Expressions of every operator, function and type.

use super::random::Random;

/// What an argument of a function is meant to be. One time of four it is anything.
#[derive(Clone, Copy)]
enum Wanted {
    Any,
    /// An attribute's.
    Name,
    Integer,
    Number,
    Boolean,
    Text,
    /// `a, b ,c`
    Names,
    /// `1,2.5, 3`
    Numbers,
    Pattern,
    /// Options of regular expressions.
    Options,
    Time,
    Interval,
    /// A format of `strftime`.
    Format,
    List,
    Ad,
    Version,
    /// `<`, `==` and their like as text.
    Comparison,
    /// Variables of a job's environment.
    Environment,
    /// Arguments of a job's program.
    CommandLine,
}

use Wanted::{
    Ad, Any, Boolean, CommandLine, Comparison, Environment, Format, Integer, Interval, List, Name,
    Names, Number, Numbers, Options, Pattern, Text, Time, Version,
};

/// Functions, and what their arguments are; those behind the first so many may be left out.
const FUNCTIONS: &[(&str, usize, &[Wanted])] = &[
    ("abstime", 1, &[Time, Integer]),
    ("allCompare", 3, &[Comparison, List, Any]),
    ("anyCompare", 3, &[Comparison, List, Any]),
    ("argsToList", 1, &[CommandLine]),
    ("argsToList", 2, &[CommandLine, Integer]),
    ("avg", 1, &[List]),
    ("bool", 1, &[Any]),
    ("ceil", 1, &[Number]),
    ("ceiling", 1, &[Number]),
    ("countMatches", 2, &[Any, List]),
    ("currentTime", 0, &[]),
    ("dayTime", 0, &[]),
    ("debug", 1, &[Any]),
    ("envV1ToV2", 1, &[Environment]),
    ("eval", 1, &[Text]),
    ("evalInEachContext", 2, &[Any, List]),
    ("floor", 1, &[Number]),
    ("formatTime", 0, &[Time, Format]),
    ("getDayOfMonth", 1, &[Time]),
    ("getDayOfWeek", 1, &[Time]),
    ("getDayOfYear", 1, &[Time]),
    ("getDays", 1, &[Interval]),
    ("getHours", 1, &[Interval]),
    ("getMinutes", 1, &[Interval]),
    ("getMonth", 1, &[Time]),
    ("getSeconds", 1, &[Interval]),
    ("getYear", 1, &[Time]),
    ("identicalMember", 2, &[Any, List]),
    ("ifThenElse", 3, &[Boolean, Any, Any]),
    ("int", 1, &[Any]),
    ("interval", 1, &[Integer]),
    ("isAbstime", 1, &[Any]),
    ("isBoolean", 1, &[Any]),
    ("isClassad", 1, &[Any]),
    ("isError", 1, &[Any]),
    ("isInteger", 1, &[Any]),
    ("isList", 1, &[Any]),
    ("isReal", 1, &[Any]),
    ("isReltime", 1, &[Any]),
    ("isString", 1, &[Any]),
    ("isUndefined", 1, &[Any]),
    ("join", 1, &[Text, List]),
    ("join", 2, &[Text, Text, Text, Any]),
    ("listToArgs", 1, &[List]),
    ("listToArgs", 2, &[List, Integer]),
    ("max", 1, &[List]),
    ("member", 2, &[Any, List]),
    ("mergeEnvironment", 0, &[Environment, Environment, Environment]),
    ("min", 1, &[List]),
    ("pow", 2, &[Number, Number]),
    ("quantize", 2, &[Number, Any]),
    ("real", 1, &[Any]),
    ("regexp", 2, &[Pattern, Text, Options]),
    ("regexpMember", 2, &[Pattern, List, Options]),
    ("regexps", 3, &[Pattern, Text, Text, Options]),
    ("relTime", 1, &[Interval]),
    ("replace", 3, &[Pattern, Text, Text, Options]),
    ("replaceAll", 3, &[Pattern, Text, Text, Options]),
    ("round", 1, &[Number]),
    ("size", 1, &[Any]),
    ("split", 1, &[Names, Text]),
    ("splitSlotName", 1, &[Text]),
    ("splitTime", 1, &[Time]),
    ("splitUserName", 1, &[Text]),
    ("strcat", 1, &[Any, Any, Any]),
    ("strcmp", 2, &[Text, Text]),
    ("stricmp", 2, &[Text, Text]),
    ("string", 1, &[Any]),
    ("stringListAvg", 1, &[Numbers, Text]),
    ("stringListIMember", 2, &[Text, Names, Text]),
    ("stringListISubsetMatch", 2, &[Names, Names, Text]),
    ("stringListMax", 1, &[Numbers, Text]),
    ("stringListMember", 2, &[Text, Names, Text]),
    ("stringListMin", 1, &[Numbers, Text]),
    ("stringListsIntersect", 2, &[Names, Names, Text]),
    ("stringListSize", 1, &[Names, Text]),
    ("stringListSubsetMatch", 2, &[Names, Names, Text]),
    ("stringListSum", 1, &[Numbers, Text]),
    ("stringList_regexpMember", 2, &[Pattern, Names, Text, Options]),
    ("substr", 2, &[Text, Integer, Integer]),
    ("sum", 1, &[List]),
    ("time", 0, &[]),
    ("timeZoneOffset", 0, &[]),
    ("toLower", 1, &[Text]),
    ("toUpper", 1, &[Text]),
    ("unparse", 1, &[Any]),
    ("unresolved", 1, &[Name, Pattern]),
    ("userMap", 2, &[Text, Text, Any, Any]),
    ("userHome", 1, &[Text, Text]),
    ("version_in_range", 3, &[Version, Version, Version]),
    ("versioncmp", 2, &[Version, Version]),
    ("versionEQ", 2, &[Version, Version]),
    ("versionGE", 2, &[Version, Version]),
    ("versionGT", 2, &[Version, Version]),
    ("versionLE", 2, &[Version, Version]),
    ("versionLT", 2, &[Version, Version]),
];

const BINARY: &[&str] = &[
    "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "=?=", "=!=", "is", "isnt", "&&",
    "||", "&", "|", "^", "<<", ">>", ">>>",
];

const INTEGERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "-1",
    "-2",
    "10",
    "13",
    "63",
    "64",
    "100",
    "1000000",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "99999999999999999999",
    "1700000000",
    "x",
    "ClusterId",
    "NumHolds",
    "l[0]",
    "nested.x",
    "nested.inner.x",
];

const REALS: &[&str] = &[
    "0.0",
    "-0.0",
    "0.5",
    "1.5",
    "-2.5",
    "2.5",
    "1e3",
    "1E-3",
    "1e300",
    "-1e300",
    "1.7976931348623157e308",
    "5e-324",
    "3.0",
    "1000000.0",
    "0.1",
    "1234567.891",
    "1e15",
    "1e16",
    "123456789012345678.0",
    "real(\"INF\")",
    "real(\"-INF\")",
    "real(\"NaN\")",
    "y",
    "RemoteWallClockTime",
    "l[1]",
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "A",
    "b",
    "abc",
    "ABC",
    "aXbXc",
    "some text",
    "12",
    "-7",
    "1.5",
    "1.5x",
    " 3 ",
    "true",
    "FALSE",
    "undefined",
    "user@domain",
    "slot1_2@host.example.org",
    "a@b@c",
    "x + 1",
    "nested.x",
    "[ a = 1 ]",
    "{ 3, 4, 5 }",
    ",",
    ", ",
    ";",
    "a.b",
    "tab\\there",
    "line\\nend",
    "back\\\\slash",
    "quote\\\"d",
    "\\101\\060",
    "2024-02-29T12:00:00+01:00",
    "2023-06-01 00:00:00",
    "1+02:03:04",
    "-3:15",
    "25",
    "0x10",
    "1e3",
    "inf",
    "10K",
    "5 GB",
    "été",
    "日本語",
    "a\\",
];

const BOOLEANS: &[&str] = &["true", "false", "TRUE", "False", "t", "ExitBySignal", "OnExitHold"];

const OTHERS: &[&str] = &[
    "undefined",
    "UNDEFINED",
    "error",
    "u",
    "e",
    "nosuch",
    "MY.x",
    "MY.nosuch",
    "TARGET.z",
    "TARGET.nested.t",
    "TARGET.nested.o",
    "TARGET.Requirements",
    "TARGET.Rank",
    "TARGET",
    "other.s",
    "other.x",
    "z",
    "Memory",
    "GPUs",
    "self.x",
    "root.x",
    "toplevel.y",
    "parent.x",
    "TARGET.x",
    "cycle",
    "Requirements",
    "s",
    "names",
    "pattern",
    "Owner",
    "HoldReason",
    ".x",
    "RequestMemory",
    "NumHoldsByReason.TransferInputError",
    "NumHoldsByReason.'Odd Name'",
    "'x'",
    "'no such'",
    "nested.up",
    "nested.inner.both",
    "ads[1].z",
    "MemoryUsage",
    "CLUSTERID",
    "NumHoldsByReason",
];

/// What a slip of the pen puts in.
const PIECES: &[&str] = &[
    " ",
    "  ",
    "\t",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "=",
    "?",
    ":",
    "?:",
    ".",
    "-",
    "+",
    "!",
    "~",
    "<",
    ">",
    "&",
    "|",
    "^",
    "\"",
    "'",
    "\\",
    "//",
    "/* comment */",
    "/*",
    "*/",
    "0",
    "1",
    "0x1F",
    "010",
    "1e",
    "1.e2",
    ".5",
    "5.",
    "1K",
    "2.5MB",
    "1Ki",
    "é",
    "#",
    "@",
    "$",
    "`",
    "is",
    "ISNT",
    "error",
    "x y",
    "true false",
    "\u{b}",
    "\r",
];

/// Makes expressions, one after the other.
pub(crate) struct Grammar {
    random: Random,
}

impl Grammar {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed) }
    }

    /// The next expression, one time of twenty with a slip of the pen.
    pub(crate) fn expression(&mut self) -> String {
        let depth = 1 + self.random.below(5);
        let text = self.any(depth);
        if self.random.percent(5) { self.with_a_slip(&text) } else { text }
    }

    /// A condition, as `Requirements` are.
    pub(crate) fn condition(&mut self) -> String {
        let depth = 1 + self.random.below(3);
        self.wanted(Boolean, depth)
    }

    /// A piece left out, put in or doubled: mostly no expression any more.
    fn with_a_slip(&mut self, text: &str) -> String {
        let mut places = text.char_indices().map(|(place, _)| place).collect::<Vec<_>>();
        places.push(text.len());
        let first = self.random.below(places.len());
        let second = places.len().min(first + 1 + self.random.below(3)) - 1;
        let (first, second) = (places[first], places[second]);
        let between = match self.random.below(3) {
            0 => "",
            1 => self.random.one_of(PIECES),
            _ => &text[first..],
        };
        format!("{}{between}{}", &text[..first], &text[second..])
    }

    fn any(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let deeper = depth - 1;
        match self.random.below(20) {
            0..=6 => self.binary(deeper),
            7 => {
                let operator = self.random.one_of(&["-", "+", "!", "~"]);
                format!("{operator}{}", self.operand(deeper))
            }
            8 => format!(
                "{} ? {} : {}",
                self.operand(deeper),
                self.operand(deeper),
                self.operand(deeper)
            ),
            9 => format!("{} ?: {}", self.operand(deeper), self.operand(deeper)),
            10..=14 => self.call(deeper),
            15 => self.list(deeper),
            16 => self.ad(deeper),
            17 => format!("{}[{}]", self.operand(deeper), self.any(deeper)),
            18 => {
                let name = self.random.one_of(&["a", "b", "x", "parent", "nosuch", "A"]);
                let ad = self.wanted(Ad, deeper);
                let ad = if ad.starts_with(['[', '(']) { ad } else { format!("({ad})") };
                format!("{ad}.{name}")
            }
            _ => self.leaf(),
        }
    }

    /// As any, in brackets where it is not one word.
    fn operand(&mut self, depth: usize) -> String {
        let text = self.any(depth);
        let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        // Now and then precedence has to tell.
        if is_word || self.random.percent(15) { text } else { format!("({text})") }
    }

    fn binary(&mut self, depth: usize) -> String {
        let operator = self.random.one_of(BINARY);
        let (left, right) = if self.random.percent(60) {
            // Of types that go together.
            let wanted = match operator {
                "+" | "-" | "*" | "/" | "%" => {
                    self.random.one_of(&[Number, Number, Integer, Time, Interval])
                }
                "&&" | "||" => Boolean,
                "&" | "|" | "^" | "<<" | ">>" | ">>>" => {
                    self.random.one_of(&[Integer, Integer, Boolean])
                }
                _ => self.random.one_of(&[Number, Text, Boolean, Time, Interval, List, Ad]),
            };
            (self.bracketed(wanted, depth), self.bracketed(wanted, depth))
        } else {
            (self.operand(depth), self.operand(depth))
        };
        format!("{left} {operator} {right}")
    }

    fn bracketed(&mut self, wanted: Wanted, depth: usize) -> String {
        let text = self.wanted(wanted, depth);
        let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        if is_word { text } else { format!("({text})") }
    }

    fn call(&mut self, depth: usize) -> String {
        let (name, least, arguments) = self.random.one_of(FUNCTIONS);
        let mut count = least + self.random.below(arguments.len() - least + 1);
        if self.random.percent(3) {
            count = self.random.below(5);
        }
        let arguments: Vec<String> = (0..count)
            .map(|place| match arguments.get(place) {
                Some(wanted) if self.random.percent(75) => self.wanted(*wanted, depth),
                _ => self.any(depth.min(1)),
            })
            .collect();
        format!("{name}({})", arguments.join(", "))
    }

    fn list(&mut self, depth: usize) -> String {
        let wanted = self.random.one_of(&[Any, Number, Text, Boolean, Ad, Integer]);
        let elements: Vec<String> =
            (0..self.random.below(5)).map(|_| self.wanted(wanted, depth)).collect();
        if elements.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", elements.join(", ")) }
    }

    fn ad(&mut self, depth: usize) -> String {
        let attributes: Vec<String> = (0..self.random.below(4))
            .map(|_| {
                let name = self.random.one_of(&["a", "b", "x", "A", "c_1", "'odd name'"]);
                format!("{name} = {}", self.any(depth))
            })
            .collect();
        if attributes.is_empty() {
            "[]".to_owned()
        } else {
            format!("[ {} ]", attributes.join("; "))
        }
    }

    fn name(&mut self) -> String {
        let name = self.random.one_of(OTHERS);
        if self.random.percent(20) { format!("{name}.x") } else { name.to_owned() }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(12) {
            0..=2 => self.random.one_of(INTEGERS).to_owned(),
            3 | 4 => self.random.one_of(REALS).to_owned(),
            5 | 6 => quoted(self.random.one_of(TEXTS)),
            7 => self.random.one_of(BOOLEANS).to_owned(),
            8 => self.wanted(Time, 0),
            9 => self.wanted(Interval, 0),
            _ => self.random.one_of(OTHERS).to_owned(),
        }
    }

    fn wanted(&mut self, wanted: Wanted, depth: usize) -> String {
        if depth > 0 && self.random.percent(15) {
            return self.any(depth - 1);
        }
        let deeper = depth.saturating_sub(1);
        match wanted {
            Any => self.any(depth),
            Name => self.name(),
            Integer => self.random.one_of(INTEGERS).to_owned(),
            Number if self.random.percent(50) => self.random.one_of(INTEGERS).to_owned(),
            Number => self.random.one_of(REALS).to_owned(),
            Boolean if depth > 0 => {
                let operator = self.random.one_of(&["<", "==", ">=", "=?=", "=!="]);
                format!("{} {operator} {}", self.operand(deeper), self.operand(deeper))
            }
            Boolean => self.random.one_of(BOOLEANS).to_owned(),
            Text if self.random.percent(15) => self.pieces(&[
                "1",
                "-",
                "+",
                ".",
                "5",
                "e",
                "E",
                "0x",
                "1F",
                "inf",
                "NaN",
                " ",
                "K",
                "GB",
                "\\n",
                "\\t",
                "\\\"",
                "a",
                "B",
                "é",
                "@",
                "$",
                ",",
                "true",
                "undefined",
            ]),
            Text => quoted(self.random.one_of(TEXTS)),
            Names if self.random.percent(40) => self.pieces(&[
                "a", "A", "b", "abc", " ", " ", ",", ",", ",", ";", "1", "x", "é", "\\t",
            ]),
            Names => quoted(self.random.one_of(&[
                "a, b ,c", "A,B", "", "a", ",,a,", "abc ABC", "x;y;z", "12,7", "a@b, c",
            ])),
            Numbers if self.random.percent(40) => self.pieces(&[
                "1",
                "-2",
                "2.5",
                ".5",
                "e3",
                "0x1F",
                "inf",
                ",",
                ",",
                ",",
                " ",
                ";",
                "x",
                "+",
                "-",
                "9999999999",
            ]),
            Numbers => quoted(
                self.random
                    .one_of(&["1,2.5, 3", "", "7", "-3,-1", "1,x,2", "1e3;2", "2 4 6", "0.1,0.2"]),
            ),
            Pattern if self.random.percent(40) => self.pieces(&[
                "a", "b", "X", ".", "*", "+", "?", "^", "$", "(", ")", "|", "[", "]", "{2}",
                "{1,3}", "\\\\d", "\\\\w", "\\\\b", "\\\\1", "(?:", "(?=", "(?i)", "-", "é",
            ]),
            Pattern => quoted(self.random.one_of(&[
                "a",
                "^a",
                "b$",
                "[a-c]+",
                "(a)(X)?",
                "x*",
                ".",
                "",
                "a|b",
                "(",
                "\\\\d+",
                "^\\\\s*$",
                "(?i)ABC",
                "\\\\w+@(\\\\w+)",
                "X",
                "(.)(.)",
                "[^,]+",
                "é",
                "[[:alpha:]]+",
                "(?<=a)X(?=b)",
                "(a)?b",
                "(?P<first>a).*?(?P=first)",
                "\\\\bt\\\\w*$",
                "(*UTF).",
                "\\\\K",
                "(?:a+)+$",
                "a{2,}",
                "[",
                "a++",
            ])),
            Options => quoted(self.random.one_of(&["", "i", "I", "g", "fm", "x", "s", "q"])),
            Time => match self.random.below(7) {
                0 => "absTime(\"2024-02-29T12:00:00+01:00\")".to_owned(),
                1 => "absTime(\"2023-11-05T06:30:00Z\")".to_owned(),
                2 => "absTime(1700000000, 3600)".to_owned(),
                3 => "absTime(0)".to_owned(),
                4 => self
                    .random
                    .one_of(&["1700000000", "0", "951782400", "4102444800", "-1"])
                    .to_owned(),
                5 => {
                    let text = self.pieces(&[
                        "2024", "1969", "-", "-", "/", "02", "29", "31", "T", "12", ":", ":", "30",
                        "Z", "+01:00", "-0600", "-00:00", " ", ".5", "x",
                    ]);
                    format!("absTime({text})")
                }
                _ => "EnteredCurrentStatus".to_owned(),
            },
            Interval => match self.random.below(6) {
                0 => "relTime(\"1+02:03:04\")".to_owned(),
                1 => "relTime(-90.5)".to_owned(),
                2 => "relTime(3600)".to_owned(),
                3 => "relTime(\"0:00:01.250\")".to_owned(),
                4 => {
                    let text = self.pieces(&[
                        "1",
                        "02",
                        "59",
                        "1.5",
                        ".25",
                        "30000",
                        "2147483647",
                        "9999999999",
                        "+",
                        ":",
                        ":",
                        ":",
                        "d",
                        "H",
                        "m",
                        "s",
                        "-",
                        " ",
                    ]);
                    format!("relTime({text})")
                }
                _ => self.random.one_of(&["90061", "59", "-3600", "0"]).to_owned(),
            },
            Format if self.random.below(2) == 0 => self.pieces(&[
                "%Y", "%y", "%G", "%V", "%u", "%d", "%e", "%H", "%I", "%p", "%s", "%z", "%Z", "%D",
                "%", "E", "O", "_", "-", "^", "0", "9", " ", "é",
            ]),
            Format => quoted(self.random.one_of(&[
                "%Y-%m-%d", "%H:%M:%S", "%c", "%s", "%%", "", "%j %U %w", "%Z", "%A %b %e", "x",
            ])),
            List if depth > 0 => self.list(deeper),
            List => self
                .random
                .one_of(&[
                    "{}",
                    "{ 1, 2, 3 }",
                    "{ \"a\", \"B\" }",
                    "l",
                    "ads",
                    "{ 2.5, x }",
                    "{ u, 1 }",
                ])
                .to_owned(),
            Ad if depth > 0 => self.ad(deeper),
            Ad => self
                .random
                .one_of(&[
                    "[]",
                    "[ a = 1; b = a + 1 ]",
                    "nested",
                    "nested.inner",
                    "[ x = x ]",
                    "ads[0]",
                ])
                .to_owned(),
            Version if self.random.below(2) == 0 => {
                self.pieces(&["8", "9", "10", "0", ".", ".", "-rc", "99999999999", " ", "a", "-"])
            }
            Version => quoted(self.random.one_of(&[
                "8.9.7",
                "9.0",
                "10.0.0",
                "8.9.7-rc1",
                "",
                "abc",
                "8.9.70",
            ])),
            Comparison => quoted(
                self.random
                    .one_of(&["<", "<=", "==", "!=", ">", ">=", "is", "isnt", "=?=", "=!=", "+"]),
            ),
            Environment => self.pieces(&[
                "A=1", "B=2", "A=", "b=", "=", "C= x", "$$(X)", "P=/a:/b", " ", " ", ";", ";", "|",
                "'", "''", "\\n", "\\t", "\\\"",
            ]),
            CommandLine => self.pieces(&[
                "a", "-b", "--c=1", "1", " ", " ", " ", "'", "'", "''", "\\t", "\\n", "\\\"",
                "\\\\",
            ]),
        }
    }

    /// Text of some of the pieces.
    fn pieces(&mut self, pieces: &[&str]) -> String {
        let count = self.random.below(7);
        quoted(&(0..count).map(|_| self.random.one_of(pieces)).collect::<String>())
    }
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
