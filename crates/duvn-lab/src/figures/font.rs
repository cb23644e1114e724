//! The embedded typeface (Noto Sans, SIL Open Font Licence): how wide text is, and what its letters
//! look like. No font of the machine is ever asked for.

use std::sync::OnceLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// What SVG viewers should use: the typeface that the layout was measured with, else one alike.
pub(super) const FAMILY: &str = "'Noto Sans','Open Sans','DejaVu Sans',Verdana,Arial,sans-serif";

fn face(bold: bool) -> Option<&'static Face<'static>> {
    static REGULAR: OnceLock<Option<Face<'static>>> = OnceLock::new();
    static BOLD: OnceLock<Option<Face<'static>>> = OnceLock::new();
    let (cell, bytes) = if bold { (&BOLD, notosans::BOLD_TTF) } else { (&REGULAR, notosans::REGULAR_TTF) };
    cell.get_or_init(|| Face::parse(bytes, 0).ok()).as_ref()
}

/// A letter as the typeface has it.
struct Glyph {
    id: GlyphId,
    /// Its size, and how far it stands above the baseline, in units of the text's size.
    scale: f64,
    rise: f64,
}

/// The glyph of a letter. The typeface has raised digits, but no raised minus and no lowered digits: these
/// are made from the minus and the digits.
fn glyph(face: &Face<'_>, letter: char) -> Glyph {
    let (letter, scale, rise) = match letter {
        '⁻' => ('−', 0.6, 0.35),
        '₀'..='₉' => (char::from(b'0' + (letter as u32 - '₀' as u32) as u8), 0.65, -0.14),
        _ => (letter, 1.0, 0.0),
    };
    Glyph { id: face.glyph_index(letter).unwrap_or_default(), scale, rise }
}

/// The width of `text` in points.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let Some(face) = face(bold) else { return 0.6 * size * text.chars().count() as f64 };
    text.chars().map(|letter| advance(face, &glyph(face, letter))).sum::<f64>() * size
}

/// How far it is to the next letter, in units of the text's size.
fn advance(face: &Face<'_>, glyph: &Glyph) -> f64 {
    let units = f64::from(face.glyph_hor_advance(glyph.id).unwrap_or_default());
    glyph.scale * units / f64::from(face.units_per_em())
}

/// Draws `text` with its baseline from (0, 0) to the right, y downwards, into a path.
pub(super) fn outline(text: &str, size: f64, bold: bool) -> Option<tiny_skia::Path> {
    let face = face(bold)?;
    let mut pen = Pen { path: tiny_skia::PathBuilder::new(), x: 0.0, y: 0.0, scale: 1.0 };
    let mut x = 0.0;
    for letter in text.chars() {
        let glyph = glyph(face, letter);
        pen.x = x as f32;
        pen.y = (-glyph.rise * size) as f32;
        pen.scale = (glyph.scale * size / f64::from(face.units_per_em())) as f32;
        face.outline_glyph(glyph.id, &mut pen);
        x += advance(face, &glyph) * size;
    }
    pen.path.finish()
}

/// Text as pixels, for pictures that are no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Pixels in a row.
    pub width: usize,
    /// Rows; the baseline lies at three quarters of them.
    pub height: usize,
    /// How much of each pixel is covered, from 0 to 255, row by row from the top.
    pub cover: Vec<u8>,
}

impl Word {
    /// `text` in the typeface of the figures, `size` pixels high.
    pub fn new(text: &str, size: f64) -> Self {
        let (width, height) =
            (self::width(text, size, false).ceil().max(1.0) as u32, (1.4 * size).ceil() as u32);
        let mut pixels = tiny_skia::Pixmap::new(width, height.max(1));
        if let (Some(pixels), Some(path)) = (&mut pixels, outline(text, size, false)) {
            let down = tiny_skia::Transform::from_translate(0.0, 0.75 * height as f32);
            let paint = tiny_skia::Paint { anti_alias: true, ..Default::default() };
            pixels.fill_path(&path, &paint, tiny_skia::FillRule::Winding, down, None);
        }
        let cover = pixels.iter().flat_map(|pixels| pixels.pixels()).map(|pixel| pixel.alpha()).collect();
        Word { width: width as usize, height: height.max(1) as usize, cover }
    }
}

struct Pen {
    path: tiny_skia::PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_that_figures_use_is_in_the_typeface() {
        for bold in [false, true] {
            let face = face(bold).unwrap();
            for letter in "AZaz09 ,.;:%()[]|+=<>/-−×·±≈≤≥–—…εσμλγπβ²⁰¹³⁴⁵⁶⁷⁸⁹⁻₀₁₂₉".chars()
            {
                assert_ne!(glyph(face, letter).id, GlyphId(0), "{letter} (bold: {bold})");
            }
        }
    }

    #[test]
    fn a_word_covers_pixels_where_its_letters_are() {
        let word = Word::new("Il", 20.0);
        assert_eq!(word.cover.len(), word.width * word.height);
        let covered =
            |row: usize| word.cover[row * word.width..][..word.width].iter().any(|cover| *cover > 128);
        assert!(covered(word.height / 2) && !covered(word.height - 1));
        assert_eq!(Word::new("", 20.0).width, 1);
    }

    #[test]
    fn text_is_as_wide_as_its_outline() {
        let bounds = outline("Hamburg", 20.0, false).unwrap().bounds();
        let width = width("Hamburg", 20.0, false);
        assert!((f64::from(bounds.right()) - width).abs() < 3.0, "{bounds:?} {width}");
        assert!(outline("", 20.0, false).is_none());
    }
}
