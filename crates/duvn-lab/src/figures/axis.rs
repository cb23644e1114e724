//! Axes: what range they show, where their ticks are, and where a value lies on them.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; what is not positive is not shown.
    Log,
}

/// An axis of a panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// How values are spread.
    pub scale: Scale,
    /// The values at its two ends; by default those that hold the data.
    pub range: Option<(f64, f64)>,
    /// Ticks with their labels in the place of round numbers (for categories).
    pub ticks: Option<Vec<(f64, String)>>,
    /// Whether values grow to the left or downwards.
    pub reversed: bool,
}

impl Axis {
    /// A linear axis over the range of the data.
    pub fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A logarithmic axis over the range of the data.
    pub fn log(label: impl Into<String>) -> Self {
        Axis { scale: Scale::Log, ..Axis::new(label) }
    }

    /// The same axis from `low` to `high`.
    pub fn from_to(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }

    /// The same axis with these ticks only.
    pub fn with_ticks(self, ticks: Vec<(f64, String)>) -> Self {
        Axis { ticks: Some(ticks), ..self }
    }
}

/// The least and the greatest of the values seen, and how much room to leave around them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub low: f64,
    pub high: f64,
    pub pad_low: f64,
    pub pad_high: f64,
}

impl Extent {
    pub const EMPTY: Extent =
        Extent { low: f64::INFINITY, high: f64::NEG_INFINITY, pad_low: 0.0, pad_high: 0.0 };

    /// The extent of those `values` that `scale` can show, with a share `pad` of it left free at each end.
    pub fn of(values: impl IntoIterator<Item = f64>, scale: Scale, pad: f64) -> Extent {
        let shown = values.into_iter().filter(|&value| scale.shows(value));
        shown.fold(Extent { pad_low: pad, pad_high: pad, ..Extent::EMPTY }, |extent, value| Extent {
            low: extent.low.min(value),
            high: extent.high.max(value),
            ..extent
        })
    }

    pub fn join(self, other: Extent) -> Extent {
        let pad = |own: f64, own_pad: f64, others: f64, others_pad: f64| {
            // The one that reaches further decides; together the one that asks for less room, so that
            // bars stand on their axis.
            if own > others {
                own_pad
            } else if others > own {
                others_pad
            } else {
                own_pad.min(others_pad)
            }
        };
        Extent {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            pad_low: pad(-self.low, self.pad_low, -other.low, other.pad_low),
            pad_high: pad(self.high, self.pad_high, other.high, other.pad_high),
        }
    }
}

impl Scale {
    /// Whether a value has a place on the axis. The last few powers of ten are left out, so that ranges
    /// and the room around them stay numbers.
    pub(super) fn shows(self, value: f64) -> bool {
        value.abs() <= 1e250 && (self == Scale::Linear || value >= 1e-250)
    }

    fn forward(self, value: f64) -> f64 {
        if self == Scale::Log { value.log10() } else { value }
    }

    fn back(self, value: f64) -> f64 {
        if self == Scale::Log { 10f64.powf(value) } else { value }
    }
}

/// An axis whose range is settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct View {
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
    pub reversed: bool,
}

impl View {
    /// Settles the range: the axis' own where it makes sense, else that of the data with some room.
    pub fn new(axis: &Axis, data: Extent) -> View {
        let scale = axis.scale;
        let (low, high) = match axis.range {
            Some((low, high)) if low < high && scale.shows(low) && scale.shows(high) => (low, high),
            _ if data.low > data.high => (scale.back(0.0), scale.back(1.0)),
            _ if data.low == data.high && scale == Scale::Log => (data.low / 2.0, data.low * 2.0),
            _ if data.low == data.high => {
                let half = (data.low.abs() / 10.0).max(0.5);
                (data.low - half, data.low + half)
            }
            _ => {
                let (low, high) = (scale.forward(data.low), scale.forward(data.high));
                let room = high - low;
                (scale.back(low - data.pad_low * room), scale.back(high + data.pad_high * room))
            }
        };
        View { scale, low, high, reversed: axis.reversed }
    }

    /// Where `value` lies, from 0 at the low end to 1 at the high one (outside of it beyond the range);
    /// `None` where the scale cannot show it.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !self.scale.shows(value) {
            return None;
        }
        let (low, high) = (self.scale.forward(self.low), self.scale.forward(self.high));
        let share = (self.scale.forward(value) - low) / (high - low);
        let share = if self.reversed { 1.0 - share } else { share };
        share.is_finite().then(|| share.clamp(-1e4, 1e4))
    }

    /// Whether `value` lies within the range.
    pub fn holds(&self, value: f64) -> bool {
        let slack = 1e-9 * (self.high - self.low).abs();
        value >= self.low - slack && value <= self.high + slack
    }

    /// About `count` round values within the range, with their labels.
    pub fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => linear_ticks(self.low, self.high, count),
            Scale::Log => log_ticks(self.low, self.high, count),
        }
    }
}

impl View {
    /// The values between the powers of ten of a logarithmic axis, which have ticks but no labels.
    pub fn minor_ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        if self.scale == Scale::Linear || decades > 6.0 {
            return Vec::new();
        }
        let first = self.low.log10().floor() as i32;
        let values = (first..=first + 7).flat_map(|d| (2..10).map(move |i| f64::from(i) * 10f64.powi(d)));
        values.filter(|&value| self.holds(value)).collect()
    }
}

/// A round step (1, 2 or 5 times a power of ten) of which about `count` fit between `low` and `high`.
fn round_step(low: f64, high: f64, count: usize) -> f64 {
    let rough = (high - low) / count.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= rough * 0.999).unwrap_or(10.0);
    factor * power
}

fn linear_ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let step = round_step(low, high, count);
    if !step.is_normal() {
        return Vec::new();
    }
    let slack = 1e-9 * (high - low);
    let first = ((low - slack) / step).ceil();
    let values = (0..)
        .map(|i| (first + f64::from(i)) * step)
        .take_while(|&value| value <= high + slack)
        .take(100)
        .collect::<Vec<_>>();
    let largest = values.iter().fold(0f64, |largest, value| largest.max(value.abs()));
    values.into_iter().map(|value| (value, tick_label(value, step, largest))).collect()
}

/// Powers of ten, and 2 and 5 times them where there are few.
fn log_ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let decades = f64::from(last - first).max(1.0);
    let every = (decades / count.max(1) as f64).ceil().max(1.0) as i32;
    let span = (high / low).log10();
    let few = span < 1.8 || 3.0 * span <= 1.2 * count as f64;
    let factors: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let slack = 1.0 + 1e-9;
    (first..=last)
        .filter(|decade| decade.rem_euclid(every) == 0)
        .flat_map(|decade| factors.iter().map(move |factor| (decade, *factor)))
        .map(|(decade, factor)| (factor * 10f64.powi(decade), decade, factor))
        .filter(|(value, ..)| *value * slack >= low && *value <= high * slack)
        .map(|(value, decade, factor)| {
            let label = match decade {
                -2..=3 => tick_label(value, value, value),
                _ if factor == 1.0 => format!("10{}", superscript(decade)),
                _ => format!("{factor}×10{}", superscript(decade)),
            };
            (value, label)
        })
        .collect()
}

/// The label of a tick among ticks `step` apart of which the `largest` decides whether thousands (k),
/// millions (M) or powers of ten are counted.
fn tick_label(value: f64, step: f64, largest: f64) -> String {
    let (unit, suffix) = match largest {
        l if !(1e-4..1e9).contains(&l) && l > 0.0 => {
            let power = l.log10().floor() as i32;
            (10f64.powi(power), format!("×10{}", superscript(power)))
        }
        l if l >= 1e6 => (1e6, "M".to_string()),
        l if l >= 1e4 => (1e3, "k".to_string()),
        _ => (1.0, String::new()),
    };
    if value.abs() < step * 1e-6 {
        return "0".into();
    }
    let decimals = (0..9)
        .find(|&decimals| {
            let grain = 10f64.powi(-decimals) * unit;
            ((step / grain).round() - step / grain).abs() < 1e-6
        })
        .unwrap_or(9);
    let number = format!("{:.*}", decimals as usize, value.abs() / unit);
    format!("{}{number}{suffix}", if value < 0.0 { "−" } else { "" })
}

fn superscript(power: i32) -> String {
    let raise = |letter| match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        digit => char::from_u32('⁴' as u32 + (digit as u32 - '4' as u32)).unwrap_or(digit),
    };
    power.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(linear_ticks(-0.05, 1.05, 5)), ["0", "0.5", "1.0"]);
        assert_eq!(labels(linear_ticks(-0.05, 1.05, 6)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(
            labels(linear_ticks(0.0, 3000.0, 6)),
            ["0", "500", "1000", "1500", "2000", "2500", "3000"]
        );
        assert_eq!(labels(linear_ticks(0.0, 30_000.0, 3)), ["0", "10k", "20k", "30k"]);
        assert_eq!(labels(linear_ticks(0.0, 2.5e6, 5)), ["0", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"]);
        assert_eq!(labels(linear_ticks(-210.0, -95.0, 3)), ["−200", "−150", "−100"]);
        assert_eq!(labels(linear_ticks(0.0, 4e-6, 2)), ["0", "2×10⁻⁶", "4×10⁻⁶"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        assert_eq!(labels(log_ticks(1e-4, 10.0, 8)), ["10⁻⁴", "10⁻³", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(log_ticks(9.0, 110.0, 5)), ["10", "20", "50", "100"]);
        let two_decades = ["200", "500", "1000", "2000", "5000", "10⁴"];
        assert_eq!(labels(log_ticks(150.0, 15_000.0, 8)), two_decades);
        assert_eq!(labels(log_ticks(150.0, 15_000.0, 3)), ["1000", "10⁴"]);
        assert_eq!(labels(log_ticks(1.0, 1e12, 4)), ["1", "1000", "10⁶", "10⁹", "10¹²"]);
    }

    #[test]
    fn degenerate_data_still_have_a_range() {
        let linear = Axis::new("");
        let empty = View::new(&linear, Extent::of([f64::NAN], Scale::Linear, 0.05));
        assert_eq!((empty.low, empty.high), (0.0, 1.0));
        let single = View::new(&linear, Extent::of([-200.0], Scale::Linear, 0.05));
        assert_eq!((single.low, single.high, single.place(-200.0)), (-220.0, -180.0, Some(0.5)));
        let log = View::new(&Axis::log(""), Extent::of([0.0, -1.0, 8.0], Scale::Log, 0.05));
        assert_eq!((log.low, log.high, log.place(0.0)), (4.0, 16.0, None));
        let senseless = View::new(&Axis::log("").from_to(0.0, 1.0), Extent::of([1.0, 10.0], Scale::Log, 0.0));
        assert_eq!((senseless.low, senseless.high), (1.0, 10.0));
    }

    #[test]
    fn bars_stand_on_the_axis_and_other_data_have_room() {
        let bars = Extent { pad_low: 0.0, ..Extent::of([0.0, 2.0], Scale::Linear, 0.05) };
        let curve = Extent::of([0.0, 4.0], Scale::Linear, 0.05);
        let joined = View::new(&Axis::new(""), bars.join(curve));
        assert_eq!((joined.low, joined.high), (0.0, 4.2));
        assert_eq!(Extent::EMPTY.join(curve), curve);
    }

    #[test]
    fn a_reversed_axis_runs_the_other_way() {
        let axis = Axis { reversed: true, ..Axis::new("").from_to(0.0, 10.0) };
        let view = View::new(&axis, Extent::EMPTY);
        assert_eq!((view.place(0.0), view.place(10.0)), (Some(1.0), Some(0.0)));
    }
}
