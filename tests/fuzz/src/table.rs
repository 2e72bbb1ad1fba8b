//! The small table of all targets.

use tabletop_model::{
    Aggregate, AggregateInput, ColumnFamily, Mutation, Response, RowMutation, TableRequest, TableSpec,
    Timestamp,
};
use tabletop_tests::Database;

/// The time of the clock, in microseconds since 1970.
pub const NOW: Timestamp = 1_700_000_000_000_000;
/// The table's id.
pub const TABLE: &str = "t";

/// Creates the table: three families, one of them with sums, and a few rows with bytes of all
/// kinds.
pub fn make(database: &mut impl Database) {
    let sums = ColumnFamily { aggregate: Some(Aggregate::Sum), ..ColumnFamily::new("s") };
    let families = vec![ColumnFamily::new("g"), ColumnFamily::new("f"), sums];
    let create = TableRequest::Create(TableSpec { families, ..TableSpec::default() }).of(TABLE);
    assert_eq!(database.handle(NOW, create), Response::Done);
    let set = |family: &str, qualifier: &[u8], timestamp, value: &[u8]| Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp,
        value: value.into(),
    };
    let sum = Mutation::AddToCell {
        family: "s".into(),
        qualifier: "n".into(),
        timestamp: 0,
        input: AggregateInput::Int(7),
    };
    let entry = |key: &[u8], mutations| RowMutation { key: key.into(), mutations };
    let entries = vec![
        entry(b"a", vec![set("f", b"q", 1_000, b"1"), set("f", b"q", 2_000, b"22"), set("g", b"", 0, b"")]),
        entry(
            b"b",
            vec![set("g", b"click,a", 3_000, b"\x00\xff"), set("f", b"x\n", 1_000, "\u{e9}".as_bytes()), sum],
        ),
        entry(
            b"user#1",
            (0..6).map(|at: i64| set("f", &[b'a' + at as u8], at * 1_000, &at.to_be_bytes())).collect(),
        ),
        entry(b"\xff", vec![set("f", b"\xff", 5_000, b"z")]),
    ];
    let written = database.handle(NOW, TableRequest::MutateRows(entries).of(TABLE));
    assert_eq!(written, Response::Mutated(vec![None; 4]));
}
