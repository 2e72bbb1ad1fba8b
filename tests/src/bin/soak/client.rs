//! One client: what it does, what it knows, and what it finds.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tabletop_model::{Code, Error, ReadRows, Request, Response, Row, RowRange, RowSet, TableRequest, Timestamp};
use tabletop_model::{ColumnFamily, TableSpec};
use tabletop_tests::{Database, Reference, Remote, read_all};

use crate::traffic::Traffic;
use crate::{FAMILIES, Shared, TABLE};

/// How long a server may take to come back.
const PATIENCE: Duration = Duration::from_secs(60);
/// Operations between two looks at everything.
const CHECK_EVERY: u64 = 50;

/// A client with rows of its own, so that nobody else changes what it knows.
pub struct Client {
    name: String,
    server: Remote,
    /// Its rows as they must be.
    model: Reference,
    traffic: Traffic,
    count: Count,
}

/// What a client has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Changes and reads.
    pub operations: u64,
    /// Changes that were not answered.
    pub unknown: u64,
}

impl Client {
    /// One of several, whose rows begin with its name.
    pub fn new(id: u64, seed: u64, address: &str) -> Client {
        let name = format!("client{id}#");
        let mut model = Reference::default();
        let families = FAMILIES.map(ColumnFamily::new).to_vec();
        let create = TableRequest::Create(TableSpec { families, ..TableSpec::default() }).of(TABLE);
        assert_eq!(model.handle(0, create), Response::Done);
        let traffic = Traffic::new(seed.wrapping_mul(1_000).wrapping_add(id), &name, &format!("own{id}"));
        Client { name, server: Remote::to(address), model, traffic, count: Count::default() }
    }

    /// Goes on until it is over, and looks at everything once more.
    ///
    /// # Errors
    /// What is not as it must be.
    pub fn run(mut self, shared: &Shared) -> Result<Count, String> {
        while !shared.is_over.load(Ordering::SeqCst) && !shared.has_failed.load(Ordering::SeqCst) {
            let returns = shared.returns.load(Ordering::SeqCst);
            let request = self.traffic.next();
            self.count.operations += 1;
            let answer = self.server.handle(0, request.clone());
            if is_unknown(&answer) {
                // Nothing but the end of the server may have been the reason.
                if !has_ended(shared, returns) {
                    return Err(format!("{}{request:?} was answered with {answer:?}, and the server had not ended", self.name));
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
        // Messages are for a person, and only the server's.
        if without_messages(&answer) == without_messages(&expected) {
            return Ok(());
        }
        Err(format!("{}{request:?}\n  was answered with {answer:?}\n  the model says {expected:?}", self.name))
    }

    /// It has happened or not, whole or not at all: of several rows each for itself.
    fn settle_unknown(&mut self, request: Request) -> Result<(), String> {
        if matches!(request, Request::Table { request: TableRequest::ModifyFamilies(_), .. }) {
            // Rows do not tell of a family without cells. Done again it is done, whatever was before.
            self.repeat(&request)?;
            self.model.handle(0, request);
            return self.check();
        }
        let found = self.rows()?;
        for part in parts(request) {
            let before = self.model.clone();
            // A cell that has the server's time tells it.
            let now = newest(&found, &part);
            self.model.handle(now, part.clone());
            let rows = rows_of(&mut self.model, &self.name).map_err(|error| format!("the model: {error}"))?;
            let is_done = row_of(&part).map_or_else(|| rows == found, |key| find(&rows, key) == find(&found, key));
            if !is_done {
                self.model = before;
            }
        }
        self.compare(&found)
    }

    /// Asks until there is an answer.
    fn repeat(&mut self, request: &Request) -> Result<(), String> {
        let start = Instant::now();
        loop {
            match self.server.handle(0, request.clone()) {
                answer if is_unknown(&answer) && start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(20)),
                answer if is_unknown(&answer) => return Err(format!("{}{request:?} was answered with {answer:?}", self.name)),
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
        let lost = expected.iter().find(|row| find(found, &row.key).is_none()).map(|row| format!("row {} is lost", row.key));
        let wrong = found.iter().find(differs).map(|row| {
            let expected = find(&expected, &row.key).map(cells);
            format!("row {} is\n  {:?}\n  and should be\n  {expected:?}", row.key, cells(row))
        });
        Err(format!("after {} operations of {}: {}", self.count.operations, self.name, lost.or(wrong).unwrap_or_default()))
    }

    /// All of its rows, once the server answers.
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

/// Whether the server has ended since it was back `returns` times. What it breaks may be seen before the end is counted.
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

/// What can be looked at: values are long.
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

/// Codes that a connection has which breaks.
fn may_have_happened(error: &Error) -> bool {
    matches!(error.code, Code::Unavailable | Code::Internal | Code::Cancelled)
}

/// Entries of one request happen each for itself.
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

/// The row that it changes, if it is one.
fn row_of(request: &Request) -> Option<&[u8]> {
    match request {
        Request::Table { request: TableRequest::MutateRows(entries), .. } => Some(&entries[0].key),
        Request::Table { request: TableRequest::CheckAndMutateRow(check), .. } => Some(&check.key),
        Request::Table { request: TableRequest::ReadModifyWriteRow(row), .. } => Some(&row.key),
        _ => None,
    }
}

/// The time that the server gave to what it wrote.
fn time_of(answer: &Response) -> Option<Timestamp> {
    match answer {
        Response::Row(row) => row.cells.iter().map(|cell| cell.timestamp).max(),
        _ => None,
    }
}

/// The same, of what was found instead of an answer.
fn newest(found: &[Row], request: &Request) -> Timestamp {
    let Request::Table { request: TableRequest::ReadModifyWriteRow(row), .. } = request else { return 0 };
    let of_rules = |cell: &&tabletop_model::Cell| row.rules.iter().any(|rule| rule.family == cell.family);
    let cells = find(found, &row.key).into_iter().flat_map(|row| &row.cells);
    cells.filter(of_rules).map(|cell| cell.timestamp).max().unwrap_or(0)
}

/// An answer with what the model knows of it: errors by their codes, reads by their rows.
fn without_messages(answer: &Response) -> Response {
    let bare = |error: &Error| Error::new(error.code, "");
    match answer {
        Response::Refused(error) => Response::Refused(bare(error)),
        Response::Mutated(outcomes) => Response::Mutated(outcomes.iter().map(|outcome| outcome.as_ref().map(bare)).collect()),
        Response::Rows(chunk) => Response::Rows(tabletop_model::RowsChunk { rows: chunk.rows.clone(), ..Default::default() }),
        other => other.clone(),
    }
}
