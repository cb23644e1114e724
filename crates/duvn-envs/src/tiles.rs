//! Grid worlds as pictures: a coloured tile for each letter, and a disc where the agent stands.

use crate::canvas::{Canvas, Colour, rectangle};

/// What stands for the agent.
const AGENT: Colour = Colour(204, 77, 77);

/// Lines between tiles.
const LINE: Colour = Colour(120, 126, 136);

/// The colour of a tile, by the letter that stands for it in text.
fn colour(letter: char) -> Colour {
    match letter {
        // Start, ice, hole, goal; cliff; sea and treasure.
        'S' => Colour(250, 226, 160),
        'F' => Colour(222, 238, 250),
        'H' => Colour(58, 78, 110),
        'G' => Colour(126, 198, 126),
        'C' => Colour(96, 72, 60),
        '~' => Colour(190, 220, 242),
        '$' => Colour(244, 200, 72),
        ' ' | '.' => Colour(244, 244, 246),
        _ => Colour(232, 234, 238),
    }
}

/// More tiles in a row than this are wrapped, where the world is one row.
const WRAP: usize = 25;

/// Draws a grid of letters with one cell marked. A world of one long row is drawn in several, from the top.
pub(crate) fn grid(
    canvas: &mut dyn Canvas,
    rows: usize,
    columns: usize,
    marked: Option<(usize, usize)>,
    letter: impl Fn(usize, usize) -> char,
) {
    if rows == 1 && columns > WRAP {
        let wrapped = columns.div_ceil(WRAP);
        let marked = marked.map(|(_, column)| (column / WRAP, column % WRAP));
        tiles(canvas, wrapped, WRAP, marked, |row, column| {
            let at = row * WRAP + column;
            (at < columns).then(|| letter(0, at))
        });
        return;
    }
    tiles(canvas, rows, columns, marked, |row, column| Some(letter(row, column)));
}

fn tiles(
    canvas: &mut dyn Canvas,
    rows: usize,
    columns: usize,
    marked: Option<(usize, usize)>,
    letter: impl Fn(usize, usize) -> Option<char>,
) {
    let (wide, high) = (columns as f64, rows as f64);
    let room = 0.03 * wide.max(high);
    canvas.view((-room, -room), (wide + room, high + room), Colour::WHITE);
    for row in 0..rows {
        for column in 0..columns {
            let Some(letter) = letter(row, column) else { continue };
            // Rows are counted from the top, heights from the bottom.
            let (x, y) = (column as f64, high - 1.0 - row as f64);
            canvas.polygon(&rectangle((x, y), (x + 1.0, y + 1.0)), colour(letter));
            let frame = [(x, y), (x + 1.0, y), (x + 1.0, y + 1.0), (x, y + 1.0), (x, y)];
            canvas.line(&frame, 0.004 * wide.max(high), LINE);
        }
    }
    if let Some((row, column)) = marked {
        canvas.circle((column as f64 + 0.5, high - 0.5 - row as f64), 0.34, AGENT);
    }
}
