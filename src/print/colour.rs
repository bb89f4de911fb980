//! Advice in colour at a terminal: the word that says what to do, and nothing else.

use crate::advice::Recommendation;

/// Paints the first `word` behind the first `from` bytes of a line, if it is there.
pub(super) fn paint(line: &str, from: usize, word: &str, recommendation: Recommendation) -> String {
    let tail = line.get(from..).unwrap_or_default();
    let Some(at) = tail.find(word).map(|at| from + at) else { return line.to_owned() };
    let (before, rest) = line.split_at(at);
    let after = &rest[word.len()..];
    format!("{before}\u{1b}[{}m{word}\u{1b}[0m{after}", sgr(recommendation))
}

/// The parameters of SGR (ECMA-48): bold, and a colour that light and dark terminals show.
fn sgr(recommendation: Recommendation) -> &'static str {
    match recommendation {
        Recommendation::Release | Recommendation::Try => "1;32",
        Recommendation::Change => "1;33",
        Recommendation::Wait | Recommendation::Look => "1;36",
        Recommendation::Remove => "1;31",
        Recommendation::Undecided => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_painted() {
        let painted = paint("release wait wait", 8, "wait", Recommendation::Wait);
        assert_eq!(painted, "release \u{1b}[1;36mwait\u{1b}[0m wait");
        assert_eq!(paint("nothing", 99, "wait", Recommendation::Wait), "nothing");
    }
}
