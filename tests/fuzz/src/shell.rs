//! Fuzzes the shell languages.

use tabletop_engine::Instance;
use tabletop_model::{Request, Response, TableRequest};
use tabletop_shell::{Language, Run, Settings, Step, complete, split, write};

use crate::table::{NOW, make};

/// The maximum number of requests of one command on a table of four rows.
const STEPS_MAX: usize = 1_000;

/// Runs the commands of a text to their end on a small instance. Checks that their requests can be
/// written as commands that make the same requests, and that completion works at every position of
/// the text.
pub fn commands(input: &[u8]) {
    let Some((first, text)) = input.split_first() else { return };
    let language = if first % 2 == 0 { Language::Cbt } else { Language::HBase };
    let settings = Settings { language, utc_offset_seconds: |_| 3_600, now: || NOW, read_formats: None };
    let text = String::from_utf8_lossy(text);
    let mut instance = Instance::new();
    make(&mut instance);
    for span in split(language, &text) {
        let command = text
            .get(span.start as usize..span.end as usize)
            .expect("a span within the text, between characters");
        match Run::start(&settings, command) {
            Ok(run) => run_to_end(run, &settings, &mut instance),
            Err(problems) => {
                assert!(!problems.is_empty(), "refused without a reason: {command}");
                for problem in problems {
                    let span = problem.span.start as usize..problem.span.end as usize;
                    assert!(command.get(span).is_some(), "{problem:?} must be within {command}");
                }
            }
        }
    }
    let known =
        [("t".to_string(), vec!["g".to_string(), "f".to_string()]), ("\u{e9}t".to_string(), Vec::new())];
    let line = text.lines().next().unwrap_or_default();
    for at in (0..=line.len()).filter(|at| line.is_char_boundary(*at)).take(40) {
        for completion in complete(language, line, at, &known) {
            let span = completion.span.start as usize..completion.span.end as usize;
            assert!(line.get(span).is_some(), "{completion:?} must be within {line}");
        }
    }
}

fn run_to_end(mut run: Run, settings: &Settings, instance: &mut Instance) {
    for _ in 0..STEPS_MAX {
        match run.step() {
            Step::Done => {
                run.take_output();
                return;
            }
            Step::Open(_) => run.file(Ok(b",f,\nkey,q,g:x\n\"r\"\"1\",1,2\nr2,,3")),
            Step::Request(request) => {
                check_written(settings, &request);
                run.answer(instance.handle(NOW, *request));
            }
        }
        run.take_output();
    }
    panic!("a command never ends");
}

/// Checks that the commands for a request can be parsed, and that a single command makes the same
/// request.
fn check_written(settings: &Settings, request: &Request) {
    let lines = write(settings.language, request);
    for line in &lines {
        let run = Run::start(settings, line);
        let mut run =
            run.unwrap_or_else(|problems| panic!("{line} was written for {request:?}: {problems:?}"));
        if let (Request::Table { request: TableRequest::MutateRows(_), .. }, [_]) = (request, &lines[..]) {
            match run.step() {
                Step::Request(again) => assert_eq!(*again, *request, "{line}"),
                other => panic!("{line} was written for {request:?}, and is {other:?}"),
            }
            run.answer(Response::Mutated(vec![None]));
        }
    }
}
