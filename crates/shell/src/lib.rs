//! The languages of the command line, cbt's and the HBase shell's: text to requests, responses to text.
//!
//! Nothing here asks anybody. A [`Run`] is one command at work; its host asks what it wants asked and gives it the answers:
//!
//! ```text
//! let mut run = Run::start(&settings, "read t count=2")?;
//! loop { match run.step() { Step::Ask(request) => run.answer(host.handle(request)), Step::Open(name) => …, Step::Done => break } }
//! print(run.take_output())
//! ```
#![no_std]
extern crate alloc;

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Error, Problem, Request, Response, Span, Timestamp};

/// Which words are spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Google's `cbt`.
    #[default]
    Cbt,
    /// The HBase shell.
    HBase,
}

/// What a host decides about all commands.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The words.
    pub language: Language,
    /// How far local time is ahead of UTC at a moment, in seconds.
    pub utc_offset_seconds: fn(Timestamp) -> i32,
}

/// One command at work.
#[derive(Debug)]
pub struct Run {}

/// What a command wants next.
#[derive(Debug)]
pub enum Step {
    /// The answer to this. Boxed, for requests are large.
    Ask(alloc::boxed::Box<Request>),
    /// The bytes of the file of this name, by [`Run::file`].
    Open(String),
    /// Nothing: it is over.
    Done,
}

/// What may stand at the end of a half-typed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What it replaces, in bytes of the line.
    pub span: Span,
    /// The whole word.
    pub text: String,
    /// What it is, in a few words.
    pub about: String,
}

/// What completion can know of the tables: their ids, and the families of each.
pub type Known<'a> = &'a [(String, Vec<String>)];

impl Run {
    /// Reads one command. An empty line or a comment is a command that does nothing.
    ///
    /// # Errors
    /// What is wrong and where, in bytes of the line, with the nearest word that is right.
    pub fn start(_settings: &Settings, _line: &str) -> Result<Run, Vec<Problem>> {
        todo!()
    }

    /// What it wants next. Asked again without an answer, it says the same.
    pub fn step(&mut self) -> Step {
        todo!()
    }

    /// Takes the answer to what was asked.
    pub fn answer(&mut self, _response: Response) {
        todo!()
    }

    /// Takes the file that was wanted, or why it cannot be read.
    pub fn file(&mut self, _bytes: Result<&[u8], String>) {
        todo!()
    }

    /// The text of the output since the last call: a long read gives it in parts.
    pub fn take_output(&mut self) -> String {
        todo!()
    }

    /// Why it failed, once it is done; the output says so, too.
    pub fn failure(&self) -> Option<&Error> {
        todo!()
    }

    /// Whether it changes tables or their rows.
    pub fn changes(&self) -> bool {
        todo!()
    }
}

/// The commands of a text of many lines, each with its place: comments and empty lines are left out, quoted texts may go over
/// lines, and the HBase shell's braces too.
pub fn split(_language: Language, _text: &str) -> Vec<Span> {
    todo!()
}

/// What may stand at the place `at` of a line.
pub fn complete(_language: Language, _line: &str, _at: usize, _known: Known) -> Vec<Completion> {
    todo!()
}

/// The commands that ask the same, a line each; nothing where the language has no words for it.
pub fn write(_language: Language, _request: &Request) -> Vec<String> {
    todo!()
}
