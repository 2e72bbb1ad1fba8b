//! One client: its operations, the state that it expects, and its checks.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tabletop_model::{
    Code, Error, ReadRows, Request, Response, Row, RowRange, RowSet, TableRequest, Timestamp,
};
use tabletop_model::{ColumnFamily, TableSpec};
use tabletop_tests::{Database, Reference, Remote, read_all};

use crate::traffic::Traffic;
use crate::{FAMILIES, Shared, TABLE};

/// Time within which the server must be available again after a crash.
const PATIENCE: Duration = Duration::from_secs(60);
/// Number of operations between two checks of all rows.
const CHECK_EVERY: u64 = 50;

/// A client with its own rows, which no other client changes.
pub struct Client {
    name: String,
    server: Remote,
    /// The expected state of its rows.
    model: Reference,
    traffic: Traffic,
    count: Count,
}

/// Counts of a client's operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Changes and reads.
    pub operations: u64,
    /// Changes that were not answered.
    pub unknown: u64,
}

impl Client {
    /// Creates one of several clients. Its rows begin with its name.
    pub fn new(id: u64, seed: u64, address: &str) -> Client {
        let name = format!("client{id}#");
        let mut model = Reference::default();
        let families = FAMILIES.map(ColumnFamily::new).to_vec();
        let create = TableRequest::Create(TableSpec { families, ..TableSpec::default() }).of(TABLE);
        assert_eq!(model.handle(0, create), Response::Done);
        let traffic = Traffic::new(seed.wrapping_mul(1_000).wrapping_add(id), &name, &format!("own{id}"));
        Client { name, server: Remote::to(address), model, traffic, count: Count::default() }
    }

    /// Runs until the time is over, then checks all rows one last time.
    ///
    /// # Errors
    /// The first difference from the expected state.
    pub fn run(mut self, shared: &Shared) -> Result<Count, String> {
        while !shared.is_over.load(Ordering::SeqCst) && !shared.has_failed.load(Ordering::SeqCst) {
            let returns = shared.returns.load(Ordering::SeqCst);
            let request = self.traffic.next();
            self.count.operations += 1;
            let answer = self.server.handle(0, request.clone());
            if is_unknown(&answer) {
                // The only acceptable reason is that the server has ended.
                if !has_ended(shared, returns) {
                    return Err(format!(
                        "{}{request:?} was answered with {answer:?}, and the server had not ended",
                        self.name
                    ));
                }
                self.count.unknown += 1;
                self.settle_unknown(request)?;
            } else {
                self.expect(request, answer)?;
            }
            if self.count.operations.is_multiple_of(CHECK_EVERY) {
                self.check()?;
            }
        }
        self.check()?;
        Ok(self.count)
    }

    /// Compares an answer with the model's.
    fn expect(&mut self, request: Request, answer: Response) -> Result<(), String> {
        let now = time_of(&answer).unwrap_or(0);
        let expected = self.model.handle(now, request.clone());
        // The model does not have messages, so only codes are compared.
        if without_messages(&answer) == without_messages(&expected) {
            return Ok(());
        }
        Err(format!(
            "{}{request:?}\n  was answered with {answer:?}\n  the model answers {expected:?}",
            self.name
        ))
    }

    /// After a change without an answer, determines whether it was applied. Each of several rows
    /// must be changed completely or not at all.
    fn settle_unknown(&mut self, request: Request) -> Result<(), String> {
        if matches!(request, Request::Table { request: TableRequest::ModifyFamilies(_), .. }) {
            // Rows do not show a family without cells. Repeating the request determines its
            // outcome.
            self.repeat(&request)?;
            self.model.handle(0, request);
            return self.check();
        }
        let found = self.rows()?;
        for part in parts(request) {
            let before = self.model.clone();
            // Cells written at the server's time reveal that time.
            let now = newest(&found, &part);
            self.model.handle(now, part.clone());
            let rows = rows_of(&mut self.model, &self.name).map_err(|error| format!("the model: {error}"))?;
            let is_done =
                row_of(&part).map_or_else(|| rows == found, |key| find(&rows, key) == find(&found, key));
            if !is_done {
                self.model = before;
            }
        }
        self.compare(&found)
    }

    /// Repeats the request until there is an answer.
    fn repeat(&mut self, request: &Request) -> Result<(), String> {
        let start = Instant::now();
        loop {
            match self.server.handle(0, request.clone()) {
                answer if is_unknown(&answer) && start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                answer if is_unknown(&answer) => {
                    return Err(format!("{}{request:?} was answered with {answer:?}", self.name));
                }
                _ => return Ok(()),
            }
        }
    }

    fn check(&mut self) -> Result<(), String> {
        let found = self.rows()?;
        self.compare(&found)
    }

    fn compare(&mut self, found: &[Row]) -> Result<(), String> {
        let expected = rows_of(&mut self.model, &self.name).map_err(|error| format!("the model: {error}"))?;
        if found == expected {
            return Ok(());
        }
        let differs = |row: &&Row| find(&expected, &row.key) != Some(*row);
        let lost = expected
            .iter()
            .find(|row| find(found, &row.key).is_none())
            .map(|row| format!("row {} is lost", row.key));
        let wrong = found.iter().find(differs).map(|row| {
            let expected = find(&expected, &row.key).map(cells);
            format!("row {} is\n  {:?}\n  and should be\n  {expected:?}", row.key, cells(row))
        });
        Err(format!(
            "after {} operations of {}: {}",
            self.count.operations,
            self.name,
            lost.or(wrong).unwrap_or_default()
        ))
    }

    /// Reads all of the client's rows, once the server answers again.
    fn rows(&mut self) -> Result<Vec<Row>, String> {
        let start = Instant::now();
        loop {
            match rows_of(&mut self.server, &self.name) {
                Ok(rows) => return Ok(rows),
                Err(error) if may_have_happened(&error) && start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(format!("{}cannot be read: {:?} {error}", self.name, error.code)),
            }
        }
    }
}

/// Returns whether the server has ended since it was back `returns` times. The effects of the end
/// may be visible before it is counted.
fn has_ended(shared: &Shared, returns: u64) -> bool {
    let start = Instant::now();
    while shared.ends.load(Ordering::SeqCst) <= returns && start.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(5));
    }
    shared.ends.load(Ordering::SeqCst) > returns
}

fn rows_of(database: &mut impl Database, prefix: &str) -> Result<Vec<Row>, Error> {
    let read = ReadRows { rows: RowSet::range(RowRange::prefix(prefix)), ..ReadRows::default() };
    read_all(database, 0, TABLE, &read).map(|chunk| chunk.rows)
}

fn find<'a>(rows: &'a [Row], key: &[u8]) -> Option<&'a Row> {
    rows.iter().find(|row| row.key.as_slice() == key)
}

/// A short form of the cells, because values are long.
fn cells(row: &Row) -> Vec<String> {
    let cell = |cell: &tabletop_model::Cell| {
        let value = String::from_utf8_lossy(&cell.value[..cell.value.len().min(24)]).into_owned();
        format!("{}:{}@{}={value:?} of {}", cell.family, cell.qualifier, cell.timestamp, cell.value.len())
    };
    row.cells.iter().map(cell).collect()
}

fn is_unknown(answer: &Response) -> bool {
    matches!(answer, Response::Refused(error) if may_have_happened(error))
}

/// Returns whether an error has the code of a broken connection, so that the request may have been
/// applied.
fn may_have_happened(error: &Error) -> bool {
    matches!(error.code, Code::Unavailable | Code::Internal | Code::Cancelled)
}

/// Splits a request into one request per entry, because each entry is applied separately.
fn parts(request: Request) -> Vec<Request> {
    match request {
        Request::Table { table, request: TableRequest::MutateRows(entries) } => {
            let alone = |entry| TableRequest::MutateRows(vec![entry]).of(table.clone());
            entries.into_iter().map(alone).collect()
        }
        Request::Table { request: TableRequest::ReadRows(_), .. } => Vec::new(),
        other => vec![other],
    }
}

/// Returns the row that a request changes, if it changes only one.
fn row_of(request: &Request) -> Option<&[u8]> {
    match request {
        Request::Table { request: TableRequest::MutateRows(entries), .. } => Some(&entries[0].key),
        Request::Table { request: TableRequest::CheckAndMutateRow(check), .. } => Some(&check.key),
        Request::Table { request: TableRequest::ReadModifyWriteRow(row), .. } => Some(&row.key),
        _ => None,
    }
}

/// Returns the time of the cells that the server has written.
fn time_of(answer: &Response) -> Option<Timestamp> {
    match answer {
        Response::Row(row) => row.cells.iter().map(|cell| cell.timestamp).max(),
        _ => None,
    }
}

/// Returns the latest time of written cells, in rows that were read in place of an answer.
fn newest(found: &[Row], request: &Request) -> Timestamp {
    let Request::Table { request: TableRequest::ReadModifyWriteRow(row), .. } = request else { return 0 };
    let of_rules = |cell: &&tabletop_model::Cell| row.rules.iter().any(|rule| rule.family == cell.family);
    let cells = find(found, &row.key).into_iter().flat_map(|row| &row.cells);
    cells.filter(of_rules).map(|cell| cell.timestamp).max().unwrap_or(0)
}

/// Reduces an answer to what the model has: errors by code, reads by rows.
fn without_messages(answer: &Response) -> Response {
    let bare = |error: &Error| Error::new(error.code, "");
    match answer {
        Response::Refused(error) => Response::Refused(bare(error)),
        Response::Mutated(outcomes) => {
            Response::Mutated(outcomes.iter().map(|outcome| outcome.as_ref().map(bare)).collect())
        }
        Response::Rows(chunk) => {
            Response::Rows(tabletop_model::RowsChunk { rows: chunk.rows.clone(), ..Default::default() })
        }
        other => other.clone(),
    }
}
