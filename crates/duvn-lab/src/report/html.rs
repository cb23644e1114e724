//! The little HTML that a report needs.

use super::table::{Cell, Table};
use crate::escape::escape;

/// A table that scrolls by itself where the screen is too narrow.
pub fn table(table: &Table) -> String {
    let head: String = table.head.iter().map(|head| format!("<th>{}</th>", escape(head))).collect();
    let row = |row: &Vec<Cell>| format!("<tr>{}</tr>\n", row.iter().map(cell).collect::<String>());
    let rows: String = table.rows.iter().map(row).collect();
    format!(
        "<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// The number large, its interval small.
fn cell(cell: &Cell) -> String {
    let text = escape(&cell.text());
    match (cell, text.split_once(" [")) {
        (Cell::Text(_), _) => format!("<td>{text}</td>"),
        (_, Some((number, interval))) => {
            format!("<td class=\"number\">{number} <small>[{interval}</small></td>")
        }
        _ => format!("<td class=\"number\">{text}</td>"),
    }
}

/// The look of the page: one column, light or dark as the reader's system is.
pub const STYLE: &str = "
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d1d1f; --faint: #62656b; --line: #d9dbe0; --card: #f6f7f9; --link: #0b5cad; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #e7e8ea; --faint: #a0a4ab; --line: #353a42; --card: #1f2228; --link: #7cb7f5; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.2rem 1rem 4rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.4rem 0; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.6rem; border-bottom: 1px solid var(--line); padding-bottom: 0.2rem; }
a { color: var(--link); }
small, .faint, figcaption { color: var(--faint); }
figure { margin: 1rem 0 1.6rem; }
.picture { overflow-x: auto; background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 6px; }
.picture svg { display: block; width: 100%; min-width: 34rem; height: auto; }
.single { max-width: 38rem; } .single svg { min-width: 20rem; }
figcaption { font-size: 0.9rem; margin-top: 0.4rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; width: 100%; }
th, td { text-align: left; white-space: nowrap; padding: 0.3rem 0.6rem 0.3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--faint); font-weight: 600; }
td.number { font-variant-numeric: tabular-nums; }
.note, .bad { padding: 0.6rem 0.8rem; border-radius: 8px; background: var(--card); border-left: 4px solid var(--link); }
.bad { border-left-color: var(--bad); }
pre, code { font: 0.85rem/1.45 ui-monospace, monospace; }
pre { background: var(--card); padding: 0.7rem 0.9rem; border-radius: 8px; overflow-x: auto; }
details { margin: 0.4rem 0; }
summary { cursor: pointer; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.4rem; } }
";
