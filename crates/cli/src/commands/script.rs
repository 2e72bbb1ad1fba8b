//! Reads the commands of a script of any length.

use std::io::BufRead;

use tabletop_shell::{Language, split};

use super::{Failure, Result};

/// The longest command in bytes.
const COMMAND_BYTES_MAX: usize = 64 << 20;

/// A reader of commands.
pub(crate) struct Script<R> {
    language: Language,
    source: R,
    /// Text whose commands have not all been returned yet.
    text: String,
    /// Bytes of an incomplete character.
    tail: Vec<u8>,
    /// The commands of `text`, the last one first.
    spans: Vec<(usize, usize)>,
    /// The line, from 1, of the byte `counted` of `text`. Each line is counted once.
    line: u64,
    counted: usize,
    is_over: bool,
}

/// A command and the line in which it begins, from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) text: String,
    pub(crate) line: u64,
}

impl<R: BufRead> Script<R> {
    /// Creates a reader of the source's text.
    pub(crate) fn new(language: Language, source: R) -> Script<R> {
        Script {
            language,
            source,
            text: String::new(),
            tail: Vec::new(),
            spans: Vec::new(),
            line: 1,
            counted: 0,
            is_over: false,
        }
    }

    /// Returns the next command, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Command>> {
        loop {
            if self.has_next() {
                let (start, end) = self.spans.pop().unwrap_or_default();
                self.count_lines(start);
                return Ok(Some(Command { text: self.text[start..end].into(), line: self.line }));
            }
            if self.is_over {
                return Ok(None);
            }
            let rest = self.spans.pop().map_or(self.text.len(), |(start, _)| start);
            // The text before an incomplete command is finished. Without commands, a comment may be
            // incomplete.
            let rest =
                if rest == self.text.len() { self.text.rfind('\n').map_or(0, |at| at + 1) } else { rest };
            self.count_lines(rest);
            self.counted = 0;
            self.text.drain(..rest);
            self.read()?;
            let spans = split(self.language, &self.text);
            self.spans = spans.iter().rev().map(|span| (span.start as usize, span.end as usize)).collect();
        }
    }

    /// Returns whether a complete command has been read.
    pub(crate) fn has_next(&self) -> bool {
        // The last one may continue in text that has not been read yet.
        self.spans.len() > usize::from(!self.is_over)
    }

    fn count_lines(&mut self, to: usize) {
        self.line += lines(&self.text[self.counted..to]);
        self.counted = to;
    }

    fn read(&mut self) -> Result<()> {
        if self.text.len() > COMMAND_BYTES_MAX {
            return Err(Failure::Wrong(format!(
                "line {}: this command is longer than {} MiB: is a line break, a quote or a bracket missing?",
                self.line,
                COMMAND_BYTES_MAX >> 20
            )));
        }
        let mut bytes = std::mem::take(&mut self.tail);
        // Reads only the text that is available, so that a program that writes a script gets
        // answers before its end. Reads at least as much as is buffered, so that a long command is
        // not parsed many times, but no more than the longest command may have.
        while !self.is_over {
            let piece =
                self.source.fill_buf().map_err(|error| Failure::of("the script cannot be read", &error))?;
            let length = piece.len();
            bytes.extend_from_slice(piece);
            self.source.consume(length);
            self.is_over = length == 0;
            if bytes.len() >= self.text.len() || self.text.len() + bytes.len() > COMMAND_BYTES_MAX {
                break;
            }
        }
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() && !self.is_over => {
                self.tail = bytes[error.valid_up_to()..].to_vec();
                std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(error) => {
                let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let line = self.line + lines(&self.text) + lines(&before);
                return Err(Failure::Wrong(format!(
                    "line {line}: this is not UTF-8: write other bytes as $'\\xff'"
                )));
            }
        };
        self.text.push_str(text);
        Ok(())
    }
}

fn lines(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn commands(text: &[u8]) -> Vec<(u64, String)> {
        let mut script = Script::new(Language::Cbt, BufReader::new(text));
        let mut found = Vec::new();
        while let Some(command) = script.next().expect("a script") {
            found.push((command.line, command.text));
        }
        found
    }

    #[test]
    fn commands_have_line_numbers_in_scripts_of_any_length() {
        assert_eq!(commands(b""), []);
        assert_eq!(commands(b"# nothing\n\n"), []);
        let few = commands("ls\n\n# a comment\nset t r 'f:q=a\nb\u{e9}'\nread t".as_bytes());
        assert_eq!(few, [(1, "ls".into()), (4, "set t r 'f:q=a\nb\u{e9}'".into()), (6, "read t".into())]);
        let mut long = String::new();
        for line in 0..40_000 {
            long.push_str(&format!("set t row{line} f:q=\u{e9}\n# as before\n"));
        }
        let many = commands(long.as_bytes());
        assert_eq!(many.len(), 40_000);
        for (index, (line, text)) in many.iter().enumerate() {
            assert_eq!(
                (*line, text.as_str()),
                (index as u64 * 2 + 1, format!("set t row{index} f:q=\u{e9}").as_str())
            );
        }
    }

    /// Reads to the error of a source, and counts the bytes that are read.
    fn refused(source: impl std::io::Read) -> (String, usize) {
        struct Counted<R>(R, usize);
        impl<R: std::io::Read> std::io::Read for Counted<R> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let read = self.0.read(buffer)?;
                self.1 += read;
                Ok(read)
            }
        }
        let mut script = Script::new(Language::Cbt, BufReader::with_capacity(256 << 10, Counted(source, 0)));
        loop {
            match script.next() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it is refused"),
                Err(Failure::Wrong(message)) => return (message, script.source.get_ref().1),
                Err(_) => panic!("it is wrong"),
            }
        }
    }

    #[test]
    fn a_line_or_a_quote_without_an_end_is_refused() {
        use std::io::{Read, repeat};
        let (message, bytes) = refused(repeat(b'a'));
        assert!(message.starts_with("line 1: this command is longer than 64 MiB"), "{message}");
        assert!(bytes <= COMMAND_BYTES_MAX + (1 << 20), "{bytes} bytes are read");
        let (message, _) = refused(b"ls\nset t r 'f:q=".chain(repeat(b'\n')));
        assert!(message.starts_with("line 2: this command is longer than 64 MiB"), "{message}");
        // A command below the limit does not count towards a longer one that follows it.
        let long = b"ls ".chain(repeat(b'a').take(40 << 20)).chain(&b"\n"[..]);
        let (message, _) = refused(long.chain(repeat(b'b')));
        assert!(message.starts_with("line 2: this command is longer"), "{message}");
    }

    #[test]
    fn a_script_that_is_not_utf8_is_refused_with_the_line() {
        let mut script = Script::new(Language::Cbt, BufReader::new(&b"ls\nls \xff\n"[..]));
        let Err(Failure::Wrong(message)) = script.next() else { panic!("it is refused") };
        assert!(message.starts_with("line 2:"), "{message}");
    }
}
