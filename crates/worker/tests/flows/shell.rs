//! Commands of the shell on the tables of a session, in both languages, and their log.

use tabletop_keys::{LayoutKind, RowChoice};
use tabletop_model::{Request, Response, TableRequest};
use tabletop_protocol::{Answer, Ask};
use tabletop_shell::{Language, Run, Settings, Step, split, write};
use tabletop_views::shell::{CommandStatus, CsvColumns, ShellEvent, ShellState};

use super::{Host, built};
use crate::host::USER_FIRST;

/// Runs commands one after the other, as the page does, and returns the log.
fn run(host: &mut Host, shell: &mut ShellState, language: Language, text: &str) -> String {
    let settings = Settings { language, utc_offset_seconds: |_| 0, now: || 7_000, read_formats: None };
    for place in split(language, text) {
        let command = text[place.start as usize..place.end as usize].trim();
        shell.apply(ShellEvent::Began(language, command.into()));
        let mut run = match Run::start(&settings, command) {
            Ok(run) => run,
            Err(problems) => {
                shell.apply(ShellEvent::Refused(problems));
                continue;
            }
        };
        loop {
            match run.step() {
                Step::Request(request) => run.answer(host.respond(*request)),
                Step::Open(_) => run.file(Ok(b",a,b\nr1,1,2\nr2,3,4\n")),
                Step::Done => break,
            }
        }
        let failed = run.failure().is_some();
        shell.apply(ShellEvent::Printed(run.take_output()));
        shell.apply(ShellEvent::Ended(if failed { CommandStatus::Failed } else { CommandStatus::Done }));
    }
    shell.log.text()
}

impl Host {
    fn respond(&mut self, request: Request) -> Response {
        match self.ask(Ask::Request { request, now: 7_000 }) {
            Answer::Response(response) => response,
            Answer::Failed(error) => Response::Refused(error),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_mistake_has_a_caret_below_it_and_the_engine_names_what_is_missing() {
    let (mut host, mut shell) = (Host::new(), ShellState::default());
    let log = run(&mut host, &mut shell, Language::Cbt, "cuont design-1");
    assert!(log.starts_with("cbt> cuont design-1\n     ^^^^^\n") && log.contains("count"), "{log}");
    let log = run(&mut host, &mut shell, Language::Cbt, "read design-1 cuont=3");
    let caret = log.lines().rev().find(|line| line.contains('^')).expect("a caret");
    assert_eq!(caret.find('^'), Some("cbt> read design-1 ".len()), "{log}");
    // Only the engine can produce this message.
    let log = run(&mut host, &mut shell, Language::Cbt, "count nothing");
    let last = shell.log.entries().last().expect("an entry");
    assert!(last.end == CommandStatus::Failed && last.output.concat().contains("nothing"), "{log}");
}

#[test]
fn each_language_reads_what_the_other_has_written_to_the_same_table() {
    let (mut host, mut shell) = (built(USER_FIRST, LayoutKind::Narrow), ShellState::default());
    run(
        &mut host,
        &mut shell,
        Language::Cbt,
        "# a table of its own\ncreatetable mine families=f\n\nset mine r2 f:q=two\n",
    );
    let log = run(&mut host, &mut shell, Language::HBase, "put 'mine', 'r1', 'f:q', 'hello'\nscan 'mine'");
    assert!(log.contains("COLUMN+CELL") && log.contains("value=two"), "{log}");
    let log = run(&mut host, &mut shell, Language::Cbt, "read mine\ncount mine\ncount design-1");
    assert!(log.contains("\"hello\"") && log.contains("cbt> count mine\n2"), "{log}");
    assert!(log.ends_with("cbt> count design-1\n20000\n"), "{log}");
    assert!(log.starts_with("cbt> createtable mine"), "{log}");
    // What is written for a request is a command that makes it.
    let count = write(Language::Cbt, &TableRequest::SampleRowKeys.of("design-1")).join("\n");
    let log = run(&mut host, &mut shell, Language::Cbt, &count);
    let last = shell.log.entries().last().expect("an entry");
    assert!(last.end == CommandStatus::Done && !last.output.is_empty(), "{log}");
    let log = run(&mut host, &mut shell, Language::Cbt, "import mine rows.csv column-family=f\nread mine");
    assert!(log.contains("\"4\""), "{log}");
    shell.apply(ShellEvent::Cleared);
    assert_eq!(shell.log.text(), "");
}

#[test]
fn the_rows_of_a_table_are_written_in_the_form_that_cbt_imports() {
    // Two lines of columns, then one line per row with times after the values.
    let mut host = built("{timestamp:iso},{app_id},{user_token}", LayoutKind::Narrow);
    let rows = host.rows_of(RowChoice::All, None, 0).rows;
    let mut columns = CsvColumns::default();
    assert!(rows.iter().all(|row| columns.see(row)));
    let mut file = columns.head();
    rows.iter().for_each(|row| columns.push_row(row, &mut file).expect("its columns are known"));
    let text = String::from_utf8(file).expect("values are texts");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 20_002);
    assert!(lines[0].starts_with(",click,") && lines[1].starts_with(",category,"), "{lines:.2?}");
    assert!(lines[2].contains("@1559"), "{}", lines[2]);
}
