//! The part of YAML that format files use: mappings and lists by indentation, words, quoted words, comments.

/// A value.
#[derive(Debug, PartialEq)]
pub(super) enum Node {
    Text(String),
    Map(Vec<(String, Node)>),
    /// Its items have no meaning here.
    List,
}

impl Default for Node {
    fn default() -> Node {
        Node::Text(String::new())
    }
}

/// A line with content.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// The deepest nesting. Format files have four levels.
const DEPTH_MAX: usize = 10;

/// Parses a text.
///
/// # Errors
/// The first mistake, with its line.
pub(super) fn parse(text: &str) -> Result<Node, String> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = without_comment(line).trim_end();
        let text = content.trim_start_matches(' ');
        if text.is_empty() || text == "---" && lines.is_empty() {
            continue;
        }
        let number = index + 1;
        if text.starts_with('\t') {
            return Err(format!("line {number}: a tab does not indent in YAML: use blanks"));
        }
        lines.push(Line { number, indent: content.len() - text.len(), text });
    }
    let mut rest = lines.as_slice();
    let node = block(&mut rest, 0)?;
    rest.first().map_or(Ok(node), |line| Err(format!("line {}: this line is indented less than the first one", line.number)))
}

/// Parses the lines that are indented like the first one.
fn block(lines: &mut &[Line], depth: usize) -> Result<Node, String> {
    let Some(first) = lines.first().copied() else { return Ok(Node::default()) };
    if depth == DEPTH_MAX {
        return Err(format!("line {}: this is nested too deeply", first.number));
    }
    if is_item(first.text) {
        while lines.first().is_some_and(|line| line.indent >= first.indent && (line.indent > first.indent || is_item(line.text)))
        {
            *lines = &lines[1..];
        }
        return Ok(Node::List);
    }
    let mut fields: Vec<(String, Node)> = Vec::new();
    while let Some(line) = lines.first().copied().filter(|line| line.indent >= first.indent) {
        let at = |why: &str| format!("line {}: {why}", line.number);
        if line.indent > first.indent {
            return Err(at("this line is indented more than the one before it, which has a value"));
        }
        let (name, value) = field(line.text).ok_or_else(|| at("write name: value, or name: and then indented lines"))?;
        let name = word(name).map_err(|why| at(&why))?;
        if fields.iter().any(|(known, _)| *known == name) {
            return Err(at(&format!("{name} is there twice")));
        }
        *lines = &lines[1..];
        let node = match value.trim() {
            "" => match lines.first() {
                // Items may be indented like the name of their list.
                Some(next) if next.indent > line.indent || next.indent == line.indent && is_item(next.text) => {
                    block(lines, depth + 1)?
                }
                _ => Node::default(),
            },
            value if value.starts_with('[') && value.ends_with(']') => Node::List,
            value
                if value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(|rest| rest.trim().is_empty()) =>
            {
                Node::Map(Vec::new())
            }
            value => Node::Text(word(value).map_err(|why| at(&why))?),
        };
        fields.push((name, node));
    }
    Ok(Node::Map(fields))
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// Divides a line at the colon after its name.
fn field(text: &str) -> Option<(&str, &str)> {
    let name = match text.chars().next() {
        Some(mark @ ('"' | '\'')) => text[1..].find(mark)? + 2,
        _ => text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1))?,
    };
    let value = text[name..].trim_start().strip_prefix(':')?;
    (value.is_empty() || value.starts_with(' ')).then_some((&text[..name], value))
}

/// Reads a word, which may be in quotes.
fn word(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.chars().next() {
        Some(mark @ ('"' | '\'')) => {
            let inner = text[1..].strip_suffix(mark).ok_or_else(|| format!("the quote {mark} is not closed"))?;
            if inner.contains([mark, '\\']) {
                return Err("a quoted word may not have quotes or \\ here".into());
            }
            Ok(inner.into())
        }
        Some('&' | '*' | '!' | '|' | '>' | '%' | '@' | '`' | '{' | '[') => {
            Err(format!("{text} is a form of YAML that is not read here: write name: value"))
        }
        _ => Ok(text.into()),
    }
}

/// Returns a line without its comment, which begins with # after a blank and outside of quotes.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return &line[..at],
            // A quote in the middle of a word is a letter.
            (None, '"' | '\'') if before.is_whitespace() => quote = Some(c),
            (Some(mark), _) if c == mark => quote = None,
            _ => {}
        }
        before = c;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_read_by_their_indentation() {
        let map = |fields: &[(&str, &str)]| {
            Node::Map(fields.iter().map(|(name, text)| ((*name).to_string(), Node::Text((*text).into()))).collect())
        };
        assert_eq!(parse(""), Ok(Node::default()));
        assert_eq!(
            parse("# only this\n\n---\na: b\n'c:d' : \"e # f\" # g\nh:\n"),
            Ok(map(&[("a", "b"), ("c:d", "e # f"), ("h", "")]))
        );
        let nested = parse("a:\n  b: c\n\n  d: e\nlist:\n- x\n-   y: z\nmore: [p, q]\nnone: {}\n");
        let Ok(Node::Map(fields)) = nested else { panic!("{nested:?}") };
        assert_eq!(fields[0].1, map(&[("b", "c"), ("d", "e")]));
        assert_eq!(fields[1..].iter().map(|(_, node)| node).collect::<Vec<_>>(), [&Node::List, &Node::List, &Node::Map(vec![])]);
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, why) in [
            ("a", "line 1: write name: value"),
            ("a: b\n  c: d", "line 2: this line is indented more"),
            ("  a: b\nc: d", "line 2: this line is indented less"),
            ("a: b\n\ta: c", "line 2: a tab"),
            ("a: b\na: c", "line 2: a is there twice"),
            ("a: \"b", "line 1: the quote \" is not closed"),
            ("\"a: b", "line 1: write name"),
            ("a: &b c", "line 1: &b c is a form of YAML"),
            ("a: {b: c}", "line 1: {b: c} is a form of YAML"),
            ("a: \"", "line 1: the quote \" is not closed"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        let deep: String = (0..20).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        assert!(parse(&deep).unwrap_err().contains("line 11: this is nested too deeply"));
    }
}
