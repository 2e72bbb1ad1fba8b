//! Stories in both languages, run on an instance.

mod cbt;
mod hbase;
mod properties;

use alloc::string::String;

use expect_test::Expect;
use tabletop_engine::{Instance, MemoryStorage};
use tabletop_model::Timestamp;

use crate::{Language, Run, Settings, Step, split};

/// The time of the instance in microseconds.
const NOW: Timestamp = 1_559_001_874_000_000;

/// The file that `import` reads.
const FILE: &str = ",f,,g\n,a,b,c\nr1,1,,x@2000\nr2,,,\n,1,2,3\n\"r,3\",\"say \"\"hi\"\"\",2,\n";

/// Runs a story in a language on an empty instance, one hour east of UTC.
pub(super) fn transcript(language: Language, story: &str) -> String {
    let settings = Settings { language, utc_offset_seconds: |_| 3_600, now: || NOW, read_formats: None };
    let mut instance: Instance<MemoryStorage> = Instance::new();
    let mut out = String::new();
    for place in split(language, story) {
        let line = &story[place.start as usize..place.end as usize];
        match Run::start(&settings, line) {
            Ok(run) => finish(run, &mut instance, &mut out),
            Err(problems) => {
                for problem in problems {
                    let (start, end) = (problem.span.start as usize, problem.span.end as usize);
                    out.extend(["[", &line[start..end], "] ", &problem.message, "\n"]);
                }
            }
        }
    }
    out
}

fn finish(mut run: Run, instance: &mut Instance<MemoryStorage>, out: &mut String) {
    loop {
        let step = run.step();
        out.push_str(&run.take_output());
        match step {
            Step::Request(request) => run.answer(instance.handle(NOW, *request)),
            Step::Open(name) if name == "no.csv" => run.file(Err("no such file".into())),
            Step::Open(name) => run.file(Ok(match name.as_str() {
                "uneven.csv" => b",f\n,a\n\nu1,1\nu2,2\nu3,3,4\n",
                "heads.csv" => b",f,g\n,a\n",
                "ruled.csv" => b",f\n,a\n\nu1,1\n,2\n",
                _ => FILE.as_bytes(),
            })),
            Step::Done => return,
        }
    }
}

#[track_caller]
fn check(language: Language, story: &str, expected: Expect) {
    expected.assert_eq(&transcript(language, story));
}
