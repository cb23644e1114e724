//! Counts as people write them.

/// What to write, for error messages.
pub const COUNT: &str = "a whole number such as 500, 10k or 1e6";

/// Reads a count: `500`, `10_000`, `10k`, `2M`, `1e6`, `1.5e3`. `None` for what is no whole number, is negative, or is more than a
/// `u64` holds.
///
/// ```
/// use duvn::config::parse_count;
///
/// assert_eq!(parse_count("10k"), Some(10_000));
/// assert_eq!(parse_count("1.5e3"), Some(1_500));
/// assert_eq!(parse_count("0.5"), None);
/// ```
pub fn parse_count(text: &str) -> Option<u64> {
    let text = text.trim();
    let (text, thousands) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 3),
        'M' => (&text[..text.len() - 1], 6),
        'G' => (&text[..text.len() - 1], 9),
        _ => (text, 0),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat().chars().filter(|&letter| letter != '_').collect();
    let plain = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || digits.len() > 30 {
        return None;
    }
    let places = fraction.chars().filter(|&letter| letter != '_').count() as i32;
    let shift = exponent.checked_add(thousands)?.checked_sub(places)?;
    let number: u128 = digits.parse().ok()?;
    if number == 0 {
        return Some(0);
    }
    let power = 10u128.checked_pow(shift.unsigned_abs())?;
    let number = match shift >= 0 {
        true => number.checked_mul(power)?,
        false if number.is_multiple_of(power) => number / power,
        false => return None,
    };
    u64::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, count) in [
            ("0", 0),
            ("007", 7),
            (" 12 ", 12),
            ("10_000", 10_000),
            ("10k", 10_000),
            ("1.5k", 1_500),
            ("2M", 2_000_000),
            ("1e6", 1_000_000),
            ("1E+6", 1_000_000),
            ("2.5e1", 25),
            ("100000.0", 100_000),
            ("50e-1", 5),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_count(text), Some(count), "{text}");
        }
    }

    #[test]
    fn what_is_no_count_is_none() {
        for text in [
            "",
            " ",
            "k",
            "-1",
            "+",
            "1.5",
            "1e-1",
            "1e99",
            "1e9999999999",
            "many",
            "10,000",
            "1 000",
            "0x10",
            ".5",
            "18446744073709551616",
            "1k k",
            "ünf",
            "1ek",
        ] {
            assert_eq!(parse_count(text), None, "{text}");
        }
    }
}
