//! Pictures in a terminal: each letter is an upper half block, whose own colour is one pixel and whose background the one
//! below.

use std::fmt::Write;

/// The picture as lines of text with 24-bit colours. `rgba` has four bytes a pixel, row by row, `width` a row.
pub fn blocks(rgba: &[u8], width: usize) -> String {
    let row_bytes = 4 * width.max(1);
    let mut text = String::with_capacity(rgba.len());
    let rows: Vec<&[u8]> = rgba.chunks_exact(row_bytes).collect();
    for pair in rows.chunks(2) {
        let (above, below) = (pair[0], pair.last().copied().unwrap_or(pair[0]));
        let mut last = None;
        for (up, down) in above.chunks_exact(4).zip(below.chunks_exact(4)) {
            let colours = ([up[0], up[1], up[2]], [down[0], down[1], down[2]]);
            if last != Some(colours) {
                let ([r, g, b], [r2, g2, b2]) = colours;
                // Writing to a text cannot fail.
                let _ = write!(text, "\x1b[38;2;{r};{g};{b};48;2;{r2};{g2};{b2}m");
                last = Some(colours);
            }
            text.push('▀');
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_of_pixels_are_one_line_and_colours_are_said_once() {
        let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 255]);
        let pixels = [red, red, blue, red].concat();
        let text = blocks(&pixels, 2);
        let expected = "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[38;2;255;0;0;48;2;255;0;0m▀\x1b[0m\n";
        assert_eq!(text, expected);
        assert_eq!(blocks(&[red, red].concat(), 2), "\x1b[38;2;255;0;0;48;2;255;0;0m▀▀\x1b[0m\n");
    }
}
