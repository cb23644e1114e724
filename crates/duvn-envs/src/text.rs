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
