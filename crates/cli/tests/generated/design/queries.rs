// The queries of tables orders, orders-by-kind, written by Tabletop.
use bigtable_rs::bigtable::{BigTable, BigTableConnection, RowCell};
use bigtable_rs::google::bigtable::v2::row_filter::Filter;
use bigtable_rs::google::bigtable::v2::row_range::{EndKey, StartKey};
use bigtable_rs::google::bigtable::v2::*;

const TABLE_ORDERS: &str = "orders";
/// Bytes of a key before its logical part, which the order of the rows ignores.
const SALT_BYTES_ORDERS: usize = 2;
/// The salts, and the text between a salt and the logical part.
const SALTS_ORDERS: u32 = 3;
const SEPARATOR_ORDERS: &[u8] = b"-";
const TABLE_ORDERS_BY_KIND: &str = "orders-by-kind";
/// Bytes of a key before its logical part, which the order of the rows ignores.
const SALT_BYTES_ORDERS_BY_KIND: usize = 2;

pub async fn open_client() -> Result<BigTable, bigtable_rs::bigtable::Error> {
    Ok(BigTableConnection::new("clients", "tests", true, 1, None).await?.client())
}

// All orders: all rows
pub async fn read_all_orders(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (&[], &[(b"0-", b"0.")]),
        (&[], &[(b"1-", b"1.")]),
        (&[], &[(b"2-", b"2.")]),
        (&[], &[(b"", b"0-"), (b"0.", b"1-"), (b"1.", b"2-"), (b"2.", b"")]),
    ];
    let row_filter = None;
    read(client, TABLE_ORDERS, row_sets, row_filter, 0, false, logical_key_orders).await
}

// Orders of Zo?: all rows
pub async fn read_orders_of_zo(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (&[], &[(b"0-zo\xc3\xab#", b"0-zo\xc3\xab$")]),
        (&[], &[(b"1-zo\xc3\xab#", b"1-zo\xc3\xab$")]),
        (&[], &[(b"2-zo\xc3\xab#", b"2-zo\xc3\xab$")]),
        (&[], &[(b"zo\xc3\xab#", b"zo\xc3\xab$")]),
    ];
    let row_filter = None;
    read(client, TABLE_ORDERS, row_sets, row_filter, 0, false, logical_key_orders).await
}

// Last refunds: at most 3 rows
pub async fn read_last_refunds(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (&[], &[(b"0-refund#", b"0-refund$")]),
        (&[], &[(b"1-refund#", b"1-refund$")]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount|customer".to_vec())));
    read(client, TABLE_ORDERS_BY_KIND, row_sets, row_filter, 3, false, logical_key_orders_by_kind).await
}

// All by kind: all rows, the last first
pub async fn read_all_by_kind(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (&[], &[(b"0-", b"0.")]),
        (&[], &[(b"1-", b"1.")]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE_ORDERS_BY_KIND, row_sets, row_filter, 0, true, logical_key_orders_by_kind).await
}

/// A key without its salt, if it has one. (A key that does not hold the time can have two rows,
/// from before and after the cut-over.)
fn logical_key_orders(key: &[u8]) -> &[u8] {
    let Some((head, rest)) = key.split_at_checked(SALT_BYTES_ORDERS) else { return key };
    let (digits, separator) = head.split_at(SALT_BYTES_ORDERS - SEPARATOR_ORDERS.len());
    let next = |salt: u32, digit: &u8| digit.is_ascii_digit().then(|| salt * 10 + u32::from(digit - b'0'));
    let is_salted = digits.iter().try_fold(0, next).is_some_and(|salt| salt < SALTS_ORDERS) && separator == SEPARATOR_ORDERS;
    if is_salted { rest } else { key }
}

/// A key without its salt.
fn logical_key_orders_by_kind(key: &[u8]) -> &[u8] {
    &key[SALT_BYTES_ORDERS_BY_KIND..]
}

/// Keys, and ranges from a start (inclusive) to an end (exclusive; empty for none).
type Rows<'a> = (&'a [&'a [u8]], &'a [(&'a [u8], &'a [u8])]);

type Answer = Vec<(Vec<u8>, Vec<RowCell>)>;

/// The rows of all sets, read at the same time, in the order of their logical keys.
async fn read(
    client: &BigTable,
    table: &str,
    row_sets: &[Rows<'_>],
    filter: Option<RowFilter>,
    limit: usize,
    backward: bool,
    logical: fn(&[u8]) -> &[u8],
) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let mut answers = tokio::task::JoinSet::new();
    for (keys, ranges) in row_sets {
        let row_ranges = ranges.iter().map(|(start, end)| RowRange {
            start_key: (!start.is_empty()).then(|| StartKey::StartKeyClosed(start.to_vec())),
            end_key: (!end.is_empty()).then(|| EndKey::EndKeyOpen(end.to_vec())),
        });
        let request = ReadRowsRequest {
            table_name: client.get_full_table_name(table),
            rows: Some(RowSet {
                row_keys: keys.iter().map(|key| key.to_vec()).collect(),
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
