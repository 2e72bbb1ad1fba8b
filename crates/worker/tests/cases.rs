//! Runs the case files, which every database must answer alike, on a session that receives frames
//! as the page sends them: natively, and in a worker of a browser.

use tabletop_model::{Request, Response, Timestamp, wire};
use tabletop_protocol::{Answer, Ask};
use tabletop_worker::{Next, Session, frame};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::database::Database;
use crate::script::Script;

/// The case files by their path below `tests/cases/`. They are compiled in, because a browser
/// cannot list folders.
macro_rules! cases {
    ($($path:literal)*) => { [$(($path, include_str!(concat!("../../../tests/cases/", $path)))),*] };
}

const CASES: [(&str, &str); 17] = cases! {
    "filters/1_leaves.txt" "filters/2_combinations.txt" "filters/3_regexes.txt" "filters/4_refusals.txt"
    "mutations/1_cells.txt" "mutations/2_deletes.txt" "mutations/3_atomic.txt" "mutations/4_limits.txt"
    "mutations/5_aggregates.txt" "mutations/6_conditional.txt"
    "reads/1_rows.txt" "reads/2_refusals.txt" "slices/1_slices.txt"
    "tables/1_tables.txt" "tables/2_families.txt" "tables/3_drop_rows.txt" "tables/4_collection.txt"
};

/// A session whose messages about designs are removed.
struct Tables(Session);

impl Database for Tables {
    fn handle(&mut self, now: Timestamp, request: Request) -> Response {
        let mut message = 7_u32.to_le_bytes().to_vec();
        message.extend(wire::encode(&Ask::Request { request, now }));
        let request = frame::Request::read(&message).expect("a request");
        let answer = request.answer(&mut self.0, || now);
        match wire::decode(&answer[4..]).expect("an answer of this build") {
            Answer::Response(Response::Tables(mut tables)) => {
                tables.retain(|table| table != "design-1");
                Response::Tables(tables)
            }
            Answer::Response(response) => response,
            Answer::Failed(error) => Response::Refused(error),
            other => panic!("a request was answered with {other:?}"),
        }
    }

    fn settle(&mut self, now: Timestamp) {
        while self.0.advance(now, 500) == Next::Now {}
    }
}

#[test]
fn a_session_answers_as_written() {
    for (path, text) in CASES {
        let mut script = Script::new(Tables(Session::new()));
        for block in text.split("\n\n").map(|block| block.trim_matches('\n')) {
            if block.lines().all(|line| line.starts_with('#')) {
                continue;
            }
            let (commands, expected) = block.split_once("\n----").expect("each block has an answer");
            let actual = script.run(commands);
            assert_eq!(without_messages(&actual), without_messages(expected), "{path}: {commands}");
        }
    }
}

/// A refusal may name the tables of the designs, so only its code is compared.
fn without_messages(text: &str) -> String {
    let code = |line: &str| match line.split_once(" desc =") {
        Some((before, _)) if before.contains("rpc error: code = ") => before.to_string(),
        _ => line.to_string(),
    };
    text.trim().lines().map(|line| code(line) + "\n").collect()
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_case_is_run() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut found = Vec::new();
    for folder in ["filters", "mutations", "reads", "slices", "tables"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder of cases").flatten() {
            found.push(format!("{folder}/{}", entry.file_name().to_string_lossy()));
        }
    }
    found.sort();
    assert_eq!(found, CASES.map(|(path, _)| path));
}
