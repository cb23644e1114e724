//! Measurements against those of an earlier `duvn bench --json`.

use super::Measurement;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What is read of an earlier measurement.
#[derive(Deserialize)]
struct Row {
    name: String,
    rate: f64,
    unit: String,
    percent_of_peak: Option<f64>,
    isa: Option<String>,
}

/// Why measurements cannot be compared with.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A line holds something else.
    #[error("line {0} is no measurement: write the file with `duvn bench --json > FILE`")]
    Line(usize),
    /// There is no line.
    #[error("it holds no measurement: write the file with `duvn bench --json > FILE`")]
    Empty,
}

/// Earlier measurements, by name.
pub struct Earlier(BTreeMap<String, Row>);

impl Earlier {
    /// Reads what `duvn bench --json` wrote: an object a line.
    pub fn parse(text: &str) -> Result<Self, CompareError> {
        let mut rows = BTreeMap::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let row: Row = serde_json::from_str(line).map_err(|_| CompareError::Line(number + 1))?;
            rows.insert(row.name.clone(), row);
        }
        if rows.is_empty() { Err(CompareError::Empty) } else { Ok(Earlier(rows)) }
    }

    /// A measurement divided by the earlier one of its name, unit and instruction set. Where both know their share of the
    /// peak, the shares are divided: they hold when the machine is slower today. None where there is nothing to divide by.
    pub fn ratio(&self, now: &Measurement) -> Option<f64> {
        let before = self.0.get(&now.name)?;
        if before.unit != now.unit || before.isa != now.isa {
            return None;
        }
        let ratio = match (now.percent_of_peak, before.percent_of_peak) {
            (Some(now), Some(before)) => now / before,
            _ => now.rate / before.rate,
        };
        ratio.is_finite().then_some(ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::meter::summary;

    fn row(name: &str, rate: f64, percent: Option<f64>, isa: &str) -> Measurement {
        Measurement {
            percent_of_peak: percent,
            isa: Some(isa.into()),
            ..summary(name, "steps/s", vec![rate])
        }
    }

    #[test]
    fn shares_of_the_peak_are_compared_before_rates() {
        let lines = [row("train", 100.0, Some(40.0), "avx2"), row("env", 100.0, None, "avx2")]
            .map(|row| serde_json::to_string(&row).unwrap());
        let earlier = Earlier::parse(&lines.join("\n")).unwrap();
        // Half the rate on a machine that is half as fast: 42 of 40 percent.
        assert_eq!(earlier.ratio(&row("train", 52.5, Some(42.0), "avx2")), Some(1.05));
        assert_eq!(earlier.ratio(&row("env", 50.0, None, "avx2")), Some(0.5));
        assert_eq!(earlier.ratio(&row("train", 52.5, Some(42.0), "avx512")), None);
        assert_eq!(earlier.ratio(&row("new", 1.0, None, "avx2")), None);
    }

    #[test]
    fn what_is_no_measurement_is_refused_by_its_line() {
        assert_eq!(Earlier::parse("\n\n").err(), Some(CompareError::Empty));
        let good = serde_json::to_string(&row("env", 1.0, None, "avx2")).unwrap();
        assert_eq!(Earlier::parse(&format!("{good}\n{{}}")).err(), Some(CompareError::Line(2)));
    }
}
