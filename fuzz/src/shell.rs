//! What a POSIX shell makes of a line: written for the targets alone, so that no mistake of the
//! quoting is made twice.

/// The words of a line, and whether a part of each stood in quotes. `None` where a shell would do
/// anything else with it: an expansion, a redirection, a comment, a second command, an open quote.
pub(crate) fn words(line: &str) -> Option<Vec<(String, bool)>> {
    let mut words = Vec::new();
    let mut rest = line.chars().peekable();
    loop {
        while rest.next_if_eq(&' ').is_some() {}
        if rest.peek().is_none() {
            return Some(words);
        }
        let (mut word, mut is_quoted) = (String::new(), false);
        while let Some(c) = rest.next_if(|c| *c != ' ') {
            match c {
                '\'' => {
                    is_quoted = true;
                    loop {
                        match rest.next()? {
                            '\'' => break,
                            c => word.push(c),
                        }
                    }
                }
                // Only a quote is escaped.
                '\\' => word.push(rest.next_if_eq(&'\'')?),
                'a'..='z' | 'A'..='Z' | '0'..='9' => word.push(c),
                '-' | '_' | '.' | ',' | '/' | ':' | '@' | '%' | '+' => word.push(c),
                '=' if !word.is_empty() => word.push(c),
                _ => return None,
            }
        }
        words.push((word, is_quoted));
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_read_as_a_shell_reads_them() {
        let of = |line| words(line).map(|words| words.into_iter().map(|word| word.0).collect());
        let all = |words: &[&str]| Some(words.iter().map(|&word| word.to_owned()).collect());
        assert_eq!(of("a 'b c' ''"), all(&["a", "b c", ""]));
        assert_eq!(of(r"'it'\''s $x'"), all(&["it's $x"]));
        for bad in
            ["a; b", "a $x", "a 'b", "a `b`", "a > b", "a # b", "a\\", "a\nb", "=a", "~", "*"]
        {
            assert_eq!(of(bad), None::<Vec<String>>, "{bad}");
        }
    }
}
