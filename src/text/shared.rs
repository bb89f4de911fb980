//! What two texts have in common.

/// Stands for what differs.
pub(crate) const DIFFERS: &str = "[...]";

/// What two texts of as many words have in common, where at least half of the words have nothing
/// that differs.
pub(crate) fn shared_words(one: &str, other: &str) -> Option<String> {
    if one == other {
        return Some(one.to_owned());
    }
    let [one, other] = [one, other].map(|text| text.split_whitespace().collect::<Vec<_>>());
    let shared: Vec<String> =
        one.iter().zip(&other).map(|(one, other)| shared_letters(one, other)).collect();
    let differ = shared.iter().filter(|word| word.contains(DIFFERS)).count();
    (one.len() == other.len() && differ * 2 <= one.len()).then(|| shared.join(" "))
}

/// `/in/[...].dat` of `/in/1.dat` and `/in/2.dat`: they share what ends and begins at a mark.
pub(crate) fn shared_letters(one: &str, other: &str) -> String {
    if one == other {
        return one.to_owned();
    }
    let same = |(a, b): &(char, char)| a == b;
    let is_mark = |c: &char| !c.is_alphanumeric();
    let ahead: String = one.chars().zip(other.chars()).take_while(same).map(|(a, _)| a).collect();
    let ahead = ahead.trim_end_matches(|c| !is_mark(&c));
    let ends = one[ahead.len()..].chars().rev().zip(other[ahead.len()..].chars().rev());
    let behind: usize = ends.take_while(same).map(|(a, _)| a.len_utf8()).sum();
    let behind = &one[one.len() - behind..];
    let behind = behind.find(|c| is_mark(&c)).map_or("", |at| &behind[at..]);
    match (ahead, behind) {
        ("", "") => DIFFERS.to_owned(),
        _ => format!("{ahead}{DIFFERS}{behind}"),
    }
}
