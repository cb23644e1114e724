//! The parameters of a request. No part of them reaches the file system: folders are numbers, runs are looked up.

/// The parameters, decoded.
pub struct Query(Vec<(String, String)>);

/// More parameters than any question has.
const MOST: usize = 12;

/// Bytes of a value at most.
const LONGEST: usize = 200;

impl Query {
    /// Reads what stands behind the question mark; none where it is no list of parameters.
    pub fn parse(text: &str) -> Option<Self> {
        let mut pairs = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=')?;
            if pairs.len() == MOST || value.len() > 3 * LONGEST {
                return None;
            }
            let value = decode(value)?;
            if value.len() > LONGEST || !key.bytes().all(|letter| letter.is_ascii_lowercase()) {
                return None;
            }
            pairs.push((key.to_string(), value));
        }
        Some(Query(pairs))
    }

    /// The value of a parameter; none where it is missing or given twice.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(known, _)| known == key);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// A whole number.
    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }
}

/// Undoes percent-encoding; none where that is not what the text is.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |digit: u8| char::from(digit).to_digit(16);
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        bytes.push((16 * high + low) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_nonsense_is_refused() {
        let query = Query::parse("e=0&a=duvn%2C%20keep%200.8&run=ab").unwrap();
        assert_eq!((query.number("e"), query.get("a")), (Some(0_usize), Some("duvn, keep 0.8")));
        assert_eq!((query.get("b"), query.number::<u64>("run")), (None, None));
        assert_eq!(Query::parse("e=0&e=1").unwrap().get("e"), None);
        for bad in ["e", "a=%", "a=%zz", "a=%ff", "A=1", "../x=1"] {
            assert!(Query::parse(bad).is_none(), "{bad}");
        }
        assert!(Query::parse(&format!("a={}", "x".repeat(201))).is_none());
        assert!(Query::parse(&"a=1&".repeat(13)).is_none());
    }
}
