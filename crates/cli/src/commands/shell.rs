//! `tabletop cbt` and `tabletop hbase`: run one command, a script, or a prompt.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufReader, IsTerminal, Write};

use tabletop_model::{Problem, Request, Response, TableRequest, Timestamp, printable, shell_word};
use tabletop_shell::{Language, Run, Settings, Step};

use super::instance::{OpenedInstance, ShellInstanceOptions};
use super::script::{Command, Script};
use super::style::complain;
use super::writes::{Waiting, Writes};
use super::{Failure, Result, counted, formats, prompt};
use crate::interrupt;

const CBT_EXAMPLES: &str = "\
Examples:
  tabletop cbt --data shop createtable events families=d
  tabletop cbt --data shop set events 'user 1' d:name=Ann
  tabletop cbt --data shop read events prefix=user
  tabletop cbt --data shop < script.cbt
  tabletop cbt --address localhost:8086 --project p --instance i ls
  tabletop cbt help read";

const HBASE_EXAMPLES: &str = "\
Examples:
  tabletop hbase --data shop \"create 'events', 'd'\"
  tabletop hbase --data shop \"scan 'events', {LIMIT => 10}\"
  tabletop hbase --data shop < script.hbase";

/// Run commands of Google's cbt: one command, a script from standard input, or a prompt
///
/// Commands and output are the same as in cbt. Without a command, commands are read from standard
/// input; at a terminal, there is a prompt with completion and history.
#[derive(clap::Args)]
#[command(after_help = CBT_EXAMPLES)]
pub(crate) struct CbtOptions {
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Run commands of the HBase shell: one command, a script from standard input, or a prompt
///
/// Without a command, commands are read from standard input; at a terminal, there is a prompt with
/// completion and history.
#[derive(clap::Args)]
#[command(after_help = HBASE_EXAMPLES)]
pub(crate) struct HBaseOptions {
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    instance: ShellInstanceOptions,
    /// Continue a script after a command that fails
    #[arg(long)]
    keep_going: bool,
    /// The command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    words: Vec<OsString>,
}

pub(crate) fn run(language: Language, options: &Options) -> Result<()> {
    let opened = options.instance.open()?;
    let shell = Shell::new(language, &opened);
    if !options.words.is_empty() {
        return shell.one(&command_line(language, &options.words));
    }
    if io::stdin().is_terminal() {
        return prompt::run(&shell);
    }
    let script = Script::new(language, BufReader::with_capacity(256 << 10, io::stdin()));
    shell.script(script, options.keep_going).map(drop)
}

/// A shell of one language for one instance.
pub(crate) struct Shell<'a> {
    pub(crate) settings: Settings,
    pub(crate) opened: &'a OpenedInstance,
}

/// The end of a command.
pub(crate) enum Ended {
    Done,
    /// The engine rejected something, and the reason was printed.
    Failed,
    /// The text is not a command; nothing was executed.
    Misread(Vec<Problem>),
}

impl<'a> Shell<'a> {
    pub(crate) fn new(language: Language, opened: &'a OpenedInstance) -> Shell<'a> {
        Shell {
            settings: Settings { language, utc_offset_seconds, now, read_formats: Some(formats::read) },
            opened,
        }
    }

    /// Runs a single command.
    fn one(&self, line: &str) -> Result<()> {
        match self.execute(line)? {
            Ended::Done => Ok(()),
            Ended::Failed => Err(Failure::No(String::new())),
            Ended::Misread(problems) => Err(Failure::Wrong(described(line, &problems))),
        }
    }

    /// Runs the commands of a script, up to the first that fails unless the script continues.
    /// Returns the number of commands executed.
    pub(crate) fn script<R: io::BufRead>(&self, mut script: Script<R>, keep_going: bool) -> Result<u64> {
        let mut tally = Tally { done: 0, failed: 0, keep_going };
        let mut writes = Writes::default();
        loop {
            // A program that writes the script gets each answer as soon as its command is complete.
            if !script.has_next() {
                self.write(&mut writes, &mut tally)?;
            }
            let Some(command) = script.next()? else { break };
            let mut run = match Run::start(&self.settings, &command.text) {
                Ok(run) => run,
                Err(problems) => {
                    self.write(&mut writes, &mut tally)?;
                    tally.count(&command, Ended::Misread(problems))?;
                    continue;
                }
            };
            if let Some(Request::Table { table, request: TableRequest::MutateRows(entries) }) =
                first_request(&mut run)
            {
                if !writes.takes(&table, &entries) {
                    self.write(&mut writes, &mut tally)?;
                }
                writes.push(Waiting { command, run }, table, entries);
            } else {
                self.write(&mut writes, &mut tally)?;
                tally.count(&command, self.finish(run)?)?;
            }
        }
        match tally.failed {
            0 => Ok(tally.done),
            failed => Err(Failure::No(format!("{} failed", counted(failed, "command", "commands")))),
        }
    }

    /// Runs the buffered writes.
    fn write(&self, writes: &mut Writes, tally: &mut Tally) -> Result<()> {
        let Some((request, waiting)) = writes.take() else { return Ok(()) };
        let mut outcomes = match self.opened.handle(request) {
            Response::Mutated(outcomes) => outcomes.into_iter(),
            // One of the writes may be the cause, so each is run alone.
            _ => {
                for Waiting { command, run } in waiting.into_iter().map(|(waiting, _)| waiting) {
                    tally.count(&command, self.finish(run)?)?;
                }
                return Ok(());
            }
        };
        let mut stopped: Option<Failure> = None;
        let mut unanswered = 0;
        for (Waiting { command, mut run }, count) in waiting {
            let answer: Vec<_> = outcomes.by_ref().take(count).collect();
            if stopped.is_some() {
                unanswered += u64::from(answer.iter().all(Option::is_none));
                continue;
            }
            run.answer(Response::Mutated(answer));
            stopped = tally.count(&command, self.finish(run)?).err();
        }
        match stopped {
            None => Ok(()),
            Some(Failure::No(message)) if unanswered > 0 => {
                let writes = counted(unanswered, "write", "writes");
                Err(Failure::No(format!("{message}; {writes} after it had been done together with it")))
            }
            Some(failure) => Err(failure),
        }
    }

    /// Runs one command and prints its output.
    pub(crate) fn execute(&self, line: &str) -> Result<Ended> {
        match Run::start(&self.settings, line) {
            Ok(run) => self.finish(run),
            Err(problems) => Ok(Ended::Misread(problems)),
        }
    }

    /// Runs the rest of a command and prints its output. Failures are printed to standard error.
    fn finish(&self, mut run: Run) -> Result<Ended> {
        let print_outputs = |run: &mut Run| -> Result<()> {
            let (output, failure) = run.take_outputs();
            print(&output)?;
            eprint!("{}", printable(&failure));
            Ok(())
        };
        loop {
            let step = run.step();
            print_outputs(&mut run)?;
            match step {
                Step::Request(request) => run.answer(self.opened.handle(*request)),
                Step::Open(name) => {
                    let bytes = fs::read(&name).map_err(|error| format!("{name}: {error}"));
                    run.file(bytes.as_deref().map_err(Clone::clone));
                }
                Step::Done => break,
            }
            print_outputs(&mut run)?;
        }
        Ok(if run.failure().is_some() { Ended::Failed } else { Ended::Done })
    }
}

/// Returns the first request of a command that changes something. (The step can be repeated and
/// returns the same request.)
fn first_request(run: &mut Run) -> Option<Request> {
    match run.changes().then(|| run.step())? {
        Step::Request(request) => Some(*request),
        _ => None,
    }
}

/// The counts of a script's commands.
struct Tally {
    done: u64,
    failed: u64,
    keep_going: bool,
}

impl Tally {
    /// Counts a command. A failure is reported if the script continues, and returned if it does
    /// not.
    fn count(&mut self, command: &Command, ended: Ended) -> Result<()> {
        let failure = match ended {
            Ended::Done => {
                self.done += 1;
                interrupt::count(1);
                return Ok(());
            }
            Ended::Failed => Failure::No(format!("line {}: this command failed", command.line)),
            Ended::Misread(problems) => Failure::Wrong(format!(
                "line {}: {}",
                line_of(&command.text, command.line, &problems),
                described(&command.text, &problems)
            )),
        };
        match failure {
            Failure::No(message) | Failure::Wrong(message) if self.keep_going => {
                self.failed += 1;
                complain(message);
                Ok(())
            }
            Failure::No(message) => {
                Err(Failure::No(format!("{message}; the script stopped there (--keep-going continues)")))
            }
            other => Err(other),
        }
    }
}

/// Writes to standard output and flushes it.
fn print(text: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::of("the output cannot be written", &error))
}

/// Joins the arguments into one line. Arguments of cbt are quoted; arguments of the HBase shell
/// have HBase's own quotes.
fn command_line(language: Language, words: &[OsString]) -> String {
    let texts: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    match (language, texts.as_slice()) {
        // A whole command in quotes, as for HBase.
        (Language::HBase, _) => texts.join(" "),
        (Language::Cbt, [line]) if line.contains([' ', '\t']) => line.to_string(),
        (Language::Cbt, _) => {
            words.iter().map(|word| shell_word(word.as_encoded_bytes())).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Formats problems, each with its line of the command and marks below its position.
pub(crate) fn described(line: &str, problems: &[Problem]) -> String {
    let shown = problems.iter().map(|problem| {
        let start = (problem.span.start as usize).min(line.len());
        let end = (problem.span.end as usize).clamp(start, line.len());
        let before = line.get(..start).unwrap_or_default();
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let source = line.get(begin..).unwrap_or_default().lines().next().unwrap_or_default();
        let width = |from: usize, to: usize| line.get(from..to).map_or(1, |text| text.chars().count());
        let marks = width(start, end).min(source.chars().count().saturating_sub(width(begin, start))).max(1);
        format!("{}\n  {source}\n  {}{}", problem.message, " ".repeat(width(begin, start)), "^".repeat(marks))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Returns the line of the script in which the first problem is.
fn line_of(command: &str, first: u64, problems: &[Problem]) -> u64 {
    let start = problems.first().map_or(0, |problem| (problem.span.start as usize).min(command.len()));
    first + command.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// Returns the time in microseconds since 1970.
fn now() -> Timestamp {
    jiff::Timestamp::now().as_microsecond()
}

/// Returns the offset of local time from UTC.
fn utc_offset_seconds(at: Timestamp) -> i32 {
    let zone = jiff::tz::TimeZone::system();
    jiff::Timestamp::from_microsecond(at).map_or(0, |at| zone.to_offset(at).seconds())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::Span;

    #[test]
    fn arguments_are_unchanged_after_quoting() {
        let line = |language, words: &[&str]| {
            command_line(language, &words.iter().map(OsString::from).collect::<Vec<_>>())
        };
        assert_eq!(line(Language::Cbt, &["set", "t", "a b", "f:q='x'"]), r"set t 'a b' 'f:q='\''x'\'''");
        assert_eq!(line(Language::Cbt, &["read", "t", ""]), "read t ''");
        assert_eq!(line(Language::Cbt, &["read t count=2"]), "read t count=2");
        assert_eq!(line(Language::HBase, &["scan", "'t'"]), "scan 't'");
    }

    #[test]
    fn a_problem_is_marked_in_its_line() {
        let problem = |start, end| Problem { span: Span { start, end }, message: "what is this?".into() };
        assert_eq!(described("reed t", &[problem(0, 4)]), "what is this?\n  reed t\n  ^^^^");
        assert_eq!(described("set t\n\u{e9} b", &[problem(9, 10)]), "what is this?\n  \u{e9} b\n    ^");
        assert_eq!(described("read", &[problem(4, 4)]), "what is this?\n  read\n      ^");
        assert_eq!(described("read", &[problem(40, 90)]), "what is this?\n  read\n      ^");
        assert_eq!(line_of("set t\nx", 7, &[problem(6, 7)]), 8);
    }
}
