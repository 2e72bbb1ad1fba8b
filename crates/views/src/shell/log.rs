//! The log of the shell: commands, their output, and their problems.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::Problem;
use tabletop_shell::Language;

use super::prompt_of;

/// Size of one piece of output, in bytes. A full piece is not drawn again.
const PIECE_BYTES: usize = 16 << 10;
/// Size of all output, in bytes. The oldest output is dropped.
const BYTES_MAX: usize = 1 << 20;

/// Entries, the latest last. Cheap to clone and to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellLog {
    entries: Vec<Rc<LogEntry>>,
    last_id: u32,
}

/// One command and its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The number of the entry.
    pub id: u32,
    /// The language of the command.
    pub language: Language,
    /// The command as typed; empty for a note of the page.
    pub command: String,
    /// The output in pieces.
    pub output: Vec<Rc<str>>,
    /// Bytes that were dropped at the start of the output, because it was too long.
    pub left_out: usize,
    /// Problems of the command's text.
    pub problems: Vec<Problem>,
    /// The status of the command.
    pub end: CommandStatus,
}

/// The status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandStatus {
    /// The command is running.
    Running,
    /// The command has succeeded.
    Done,
    /// The command was refused, or has failed.
    Failed,
    /// The user has cancelled it.
    Cancelled,
}

impl ShellLog {
    /// Returns the entries in order.
    pub fn entries(&self) -> &[Rc<LogEntry>] {
        &self.entries
    }

    /// Begins the entry of a command.
    pub fn begin(&mut self, language: Language, command: String) {
        self.last_id += 1;
        let entry = LogEntry {
            id: self.last_id,
            language,
            command,
            output: Vec::new(),
            left_out: 0,
            problems: Vec::new(),
            end: CommandStatus::Running,
        };
        self.entries.push(Rc::new(entry));
    }

    /// Adds a note of the page.
    pub fn note(&mut self, text: &str) {
        self.begin(Language::Cbt, String::new());
        self.print(text);
        self.end(CommandStatus::Done);
    }

    /// Adds output of the last command.
    pub fn print(&mut self, text: &str) {
        let Some(entry) = self.entries.last_mut().filter(|_| !text.is_empty()) else { return };
        let entry = Rc::make_mut(entry);
        let mut rest = match entry.output.pop_if(|last| last.len() < PIECE_BYTES) {
            Some(last) => format!("{last}{text}"),
            None => text.into(),
        };
        while rest.len() > PIECE_BYTES {
            // Pieces end at the end of a line, so that they read as one text.
            let Some(end) =
                rest[..rest.floor_char_boundary(PIECE_BYTES)].rfind('\n').or_else(|| rest.find('\n'))
            else {
                break;
            };
            let later = rest.split_off(end + 1);
            entry.output.push(core::mem::replace(&mut rest, later).into());
        }
        if !rest.is_empty() {
            entry.output.push(rest.into());
        }
        self.leave_out();
    }

    /// Ends the last command, which cannot be parsed.
    pub fn refuse(&mut self, problems: Vec<Problem>) {
        if let Some(entry) = self.entries.last_mut() {
            Rc::make_mut(entry).problems = problems;
        }
        self.end(CommandStatus::Failed);
    }

    /// Ends the last command.
    pub fn end(&mut self, end: CommandStatus) {
        if let Some(entry) = self.entries.last_mut() {
            Rc::make_mut(entry).end = end;
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Returns the whole log as it is shown.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            text.push_str(&entry.echo());
            entry.output.iter().for_each(|piece| text.push_str(piece));
            entry.problems.iter().for_each(|problem| text.push_str(&entry.problem(problem)));
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }

    /// Drops the oldest output if there is too much.
    fn leave_out(&mut self) {
        let mut bytes: usize = self.entries.iter().map(|entry| entry.bytes()).sum();
        while bytes > BYTES_MAX && self.entries.len() > 1 {
            bytes -= self.entries.remove(0).bytes();
        }
        if let Some(entry) = self.entries.first_mut().filter(|_| bytes > BYTES_MAX) {
            let entry = Rc::make_mut(entry);
            while bytes > BYTES_MAX && entry.output.len() > 1 {
                let piece = entry.output.remove(0).len();
                bytes -= piece;
                entry.left_out += piece;
            }
        }
    }
}

impl LogEntry {
    fn bytes(&self) -> usize {
        self.command.len() + self.output.iter().map(|piece| piece.len()).sum::<usize>()
    }

    /// Returns the command after its prompt, with continuation lines below the first.
    pub fn echo(&self) -> String {
        if self.command.is_empty() {
            return String::new();
        }
        let prompt = prompt_of(self.language);
        let indent = format!("\n{:width$}", "", width = prompt.len() + 1);
        format!("{prompt} {}\n", self.command.replace('\n', &indent))
    }

    /// Returns a problem with carets below its position in the command.
    pub fn problem(&self, problem: &Problem) -> String {
        let at = self.command.floor_char_boundary(problem.span.start as usize);
        let end = self.command.floor_char_boundary(problem.span.end as usize).max(at);
        let begin = self.command[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.command[begin..].lines().next().unwrap_or_default();
        let indent = prompt_of(self.language).len() + 1 + self.command[begin..at].chars().count();
        let carets = self.command[at..end].lines().next().map_or(1, |text| text.chars().count().max(1));
        let mut text = String::new();
        if self.command.contains('\n') {
            text = format!("{:width$} {line}\n", "", width = prompt_of(self.language).len());
        }
        format!("{text}{:indent$}{}\n{}\n", "", "^".repeat(carets), problem.message)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_model::Span;

    use super::*;

    fn problem(start: u32, end: u32) -> Problem {
        Problem { span: Span { start, end }, message: "it is wrong".into() }
    }

    #[test]
    fn a_caret_stands_below_what_is_wrong() {
        let mut log = ShellLog::default();
        log.begin(Language::Cbt, "read \u{e9}t cuont=2".into());
        log.refuse(vec![problem(9, 14)]);
        assert_eq!(log.text(), "cbt> read \u{e9}t cuont=2\n             ^^^^^\nit is wrong\n");
        assert_eq!(log.entries()[0].end, CommandStatus::Failed);
        log.clear();
        log.begin(Language::HBase, "scan 't',\n {LIMT => 2}".into());
        log.refuse(vec![problem(12, 16)]);
        assert_eq!(
            log.text(),
            "hbase> scan 't',\n        {LIMT => 2}\n        {LIMT => 2}\n         ^^^^\nit is wrong\n"
        );
        // A wrong span from a parser does no harm.
        log.refuse(vec![problem(90, 14), problem(0, 99)]);
        assert!(log.text().contains("^"));
    }

    #[test]
    fn pieces_end_at_lines_and_the_oldest_go() {
        let mut log = ShellLog::default();
        log.begin(Language::Cbt, "read t".into());
        let line = format!("{}\n", "x".repeat(99));
        for _ in 0..30_000 {
            log.print(&line);
        }
        let entry = &log.entries()[0];
        assert!(entry.output.iter().all(|piece| piece.ends_with('\n') && piece.len() <= 2 * PIECE_BYTES));
        let kept: usize = entry.output.iter().map(|piece| piece.len()).sum();
        assert!(kept <= BYTES_MAX && entry.left_out + kept == 3_000_000, "{kept}");
        log.begin(Language::Cbt, "read u".into());
        log.print(&line.repeat(2_000));
        assert_eq!(log.entries().len(), 1);
        log.print(&"y".repeat(40_000));
        assert!(log.text().ends_with("yyy\n"));
    }
}
