//! Parses the declarations of a .proto text. A statement that cannot be parsed is reported and
//! skipped, and parsing continues after it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Problem, Span};

use super::lex::{Token, tokens};
use super::within;
use crate::{DATA_TYPE_CHARS_MAX, Repeats, Scalar};

/// The maximum depth of nested messages.
const DEPTH_MAX: usize = 32;
/// The largest field number.
const NUMBER_MAX: i64 = 536_870_911;
/// Field numbers that protobuf reserves for itself.
const RESERVED: core::ops::RangeInclusive<i64> = 19_000..=19_999;

/// Everything that a text declares, with full names, in the order of the text.
#[derive(Default)]
pub struct Declared<'a> {
    pub messages: Vec<Message<'a>>,
    pub enums: Vec<Enum>,
}

/// A message.
pub struct Message<'a> {
    /// The full name, in which the type names of its fields are looked up first.
    pub name: String,
    pub span: Span,
    pub fields: Vec<Field<'a>>,
    pub is_map_entry: bool,
}

/// A field, whose type may still be an unresolved name.
pub struct Field<'a> {
    pub name: &'a str,
    pub span: Span,
    pub number: u32,
    pub of: TypeName,
    pub repeats: Repeats,
    pub oneof: Option<u32>,
}

/// The type of a field, as written.
pub enum TypeName {
    Scalar(Scalar),
    /// A name to resolve, and its position.
    Named(String, Span),
    /// The message at this index of [`Declared::messages`]: an entry of a map, or a group.
    Message(usize),
}

/// An enum.
pub struct Enum {
    pub name: String,
    pub span: Span,
    pub values: Vec<(String, i32)>,
}

/// Parses the declarations of a text. Returns its problems.
pub fn read<'a>(text: &'a str, declared: &mut Declared<'a>) -> Vec<Problem> {
    let (tokens, problems) = tokens(text);
    let mut reader = Reader { tokens, at: 0, depth: 0, package: String::new(), declared, problems };
    reader.file();
    reader.problems
}

type Parsed<T> = Result<T, Problem>;

struct Reader<'a, 'd> {
    /// The tokens. The last one is [`Token::End`].
    tokens: Vec<(Token<'a>, Span)>,
    at: usize,
    depth: usize,
    package: String,
    declared: &'d mut Declared<'a>,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a, '_> {
    fn file(&mut self) {
        while self.peek() != Token::End {
            let done = match self.peek() {
                Token::Symbol(';') => {
                    self.at += 1;
                    Ok(())
                }
                Token::Word("syntax" | "edition") => {
                    self.package.clear();
                    self.quoted_statement()
                }
                Token::Word("package") => self.package(),
                // Names from other files are reported at the field that uses them.
                Token::Word("import") => self.quoted_statement(),
                Token::Word("option") => self.option(),
                Token::Word("service" | "extend") => {
                    self.skip_statement();
                    Ok(())
                }
                Token::Symbol('}') => {
                    self.problems.push(self.problem("There is no opening brace for this one."));
                    self.at += 1;
                    Ok(())
                }
                Token::Word("export" | "local") if self.is_declaration_next() => {
                    self.at += 1;
                    Ok(())
                }
                Token::Word("message") => self.message(&self.package.clone()),
                Token::Word("enum") => self.an_enum(&self.package.clone()),
                _ => Err(self.problem("Expected a message or an enum here.")),
            };
            self.recover(done);
        }
    }

    /// Reports a statement that could not be parsed, and continues after it.
    fn recover(&mut self, done: Parsed<()>) {
        if let Err(problem) = done {
            self.problems.push(problem);
            self.skip_statement();
        }
    }

    /// Reads `syntax = "proto3";` or `import public "ads.proto";`. If its semicolon is missing, the
    /// next statement is still parsed.
    fn quoted_statement(&mut self) -> Parsed<()> {
        self.at += 1;
        while matches!(
            self.peek(),
            Token::Symbol('=') | Token::Word("public" | "weak" | "option") | Token::Text(_)
        ) {
            self.at += 1;
        }
        self.expect(';')
    }

    /// Reads `option (a).b = { c: 1 };`, and ignores it. If its semicolon is missing, the next
    /// statement is still parsed.
    fn option(&mut self) -> Parsed<()> {
        self.at += 1;
        while matches!(self.peek(), Token::Word(_) | Token::Symbol('.' | '(' | ')')) {
            self.at += 1;
        }
        self.expect('=')?;
        self.at += usize::from(self.peek() == Token::Symbol('-'));
        match self.peek() {
            Token::Symbol('{') => self.brackets()?,
            // A value has at most one word: `true`, `SPEED`, `inf`. Another word begins the next
            // statement.
            Token::Word(_) => self.at += 1,
            // A text can have several parts, and `1.5e-3` is three tokens.
            _ => {
                while matches!(
                    self.peek(),
                    Token::Text(_) | Token::Number(_) | Token::Symbol('.' | '+' | '-')
                ) {
                    self.at += 1;
                }
            }
        }
        self.expect(';')
    }

    /// Reads and ignores `reserved 2, 9 to max;` or `reserved "a", b;`.
    fn reserved(&mut self) -> Parsed<()> {
        loop {
            // Skip the keyword or a comma.
            self.at += 1;
            if matches!(self.peek(), Token::Word(_)) {
                self.at += 1;
            }
            while matches!(
                self.peek(),
                Token::Number(_) | Token::Text(_) | Token::Symbol('-') | Token::Word("to" | "max")
            ) {
                self.at += 1;
            }
            if self.peek() != Token::Symbol(',') {
                return self.expect(';');
            }
        }
    }

    /// Returns whether a keyword of edition 2024 precedes a declaration: `export message`, `local
    /// enum`.
    fn is_declaration_next(&self) -> bool {
        matches!(self.peek_after(), Token::Word("message" | "enum"))
    }

    fn package(&mut self) -> Parsed<()> {
        self.at += 1;
        self.package = self.full_name()?.0;
        self.expect(';')
    }

    fn message(&mut self, scope: &str) -> Parsed<()> {
        self.at += 1;
        let (name, span) = self.name()?;
        let name = full_name_of(scope, name, span)?;
        self.expect('{')?;
        self.body(name, span).map(drop)
    }

    /// Reads the statements of a message up to its closing brace. Returns the message's index.
    fn body(&mut self, name: String, span: Span) -> Parsed<usize> {
        if self.depth >= DEPTH_MAX {
            // Go back to the opening brace, so that the whole block is skipped.
            self.at -= 1;
            return Err(Problem {
                span,
                message: format!("Messages can be nested at most {DEPTH_MAX} deep."),
            });
        }
        let message = self.declared.messages.len();
        let open = Message { name: name.clone(), span, fields: Vec::new(), is_map_entry: false };
        self.declared.messages.push(open);
        self.depth += 1;
        let mut oneofs = 0;
        while !matches!(self.peek(), Token::End | Token::Symbol('}')) {
            let done = match self.peek() {
                Token::Symbol(';') => {
                    self.at += 1;
                    Ok(())
                }
                Token::Word("option") => self.option(),
                Token::Word("reserved") => self.reserved(),
                Token::Word("extensions" | "extend") => {
                    self.skip_statement();
                    Ok(())
                }
                Token::Word("export" | "local") if self.is_declaration_next() => {
                    self.at += 1;
                    Ok(())
                }
                Token::Word("message") => self.message(&name),
                Token::Word("enum") => self.an_enum(&name),
                Token::Word("oneof") => {
                    oneofs += 1;
                    self.oneof(message, oneofs)
                }
                _ => self.field(message, None),
            };
            self.recover(done);
        }
        self.depth -= 1;
        self.close(span);
        Ok(message)
    }

    fn oneof(&mut self, message: usize, oneof: u32) -> Parsed<()> {
        self.at += 1;
        let (_, span) = self.name()?;
        self.expect('{')?;
        while !matches!(self.peek(), Token::End | Token::Symbol('}')) {
            let done = match self.peek() {
                Token::Symbol(';') => {
                    self.at += 1;
                    Ok(())
                }
                Token::Word("option") => self.option(),
                _ => self.field(message, Some(oneof)),
            };
            self.recover(done);
        }
        self.close(span);
        Ok(())
    }

    /// Reads a field: `repeated string names = 1 [deprecated = true];`, a map, or a group of
    /// proto2.
    fn field(&mut self, message: usize, oneof: Option<u32>) -> Parsed<()> {
        let mut repeats = Repeats::Once;
        if let Token::Word(label @ ("optional" | "required" | "repeated")) = self.peek() {
            self.at += 1;
            if label == "repeated" {
                repeats = Repeats::List;
            }
        }
        if self.peek() == Token::Word("map") && self.peek_after() == Token::Symbol('<') {
            return self.map(message);
        }
        if self.peek() == Token::Word("group") && matches!(self.peek_after(), Token::Word(_)) {
            return self.group(message, repeats, oneof);
        }
        let of = self.type_name()?;
        let (name, span, number) = self.name_and_number()?;
        self.options()?;
        self.expect(';')?;
        self.declared.messages[message].fields.push(Field { name, span, number, of, repeats, oneof });
        Ok(())
    }

    fn map(&mut self, message: usize) -> Parsed<()> {
        self.at += 2;
        let at = self.span();
        let key = match self.type_name()? {
            TypeName::Scalar(scalar) if scalar.is_key() => TypeName::Scalar(scalar),
            _ => {
                let message = "The key of a map must be an integer, a bool or a string.".into();
                return Err(Problem { span: at, message });
            }
        };
        self.expect(',')?;
        let value = self.type_name()?;
        self.expect('>')?;
        let (name, span, number) = self.name_and_number()?;
        self.options()?;
        self.expect(';')?;
        let of_entry =
            |name, number, of| Field { name, span, number, of, repeats: Repeats::Once, oneof: None };
        let entry = Message {
            name: within(&self.declared.messages[message].name, &format!("{name}.Entry")),
            span,
            fields: Vec::from([of_entry("key", 1, key), of_entry("value", 2, value)]),
            is_map_entry: true,
        };
        let of = TypeName::Message(self.declared.messages.len());
        self.declared.messages.push(entry);
        self.declared.messages[message].fields.push(Field {
            name,
            span,
            number,
            of,
            repeats: Repeats::Map,
            oneof: None,
        });
        Ok(())
    }

    fn group(&mut self, message: usize, repeats: Repeats, oneof: Option<u32>) -> Parsed<()> {
        self.at += 1;
        let (name, span, number) = self.name_and_number()?;
        self.options()?;
        let scope = full_name_of(&self.declared.messages[message].name, name, span)?;
        self.expect('{')?;
        let of = TypeName::Message(self.body(scope, span)?);
        self.declared.messages[message].fields.push(Field { name, span, number, of, repeats, oneof });
        Ok(())
    }

    fn an_enum(&mut self, scope: &str) -> Parsed<()> {
        self.at += 1;
        let (name, span) = self.name()?;
        let full_name = full_name_of(scope, name, span)?;
        self.expect('{')?;
        let mut values = Vec::new();
        while !matches!(self.peek(), Token::End | Token::Symbol('}')) {
            let done = match self.peek() {
                Token::Symbol(';') => {
                    self.at += 1;
                    Ok(())
                }
                Token::Word("option") => self.option(),
                Token::Word("reserved") => self.reserved(),
                _ => self.enum_value().map(|value| values.push(value)),
            };
            self.recover(done);
        }
        self.close(span);
        self.declared.enums.push(Enum { name: full_name, span, values });
        Ok(())
    }

    fn enum_value(&mut self) -> Parsed<(String, i32)> {
        let (name, _) = self.name()?;
        self.expect('=')?;
        let at = self.span();
        let number = i32::try_from(self.integer()?);
        let number = number.map_err(|_| Problem {
            span: at,
            message: "The number of an enum value must fit into 32 bits.".into(),
        })?;
        self.options()?;
        self.expect(';')?;
        Ok((name.into(), number))
    }

    /// Reads `name = 1`.
    fn name_and_number(&mut self) -> Parsed<(&'a str, Span, u32)> {
        let (name, span) = self.name()?;
        self.expect('=')?;
        let at = self.span();
        let number = self.integer()?;
        if !(1..=NUMBER_MAX).contains(&number) || RESERVED.contains(&number) {
            let message = format!("A field number must be 1 to {NUMBER_MAX}, except 19000 to 19999.");
            return Err(Problem { span: at, message });
        }
        Ok((name, span, number as u32))
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        if let Token::Word(word) = self.peek()
            && self.peek_after() != Token::Symbol('.')
            && let Some(scalar) = Scalar::of_name(word)
        {
            self.at += 1;
            return Ok(TypeName::Scalar(scalar));
        }
        let (name, span) = self.full_name()?;
        Ok(TypeName::Named(name, span))
    }

    /// Reads a name with dots, which may also begin with one.
    fn full_name(&mut self) -> Parsed<(String, Span)> {
        let mut span = self.span();
        let mut name = String::new();
        if self.peek() == Token::Symbol('.') {
            self.at += 1;
            name.push('.');
        }
        loop {
            let (word, at) = self.name()?;
            name.push_str(word);
            span.end = at.end;
            if self.peek() != Token::Symbol('.') {
                return if name.len() > DATA_TYPE_CHARS_MAX { Err(too_long(span)) } else { Ok((name, span)) };
            }
            self.at += 1;
            name.push('.');
        }
    }

    fn name(&mut self) -> Parsed<(&'a str, Span)> {
        let Token::Word(word) = self.peek() else { return Err(self.problem("Expected a name here.")) };
        let span = self.span();
        self.at += 1;
        Ok((word, span))
    }

    /// Reads a whole number: decimal, hexadecimal or octal.
    fn integer(&mut self) -> Parsed<i64> {
        let is_negative = self.peek() == Token::Symbol('-');
        self.at += usize::from(is_negative);
        let Token::Number(digits) = self.peek() else {
            return Err(self.problem("Expected a whole number here."));
        };
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let octal = digits.strip_prefix('0').filter(|rest| !rest.is_empty());
        let number = match (hex, octal) {
            (Some(hex), _) => i64::from_str_radix(hex, 16),
            (None, Some(octal)) => i64::from_str_radix(octal, 8),
            (None, None) => digits.parse(),
        };
        let Ok(number) = number else { return Err(self.problem("This is not a whole number of 64 bits.")) };
        self.at += 1;
        Ok(if is_negative { -number } else { number })
    }

    /// Skips options in brackets.
    fn options(&mut self) -> Parsed<()> {
        if self.peek() == Token::Symbol('[') { self.brackets() } else { Ok(()) }
    }

    /// Skips from an opening bracket or brace to the closing one.
    fn brackets(&mut self) -> Parsed<()> {
        let open = self.span();
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Token::End => {
                    return Err(Problem { span: open, message: "This bracket is not closed.".into() });
                }
                Token::Symbol('[' | '{') => depth += 1,
                Token::Symbol(']' | '}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Skips to the end of a statement: a semicolon or a block.
    fn skip_statement(&mut self) {
        let (mut depth, mut brackets) = (0_usize, 0_usize);
        loop {
            let token = self.peek();
            match token {
                Token::End => return,
                Token::Symbol('{') => depth += 1,
                Token::Symbol('}') if depth == 0 => return,
                Token::Symbol('}') => depth -= 1,
                Token::Symbol('[') if depth == 0 => brackets += 1,
                Token::Symbol(']') if depth == 0 => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            // A block inside brackets is the value of an option.
            if depth == 0 && (token == Token::Symbol(';') || (token == Token::Symbol('}') && brackets == 0)) {
                return;
            }
        }
    }

    /// Reads the brace that closes the block of `of`.
    fn close(&mut self, of: Span) {
        if self.peek() == Token::Symbol('}') {
            self.at += 1;
        } else {
            self.problems
                .push(Problem { span: of, message: "The brace after this name is not closed.".into() });
        }
    }

    fn expect(&mut self, symbol: char) -> Parsed<()> {
        if self.peek() != Token::Symbol(symbol) {
            return Err(self.problem(&format!("Expected {symbol} here.")));
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    fn peek_after(&self) -> Token<'a> {
        self.tokens.get(self.at + 1).map_or(Token::End, |(token, _)| *token)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn problem(&self, message: &str) -> Problem {
        Problem { span: self.span(), message: message.into() }
    }
}

/// Returns the full name of a declaration within its scope. The length is limited because longer
/// names could not be chosen for a family, and many of them would need much memory.
fn full_name_of(scope: &str, name: &str, span: Span) -> Parsed<String> {
    let full = within(scope, name);
    if full.len() > DATA_TYPE_CHARS_MAX { Err(too_long(span)) } else { Ok(full) }
}

fn too_long(span: Span) -> Problem {
    let message = format!(
        "A name has at most {DATA_TYPE_CHARS_MAX} characters, including its package and the messages around it."
    );
    Problem { span, message }
}
