//! The subset of YAML that format files need: all values are texts, and names keep their order.
//!
//! `saphyr-parser` reads the text. Its events become the nodes defined here, not the nodes of
//! `saphyr`, which turns a column named `007` into a number. As cbt does, this follows anchors and
//! merges the mappings of `<<`.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Text(String),
    /// Names and values; no name occurs twice.
    Map(Vec<(String, Node)>),
    List(Vec<Node>),
}

impl Default for Node {
    fn default() -> Node {
        Node::Text(String::new())
    }
}

/// The deepest nesting. Format files have four levels.
const DEPTH_MAX: usize = 10;
/// The maximum number of nodes that aliases may copy together. Otherwise a few lines of aliases of
/// aliases fill the memory.
const COPIED_NODES_MAX: usize = 10_000;

/// Parses a text.
///
/// # Errors
/// The first mistake, with its line.
pub(super) fn parse(text: &str) -> Result<Node, String> {
    let mut reader = Reader { parser: Parser::new_from_str(text), anchors: BTreeMap::new(), copied: 0 };
    let mut document = None;
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok(document.unwrap_or_default()),
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
            (_, line) if document.is_some() => {
                return Err(format!("line {line}: a second document begins here"));
            }
            (event, line) => document = Some(reader.node(event, line, 0)?),
        }
    }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// The nodes that have an anchor, by its number.
    anchors: BTreeMap<usize, Node>,
    /// The number of nodes that aliases have copied.
    copied: usize,
}

impl<'a> Reader<'a> {
    /// Returns the next event and its line.
    fn next(&mut self) -> Result<(Event<'a>, usize), String> {
        let at = |error: &ScanError| format!("line {}: {}", error.marker().line(), error.info());
        match self.parser.next() {
            Some(Ok((event, span))) => Ok((event, span.start.line())),
            Some(Err(error)) => Err(at(&error)),
            None => Ok((Event::StreamEnd, 0)),
        }
    }

    /// Reads the node that begins with this event.
    fn node(&mut self, event: Event<'a>, line: usize, depth: usize) -> Result<Node, String> {
        if depth > DEPTH_MAX {
            return Err(format!("line {line}: this is nested too deeply"));
        }
        let (node, anchor) = match event {
            Event::Alias(anchor) => return self.copy(anchor, line),
            Event::Scalar(text, ScalarStyle::Plain, anchor, _)
                if matches!(&*text, "~" | "null" | "Null" | "NULL") =>
            {
                (Node::default(), anchor)
            }
            Event::Scalar(text, _, anchor, _) => (Node::Text(text.into_owned()), anchor),
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, line) => items.push(self.node(event, line, depth + 1)?),
                    }
                }
                (Node::List(items), anchor)
            }
            Event::MappingStart(anchor, _) => (self.mapping(depth)?, anchor),
            _ => return Err(format!("line {line}: a value is missing")),
        };
        self.keep(anchor, &node);
        Ok(node)
    }

    /// Keeps the node of an anchor for its aliases. Anchors count from 1.
    fn keep(&mut self, anchor: usize, node: &Node) {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
    }

    /// Reads the rest of a mapping.
    fn mapping(&mut self, depth: usize) -> Result<Node, String> {
        let (mut fields, mut merged): (Vec<(String, Node)>, Vec<Node>) = (Vec::new(), Vec::new());
        loop {
            let (name, line) = match self.next()? {
                (Event::MappingEnd, _) => break,
                (Event::Scalar(name, style, anchor, _), line) => {
                    if style == ScalarStyle::Plain && name == "<<" {
                        let (event, line) = self.next()?;
                        match self.node(event, line, depth + 1)? {
                            Node::List(items) => merged.extend(items),
                            node => merged.push(node),
                        }
                        continue;
                    }
                    let name = name.into_owned();
                    self.keep(anchor, &Node::Text(name.clone()));
                    (name, line)
                }
                (Event::Alias(anchor), line) => match self.copy(anchor, line)? {
                    Node::Text(name) => (name, line),
                    Node::Map(_) | Node::List(_) => {
                        return Err(format!("line {line}: a name must be one word"));
                    }
                },
                (_, line) => return Err(format!("line {line}: a name must be one word")),
            };
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(format!("line {line}: {name} occurs twice"));
            }
            let (event, line) = self.next()?;
            fields.push((name, self.node(event, line, depth + 1)?));
        }
        // A name of the mapping itself takes precedence over a merged one, wherever `<<` stands.
        for node in merged {
            let Node::Map(more) = node else {
                return Err("<< must name a mapping, or a list of mappings".into());
            };
            for (name, node) in more {
                if !fields.iter().any(|(known, _)| *known == name) {
                    fields.push((name, node));
                }
            }
        }
        Ok(Node::Map(fields))
    }

    /// Returns a copy of the node of an anchor.
    fn copy(&mut self, anchor: usize, line: usize) -> Result<Node, String> {
        let node =
            self.anchors.get(&anchor).ok_or_else(|| format!("line {line}: this is used within itself"))?;
        self.copied += node.count();
        if self.copied > COPIED_NODES_MAX {
            return Err(format!("line {line}: aliases make this file too large"));
        }
        Ok(node.clone())
    }
}

impl Node {
    /// Returns the number of nodes, including this one.
    fn count(&self) -> usize {
        1 + match self {
            Node::Text(_) => 0,
            Node::Map(fields) => fields.iter().map(|(_, node)| node.count()).sum::<usize>(),
            Node::List(items) => items.iter().map(Node::count).sum::<usize>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node {
        Node::Text(text.into())
    }

    fn map<const N: usize>(fields: [(&str, Node); N]) -> Node {
        Node::Map(fields.map(|(name, node)| (name.to_string(), node)).to_vec())
    }

    #[test]
    fn mappings_are_read_by_their_indentation() {
        assert_eq!(parse(""), Ok(Node::default()));
        assert_eq!(
            parse("# only this\n\n---\na: b\n'c:d' : \"e # f\" # g\nh:\n"),
            Ok(map([("a", text("b")), ("c:d", text("e # f")), ("h", text(""))]))
        );
        let nested = parse("a:\n  b: c\n\n  d: e\nlist:\n- x\n-   y: z\nmore: [p, q]\nnone: {}\n");
        let list = Node::List(vec![text("x"), map([("y", text("z"))])]);
        let more = Node::List(vec![text("p"), text("q")]);
        let own = map([("b", text("c")), ("d", text("e"))]);
        assert_eq!(nested, Ok(map([("a", own), ("list", list), ("more", more), ("none", map([]))])));
    }

    #[test]
    fn all_values_are_texts() {
        let read = parse(
            "007: 0x10\ntrue: no\n1.50: 'it''s'\n\"\\u00e9\\t\": 2019-05-28\nempty: ~\n'~': \"null\"\n",
        );
        let fields = [
            ("007", text("0x10")),
            ("true", text("no")),
            ("1.50", text("it's")),
            ("\u{e9}\t", text("2019-05-28")),
            ("empty", text("")),
            ("~", text("null")),
        ];
        assert_eq!(read, Ok(map(fields)));
    }

    #[test]
    fn mappings_and_lists_may_be_on_one_line() {
        let read = parse(
            "columns: {a: {encoding: hex}, 'b:c': {encoding: BigEndian, type: int64}, d: {},\n  e: [1, {f: g}]}\n",
        );
        let [hex, int64] = [
            map([("encoding", text("hex"))]),
            map([("encoding", text("BigEndian")), ("type", text("int64"))]),
        ];
        let list = Node::List(vec![text("1"), map([("f", text("g"))])]);
        assert_eq!(
            read,
            Ok(map([("columns", map([("a", hex), ("b:c", int64), ("d", map([])), ("e", list)]))]))
        );
    }

    #[test]
    fn texts_may_have_several_lines() {
        let read = parse(
            "a: |\n  one\n  two\nb: >-\n  three\n  four\nc: five\n  six\nd: 'f\n\n  g'\ne: \"h\\\n  i\"\n",
        );
        let fields = [
            ("a", text("one\ntwo\n")),
            ("b", text("three four")),
            ("c", text("five six")),
            ("d", text("f\ng")),
            ("e", text("hi")),
        ];
        assert_eq!(read, Ok(map(fields)));
    }

    #[test]
    fn anchors_are_followed_and_mappings_merged() {
        let read = parse(
            "a: &number\n  encoding: b\n  type: int64\nc: *number\nd:\n  type: int8\n  <<: *number\n&name e: *name\n",
        );
        let number = |kind: &str| [("encoding", text("b")), ("type", text(kind))];
        let merged = map([("type", text("int8")), ("encoding", text("b"))]);
        let Ok(Node::Map(fields)) = &read else { panic!("{read:?}") };
        let int64 = map(number("int64"));
        assert_eq!(
            fields[..],
            [("a", int64.clone()), ("c", int64), ("d", merged), ("e", text("e"))].map(named)
        );
        let both = parse("- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- {<<: [*a, *b], z: 3}\n- {'<<': *a}\n");
        let Ok(Node::List(items)) = &both else { panic!("{both:?}") };
        assert_eq!(items[2], map([("z", text("3")), ("x", text("1")), ("y", text("1"))]));
        assert_eq!(items[3], map([("<<", items[0].clone())]), "in quotes, it is a name");
    }

    fn named((name, node): (&str, Node)) -> (String, Node) {
        (name.into(), node)
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, why) in [
            ("a: b\n  c: d", "line 2: "),
            ("  a: b\nc: d", "line 2: "),
            ("a:\n\tb: c", "line 2: "),
            ("a: b\na: c", "line 2: a occurs twice"),
            ("a: b\n'a': c", "line 2: a occurs twice"),
            ("a: \"b", "line 1: "),
            ("a: *none", "line 1: "),
            ("a: &a {b: *a}", "line 1: this is used within itself"),
            ("a: b\n---\nc: d", "line 3: a second document"),
            ("a: b\n? [c]\n: d", "line 2: a name must be one word"),
            ("a: b\n<<: c", "<< must name a mapping"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_may_not_make_too_much() {
        let deep: String = (0..20).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        assert!(parse(&deep).unwrap_err().contains("line 12: this is nested too deeply"));
        assert!(parse(&"- ".repeat(100_000)).unwrap_err().contains("nested too deeply"));
        assert!(parse(&"[".repeat(100_000)).unwrap_err().starts_with("line 1: "));
        let copies = |from: usize| vec![format!("*a{from}"); 10].join(", ");
        let bomb: String = (1..10).map(|at| format!("- &a{at} [{}]\n", copies(at - 1))).collect();
        assert!(parse(&format!("- &a0 x\n{bomb}")).unwrap_err().contains("aliases make this file too large"));
    }
}
