//! Limits that are too large for a case file.

use tabletop_cluster::Instance;
use tabletop_model::{Bytes, Code, ColumnFamily, Mutation, ReadRows, Request, Response, RowMutation, TableSpec, limits};
use tabletop_tests::{Database, read_all};

#[test]
fn a_value_has_at_most_100_mebibytes() {
    let mut instance = with_table("t");
    let set = |bytes: usize| {
        let value = Bytes(vec![b'v'; bytes]);
        let cell = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 1000, value };
        Request::MutateRows { table: "t".into(), entries: vec![RowMutation { key: "r".into(), mutations: vec![cell] }] }
    };
    assert_eq!(codes(instance.handle(0, set(limits::VALUE_BYTES_MAX + 1))), [Some(Code::InvalidArgument)]);
    assert_eq!(codes(instance.handle(0, set(limits::VALUE_BYTES_MAX))), [None]);
    instance.settle(0);
    let read = read_all(&mut instance, 0, "t", &ReadRows::default()).expect("a row below the limit");
    assert_eq!(read.rows[0].cells[0].value.len(), limits::VALUE_BYTES_MAX);
}

#[test]
fn an_instance_has_at_most_1000_tables() {
    let mut instance = with_table("t0");
    let create = |index: usize| Request::CreateTable { table: format!("t{index}"), spec: TableSpec::default() };
    for index in 1..limits::TABLES_MAX {
        assert_eq!(instance.handle(0, create(index)), Response::Done);
    }
    let refused = |response| matches!(response, Response::Refused(error) if error.code == Code::ResourceExhausted);
    assert!(refused(instance.handle(0, create(limits::TABLES_MAX))));
    assert_eq!(instance.handle(0, Request::DeleteTable { table: "t7".into() }), Response::Done);
    assert_eq!(instance.handle(0, create(limits::TABLES_MAX)), Response::Done);
}

fn with_table(name: &str) -> Instance {
    let mut instance = Instance::new();
    let spec = TableSpec { families: vec![ColumnFamily::new("f")], ..TableSpec::default() };
    assert_eq!(instance.handle(0, Request::CreateTable { table: name.into(), spec }), Response::Done);
    instance
}

fn codes(response: Response) -> Vec<Option<Code>> {
    let Response::Mutated(results) = response else { panic!("a mutation was answered with {response:?}") };
    results.into_iter().map(|result| result.map(|error| error.code)).collect()
}
