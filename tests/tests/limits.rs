//! Limits that are too large for a case file.

use tabletop_engine::Instance;
use tabletop_model::{
    Bytes, Code, ColumnFamily, Mutation, ReadRows, Response, RowMutation, TableRequest, TableSpec, limits,
};
use tabletop_tests::{Database, read_all};

#[test]
fn a_value_has_at_most_100_mebibytes() {
    let mut instance = with_table("t");
    let set = |bytes: usize| {
        let value = Bytes(vec![b'v'; bytes]);
        let cell = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 1000, value };
        TableRequest::MutateRows(vec![RowMutation { key: "r".into(), mutations: vec![cell] }]).of("t")
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
    let create = |index: usize| TableRequest::Create(TableSpec::default()).of(format!("t{index}"));
    for index in 1..limits::TABLES_MAX {
        assert_eq!(instance.handle(0, create(index)), Response::Done);
    }
    let refused =
        |response| matches!(response, Response::Refused(error) if error.code == Code::ResourceExhausted);
    assert!(refused(instance.handle(0, create(limits::TABLES_MAX))));
    assert_eq!(instance.handle(0, TableRequest::Delete.of("t7")), Response::Done);
    assert_eq!(instance.handle(0, create(limits::TABLES_MAX)), Response::Done);
}

fn with_table(name: &str) -> Instance {
    let mut instance = Instance::new();
    let spec = TableSpec { families: vec![ColumnFamily::new("f")], ..TableSpec::default() };
    assert_eq!(instance.handle(0, TableRequest::Create(spec).of(name)), Response::Done);
    instance
}

fn codes(response: Response) -> Vec<Option<Code>> {
    let Response::Mutated(results) = response else { panic!("a mutation was answered with {response:?}") };
    results.into_iter().map(|result| result.map(|error| error.code)).collect()
}
