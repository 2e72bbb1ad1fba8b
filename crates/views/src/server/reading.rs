//! A query of a table of the server: its read, slice by slice, and the rows so far.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_keys::{Layout, LayoutKind, Query, RowChoice, Template};
use tabletop_model::{Code, Error, ReadRows, ReadStats, Response, RowKey, RowRange, RowSet};
use tabletop_protocol::{JobError, QueryChunk};

use crate::results::QueryResult;

/// The rows of a first query, and of one that the heatmap opens.
const ROWS: u64 = 100;

/// The current query, and its rows.
pub struct Reading {
    /// The query.
    pub query: Query,
    /// The rows so far.
    pub result: Rc<QueryResult>,
    /// The rows requested last.
    pub asked: RowChoice,
    read: Option<Read>,
}

/// A read in progress.
struct Read {
    rows: ReadRows,
    ranges: u32,
    scans_more: bool,
    began: f64,
}

impl Default for Reading {
    fn default() -> Self {
        Reading {
            query: Query { rows: RowChoice::All, filter: None, rows_limit: ROWS, reversed: false },
            result: Rc::default(),
            asked: RowChoice::All,
            read: None,
        }
    }
}

impl Reading {
    /// Sets the query to the rows from one key up to another, which is empty for the end of the
    /// table.
    pub fn show(&mut self, start: RowKey, end: RowKey) {
        let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end) };
        let rows = RowChoice::Range(RowRange { start: Bound::Included(start), end });
        self.query = Query { rows, filter: None, rows_limit: ROWS, reversed: false };
    }

    /// Starts the read of the query, in place of the previous one. Returns the first request,
    /// unless the query is refused.
    pub fn begin(&mut self, template: &Template, now_millis: f64) -> Option<ReadRows> {
        self.asked = self.query.rows.clone();
        self.result = Rc::new(self.result.again(&self.query));
        match rows_of(&self.query, template) {
            Ok(Some((rows, ranges, scans_more))) => {
                self.read = Some(Read { rows: rows.clone(), ranges, scans_more, began: now_millis });
                Some(rows)
            }
            Ok(None) => {
                self.read = None;
                self.result = Rc::new(self.result.with(QueryChunk { complete: true, ..nothing() }));
                None
            }
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    /// Takes a response. Returns the next request, if more rows follow.
    pub fn take(&mut self, response: Result<Response, JobError>, now_millis: f64) -> Option<ReadRows> {
        let read = self.read.as_mut()?;
        let chunk = match response {
            Ok(Response::Rows(chunk)) => chunk,
            Ok(Response::Refused(error)) => {
                self.fail(error);
                return None;
            }
            Err(error) => {
                self.fail(error.into_error());
                return None;
            }
            Ok(_) => {
                self.fail(Error::new(Code::Internal, "the server answers another request: reload the page"));
                return None;
            }
        };
        read.rows.resume = chunk.resume;
        let next = read.rows.resume.is_some().then(|| read.rows.clone());
        let chunk = QueryChunk {
            rows: chunk.rows,
            stats: chunk.stats,
            ranges: read.ranges,
            scans_more: read.scans_more,
            elapsed_micros: ((now_millis - read.began) * 1_000.0) as u64,
            complete: next.is_none(),
        };
        self.result = Rc::new(self.result.with(chunk));
        if next.is_none() {
            self.read = None;
        }
        next
    }

    /// Cancels the read.
    pub fn cancel(&mut self) {
        self.read = None;
        self.result = Rc::new(self.result.cancelled());
    }

    /// Ends the read with an error.
    fn fail(&mut self, error: Error) {
        self.read = None;
        self.result = Rc::new(self.result.failed(error));
    }
}

/// A slice without rows.
fn nothing() -> QueryChunk {
    QueryChunk {
        rows: Vec::new(),
        stats: ReadStats::default(),
        ranges: 0,
        scans_more: false,
        elapsed_micros: 0,
        complete: false,
    }
}

/// Returns the read of a query, the number of its ranges, and whether it reads more rows than
/// match; `None` if no row can match. Rows of several key spaces, such as salts, come in the order
/// of their keys.
fn rows_of(query: &Query, template: &Template) -> Result<Option<(ReadRows, u32, bool)>, Error> {
    let plan = template.plan(&query.rows, &Layout::new(LayoutKind::Narrow))?;
    let filter = plan.filter(query.filter.as_ref());
    if let Some(filter) = &filter {
        filter.validate()?;
    }
    // An empty set of rows would mean the whole table.
    if plan.parts.is_empty() {
        return Ok(None);
    }
    let mut rows = RowSet::all();
    if !plan.parts.iter().any(RowSet::is_all) {
        for part in &plan.parts {
            rows.keys.extend(part.keys.iter().cloned());
            rows.ranges.extend(part.ranges.iter().cloned());
        }
    }
    let rows = ReadRows {
        rows,
        filter,
        rows_limit: query.rows_limit,
        reversed: query.reversed,
        ..ReadRows::default()
    };
    Ok(Some((rows, plan.ranges(), plan.scans_more)))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_model::{RowFilter, RowsChunk};

    use super::*;

    fn read(rows: RowChoice, template: &str) -> Result<Option<RowSet>, Error> {
        let query = Query { rows, ..Reading::default().query };
        Ok(rows_of(&query, &Template::of_text(template).0)?.map(|(read, ..)| read.rows))
    }

    #[test]
    fn the_filter_the_limit_and_the_order_of_a_query_are_those_of_its_read() {
        let mut reading = Reading::default();
        let template = Template::of_text("").0;
        let first = reading.begin(&template, 0.0).expect("a read");
        assert_eq!((&first.filter, first.rows_limit, first.reversed), (&None, 100, false));
        let filter = Some(RowFilter::BlockAll(true));
        reading.query = Query { filter: filter.clone(), rows_limit: 7, reversed: true, ..reading.query };
        let read = reading.begin(&template, 0.0).expect("a read");
        assert_eq!((read.filter, read.rows_limit, read.reversed), (filter, 7, true));
        let nothing = Response::Rows(RowsChunk::default());
        assert_eq!(reading.take(Ok(nothing), 1.0), None, "the answer is complete");
        assert_eq!((reading.result.rows(), reading.result.complete()), (0, true));
    }

    #[test]
    fn a_choice_of_rows_is_one_read() {
        assert_eq!(read(RowChoice::All, ""), Ok(Some(RowSet::all())));
        let prefix = RowSet::range(RowRange::prefix("ada"));
        assert_eq!(read(RowChoice::Prefix("ada".into()), "{user}#{ts}"), Ok(Some(prefix)));
        assert_eq!(
            read(RowChoice::Keys(Vec::new()), ""),
            Ok(None),
            "no key is no row, and not the whole table"
        );
        let equals = vec![("user".into(), "ada".into())];
        let fields = RowChoice::Fields { equals, from: None, until: None };
        assert_eq!(read(fields.clone(), "{user}#{ts}"), Ok(Some(RowSet::range(RowRange::prefix("ada#")))));
        assert!(read(fields, "{name}").is_err(), "the template has no such field");
    }
}
