use super::{BenchError, Measurement, Options};
use cpu_time::ThreadTime;
use duvn::net::{Isa, isa, measure_peak};

/// Work that can be done any number of times over.
pub struct Load<'a> {
    pub unit: &'static str,
    /// Floating-point operations of one unit; with them the peak is measured too.
    pub flops: Option<f64>,
    /// Bytes read and written by one unit.
    pub bytes: Option<f64>,
    /// Does so many units.
    pub work: Box<dyn FnMut(u64) -> Result<(), BenchError> + 'a>,
}

/// CPU seconds of one repetition, and how many there are.
fn plan(options: &Options) -> (f64, usize) {
    if options.quick { (0.03, 3) } else { (0.15, 11) }
}

/// Measures a load: units a CPU-second.
pub fn measure(name: &str, mut load: Load<'_>, options: &Options) -> Result<Measurement, BenchError> {
    let (seconds, repetitions) = plan(options);
    let units = units_in(seconds, &mut load.work)?;
    let (mut rates, mut of_peak, mut of_avx2, mut allocations) = (vec![], vec![], vec![], vec![]);
    for _ in 0..repetitions {
        let before = (options.allocations)();
        let rate = units as f64 / time(units, &mut load.work)?;
        allocations.push(((options.allocations)() - before) as f64 / units as f64);
        rates.push(rate);
        if let Some(flops) = load.flops {
            of_peak.push(100.0 * rate * flops / measure_peak(isa()));
            if Isa::Avx2.is_available() {
                of_avx2.push(100.0 * rate * flops / measure_peak(Isa::Avx2));
            }
        }
    }
    Ok(Measurement {
        flops: load.flops,
        percent_of_peak: median(&mut of_peak),
        percent_of_avx2_peak: median(&mut of_avx2),
        allocations: median(&mut allocations),
        bytes: load.bytes,
        isa: load.flops.map(|_| isa().to_string()),
        ..summary(name, load.unit, rates)
    })
}

/// As many units as fit into `seconds`, by doing twice as many until a fourth of them is used up.
fn units_in(seconds: f64, work: &mut dyn FnMut(u64) -> Result<(), BenchError>) -> Result<u64, BenchError> {
    let mut units = 1;
    loop {
        let taken = time(units, work)?;
        if taken >= seconds / 4.0 {
            return Ok(((units as f64 * seconds / taken) as u64).max(1));
        }
        units *= 2;
    }
}

/// CPU seconds of this thread for so many units.
fn time(units: u64, work: &mut dyn FnMut(u64) -> Result<(), BenchError>) -> Result<f64, BenchError> {
    let start = ThreadTime::now();
    work(units)?;
    Ok(start.elapsed().as_secs_f64().max(1e-9))
}

/// The median of repeated figures with their spread, and nothing else known.
pub fn summary(name: &str, unit: &'static str, mut figures: Vec<f64>) -> Measurement {
    let rate = median(&mut figures).unwrap_or(f64::NAN);
    let spread = [figures.first().copied().unwrap_or(rate), figures.last().copied().unwrap_or(rate)];
    Measurement {
        name: name.into(),
        rate,
        unit,
        spread,
        repetitions: figures.len(),
        flops: None,
        percent_of_peak: None,
        percent_of_avx2_peak: None,
        allocations: None,
        bytes: None,
        isa: None,
    }
}

/// Repetitions of what is not timed in bursts.
pub fn repetitions(options: &Options) -> usize {
    plan(options).1
}

/// Sorts the figures; gives the middle one, or the mean of the two there.
fn median(figures: &mut [f64]) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    match figures.len() {
        0 => None,
        count if count % 2 == 1 => Some(figures[middle]),
        _ => Some((figures[middle - 1] + figures[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn medians_and_spreads_are_those_worked_by_hand() {
        let odd = summary("odd", "steps/s", vec![5.0, 1.0, 3.0]);
        assert_eq!((odd.rate, odd.spread, odd.repetitions), (3.0, [1.0, 5.0], 3));
        let even = summary("even", "steps/s", vec![4.0, 1.0, 2.0, 9.0]);
        assert_eq!((even.rate, even.spread), (3.0, [1.0, 9.0]));
    }

    #[test]
    fn a_load_is_counted_by_its_units() {
        static REQUESTS: AtomicU64 = AtomicU64::new(0);
        let done = Cell::new(0);
        let options =
            Options { quick: true, allocations: || REQUESTS.load(Ordering::Relaxed), program: None };
        let work = |units: u64| {
            for _ in 0..units {
                std::hint::black_box(
                    (0..1000).fold(0.0, |sum: f64, i| std::hint::black_box(sum + f64::from(i))),
                );
                REQUESTS.fetch_add(2, Ordering::Relaxed);
            }
            done.set(done.get() + units);
            Ok(())
        };
        let load = Load { unit: "sums/s", flops: Some(1000.0), bytes: None, work: Box::new(work) };
        let measurement = measure("sums", load, &options).unwrap();
        assert_eq!(measurement.allocations, Some(2.0));
        assert!(measurement.rate > 0.0 && done.get() > 3, "{measurement:?}");
        assert!(measurement.spread[0] <= measurement.rate && measurement.rate <= measurement.spread[1]);
        // One chain of additions is far below what a core can do, and above nothing.
        let percent = measurement.percent_of_peak.unwrap();
        assert!(percent > 0.0 && percent < 100.0, "{percent}");
    }
}
