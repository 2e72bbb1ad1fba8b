use tabletop_engine::Instance;
use tabletop_model::{ColumnFamily, RowMutation, TableSpec};

use super::*;
use crate::grpc::admin::proto::authorized_view::FamilySubsets;

/// Returns a view of the rows that begin with `u`, with column `one` and the columns that begin
/// with `p.` of family `a`, and all columns of family `b`.
fn view() -> View {
    let bytes = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
    let a = FamilySubsets { qualifiers: bytes(&["one"]), qualifier_prefixes: bytes(&["p.", "p.q"]) };
    let b = FamilySubsets { qualifiers: bytes(&["x"]), qualifier_prefixes: bytes(&["", "y"]) };
    let families = [("a".to_string(), a), ("b".to_string(), b)];
    View::new(
        "projects/p/instances/i/tables/t/authorizedViews/v",
        &SubsetView { row_prefixes: bytes(&["u", "us"]), family_subsets: families.into() },
    )
}

fn set(family: &str, qualifier: &[u8]) -> Mutation {
    let (family, qualifier) = (family.into(), Bytes::from(qualifier));
    Mutation::SetCell { family, qualifier, timestamp: 0, value: "v".into() }
}

/// Reads through a view, from a table of three rows that have columns within and outside of the
/// view.
fn found(view: &View, mut read: ReadRows) -> Vec<String> {
    let mut instance = Instance::new();
    let families = ["a", "b", "c"].map(ColumnFamily::new).to_vec();
    let spec = TableSpec { families, ..TableSpec::default() };
    instance.create_table(0, "t", spec).unwrap();
    let mut table = instance.table("t").unwrap();
    let columns: [(&str, &[u8]); 7] = [
        ("a", b"one"),
        ("a", b"one!"),
        ("a", b"p.\n\xff"),
        ("a", b"pq"),
        ("b", b""),
        ("b", b"z"),
        ("c", b"one"),
    ];
    let mutations: Vec<Mutation> = columns.iter().map(|(family, qualifier)| set(family, qualifier)).collect();
    let entries = ["t9", "u1", "v"].map(|key| RowMutation { key: key.into(), mutations: mutations.clone() });
    assert_eq!(table.mutate_rows(0, &entries), Ok(vec![None; 3]));
    let read = restrict_read(view, &mut read).map(|()| read);
    match read.and_then(|read| table.read(0, &read)) {
        Ok(chunk) => {
            let cells = |row: &tabletop_model::Row| {
                let key = row.key.to_string();
                row.cells
                    .iter()
                    .map(|cell| format!("{key} {}:{}", cell.family, cell.qualifier))
                    .collect::<Vec<_>>()
            };
            chunk.rows.iter().flat_map(cells).collect()
        }
        Err(error) => vec![error.message],
    }
}

#[test]
fn ranges_that_overlap_are_not_multiplied_by_the_prefixes() {
    let prefixes = ["a", "b", "c"].map(|prefix| prefix.as_bytes().to_vec()).to_vec();
    let view = View::new("v", &SubsetView { row_prefixes: prefixes, ..SubsetView::default() });
    let rows = RowSet { keys: vec!["b".into()], ranges: vec![RowRange::ALL; 100] };
    let mut read = ReadRows { rows, ..ReadRows::default() };
    restrict_read(&view, &mut read).unwrap();
    assert_eq!((read.rows.keys.len(), read.rows.ranges.len()), (0, 3), "{:?}", read.rows);
}

#[test]
fn a_read_returns_only_cells_of_the_view() {
    let all = ["u1 a:one", "u1 a:p.\\n\\xff", "u1 b:", "u1 b:z"];
    assert_eq!(found(&view(), ReadRows::default()), all);
    let keys =
        |keys: &[&str]| RowSet { keys: keys.iter().map(|key| (*key).into()).collect(), ranges: Vec::new() };
    let of = |rows: RowSet| found(&view(), ReadRows { rows, ..ReadRows::default() });
    assert_eq!(of(keys(&["t9", "u1"])), all);
    assert_eq!(of(keys(&["t9"])), [""; 0]);
    assert_eq!(
        of(RowSet::range(RowRange { start: Bound::Excluded("u1".into()), end: Bound::Unbounded })),
        [""; 0]
    );
    assert_eq!(of(RowSet::range(RowRange::closed_open("a", "u2"))), all);
    assert_eq!(of(RowSet::range(RowRange::closed_open("v", "w"))), [""; 0]);
    // No spelling of the table's beginning or end bypasses the view.
    assert_eq!(of(RowSet::range(RowRange::closed_open("a", ""))), all);
    assert_eq!(of(RowSet::range(RowRange::closed_open("", ""))), all);
    assert_eq!(of(RowSet::range(RowRange::closed_open("v", ""))), [""; 0]);
    assert_eq!(
        of(RowSet::range(RowRange { start: Bound::Excluded("".into()), end: Bound::Included("".into()) })),
        all
    );
    let with = |filter: RowFilter| found(&view(), ReadRows { filter: Some(filter), ..ReadRows::default() });
    assert_eq!(with(RowFilter::CellsPerRowLimit(3)), all[..3]);
    assert_eq!(with(RowFilter::FamilyNameRegex("c".into())), [""; 0]);
    let sink = RowFilter::Interleave(vec![RowFilter::Sink(true), RowFilter::BlockAll(true)]);
    assert_eq!(with(sink), all, "a sink receives only cells of the view");
    assert_eq!(found(&View::default(), ReadRows::default()), [""; 0], "a view without prefixes has no rows");
}

#[test]
fn an_invalid_read_of_a_view_is_refused() {
    let of = |rows: RowSet| found(&view(), ReadRows { rows, ..ReadRows::default() }).concat();
    let backwards = of(RowSet::range(RowRange::closed_open("b", "a")));
    assert!(backwards.contains("start"), "{backwards}");
    let empty = of(RowSet { keys: vec!["".into()], ranges: Vec::new() });
    assert!(empty.contains("empty"), "{empty}");
    let link = found(&view(), ReadRows { filter: Some(RowFilter::Chain(Vec::new())), ..ReadRows::default() })
        .concat();
    assert!(link.contains("at least two"), "{link}");
}

#[test]
fn a_write_beyond_the_view_is_denied() {
    let view = view();
    let denied = |key: &str, mutation: Mutation| match check_mutation(&view, &key.into(), &mutation) {
        Ok(()) => false,
        Err(status) => {
            assert_eq!(status.code(), tonic::Code::PermissionDenied);
            true
        }
    };
    let family = |name: &str| Mutation::DeleteFromFamily { family: name.into() };
    assert!(
        !denied("u1", set("a", b"one")) && !denied("u", set("a", b"p.\xff")) && !denied("u1", family("b"))
    );
    assert!(denied("t", set("a", b"one")) && denied("u1", set("a", b"on")) && denied("u1", set("c", b"one")));
    assert!(denied("u1", family("a")) && denied("u1", family("c")) && denied("u1", Mutation::DeleteFromRow));

    let mut check = CheckAndMutateRow {
        key: "u1".into(),
        predicate: None,
        on_match: vec![set("b", b"x")],
        otherwise: Vec::new(),
    };
    restrict_check(&view, &mut check).unwrap();
    assert_eq!(check.predicate, Some(view.restrict_filter(None)), "any cell of the view, not of the row");
    check.otherwise.push(set("c", b"x"));
    assert!(restrict_check(&view, &mut check).is_err());

    let rule = |family: &str| tabletop_model::ReadModifyWriteRule {
        family: family.into(),
        qualifier: "one".into(),
        modify: tabletop_model::ReadModify::Increment(1),
    };
    let row = |family: &str| ReadModifyWriteRow { key: "u1".into(), rules: vec![rule("b"), rule(family)] };
    assert!(
        check_read_modify_write(&view, &row("a")).is_ok()
            && check_read_modify_write(&view, &row("c")).is_err()
    );
}
