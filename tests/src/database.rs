//! The system under test: the engine, or the reference model.

use tabletop_engine::{Budget, Instance, Storage};
use tabletop_model::{ReadRows, Request, Response, Result, Row, RowsChunk, TableRequest, Timestamp};

/// The two entry points of a host.
pub trait Database {
    /// Answers one request at `now`.
    fn handle(&mut self, now: Timestamp, request: Request) -> Response;

    /// Does all pending work: compactions, splits, merges.
    fn settle(&mut self, now: Timestamp);
}

impl<S: Storage> Database for Instance<S> {
    fn handle(&mut self, now: Timestamp, request: Request) -> Response {
        self.handle(now, request)
    }

    fn settle(&mut self, now: Timestamp) {
        let slices = (0..100_000).take_while(|_| self.advance(now, Budget { bytes: 4_096 })).count();
        assert!(slices < 100_000, "the work never ends");
    }
}

/// Reads all slices of a read as one. The stats are the stats of the last slice.
///
/// # Errors
/// The database's refusal.
pub fn read_all(
    database: &mut impl Database,
    now: Timestamp,
    table: &str,
    read: &ReadRows,
) -> Result<RowsChunk> {
    let mut read = read.clone();
    let mut rows: Vec<Row> = Vec::new();
    loop {
        match database.handle(now, TableRequest::ReadRows(read.clone()).of(table)) {
            Response::Rows(chunk) => {
                rows.extend(chunk.rows);
                if chunk.resume.is_none() {
                    return Ok(RowsChunk { rows, stats: chunk.stats, resume: None });
                }
                assert_ne!(chunk.resume, read.resume, "a slice must end after the previous one");
                read.resume = chunk.resume;
            }
            Response::Refused(error) => return Err(error),
            other => panic!("a read was answered with {other:?}"),
        }
    }
}
