//! Random values, the same for the same seed.

/// Draws values (splitmix64).
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True in `percent` of 100 draws.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    pub(crate) fn some<T>(
        &mut self,
        percent: u64,
        value: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        self.chance(percent).then(|| value(self))
    }

    /// A number that `int` of C holds.
    pub(crate) fn int(&mut self) -> i32 {
        match self.below(6) {
            0 => self.pick(&[0, 1, -1, i32::MAX, i32::MIN]),
            1 => -(self.below(100_000) as i32),
            2 => self.below(1 << 31) as i32,
            _ => self.below(300) as i32,
        }
    }

    /// A number that is not negative.
    pub(crate) fn natural(&mut self) -> i32 {
        self.int().checked_abs().unwrap_or(7)
    }

    /// A number of bytes: a `double` holds it.
    pub(crate) fn bytes(&mut self) -> u64 {
        let bits = self.pick(&[1, 8, 16, 24, 32, 40, 53]);
        self.below(1 << bits)
    }

    /// A number of bytes that a 32-bit `float` holds.
    pub(crate) fn float_bytes(&mut self) -> u64 {
        let shift = self.pick(&[0, 0, 0, 8, 20]);
        self.below(1 << 24) << shift
    }

    /// A text of one line that is not empty and has no white space at its ends.
    pub(crate) fn line(&mut self) -> String {
        const WORDS: [&str; 44] = [
            "a",
            "job",
            "/home/alice/x.dat",
            "Error:",
            "13",
            "-1",
            "(errno 2)",
            "\"quoted\"",
            "'single'",
            "back\\slash",
            "C:\\temp\\",
            "|",
            "||",
            "=",
            "a=b",
            "[",
            "]",
            "{ 1 }",
            "<127.0.0.1:9618?addrs=1-2&alias=x>",
            "é",
            "漢字",
            "😀",
            "Code 1 Subcode 2",
            "from",
            "on",
            "to",
            "DAG Node: A",
            "Reason:",
            "WARNING:",
            "%s",
            "%d",
            ",",
            ";",
            ":",
            "...",
            "#",
            "$(x)",
            "&amp;",
            "\\n",
            "\\\"",
            "012 (1.0.0)",
            "Job was held.",
            "5  -  Run Bytes",
            "~",
        ];
        let words = if self.chance(2) { 200 } else { 1 + self.below(6) };
        let mut text = String::new();
        for index in 0..words {
            if index > 0 {
                text.push_str(self.pick(&[" ", " ", " ", "  ", "\t"]));
            }
            text.push_str(self.pick(&WORDS));
        }
        text
    }

    /// A text of one line, which may have white space at its ends.
    pub(crate) fn loose_line(&mut self) -> String {
        let mut text = self.line();
        if self.chance(10) {
            text.insert_str(0, self.pick(&[" ", "   ", "\t"]));
        }
        if self.chance(10) {
            text.push_str(self.pick(&[" ", "  ", "\t", "|"]));
        }
        text
    }

    /// A text without white space.
    pub(crate) fn word(&mut self) -> String {
        self.line().replace([' ', '\t'], "_")
    }

    /// A name of an attribute.
    pub(crate) fn name(&mut self) -> String {
        const NAMES: [&str; 12] = [
            "Cpus",
            "Disk",
            "Memory",
            "GPUs",
            "CondorScratchDir",
            "Owner",
            "x_y",
            "_p",
            "A1",
            "GLIDEIN_Site",
            "RequestX",
            "machine",
        ];
        let mut name = self.pick(&NAMES).to_owned();
        if self.chance(30) {
            name.push_str(&self.below(100).to_string());
        }
        name
    }

    /// An expression in the old syntax of ClassAds, printed as HTCondor prints it.
    pub(crate) fn expression(&mut self) -> String {
        match self.below(9) {
            0 | 1 => self.below(1 << 40).to_string(),
            2 => self.pick(&["true", "false", "undefined", "error"]).to_owned(),
            3 => self.pick(&["1.5", "0.0", "1E+20", "2.5E-07", "123456.789", "3.0"]).to_owned(),
            4 => self.pick(&["{ 1,2,\"x\" }", "[ A = 1; B = \"x\" ]", "{  }"]).to_owned(),
            5 => self
                .pick(&[
                    "Cpus + 1",
                    "RequestMemory * 2",
                    "isUndefined(x) || y",
                    "a.b",
                    "x =?= undefined",
                ])
                .to_owned(),
            // A backslash before the quotation mark that ends the text would hide it.
            _ => format!("\"{}\"", self.line().replace('\\', "/").replace('"', "\\\"")),
        }
    }

    /// An address.
    pub(crate) fn host(&mut self) -> String {
        let number = self.below(256);
        match self.below(4) {
            0 => format!("<10.0.0.{number}:9618>"),
            1 => format!(
                "<10.0.0.{number}:9618?addrs=10.0.0.{number}-9618+[--1]-9618&alias=ep{number}.example&noUDP&sock=slot1_1_{number}>"
            ),
            2 => format!("slot1_{number}@ep.example"),
            // HTCondor takes a host that begins with three dots for a separator.
            _ => format!("h{}", self.line()),
        }
    }
}
