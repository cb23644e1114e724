//! Text of a terminal as pixels.

use super::font;
use super::{Colour, FigureError};
use tiny_skia::{FillRule, Paint, Pixmap, Rect, Transform};

/// Width and height of a letter's place, and the size of the letter in it, in pixels.
const CELL: (usize, usize) = (28, 40);
const LETTER: f64 = 28.0;
const MARGIN: usize = 12;
const INK: Colour = Colour(32, 36, 44);
const PAPER: Colour = Colour(255, 255, 255);

/// A letter, and whether it is in reverse video.
type Place = (char, bool);

/// The letters of each line; of the escape sequences, those for reverse video and for its end are understood.
fn lines(text: &str) -> Vec<Vec<Place>> {
    let mut reverse = false;
    let mut lines = vec![Vec::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => {
                let sequence: String = letters.by_ref().take_while(|letter| *letter != 'm').collect();
                reverse = sequence == "[7" || (reverse && sequence != "[0");
            }
            '\n' => lines.push(Vec::new()),
            letter => lines.last_mut().into_iter().for_each(|line| line.push((letter, reverse))),
        }
    }
    while lines.len() > 1 && lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint.anti_alias = true;
    paint
}

/// The pixels of `text` as red, green, blue and 255, row by row, with width and height.
pub fn terminal(text: &str) -> Result<(Vec<u8>, u32, u32), FigureError> {
    let lines = lines(text);
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let [width, height] =
        [columns * CELL.0, lines.len() * CELL.1].map(|side| (side + 2 * MARGIN).min(16_384) as u32);
    let size = || FigureError::Size { width: f64::from(width), height: f64::from(height), longest: 16_384.0 };
    let mut pixels = Pixmap::new(width, height).ok_or_else(size)?;
    pixels.fill(tiny_skia::Color::WHITE);
    for (row, line) in lines.iter().enumerate() {
        for (column, &(letter, reverse)) in line.iter().enumerate() {
            let [x, y] = [column * CELL.0, row * CELL.1].map(|place| (place + MARGIN) as f32);
            let (ink, paper) = if reverse { (PAPER, INK) } else { (INK, PAPER) };
            if let Some(cell) = Rect::from_xywh(x, y, CELL.0 as f32, CELL.1 as f32) {
                pixels.fill_rect(cell, &paint(paper), Transform::identity(), None);
            }
            let letter = letter.to_string();
            let left = (CELL.0 as f64 - font::width(&letter, LETTER, false)) / 2.0;
            if let Some(path) = font::outline(&letter, LETTER, false) {
                let place = Transform::from_translate(x + left as f32, y + CELL.1 as f32 * 0.72);
                pixels.fill_path(&path, &paint(ink), FillRule::Winding, place, None);
            }
        }
    }
    Ok((pixels.take(), width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverse_video_is_dark_and_the_rest_is_light() {
        assert_eq!(
            lines("a\x1b[7mb\x1b[0mc\nd\n"),
            [vec![('a', false), ('b', true), ('c', false)], vec![('d', false)]]
        );
        let (pixels, width, height) = terminal("a\x1b[7mb\x1b[0m\n").unwrap();
        assert_eq!((width, height), (2 * 28 + 24, 40 + 24));
        let pixel = |x: u32, y: u32| pixels[((y * width + x) * 4) as usize];
        assert_eq!((pixel(13, 14), pixel(12 + 28 + 1, 14)), (255, 32));
        assert!((0..28).any(|x| (0..40).any(|y| pixel(12 + x, 12 + y) < 100)), "the letter is drawn");
    }
}
