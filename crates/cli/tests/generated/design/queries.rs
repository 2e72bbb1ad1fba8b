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
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
        (vec![], vec![(b"2-".to_vec(), b"2.".to_vec())]),
        (vec![], vec![(b"".to_vec(), b"0-".to_vec()), (b"0.".to_vec(), b"1-".to_vec()), (b"1.".to_vec(), b"2-".to_vec()), (b"2.".to_vec(), b"".to_vec())]),
    ];
    let row_filter = None;
    read(client, TABLE_ORDERS, row_sets, row_filter, 0, false, logical_key_orders).await
}

// Orders of Zo?: all rows
// This design finds these values with a filter or in several ranges, so they are written here.
pub async fn read_orders_of_zo(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-zo\xc3\xab#".to_vec(), b"0-zo\xc3\xab$".to_vec())]),
        (vec![], vec![(b"1-zo\xc3\xab#".to_vec(), b"1-zo\xc3\xab$".to_vec())]),
        (vec![], vec![(b"2-zo\xc3\xab#".to_vec(), b"2-zo\xc3\xab$".to_vec())]),
        (vec![], vec![(b"zo\xc3\xab#".to_vec(), b"zo\xc3\xab$".to_vec())]),
    ];
    let row_filter = None;
    read(client, TABLE_ORDERS, row_sets, row_filter, 0, false, logical_key_orders).await
}

// Last refunds: at most 3 rows
// kind: texts as in the events.
pub async fn read_last_refunds(client: &BigTable, kind: &str) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let parts: Vec<Vec<u8>> = vec![utf8(kind), utf8("#")];
    let logical = parts.concat();
    let row_sets = &rows_within(&all_salts(2, 1, b"-"), &ends_of(&logical));
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount|customer".to_vec())));
    read(client, TABLE_ORDERS_BY_KIND, row_sets, row_filter, 3, false, logical_key_orders_by_kind).await
}

// All by kind: all rows, the last first
pub async fn read_all_by_kind(client: &BigTable) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let row_sets: &[Rows] = &[
        (vec![], vec![(b"0-".to_vec(), b"0.".to_vec())]),
        (vec![], vec![(b"1-".to_vec(), b"1.".to_vec())]),
    ];
    let row_filter = Some(filter(Filter::ColumnQualifierRegexFilter(b"amount".to_vec())));
    read(client, TABLE_ORDERS_BY_KIND, row_sets, row_filter, 0, true, logical_key_orders_by_kind).await
}

// Refunds of two days: all rows
// kind: texts as in the events. Times from start (inclusive) to end (exclusive).
pub async fn read_refunds_of_two_days(client: &BigTable, kind: &str, start: std::time::SystemTime, end: std::time::SystemTime) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let parts: Vec<Vec<u8>> = vec![utf8(kind), utf8("#")];
    let logical = parts.concat();
    let row_sets = &rows_within(&all_salts(2, 1, b"-"), &time_ends(&logical, Some(start), Some(end), 0, 9999999999999, |millis| Ok(utf8(time_text(millis, "reverse_time")?)), true)?);
    let row_filter = None;
    read(client, TABLE_ORDERS_BY_KIND, row_sets, row_filter, 0, false, logical_key_orders_by_kind).await
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

fn utf8(text: impl AsRef<str>) -> Vec<u8> {
    text.as_ref().as_bytes().to_vec()
}

/// A time in the form of a row key.
fn time_text(millis: i64, form: &str) -> Result<String, String> {
    let is_count = matches!(form, "seconds" | "millis" | "reverse_time");
    let range = if is_count { 0..=9_999_999_999_999 } else { -62_167_219_200_000..=253_402_300_799_999 };
    if !range.contains(&millis) {
        return Err(format!("{millis} ms cannot be written as {form}"));
    }
    let width = match form {
        "seconds" => return Ok(format!("{:010}", millis / 1000)),
        "millis" => return Ok(format!("{millis:013}")),
        "reverse_time" => return Ok(format!("{:013}", 9_999_999_999_999 - millis)),
        "month" => 7,
        "date" => 10,
        "hour" => 13,
        _ => 24,
    };
    let (days, of_day) = (millis.div_euclid(86_400_000) + 719_468, millis.rem_euclid(86_400_000));
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = years + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    let iso = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
    Ok(iso[..width].to_string())
}

/// Milliseconds since 1970, rounded up.
fn millis_of(time: std::time::SystemTime) -> i64 {
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => after.as_nanos().div_ceil(1_000_000) as i64,
        Err(before) => -(before.duration().as_millis() as i64),
    }
}

/// The ends of the keys that begin with a text; an empty end is none.
fn ends_of(low: &[u8]) -> (Vec<u8>, Vec<u8>) {
    ends_between(low.to_vec(), low.to_vec())
}

/// The ends of the keys that begin with a text from low to high.
fn ends_between(low: Vec<u8>, mut high: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    while high.pop_if(|last| *last == 0xff).is_some() {}
    if let Some(last) = high.last_mut() {
        *last += 1;
    }
    (low, high)
}

/// The ends of the keys with a time of [start, end) after the head. The format has times from first
/// to last.
fn time_ends(
    head: &[u8],
    start: Option<std::time::SystemTime>,
    end: Option<std::time::SystemTime>,
    first: i64,
    last: i64,
    text: impl Fn(i64) -> Result<Vec<u8>, String>,
    backward: bool,
) -> Result<(Vec<u8>, Vec<u8>), String> {
    let low = start.map_or(first, |start| first.max(millis_of(start)));
    let high = end.map_or(last, |end| last.min(millis_of(end) - 1));
    if low > high {
        return Ok((b"1".to_vec(), b"0".to_vec()));
    }
    let from = [head, &if low > first { text(low)? } else { Vec::new() }].concat();
    let to = [head, &if high < last { text(high)? } else { Vec::new() }].concat();
    Ok(if backward { ends_between(to, from) } else { ends_between(from, to) })
}

/// The row sets of the keys between two ends, after each prefix.
fn rows_within(prefixes: &[Vec<u8>], (low, high): &(Vec<u8>, Vec<u8>)) -> Vec<Rows> {
    if !high.is_empty() && low >= high {
        return Vec::new();
    }
    let end = |prefix: &Vec<u8>| if high.is_empty() { ends_of(prefix).1 } else { [&prefix[..], high].concat() };
    prefixes.iter().map(|prefix| (Vec::new(), vec![([&prefix[..], low].concat(), end(prefix))])).collect()
}

fn single_rows(prefixes: &[Vec<u8>], key: &[u8]) -> Vec<Rows> {
    prefixes.iter().map(|prefix| (vec![[&prefix[..], key].concat()], Vec::new())).collect()
}

fn all_salts(count: u32, width: usize, separator: &[u8]) -> Vec<Vec<u8>> {
    (0..count).map(|salt| [format!("{salt:0width$}").as_bytes(), separator].concat()).collect()
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
