//! Lists of seeds as a user writes them: `7`, `0..5`, `0..5,10,20..22`.

/// Why a list of seeds cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a list of seeds: {hint}; write for example 0..5 (0 to 4), or 3, or 0..5,10")]
pub struct SeedsError {
    text: String,
    hint: String,
}

/// More seeds than anyone runs: a slip of the finger such as 0..1000000000.
const MOST: u64 = 100_000;

/// Reads a list of seeds, in the order written.
pub fn parse(text: &str) -> Result<Vec<u64>, SeedsError> {
    let error = |hint: &str| SeedsError { text: text.into(), hint: hint.into() };
    let mut seeds = Vec::new();
    for part in text.split(',').map(str::trim) {
        let number = |digits: &str| {
            digits.trim().parse::<u64>().map_err(|_| error(&format!("'{part}' is not a seed or a range")))
        };
        match part.split_once("..") {
            None => seeds.push(number(part)?),
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to)?);
                if from >= to {
                    return Err(error(&format!("the range {part} is empty")));
                }
                if to - from > MOST {
                    return Err(error(&format!("the range {part} has more than {MOST} seeds")));
                }
                seeds.extend(from..to);
            }
        }
        if seeds.len() as u64 > MOST {
            return Err(error(&format!("it has more than {MOST} seeds")));
        }
    }
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(error(&format!("{} is in it twice", pair[0]))),
        None => Ok(seeds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_written() {
        assert_eq!(parse("7").unwrap(), [7]);
        assert_eq!(parse("3..6, 0,10..12").unwrap(), [3, 4, 5, 0, 10, 11]);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "a",
            "5..5",
            "5..3",
            "0..",
            "-1",
            "1,1",
            "0..3,2",
            "0..99999999999",
            "1.5",
            "0..60000,100000..160000",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
