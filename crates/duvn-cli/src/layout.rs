//! How progress is laid out on a terminal of some width, so that every line fits.

/// The templates of bars, as indicatif has them, and how much is said beside them.
pub struct Layout {
    /// The width of the bar of the whole.
    pub bar: usize,
    /// The line of a run.
    pub run: String,
    /// Whether there is room for few words only.
    pub short: bool,
    /// Whether there is room for everything.
    pub full: bool,
}

impl Layout {
    /// For a terminal with so many columns.
    pub fn new(columns: usize) -> Self {
        let full = columns >= 100;
        let short = columns < 75;
        // Two columns before the name, and seven for a space and the percentage.
        let run = match (full, short) {
            (true, _) => "  {prefix:<32!} {bar:12} {percent:>3} %  {wide_msg}".into(),
            (_, false) => "  {prefix:<32!} {percent:>3} %  {wide_msg}".into(),
            _ => format!("  {{prefix:<{}!}} {{percent:>3}} %", columns.clamp(20, 74) - 9),
        };
        let bar = match columns {
            ..45 => 4,
            45..75 => 8,
            _ => 12,
        };
        Layout { bar, run, short, full }
    }

    /// What is said beside the bar of the whole. `left` is the time left, with "about" before it.
    pub fn total(&self, ended: usize, runs: usize, gone: &str, left: Option<(&str, &str)>) -> String {
        match (left, self.short) {
            (Some((_, left)), true) => format!("{ended} of {runs}, {left} left"),
            (None, true) => format!("{ended} of {runs} runs"),
            (Some((about, left)), false) if self.full => {
                format!("{ended} of {runs} runs, {gone} gone, {about} {left} left")
            }
            (Some((about, left)), false) => format!("{ended} of {runs} runs, {about} {left} left"),
            (None, false) => format!("{ended} of {runs} runs, {gone} gone"),
        }
    }

    /// What is said beside the bar of a run.
    pub fn moved(&self, episodes: u64, mean: &str) -> String {
        let what = if self.full { "mean of the last 100" } else { "last 100" };
        format!("episode {episodes}, {what}: {mean}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of a template, without `{wide_msg}`, which fills what is left.
    fn columns(template: &str) -> usize {
        let width = |part: &str| -> usize {
            let (inside, after) = part.split_once('}').unwrap();
            let number: String = inside.chars().filter(char::is_ascii_digit).collect();
            number.parse().unwrap_or(0) + after.len()
        };
        let mut parts = template.split('{');
        parts.next().unwrap().len() + parts.map(width).sum::<usize>()
    }

    #[test]
    fn every_line_fits_the_terminal() {
        for terminal in [40, 45, 74, 75, 80, 99, 100, 200] {
            let layout = Layout::new(terminal);
            let said = layout.moved(1_000_000, "-0.123");
            let of_run = if layout.run.contains("wide_msg") { said.len() } else { 0 };
            assert!(columns(&layout.run) + of_run <= terminal, "{terminal}: {}", layout.run);
            let said = layout.total(100, 480, "59 min 59 s", Some(("at most about", "23 h 59 min")));
            // The bar, a space, the percentage, two spaces.
            assert!(layout.bar + 8 + said.len() <= terminal, "{terminal}: {said}");
        }
    }
}
