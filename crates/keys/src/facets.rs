//! Facets of an event's object, such as `brand:Apple`.

use alloc::string::String;
use alloc::vec::Vec;

/// One facet: a filter name, an operator and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facet<'a> {
    /// The filter name: `brand`.
    pub name: &'a str,
    /// `:` `=` `!=` `<` `<=` `>` or `>=`.
    pub operator: &'a str,
    /// The value: `Apple`.
    pub value: &'a str,
}

/// Calls `each` for every facet of `text`, in order and with duplicates. `text` is a JSON array of
/// strings, or strings separated by `|`. A string without an operator is a name with the operator
/// `:` and no value. Empty strings are skipped.
pub fn parse(text: &str, mut each: impl FnMut(Facet<'_>)) {
    if text.trim_start().starts_with('[')
        && let Ok(texts) = serde_json::from_str::<Vec<String>>(text)
    {
        return texts
            .iter()
            .filter(|text| !text.trim().is_empty())
            .for_each(|text| each(parse_one(text.trim())));
    }
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..].iter().position(|&byte| byte == b'|').unwrap_or(bytes.len() - start);
        let one = text[start..start + length].trim();
        if !one.is_empty() {
            each(parse_one(one));
        }
        start += length + 1;
    }
}

/// Parses one facet: `brand:Apple`. A text without an operator is a name with the operator `:` and
/// no value.
pub fn parse_one(text: &str) -> Facet<'_> {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let length = match (byte, bytes.get(at + 1)) {
            (b'!' | b'<' | b'>', Some(b'=')) => 2,
            (b':' | b'=' | b'<' | b'>', _) => 1,
            _ => continue,
        };
        return Facet {
            name: text[..at].trim_end(),
            operator: &text[at..at + length],
            value: text[at + length..].trim_start(),
        };
    }
    Facet { name: text, operator: ":", value: "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn check(text: &str, expected: &str) {
        let mut out = String::new();
        parse(text, |facet| out.push_str(&format!("({} {} {})", facet.name, facet.operator, facet.value)));
        assert_eq!(out, expected, "{text}");
    }

    #[test]
    fn lists_in_json_and_plain_form_are_parsed() {
        check("brand:Apple|color:Black", "(brand : Apple)(color : Black)");
        check(r#"["brand:Apple", "size:10|12 \"in\""]"#, "(brand : Apple)(size : 10|12 \"in\")");
        check("[odd:1|b:2", "([odd : 1)(b : 2)");
        check("", "");
        check("[]", "");
    }

    #[test]
    fn every_operator() {
        check("a:1|b=2|c!=3|d<4|e<=5|f>6|g>=7", "(a : 1)(b = 2)(c != 3)(d < 4)(e <= 5)(f > 6)(g >= 7)");
        check(
            "price >= 10|url:http://x?a=1|plain|a!b",
            "(price >= 10)(url : http://x?a=1)(plain : )(a!b : )",
        );
    }
}
