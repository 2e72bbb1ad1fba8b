// The queries of table orders, written by Tabletop.
use bigtable_rs::bigtable::{BigTable, BigTableConnection, RowCell};
use bigtable_rs::google::bigtable::v2::row_filter::Filter;
use bigtable_rs::google::bigtable::v2::row_range::{EndKey, StartKey};
use bigtable_rs::google::bigtable::v2::*;

const TABLE: &str = "orders";
/// Bytes of a key before its logical part, which the order of the rows ignores.
const SALT_BYTES: usize = 2;
/// The salts, and the text between a salt and the logical part.
const SALTS: u32 = 3;
const SEPARATOR: &[u8] = b"-";

pub async fn open_client() -> Result<BigTable, bigtable_rs::bigtable::Error> {
    Ok(BigTableConnection::new("clients", "tests", true, 1, None).await?.client())
}

// All orders: all rows
pub async fn read_all_orders(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = None;
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// First four days: at most 4 rows
pub async fn read_first_four_days(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::CellsPerColumnLimitFilter(1)));
    read(client, TABLE, row_sets, row_filter, 4, false, logical_key).await
}

// Last three days: at most 3 rows, the last first
pub async fn read_last_three_days(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE, row_sets, row_filter, 3, true, logical_key).await
}

// All backwards: all rows, the last first
pub async fn read_all_backwards(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, true, logical_key).await
}

// Orders of o'neil: all rows
// This design finds these values with a filter or in several ranges, so they are written here.
pub async fn read_orders_of_o_neil(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-o'neil#".to_vec(), b"0-o'neil$".to_vec())]),
        (vec![], vec![(b"1-o'neil#".to_vec(), b"1-o'neil$".to_vec())]),
        (vec![], vec![(b"2-o'neil#".to_vec(), b"2-o'neil$".to_vec())]),
        (vec![], vec![(b"o'neil#".to_vec(), b"o'neil$".to_vec())]),
    ];
    let row_filter = None;
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// Orders of Zo? since 2 January: all rows
// This design finds these values with a filter or in several ranges, so they are written here.
pub async fn read_orders_of_zo_since_2_january(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo\xc3\xab#2026-01-02".to_vec(), b"0-zo\xc3\xab#2026-01-04".to_vec())]),
        (vec![], vec![(b"1-zo\xc3\xab#2026-01-02".to_vec(), b"1-zo\xc3\xab#2026-01-04".to_vec())]),
        (vec![], vec![(b"2-zo\xc3\xab#2026-01-02".to_vec(), b"2-zo\xc3\xab#2026-01-04".to_vec())]),
    ];
    let row_filter = None;
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// Refunds: all rows
// This design finds these values with a filter or in several ranges, so they are written here.
pub async fn read_refunds(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::FamilyNameRegexFilter("refund".into())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// Some days: all rows
pub async fn read_some_days(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![b"0-ann#2026-01-02".to_vec()], vec![]),
        (vec![b"bob#2026-01-01".to_vec(), b"nobody#2026-01-01".to_vec()], vec![]),
    ];
    let row_filter = Some(filter(Filter::CellsPerColumnLimitFilter(1)));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// Some days backwards: at most 2 rows, the last first
pub async fn read_some_days_backwards(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![b"0-ann#2026-01-02".to_vec()], vec![]),
        (vec![b"1-zo\xc3\xab#2026-01-02".to_vec()], vec![]),
        (vec![b"bob#2026-01-01".to_vec()], vec![]),
    ];
    let row_filter = Some(filter(Filter::CellsPerColumnLimitFilter(1)));
    read(client, TABLE, row_sets, row_filter, 2, true, logical_key).await
}

// A to b: all rows
pub async fn read_a_to_b(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-ann#2026-01-02".to_vec(), b"0-bob#2026-01-03".to_vec())]),
        (vec![], vec![(b"1-ann#2026-01-02".to_vec(), b"1-bob#2026-01-03".to_vec())]),
        (vec![], vec![(b"2-ann#2026-01-02".to_vec(), b"2-bob#2026-01-03".to_vec())]),
        (vec![], vec![(b"ann#2026-01-02".to_vec(), b"bob#2026-01-03".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// After, to the end: all rows
pub async fn read_after_to_the_end(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo\x00".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-zo\x00".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-zo\x00".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"zo\x00".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// Up to: all rows
pub async fn read_up_to(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0-ann#2026-01-02\x00".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1-ann#2026-01-02\x00".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2-ann#2026-01-02\x00".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"ann#2026-01-02\x00".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By a chain: all rows
pub async fn read_by_a_chain(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::FamilyNameRegexFilter("sale".into())), filter(Filter::ColumnQualifierRegexFilter(b"item|amount".to_vec())), filter(Filter::CellsPerColumnLimitFilter(1))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By an interleave: all rows
pub async fn read_by_an_interleave(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Interleave(row_filter::Interleave { filters: vec![filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())), filter(Filter::ApplyLabelTransformer("sum".into()))] })), filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"item".to_vec())), filter(Filter::StripValueTransformer(true)), filter(Filter::ApplyLabelTransformer("thing-2".into()))] }))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By a condition: all rows
pub async fn read_by_a_condition(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Condition(Box::new(row_filter::Condition { predicate_filter: Some(Box::new(filter(Filter::FamilyNameRegexFilter("refund".into())))), true_filter: Some(Box::new(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())))), false_filter: Some(Box::new(filter(Filter::ColumnQualifierRegexFilter(b"item".to_vec())))) }))));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By a condition of one branch: all rows
pub async fn read_by_a_condition_of_one_branch(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Condition(Box::new(row_filter::Condition { predicate_filter: Some(Box::new(filter(Filter::FamilyNameRegexFilter("refund".into())))), true_filter: Some(Box::new(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())))), false_filter: None }))));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By the other branch: all rows
pub async fn read_by_the_other_branch(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Condition(Box::new(row_filter::Condition { predicate_filter: Some(Box::new(filter(Filter::FamilyNameRegexFilter("refund".into())))), true_filter: None, false_filter: Some(Box::new(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())))) }))));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By a sink: all rows
pub async fn read_by_a_sink(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::Interleave(row_filter::Interleave { filters: vec![filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())), filter(Filter::Sink(true))] })), filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())), filter(Filter::ApplyLabelTransformer("later".into()))] }))] })), filter(Filter::FamilyNameRegexFilter("refund".into()))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By pass all: all rows
pub async fn read_by_pass_all(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-bob".to_vec(), b"0-boc".to_vec())]),
        (vec![], vec![(b"1-bob".to_vec(), b"1-boc".to_vec())]),
        (vec![], vec![(b"2-bob".to_vec(), b"2-boc".to_vec())]),
        (vec![], vec![(b"bob".to_vec(), b"boc".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::PassAllFilter(true)));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By block all: all rows
pub async fn read_by_block_all(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-bob".to_vec(), b"0-boc".to_vec())]),
        (vec![], vec![(b"1-bob".to_vec(), b"1-boc".to_vec())]),
        (vec![], vec![(b"2-bob".to_vec(), b"2-boc".to_vec())]),
        (vec![], vec![(b"bob".to_vec(), b"boc".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::BlockAllFilter(true)));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By row key regex: all rows
pub async fn read_by_row_key_regex(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::RowKeyRegexFilter(b"..zo\\xc3\\xab#.*-0[13]".to_vec())), filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec()))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By row key regex with bytes: all rows
pub async fn read_by_row_key_regex_with_bytes(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::RowKeyRegexFilter(b"\\C*\xc3\xab#.*-02".to_vec())), filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec()))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By qualifier regex: all rows
pub async fn read_by_qualifier_regex(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"a.*t".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By empty qualifier regex: all rows
pub async fn read_by_empty_qualifier_regex(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By value regex: all rows
pub async fn read_by_value_regex(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ValueRegexFilter(b"cr.*e|t\\C*|a\\\\b".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By value regex with bytes: all rows
pub async fn read_by_value_regex_with_bytes(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ValueRegexFilter(b"cr\xc3\xa8me|\"No, .*\"".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By empty value regex: all rows
pub async fn read_by_empty_value_regex(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ValueRegexFilter(b"".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By column range: all rows
pub async fn read_by_column_range(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnRangeFilter(ColumnRange { family_name: "sale".into(), start_qualifier: Some(column_range::StartQualifier::StartQualifierClosed(b"amount".to_vec())), end_qualifier: Some(column_range::EndQualifier::EndQualifierOpen(b"item".to_vec())) })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By open column range: all rows
pub async fn read_by_open_column_range(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnRangeFilter(ColumnRange { family_name: "sale".into(), start_qualifier: Some(column_range::StartQualifier::StartQualifierOpen(b"amount".to_vec())), end_qualifier: Some(column_range::EndQualifier::EndQualifierClosed(b"item".to_vec())) })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By column range without ends: all rows
pub async fn read_by_column_range_without_ends(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnRangeFilter(ColumnRange { family_name: "refund".into(), ..Default::default() })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By column range without end: all rows
pub async fn read_by_column_range_without_end(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnRangeFilter(ColumnRange { family_name: "sale".into(), start_qualifier: Some(column_range::StartQualifier::StartQualifierClosed(b"item".to_vec())), ..Default::default() })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By time range: all rows
pub async fn read_by_time_range(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::TimestampRangeFilter(TimestampRange { start_timestamp_micros: 1767355200000000, end_timestamp_micros: 1767484800000000 })), filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec()))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By time range without end: all rows
pub async fn read_by_time_range_without_end(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::TimestampRangeFilter(TimestampRange { start_timestamp_micros: 1767398400000000, end_timestamp_micros: 0 })), filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec()))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By time range without start: all rows
pub async fn read_by_time_range_without_start(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::TimestampRangeFilter(TimestampRange { start_timestamp_micros: 0, end_timestamp_micros: 1767312000000000 })), filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec()))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By value range: all rows
pub async fn read_by_value_range(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())), filter(Filter::ValueRangeFilter(ValueRange { start_value: Some(value_range::StartValue::StartValueClosed(b"037".to_vec())), end_value: Some(value_range::EndValue::EndValueOpen(b"063".to_vec())) }))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By open value range: all rows
pub async fn read_by_open_value_range(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())), filter(Filter::ValueRangeFilter(ValueRange { start_value: Some(value_range::StartValue::StartValueOpen(b"037".to_vec())), end_value: Some(value_range::EndValue::EndValueClosed(b"063".to_vec())) }))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By value range without ends: all rows
pub async fn read_by_value_range_without_ends(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())), filter(Filter::ValueRangeFilter(ValueRange { ..Default::default() }))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By value range from empty: all rows
pub async fn read_by_value_range_from_empty(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::ColumnQualifierRegexFilter(b"item".to_vec())), filter(Filter::ValueRangeFilter(ValueRange { start_value: Some(value_range::StartValue::StartValueOpen(b"".to_vec())), end_value: Some(value_range::EndValue::EndValueOpen(b"d".to_vec())) }))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By offset and limit: all rows
pub async fn read_by_offset_and_limit(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo".to_vec(), b"0-zp".to_vec())]),
        (vec![], vec![(b"1-zo".to_vec(), b"1-zp".to_vec())]),
        (vec![], vec![(b"2-zo".to_vec(), b"2-zp".to_vec())]),
        (vec![], vec![(b"zo".to_vec(), b"zp".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::CellsPerRowOffsetFilter(1)), filter(Filter::CellsPerRowLimitFilter(2))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By sample: all rows
pub async fn read_by_sample(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-bob".to_vec(), b"0-boc".to_vec())]),
        (vec![], vec![(b"1-bob".to_vec(), b"1-boc".to_vec())]),
        (vec![], vec![(b"2-bob".to_vec(), b"2-boc".to_vec())]),
        (vec![], vec![(b"bob".to_vec(), b"boc".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::Chain(row_filter::Chain { filters: vec![filter(Filter::RowSampleFilter(0.999999999999)), filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec()))] })));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By strip value: all rows
pub async fn read_by_strip_value(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-bob".to_vec(), b"0-boc".to_vec())]),
        (vec![], vec![(b"1-bob".to_vec(), b"1-boc".to_vec())]),
        (vec![], vec![(b"2-bob".to_vec(), b"2-boc".to_vec())]),
        (vec![], vec![(b"bob".to_vec(), b"boc".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::StripValueTransformer(true)));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// By bitmask: all rows
// This client does not support value_bitmask: run this query in another language.

// Read: all rows
pub async fn read_read(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-nobody".to_vec(), b"0-nobodz".to_vec())]),
        (vec![], vec![(b"1-nobody".to_vec(), b"1-nobodz".to_vec())]),
        (vec![], vec![(b"2-nobody".to_vec(), b"2-nobodz".to_vec())]),
        (vec![], vec![(b"nobody".to_vec(), b"nobodz".to_vec())]),
    ];
    let row_filter = None;
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

// read: at most 1 rows
pub async fn read_read_query2(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-ann".to_vec(), b"0-ano".to_vec())]),
        (vec![], vec![(b"1-ann".to_vec(), b"1-ano".to_vec())]),
        (vec![], vec![(b"2-ann".to_vec(), b"2-ano".to_vec())]),
        (vec![], vec![(b"ann".to_vec(), b"ano".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE, row_sets, row_filter, 1, false, logical_key).await
}

// 1/1; "x" | */ ?: all rows
pub async fn read_1_1_x(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-bob".to_vec(), b"0-boc".to_vec())]),
        (vec![], vec![(b"1-bob".to_vec(), b"1-boc".to_vec())]),
        (vec![], vec![(b"2-bob".to_vec(), b"2-boc".to_vec())]),
        (vec![], vec![(b"bob".to_vec(), b"boc".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE, row_sets, row_filter, 0, false, logical_key).await
}

/// A key without its salt, if it has one. (A key that does not hold the time can have two rows,
/// from before and after the cut-over.)
fn logical_key(key: &[u8]) -> &[u8] {
    let Some((head, rest)) = key.split_at_checked(SALT_BYTES) else { return key };
    let (digits, separator) = head.split_at(SALT_BYTES - SEPARATOR.len());
    let next = |salt: u32, digit: &u8| digit.is_ascii_digit().then(|| salt * 10 + u32::from(digit - b'0'));
    let is_salted = digits.iter().try_fold(0, next).is_some_and(|salt| salt < SALTS) && separator == SEPARATOR;
    if is_salted { rest } else { key }
}

/// Keys, and ranges from a start (inclusive) to an end (exclusive; empty for none).
type Rows = (Vec<Vec<u8>>, Vec<(Vec<u8>, Vec<u8>)>);

type Answer = Vec<(Vec<u8>, Vec<RowCell>)>;

/// The rows of all sets, read at the same time, in the order of their logical keys.
async fn read(
    client: &BigTable,
    table: &str,
    row_sets: &[Rows],
    filter: Option<RowFilter>,
    limit: usize,
    backward: bool,
    logical: fn(&[u8]) -> &[u8],
) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let mut answers = tokio::task::JoinSet::new();
    for (keys, ranges) in row_sets {
        let row_ranges = ranges.iter().map(|(start, end)| RowRange {
            start_key: (!start.is_empty()).then(|| StartKey::StartKeyClosed(start.clone())),
            end_key: (!end.is_empty()).then(|| EndKey::EndKeyOpen(end.clone())),
        });
        let request = ReadRowsRequest {
            table_name: client.get_full_table_name(table),
            rows: Some(RowSet {
                row_keys: keys.clone(),
                row_ranges: row_ranges.collect(),
            }),
            filter: filter.clone(),
            rows_limit: limit as i64,
            reversed: backward,
            ..ReadRowsRequest::default()
        };
        let mut client = client.clone();
        answers.spawn(async move { client.read_rows(request).await });
    }
    let mut rows = Answer::new();
    while let Some(answer) = answers.join_next().await {
        rows.extend(answer??);
    }
    rows.sort_by(|(a, _), (b, _)| {
        let order = logical(a).cmp(logical(b));
        if backward { order.reverse() } else { order }
    });
    rows.truncate(if limit > 0 { limit } else { usize::MAX });
    Ok(rows)
}

fn filter(filter: Filter) -> RowFilter {
    RowFilter { filter: Some(filter) }
}
