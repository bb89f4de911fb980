//! Numbers as C prints and reads them, because ClassAd text is defined by what HTCondor's C library
//! calls do.

/// A real as `-long` output has it: 16 significant digits, shortest of fixed and exponent form,
/// always with a point or an exponent.
pub(crate) fn format_general(value: f64) -> String {
    if let Some(text) = special(value) {
        return text.to_owned();
    }
    let text = general(value, 16);
    if text.contains(['.', 'E']) { text } else { text + ".0" }
}

/// C's `%G` with so many significant digits.
fn general(value: f64, digits: i32) -> String {
    let scientific = format!("{value:.*e}", usize::try_from(digits - 1).unwrap_or(0));
    let (mantissa, exponent) = split_exponent(&scientific);
    if (-4..digits).contains(&exponent) {
        let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0);
        trim_fraction(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}{}", trim_fraction(mantissa), exponent_suffix(exponent))
    }
}

/// A real as the new syntax has it: one digit, fifteen decimals and an exponent.
pub(crate) fn format_scientific(value: f64) -> String {
    if let Some(text) = special(value) {
        return text.to_owned();
    }
    let scientific = format!("{value:.15e}");
    let (mantissa, exponent) = split_exponent(&scientific);
    format!("{mantissa}{}", exponent_suffix(exponent))
}

/// C's `%g` with six significant digits, for the seconds of a relative time.
pub(crate) fn format_short(value: f64) -> String {
    general(value, 6).to_lowercase()
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("real(\"NaN\")")
    } else if value == f64::INFINITY {
        Some("real(\"INF\")")
    } else if value == f64::NEG_INFINITY {
        Some("real(\"-INF\")")
    } else if value == 0.0 {
        Some(if value.is_sign_negative() { "-0.0" } else { "0.0" })
    } else {
        None
    }
}

fn split_exponent(scientific: &str) -> (&str, i32) {
    match scientific.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(0)),
        None => (scientific, 0),
    }
}

fn exponent_suffix(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("E{sign}{:02}", exponent.unsigned_abs())
}

fn trim_fraction(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// The longest number at the start of `text`, as C's `strtod` reads it, and the bytes it took.
/// `None` if there is none.
pub(crate) fn parse_prefix(text: &str) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let start = bytes.iter().take_while(|b| matches!(b, b' ' | 9..=13)).count();
    let mut at = start;
    let negative = bytes.get(at) == Some(&b'-');
    at += usize::from(matches!(bytes.get(at), Some(b'-' | b'+')));
    let signed = |value: f64| if negative { -value } else { value };
    let rest = &bytes[at..];
    let starts = |word: &str| {
        rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes())
    };
    if starts("infinity") {
        return Some((signed(f64::INFINITY), at + 8));
    }
    if starts("inf") {
        return Some((signed(f64::INFINITY), at + 3));
    }
    if starts("nan") {
        return Some((signed(f64::NAN), at + 3));
    }
    if starts("0x")
        && let Some((value, length)) = hexadecimal(&rest[2..])
    {
        return Some((signed(value), at + 2 + length));
    }
    let whole = digits(bytes, at);
    let mut end = at + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(bytes, end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(bytes, end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    // Rust reads "5." and ".5" as C does.
    text[start..end].parse().ok().map(|value| (value, end))
}

/// The number, if it is nothing but digits, and so few that it fits a real.
pub(crate) fn few_digits(text: &[u8]) -> Option<i64> {
    let number =
        |number, byte: &u8| byte.is_ascii_digit().then(|| 10 * number + i64::from(byte - b'0'));
    if let 1..=15 = text.len() { text.iter().try_fold(0, number) } else { None }
}

/// The number at the start of `text` as C's `sscanf` reads it: unlike `strtod` it does not go back
/// to the `0` of a `0x` and the `inf` of an `infi` that do not go on as numbers.
pub(crate) fn scan(text: &str) -> Option<f64> {
    let (value, length) = parse_prefix(text)?;
    let (before, after) = (&text.as_bytes()[..length], &text.as_bytes()[length..]);
    let digits = before.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let is_broken = match after {
        [b'x' | b'X', more @ ..] => value == 0.0 && digits == 1 && more.first() != Some(&b'.'),
        [b'i' | b'I', ..] => value.is_infinite() && digits == 3,
        _ => false,
    };
    (!is_broken).then_some(value)
}

/// The hexadecimal number at the start, with a fraction and a power of two if they are there, and
/// its length.
fn hexadecimal(bytes: &[u8]) -> Option<(f64, usize)> {
    let mut mantissa = Mantissa::default();
    let whole = mantissa.take(bytes);
    let mut length = whole;
    if bytes.get(whole) == Some(&b'.') {
        mantissa.is_fraction = true;
        let fraction = mantissa.take(&bytes[whole + 1..]);
        if whole + fraction == 0 {
            return None;
        }
        length += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    let mut power = 0_i32;
    if matches!(bytes.get(length), Some(b'p' | b'P')) {
        let sign = bytes.get(length + 1);
        let signs = usize::from(matches!(sign, Some(b'+' | b'-')));
        let start = length + 1 + signs;
        let count = digits(bytes, start);
        if count > 0 {
            // Beyond some thousands the result is zero or infinite anyway.
            let size = bytes[start..start + count]
                .iter()
                .fold(0_i32, |sum, digit| (sum * 10 + i32::from(digit - b'0')).min(100_000));
            power = if sign == Some(&b'-') { -size } else { size };
            length = start + count;
        }
    }
    Some((mantissa.value(power), length))
}

/// Hexadecimal digits, the first fifteen that count as a number.
#[derive(Default)]
struct Mantissa {
    number: u64,
    /// Bits by which the number is too small.
    shift: i32,
    is_fraction: bool,
}

impl Mantissa {
    /// Takes the digits at the start; how many there are.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_hexdigit());
        digits
            .map(|byte| {
                let digit = char::from(*byte).to_digit(16).unwrap_or(0);
                let fits = self.number < 1 << 60;
                if fits {
                    self.number = self.number << 4 | u64::from(digit);
                } else if digit != 0 {
                    // What is cut off is more than nothing: a half rounds up.
                    self.number |= 1;
                }
                self.shift = match (fits, self.is_fraction) {
                    (true, true) => self.shift.saturating_sub(4),
                    (false, false) => self.shift.saturating_add(4),
                    _ => self.shift,
                };
            })
            .count()
    }

    #[allow(clippy::cast_precision_loss)]
    fn value(&self, power: i32) -> f64 {
        if self.number == 0 {
            return 0.0;
        }
        let mut value = self.number as f64;
        let mut left = self.shift.saturating_add(power).clamp(-100_000, 100_000);
        // In steps: the power itself may be too large or too small for a real.
        while left != 0 && value != 0.0 && value.is_finite() {
            let step = left.clamp(-1000, 1000);
            value *= 2_f64.powi(step);
            left -= step;
        }
        value
    }
}

fn digits(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count())
}

/// The integer part of a real as the x86-64 conversion gives it: out of range is the smallest
/// integer.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn truncate(value: f64) -> i64 {
    // 2^63, the first real above every i64.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&value) { value as i64 } else { i64::MIN }
}

/// As [`truncate`] for C's 32-bit `int`.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn truncate_i32(value: f64) -> i32 {
    if value > -2_147_483_649.0 && value < 2_147_483_648.0 { value as i32 } else { i32::MIN }
}

/// The seconds of a relative time where HTCondor takes whole ones: through C's `int`.
pub(crate) fn whole_seconds(seconds: f64) -> f64 {
    truncate_i32(seconds).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_print_as_c_prints_them() {
        for (value, general, scientific) in [
            (0.1, "0.1", "1.000000000000000E-01"),
            (1.0, "1.0", "1.000000000000000E+00"),
            (100_000_000_000.0, "100000000000.0", "1.000000000000000E+11"),
            (1e16, "1E+16", "1.000000000000000E+16"),
            (1.5e-7, "1.5E-07", "1.500000000000000E-07"),
            (1.0 / 3.0, "0.3333333333333333", "3.333333333333333E-01"),
            (-0.0, "-0.0", "-0.0"),
            (1e300, "1E+300", "1.000000000000000E+300"),
        ] {
            assert_eq!(format_general(value), general);
            assert_eq!(format_scientific(value), scientific);
        }
        assert_eq!(format_short(5.25), "5.25");
        assert_eq!(format_short(1e7), "1e+07");
    }

    #[test]
    fn prefixes_are_read_as_strtod_reads_them() {
        assert_eq!(parse_prefix("1.5x"), Some((1.5, 3)));
        assert_eq!(parse_prefix("  -12abc"), Some((-12.0, 5)));
        assert_eq!(parse_prefix("5.e3"), Some((5000.0, 4)));
        assert_eq!(parse_prefix("5e"), Some((5.0, 1)));
        assert_eq!(parse_prefix(".5"), Some((0.5, 2)));
        assert_eq!(parse_prefix("0x1F"), Some((31.0, 4)));
        assert_eq!(parse_prefix("-0x1.8p3z"), Some((-12.0, 8)));
        assert_eq!(parse_prefix("0x.8"), Some((0.5, 4)));
        assert_eq!(parse_prefix("0x1p-2000"), Some((0.0, 9)));
        assert_eq!(parse_prefix("0xg"), Some((0.0, 1)));
        assert_eq!(parse_prefix("0xfffffffffffffffff"), Some((295_147_905_179_352_830_000.0, 19)));
        assert_eq!(parse_prefix("."), None);
        assert_eq!(parse_prefix(""), None);
        assert!(parse_prefix("nan").is_some_and(|(value, _)| value.is_nan()));
    }

    #[test]
    fn numbers_are_scanned_as_sscanf_scans_them() {
        for text in ["0x", "-0xg", "infi", "x", "+"] {
            assert_eq!(scan(text), None, "{text}");
        }
        assert_eq!(scan("0x."), Some(0.0));
        assert_eq!(scan("0x1p"), Some(1.0));
        assert_eq!(scan("1ex"), Some(1.0));
        assert_eq!(scan("infinity"), Some(f64::INFINITY));
        assert_eq!(scan("infx"), Some(f64::INFINITY));
    }

    #[test]
    fn out_of_range_reals_become_the_smallest_integer() {
        assert_eq!(truncate(-3.9), -3);
        assert_eq!(truncate(1e19), i64::MIN);
        assert_eq!(truncate(f64::NAN), i64::MIN);
        assert_eq!(truncate_i32(3e9), i32::MIN);
    }
}
