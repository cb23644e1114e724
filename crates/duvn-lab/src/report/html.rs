//! The little HTML that a report needs.

use super::table::{Cell, Table};
use crate::escape::escape;

/// A table that scrolls by itself where the screen is too narrow, and on a phone has a card for each row.
pub fn table(table: &Table) -> String {
    let heads: Vec<String> = table.head.iter().map(|head| escape(head)).collect();
    let head: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let row = |row: &Vec<Cell>| {
        let cells = row.iter().zip(&heads).map(|(content, head)| cell(content, head));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let rows: String = table.rows.iter().map(row).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table class=\"stacked\"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// The number large, its interval small.
fn cell(cell: &Cell, head: &str) -> String {
    let text = escape(&cell.text());
    match (cell, text.split_once(" [")) {
        (Cell::Text(_), _) => format!("<td data-head=\"{head}\">{text}</td>"),
        (_, Some((number, interval))) => {
            format!(
                "<td class=\"number\" data-head=\"{head}\"><span>{number} <small>[{interval}</small></span></td>"
            )
        }
        _ => format!("<td class=\"number\" data-head=\"{head}\">{text}</td>"),
    }
}

/// The look of the page: that of the dashboard.
pub const STYLE: &str = crate::board::assets::STYLE;
