//! Grid worlds as terminal text.

/// A grid of letters with one cell in reverse video, one line a row.
pub(crate) fn grid(
    rows: usize,
    columns: usize,
    marked: Option<(usize, usize)>,
    letter: impl Fn(usize, usize) -> char,
) -> String {
    let mut text = String::new();
    for row in 0..rows {
        for column in 0..columns {
            push(&mut text, letter(row, column), marked == Some((row, column)));
        }
        text.push('\n');
    }
    text
}

/// Appends a letter, in reverse video where `marked`.
pub(crate) fn push(text: &mut String, letter: char, marked: bool) {
    if marked {
        text.push_str("\x1b[7m");
    }
    text.push(letter);
    if marked {
        text.push_str("\x1b[0m");
    }
}

#[cfg(test)]
mod tests {
    use crate::{Environment, registry};

    #[test]
    fn the_agents_cell_is_in_reverse_video() {
        let mut lake = registry::make("FrozenLake-v1?slippery=false", 0).unwrap();
        lake.reset(Some(0));
        lake.step(2.into()).unwrap();
        let text = lake.render_text().unwrap();
        assert_eq!(text, "S\x1b[7mF\x1b[0mFF\nFHFH\nFFFH\nHFFG\n");
    }

    #[test]
    fn a_taxi_shows_its_walls_and_its_passenger() {
        let mut taxi = registry::make("Taxi-v4", 0).unwrap();
        taxi.reset(Some(0));
        let text = taxi.render_text().unwrap().replace("\x1b[7m", "").replace("\x1b[0m", "");
        assert!(text.contains("|R: | : :G|\n| : | : : |\n| : : : : |\n| | : | : |\n|Y| : |B: |"), "{text}");
        assert!(text.contains("passenger"), "{text}");
    }
}
