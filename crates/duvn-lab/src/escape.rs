//! Text inside documents.

/// Text that is safe in HTML and XML, between tags and between double quotes. Control characters, which XML forbids,
/// are left out; ends of lines stay.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(letter),
            _ if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {}
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_the_document() {
        assert_eq!(escape("a<b & \"c\"\u{0}\n>"), "a&lt;b &amp; &quot;c&quot;\n&gt;");
    }
}
