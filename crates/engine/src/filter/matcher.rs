//! A pattern that must match the whole of a key, name or value.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::automaton::{Automaton, TooLarge};
use super::re2::{self, ByteSet, Node, PatternError};
use tabletop_model::order::sorted;

/// A compiled pattern; the common ones need no automaton.
#[derive(Debug)]
pub(super) enum Matcher {
    /// One of these texts, sorted.
    OneOf(Vec<Vec<u8>>),
    /// Texts with this prefix; `newlines` is whether the rest may have newlines.
    Prefix { prefix: Vec<u8>, newlines: bool },
    /// Any other pattern. All texts that it matches have the prefix.
    Automaton { prefix: Vec<u8>, automaton: Box<Automaton> },
}

/// Texts from `start` up to but not including `end`, or to the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Texts {
    pub start: Vec<u8>,
    pub end: Option<Vec<u8>>,
}

/// The limit in bytes of all alternatives of a pattern that are looked up as texts. Larger patterns
/// are left to the automaton.
const LITERAL_BYTES_MAX: usize = 64 << 10;

impl Matcher {
    /// Compiles RE2 over bytes: each byte of pattern and text is one character of Latin-1.
    pub fn compile(pattern: &[u8]) -> Result<Matcher, PatternError> {
        let node = re2::parse(pattern)?;
        if let Some(literals) = literals(&node) {
            return Ok(Matcher::OneOf(sorted(literals, Vec::cmp)));
        }
        if let Some(prefix) = prefix(&node) {
            return Ok(prefix);
        }
        match Automaton::new(&node) {
            Ok(automaton) => {
                let mut prefix = Vec::new();
                begins_with(&node, &mut prefix);
                Ok(Matcher::Automaton { prefix, automaton: Box::new(automaton) })
            }
            Err(TooLarge) => Err(PatternError {
                at: 0,
                message: "pattern too large - compile failed: repeat less, or split it into several filters"
                    .into(),
            }),
        }
    }

    pub fn matches(&mut self, text: &[u8]) -> bool {
        match self {
            Matcher::OneOf(literals) => match literals.as_slice() {
                [one] => one == text,
                many => many.binary_search_by(|literal| literal.as_slice().cmp(text)).is_ok(),
            },
            Matcher::Prefix { prefix, newlines } => {
                text.starts_with(prefix) && (*newlines || !text[prefix.len()..].contains(&b'\n'))
            }
            Matcher::Automaton { automaton, .. } => automaton.matches(text),
        }
    }

    /// Returns ranges, in order, that include all texts that the pattern matches, and maybe others.
    /// Returns `None` if they can be anywhere.
    pub fn ranges(&self) -> Option<Vec<Texts>> {
        match self {
            Matcher::OneOf(literals) => {
                let only =
                    |text: &Vec<u8>| Texts { start: text.clone(), end: Some([text, &[0][..]].concat()) };
                Some(literals.iter().map(only).collect())
            }
            Matcher::Automaton { prefix, .. } if prefix.is_empty() => None,
            Matcher::Prefix { prefix, .. } | Matcher::Automaton { prefix, .. } => {
                let mut end = prefix.clone();
                while end.last() == Some(&0xff) {
                    end.pop();
                }
                let end = end.split_last().map(|(last, head)| [head, &[last + 1][..]].concat());
                Some(vec![Texts { start: prefix.clone(), end }])
            }
        }
    }
}

/// Returns the texts that the node matches, if there are finitely many and they are short in total.
pub(super) fn literals(node: &Node) -> Option<Vec<Vec<u8>>> {
    let bytes = |texts: &[Vec<u8>]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
    match node {
        Node::Empty => Some(vec![Vec::new()]),
        Node::Set(set) => Some(vec![vec![set.only()?]]),
        Node::Concat(nodes) => {
            let mut sum = vec![Vec::new()];
            for node in nodes {
                let parts = literals(node)?;
                if bytes(&sum) * parts.len() + bytes(&parts) * sum.len() > LITERAL_BYTES_MAX {
                    return None;
                }
                if let [part] = parts.as_slice() {
                    sum.iter_mut().for_each(|text| text.extend_from_slice(part));
                } else {
                    let with_each =
                        |head: Vec<u8>| parts.iter().map(move |part| [&head, part.as_slice()].concat());
                    sum = sum.into_iter().flat_map(with_each).collect();
                }
            }
            Some(sum)
        }
        Node::Alternate(nodes) => {
            let mut sum = Vec::new();
            for node in nodes {
                sum.append(&mut literals(node)?);
                if bytes(&sum) > LITERAL_BYTES_MAX {
                    return None;
                }
            }
            Some(sum)
        }
        Node::Repeat { .. } | Node::LookAround(_) => None,
    }
}

/// Returns a matcher for a literal followed by anything: `prefix.*`, or `prefix\C*` with newlines.
fn prefix(node: &Node) -> Option<Matcher> {
    let (last, head) = match node {
        Node::Concat(nodes) => nodes.split_last()?,
        other => (other, &[][..]),
    };
    let Node::Repeat { node, min: 0, max: None } = last else { return None };
    let Node::Set(set) = &**node else { return None };
    let newlines = *set == ByteSet::ALL;
    if !newlines && *set != ByteSet::NOT_NEWLINE {
        return None;
    }
    let prefix = head
        .iter()
        .map(|node| if let Node::Set(set) = node { set.only() } else { None })
        .collect::<Option<_>>()?;
    Some(Matcher::Prefix { prefix, newlines })
}

/// Appends the bytes with which every text begins that the node matches. Returns whether these are
/// all of its bytes.
fn begins_with(node: &Node, prefix: &mut Vec<u8>) -> bool {
    match node {
        Node::Empty | Node::LookAround(_) => true,
        Node::Set(set) => set.only().map(|byte| prefix.push(byte)).is_some(),
        Node::Concat(nodes) => nodes.iter().all(|node| begins_with(node, prefix)),
        Node::Alternate(_) | Node::Repeat { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use tabletop_model::pattern::literal;

    /// Shows which of the texts match, and by which means; or the error of the pattern.
    fn check(pattern: &[u8], texts: &[&[u8]], expected: Expect) {
        let answer = match Matcher::compile(pattern) {
            Ok(mut matcher) => {
                let matching: Vec<_> = texts
                    .iter()
                    .filter(|text| matcher.matches(text))
                    .map(|text| text.escape_ascii())
                    .collect();
                let means = match matcher {
                    Matcher::OneOf(_) => "literals",
                    Matcher::Prefix { .. } => "prefix",
                    Matcher::Automaton { .. } => "automaton",
                };
                alloc::format!(
                    "{means}: {}",
                    matching.iter().map(|text| alloc::format!("[{text}]")).collect::<Vec<_>>().join(" ")
                )
            }
            Err(error) => alloc::format!("{error}"),
        };
        expected.assert_eq(&answer);
    }

    #[test]
    fn the_whole_text_must_match() {
        check(b"abc", &[b"abc", b"abcd", b"xabc"], expect!["literals: [abc]"]);
        check(b"", &[b"", b"x"], expect!["literals: []"]);
        check(b"a|ab|abc", &[b"abc", b"ab", b"ac"], expect!["literals: [abc] [ab]"]);
        check(b"(?:a|ab)(c|)", &[b"abc", b"ab", b"ac", b"abb"], expect!["literals: [abc] [ab] [ac]"]);
        check(b"(?:a|ab)c?", &[b"abc", b"ab", b"abb"], expect!["automaton: [abc] [ab]"]);
        check(b"user.*", &[b"user", b"user#1", b"my user", b"user\n"], expect!["prefix: [user] [user#1]"]);
        check(br"user\C*", &[b"user\n", b"use"], expect![["prefix: [user\\n]"]]);
        check(b"user.+", &[b"user", b"user1"], expect!["automaton: [user1]"]);
        check(b"(?s)a.b", &[b"a\nb", b"ab"], expect![["automaton: [a\\nb]"]]);
        check(b"^ab$", &[b"ab", b"ab\n"], expect!["automaton: [ab]"]);
        check(b"(?m)^a$\n^b$", &[b"a\nb", b"ab"], expect![["automaton: [a\\nb]"]]);
        check(br"a\b.*", &[b"a", b"a b", b"ab"], expect!["automaton: [a] [a b]"]);
    }

    #[test]
    fn repetitions_match_their_counts() {
        let texts: &[&[u8]] = &[b"", b"a", b"aa", b"aaa", b"aaaa"];
        check(b"a{2}", texts, expect!["automaton: [aa]"]);
        check(b"a{2,}", texts, expect!["automaton: [aa] [aaa] [aaaa]"]);
        check(b"a{1,3}?", texts, expect!["automaton: [a] [aa] [aaa]"]);
        check(b"a{0}", texts, expect!["automaton: []"]);
        check(b"(a|aa){2}", texts, expect!["automaton: [aa] [aaa] [aaaa]"]);
        check(b"(?:a*)*", texts, expect!["automaton: [] [a] [aa] [aaa] [aaaa]"]);
        check(b"(?:|a)+", texts, expect!["automaton: [] [a] [aa] [aaa] [aaaa]"]);
        check(b"(?:){5}a", texts, expect!["automaton: [a]"]);
        // Braces that are not a repetition are literal.
        check(b"a{,2}", &[b"a{,2}", b"aa"], expect!["literals: [a{,2}]"]);
        check(b"{a}{2", &[b"{a}{2"], expect!["literals: [{a}{2]"]);
        check(b"a{01}", &[b"a{01}"], expect!["literals: [a{01}]"]);
    }

    #[test]
    fn bytes_are_latin_1() {
        check(
            b"(?i)str\xe4\xdfe",
            &[b"STR\xc4\xdfE", b"str\xe4\xdfe", b"stra"],
            expect![["automaton: [STR\\xc4\\xdfE] [str\\xe4\\xdfe]"]],
        );
        check(b"(?i)\xf7", &[b"\xd7", b"\xf7"], expect![["literals: [\\xf7]"]]);
        check("é".as_bytes(), &["é".as_bytes(), b"\xe9"], expect![["literals: [\\xc3\\xa9]"]]);
        check(b"[^a]", &[b"\n", b"\xff", b"a", "é".as_bytes()], expect![["automaton: [\\n] [\\xff]"]]);
        check(br"[\x{e0}-\xff]\377\0", &[b"\xe5\xff\0"], expect![["automaton: [\\xe5\\xff\\x00]"]]);
        check(br"[[:^alpha:]\d]\PL", &[b"1_", b"a_", b"_\xe5"], expect!["automaton: [1_]"]);
    }

    #[test]
    fn a_backslash_makes_any_ascii_byte_literal_but_letters_and_digits() {
        for byte in 0..=255_u8 {
            for pattern in [vec![b'\\', byte], vec![b'[', b'\\', byte, b']']] {
                let is_literal =
                    matches!(Matcher::compile(&pattern), Ok(Matcher::OneOf(texts)) if texts == [[byte]]);
                assert_eq!(
                    is_literal,
                    byte.is_ascii() && !byte.is_ascii_alphanumeric(),
                    "{}",
                    pattern.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn patterns_that_re2_refuses_are_refused_with_the_position() {
        check(b"a(b", &[], expect!["missing ): (b, at byte 1 of the pattern"]);
        check(b"ab)c", &[], expect!["unexpected ): ab)c, at byte 2 of the pattern"]);
        check(b"x[a-", &[], expect!["missing ]: [a-, at byte 1 of the pattern"]);
        check(b"[z-a]", &[], expect!["invalid character class range: z-a, at byte 1 of the pattern"]);
        check(
            b"[[:nope:]]",
            &[],
            expect!["invalid character class range: [:nope:], at byte 1 of the pattern"],
        );
        check(b"*a", &[], expect!["no argument for repetition operator: *, at byte 0 of the pattern"]);
        check(b"a**", &[], expect!["bad repetition operator: **, at byte 1 of the pattern"]);
        check(b"a|{2}", &[], expect!["no argument for repetition operator: {2}, at byte 2 of the pattern"]);
        check(b"a{1001}", &[], expect!["invalid repetition size: {1001}, at byte 1 of the pattern"]);
        check(b"a{3,2}", &[], expect!["invalid repetition size: {3,2}, at byte 1 of the pattern"]);
        check(b"(?=a)", &[], expect!["invalid perl operator: (?=, at byte 0 of the pattern"]);
        check(b"(?<!a)", &[], expect!["invalid perl operator: (?<, at byte 0 of the pattern"]);
        check(b"(?i-)", &[], expect!["invalid perl operator: (?i-), at byte 0 of the pattern"]);
        check(b"(?P<>a)", &[], expect!["invalid named capture group: (?P<>, at byte 0 of the pattern"]);
        check(br"(a)\1", &[], expect![[r"invalid escape sequence: \1, at byte 3 of the pattern"]]);
        check(br"\x{100}", &[], expect![[r"invalid escape sequence: \x{100}, at byte 0 of the pattern"]]);
        check(b"a\\", &[], expect![[r"trailing \, at byte 1 of the pattern"]]);
        check(
            br"\p{Greek}",
            &[],
            expect![[r#"invalid character class range (of Latin-1): \p{Greek}, at byte 0 of the pattern"#]],
        );
    }

    #[test]
    fn large_patterns_are_refused() {
        let pattern = b"(.*x.*y.*){1000}".repeat(1_000);
        assert!(Matcher::compile(&pattern).unwrap_err().message.contains("too large"));
        let deep = [b"(".repeat(5_000), b")".repeat(5_000)].concat();
        assert!(Matcher::compile(&deep).unwrap_err().message.contains("nests too deeply"));
        assert!(Matcher::compile(b"((a{100}){100}){100}").unwrap_err().message.contains("repetition size"));
    }

    proptest! {
        /// Shortcuts for literals and prefixes match the same texts as the automaton.
        #[test]
        fn shortcuts_match_as_the_automaton_does(pattern in "(a|b|\\||\\(|\\)|\\.\\*|\n){0,8}", text in "[ab\n]{0,4}") {
            let Ok(node) = re2::parse(pattern.as_bytes()) else { return Ok(()) };
            let mut automaton = Automaton::new(&node).ok().unwrap();
            let mut matcher = Matcher::compile(pattern.as_bytes()).unwrap();
            prop_assert_eq!(matcher.matches(text.as_bytes()), automaton.matches(text.as_bytes()));
        }

        #[test]
        fn a_literal_matches_its_bytes_and_nothing_else(
            bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..40), any::<String>().prop_map(String::into_bytes)],
            other in prop::collection::vec(any::<u8>(), 0..4),
        ) {
            let pattern = literal(&bytes);
            let Ok(Matcher::OneOf(texts)) = Matcher::compile(pattern.as_bytes()) else {
                return Err(TestCaseError::fail(pattern));
            };
            prop_assert_eq!(&texts, &[bytes.as_slice()]);
            // It means the same next to other patterns, and to the automaton.
            let alternation = alloc::format!("(?:{}|{pattern})", literal(&other));
            let mut automaton = Automaton::new(&re2::parse(alternation.as_bytes()).unwrap()).ok().unwrap();
            prop_assert!(automaton.matches(&bytes) && automaton.matches(&other));
            let longer = [bytes.as_slice(), &other].concat();
            prop_assert_eq!(automaton.matches(&longer), longer == bytes || longer == other);
        }

        #[test]
        fn no_pattern_panics(
            pattern in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..20),
                "([a-c]|[(){}\\[\\]\\\\?*+^$|.,:=!<>P-]|[0-9]|Q|E|x){0,20}".prop_map(String::into_bytes),
            ],
            text in prop::collection::vec(any::<u8>(), 0..10),
        ) {
            if let Ok(mut matcher) = Matcher::compile(&pattern) {
                matcher.matches(&text);
            }
        }
    }
}
