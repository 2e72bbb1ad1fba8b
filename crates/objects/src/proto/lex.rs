//! The tokens of a .proto text.

use alloc::vec::Vec;

use tabletop_model::{Problem, Span};

/// A token. Its text is unchanged, with escapes but without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name or a keyword, without dots.
    Word(&'a str),
    /// A number: a token that begins with a digit.
    Number(&'a str),
    /// A text in quotes.
    Text(&'a str),
    /// Any other character.
    Symbol(char),
    /// The end of the text.
    End,
}

/// Returns the tokens of a text with their positions, without white space and comments. The last
/// one is [`Token::End`].
pub fn tokens(text: &str) -> (Vec<(Token<'_>, Span)>, Vec<Problem>) {
    let (mut tokens, mut problems) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let rest = &text[start..];
        let token = match c {
            _ if c.is_whitespace() || c == '\u{feff}' => {
                at += c.len_utf8();
                continue;
            }
            '/' if rest.starts_with("//") => {
                at = rest.find('\n').map_or(text.len(), |end| start + end);
                continue;
            }
            '/' if rest.starts_with("/*") => {
                at = match rest[2..].find("*/") {
                    Some(len) => start + len + 4,
                    None => {
                        problems.push(problem(
                            start,
                            start + 2,
                            "This comment is not closed: write */ after it.",
                        ));
                        text.len()
                    }
                };
                continue;
            }
            '"' | '\'' => {
                let (content, is_closed) = quoted(rest, c as u8);
                at = start + 1 + content.len() + usize::from(is_closed);
                if !is_closed {
                    problems.push(problem(
                        start,
                        at,
                        "This text is not closed: write a quote after it, on the same line.",
                    ));
                }
                Token::Text(content)
            }
            _ if c.is_ascii_alphabetic() || c == '_' => {
                let word = prefix(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                at += word.len();
                Token::Word(word)
            }
            _ if c.is_ascii_digit() => {
                let number = prefix(rest, |c| c.is_ascii_alphanumeric() || c == '.');
                at += number.len();
                Token::Number(number)
            }
            _ => {
                at += c.len_utf8();
                Token::Symbol(c)
            }
        };
        tokens.push((token, span(start, at)));
    }
    tokens.push((Token::End, span(at, at)));
    (tokens, problems)
}

/// Returns the content of a text in quotes, and whether the text is closed on the same line.
fn quoted(rest: &str, quote: u8) -> (&str, bool) {
    let inside = &rest[1..];
    let mut is_escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'\n' => return (&inside[..at], false),
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if byte == quote => return (&inside[..at], true),
            _ => {}
        }
    }
    (inside, false)
}

fn prefix(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

fn problem(start: usize, end: usize, message: &str) -> Problem {
    Problem { span: span(start, end), message: message.into() }
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn space_and_comments_are_not_tokens() {
        let (found, problems) = tokens("\u{feff}a.b /* x\n*/ = 0x1F; // c\n'it\\'s' \u{e9}");
        let kinds: Vec<Token<'_>> = found.iter().map(|(token, _)| *token).collect();
        assert_eq!(
            kinds,
            vec![
                Token::Word("a"),
                Token::Symbol('.'),
                Token::Word("b"),
                Token::Symbol('='),
                Token::Number("0x1F"),
                Token::Symbol(';'),
                Token::Text("it\\'s"),
                Token::Symbol('\u{e9}'),
                Token::End,
            ]
        );
        assert_eq!(problems, []);
    }

    #[test]
    fn what_has_no_end_is_reported() {
        let reported = |text: &str| {
            tokens(text)
                .1
                .into_iter()
                .map(|problem| (problem.span.start, problem.span.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(reported("a \"b\nc"), [(2, 4)]);
        assert_eq!(reported("a /* b"), [(2, 4)]);
        assert_eq!(reported("\"\\"), [(0, 2)]);
        assert_eq!(reported("// a"), []);
    }
}
