//! Requests by table name: to the tables of designs, and to other tables that the user creates.

use tabletop_keys::Query;
use tabletop_model::{
    Code, ColumnFamily, DropRowRange, Error, FamilyModification, Inspect, Inspected, Mutation, ReadRows,
    Request, Response, Row, RowMutation, RowSet, SERVER_TIME, TableRequest, TableSpec,
};
use tabletop_protocol::{Answer, Ask};

use crate::host::{self, Host};

const DESIGN: &str = "design-1";
/// A Monday in 2024.
const NOW: i64 = 1_704_067_200_123_456;

fn request(host: &mut Host, request: Request) -> Result<Response, Error> {
    match host.ask(Ask::Request { request, now: NOW }) {
        Answer::Response(Response::Refused(error)) | Answer::Failed(error) => Err(error),
        Answer::Response(response) => Ok(response),
        other => panic!("{other:?}"),
    }
}

fn set(table: &str, key: &str, family: &str, value: &str) -> Request {
    let mutation = Mutation::SetCell {
        family: family.into(),
        qualifier: "q".into(),
        timestamp: SERVER_TIME,
        value: value.into(),
    };
    TableRequest::MutateRows(vec![RowMutation { key: key.into(), mutations: vec![mutation] }]).of(table)
}

fn create(table: &str) -> Request {
    let spec = TableSpec { families: vec![ColumnFamily::new("f")], ..TableSpec::default() };
    TableRequest::Create(spec).of(table)
}

/// Returns all rows, read slice by slice.
fn rows(host: &mut Host, table: &str) -> (Vec<Row>, usize) {
    let mut read = ReadRows { rows: RowSet::all(), ..ReadRows::default() };
    let (mut rows, mut slices) = (Vec::new(), 0);
    loop {
        let Ok(Response::Rows(chunk)) = request(host, TableRequest::ReadRows(read.clone()).of(table)) else {
            panic!("no rows")
        };
        rows.extend(chunk.rows);
        slices += 1;
        read.resume = chunk.resume;
        if read.resume.is_none() {
            return (rows, slices);
        }
    }
}

#[test]
fn tables_can_be_created_next_to_those_of_the_designs() {
    let mut host = Host::new();
    host.settle();
    assert_eq!(request(&mut host, create("mine")), Ok(Response::Done));
    assert_eq!(request(&mut host, set("mine", "r", "f", "v")), Ok(Response::Mutated(vec![None])));
    let names = vec![DESIGN.to_owned(), "mine".into()];
    assert_eq!(request(&mut host, Request::ListTables), Ok(Response::Tables(names)));
    let (mine, _) = rows(&mut host, "mine");
    assert_eq!((mine.len(), mine[0].cells[0].timestamp), (1, 1_704_067_200_123_000));
    // The request does not depend on what the page shows.
    host.template("{user_token}");
    host.settle();
    assert_eq!(rows(&mut host, "mine").0, mine);
    assert_eq!(request(&mut host, TableRequest::Delete.of("mine")), Ok(Response::Done));
    let gone = request(&mut host, set("mine", "r", "f", "v")).expect_err("it is deleted");
    assert_eq!((gone.code, &*gone.message), (Code::NotFound, "table \"mine\" not found. Choose design-1."));
}

#[test]
fn a_change_of_a_designs_rows_lasts_until_its_table_is_built_again() {
    let mut host = Host::new();
    host.finish();
    let before = host.view(0);
    let family = before.families[0].clone();
    let everything = Query { rows_limit: 0, ..host::everything() };
    assert_eq!(request(&mut host, set(DESIGN, "0-first", &family, "v")), Ok(Response::Mutated(vec![None])));
    let after = host.view(0);
    assert!(
        after.revision > before.revision && after.warnings == before.warnings && !after.warnings.is_empty()
    );
    assert_eq!(after.first_keys[0].key, "0-first".into());
    let read = host.read_all(0, everything.clone()).rows;
    assert_eq!((read.len(), &read[0].key), (20_001, &"0-first".into()));
    assert_eq!(
        read[0].cells[0].timestamp, 1_704_067_200_123_000,
        "the user's time, not the time of the design's table"
    );

    host.template("{user_token},{timestamp:iso}");
    host.finish();
    assert_eq!(host.read_all(0, everything).rows.len(), 20_000);
}

#[test]
fn families_of_a_designs_table_can_be_modified() {
    let mut host = Host::new();
    host.settle();
    let modify = |modification| TableRequest::ModifyFamilies(vec![modification]).of(DESIGN);
    request(&mut host, modify(FamilyModification::Create(ColumnFamily::new("extra")))).expect("a new family");
    assert!(host.view(0).families.contains(&"extra".to_owned()));
    let built = host.view(0);
    request(&mut host, modify(FamilyModification::Drop { family: built.families[0].clone() }))
        .expect("an existing family");
    host.finish();
    let view = host.view(0);
    assert!(view.events_built > built.events_built, "events have arrived");
    assert_eq!(
        (view.events_refused, view.families.last()),
        (0, built.families.first()),
        "and created a family for them"
    );
    request(&mut host, TableRequest::DropRowRange(DropRowRange::All).of(DESIGN)).expect("all rows");
    assert_eq!(host.view(0).first_keys, []);
}

#[test]
fn every_read_is_answered_in_slices() {
    let mut host = Host::new();
    host.finish();
    let (all, slices) = rows(&mut host, DESIGN);
    assert!(all.len() == 20_000 && slices > 5, "{} rows in {slices} slices", all.len());
}

#[test]
fn requests_that_would_replace_a_designs_table_are_refused_with_an_alternative() {
    let mut host = Host::new();
    host.settle();
    let before = host.view(0);
    let mut refusal = |asked: Request| request(&mut host, asked).expect_err("it is the design's").message;
    assert!(refusal(create(DESIGN)).contains("the table of the design \"Design 1\". Choose another name"));
    assert!(refusal(TableRequest::Delete.of(DESIGN)).contains("cannot be deleted: the page builds it"));
    assert!(refusal(TableRequest::BackUp { backup: "b".into() }.of(DESIGN)).contains("download it"));
    let piece = TableRequest::Import { piece: "x".into(), is_last: true }.of(DESIGN);
    assert!(refusal(piece).contains("Choose another name"));
    assert_eq!(host.view(0), before);
}

#[test]
fn a_table_follows_the_name_of_its_design() {
    let mut host = Host::new();
    host.edit(|workspace| {
        workspace.designs[0].name = "User first".into();
        workspace.designs.push(workspace.designs[0].clone());
    });
    let names = vec!["user-first".to_owned(), "user-first-2".into()];
    assert_eq!(request(&mut host, Request::ListTables), Ok(Response::Tables(names)));
}

#[test]
fn a_tablet_is_flushed_and_compacted_on_request_between_two_events() {
    let mut host = Host::new();
    host.settle();
    host.ask(Ask::Play(tabletop_protocol::Playback::Seek(5_000)));
    host.settle();
    let everything = Query { rows_limit: 0, ..host::everything() };
    let (view, rows) = (host.view(0), host.read_all(0, everything.clone()).rows);
    let tablet = view.table.tablets.iter().max_by_key(|tablet| tablet.memtable_bytes).expect("a tablet").id;
    let inside =
        |host: &mut Host| match request(host, TableRequest::Inspect(Inspect::Tablet(tablet)).of(DESIGN)) {
            Ok(Response::Inspected(Inspected::Tablet(inside))) => inside,
            other => panic!("{other:?}"),
        };
    let before = inside(&mut host);
    assert!(before.memtables[0].bytes > 0, "{before:?}");
    assert_eq!(request(&mut host, TableRequest::Flush(tablet).of(DESIGN)), Ok(Response::Done));
    let flushed = inside(&mut host);
    assert_eq!((flushed.memtables[0].bytes, flushed.runs.len()), (0, before.runs.len() + 1));
    assert_eq!(request(&mut host, TableRequest::CompactTablet(tablet).of(DESIGN)), Ok(Response::Done));
    assert!(host.view(0).settling);
    host.settle();
    let compacted = inside(&mut host);
    assert_eq!((compacted.runs.len(), compacted.compaction_is_due, host.view(0).settling), (1, false, false));
    assert_eq!(host.read_all(0, everything).rows, rows);
    assert_eq!(host.view(0).revision, view.revision, "no row has changed");
}
