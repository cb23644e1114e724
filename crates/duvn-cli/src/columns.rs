//! A name and what it means, side by side; long meanings go on below themselves.

/// Help texts are broken at this column by clap, too.
const WIDTH: usize = 98;

/// `name`, then `text` from column `start` on.
pub fn columns(name: &str, start: usize, text: &str) -> String {
    let mut out = format!("{name:<start$}");
    let mut at = out.chars().count();
    for (number, word) in text.split_whitespace().enumerate() {
        let length = word.chars().count();
        if number > 0 && at + 1 + length > WIDTH {
            out += &format!("\n{:start$}", "");
            at = start;
        } else if number > 0 || at > start {
            out.push(' ');
            at += 1;
        }
        out += word;
        at += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn what_is_long_goes_on_below_itself() {
        assert_eq!(columns("  a", 6, "one two"), "  a   one two");
        assert_eq!(columns("  longer", 6, "one"), "  longer one");
        let word = "x".repeat(40);
        let text = columns("  a", 6, &format!("{word} {word} {word}"));
        assert_eq!(text, format!("  a   {word} {word}\n      {word}"));
    }
}
