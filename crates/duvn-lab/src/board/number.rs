//! Numbers as JSON: six digits, which is more than a picture shows, and nothing where there is no number.

use serde_json::Value;

/// `x` with six digits; null where it is infinite or not a number.
pub fn number(x: f64) -> Value {
    if !x.is_finite() {
        return Value::Null;
    }
    // Whole numbers stay whole, and short.
    if x == x.trunc() && x.abs() < 1e15 {
        return Value::from(x as i64);
    }
    Value::from(format!("{x:.5e}").parse::<f64>().unwrap_or(x))
}

/// The same of something that may be missing.
pub fn maybe(x: Option<f64>) -> Value {
    x.map_or(Value::Null, number)
}

/// A list of numbers.
pub fn numbers(list: impl IntoIterator<Item = f64>) -> Value {
    Value::Array(list.into_iter().map(number).collect())
}

/// A list of numbers of which some are missing.
pub fn maybes(list: impl IntoIterator<Item = Option<f64>>) -> Value {
    Value::Array(list.into_iter().map(maybe).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_kept_and_what_is_no_number_is_null() {
        assert_eq!(number(0.123_456_789).to_string(), "0.123457");
        assert_eq!(number(-3.0).to_string(), "-3");
        assert_eq!(number(1.5e-9).to_string(), "1.5e-9");
        assert_eq!(number(f64::NAN), Value::Null);
        assert_eq!(maybes([Some(f64::INFINITY), None, Some(2.5)]).to_string(), "[null,null,2.5]");
    }
}
