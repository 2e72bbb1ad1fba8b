//! The access patterns, run on a real instance.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use serde::Serialize;
use tabletop_cluster::Operation;
use tabletop_model::ReadStats;
use tabletop_workspace::{Design, Miss, NamedQuery, QueryLimits, Workspace, tables_of_designs};
use tonic::Status;

use super::measure::Measured;
use crate::commands::{Failure, Result};
use crate::progress;
use crate::remote::{DataClient, Encoded, PlaceOptions, Remote, Seen, Target};

/// The time limit for the answer to an access pattern.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// An access pattern on a real instance.
#[derive(Debug, Serialize)]
pub(crate) struct OnInstance {
    /// The number of its reads: one for each salt.
    pub(crate) reads: u32,
    /// Rows that the server has seen; `None` if it does not count them.
    pub(crate) rows_seen: Option<u64>,
    /// Cells that the server has seen; `None` if it does not count them.
    pub(crate) cells_seen: Option<u64>,
    /// Rows in its answers.
    pub(crate) rows_returned: u64,
    /// Cells in its answers.
    pub(crate) cells_returned: u64,
    /// The time until the end of all answers, measured once, including the network.
    pub(crate) elapsed_micros: u64,
    /// The reason if there is no answer.
    pub(crate) error: Option<String>,
    /// The limits that its counts violate.
    pub(crate) misses: Vec<Miss>,
    /// Whether a limit is compared with its counts.
    #[serde(skip)]
    pub(crate) is_limited: bool,
    /// Whether a limit would be compared with counts that the server does not send.
    #[serde(skip)]
    pub(crate) lacks_counts: bool,
}

/// Runs the access patterns on the tables of designs, and records what the server counts. Returns
/// the instance's name.
///
/// # Errors
/// An invalid location, a server that cannot be reached, or a table that does not exist or does not
/// belong to the design.
pub(super) fn ask(
    place: &PlaceOptions,
    workspace: &Workspace,
    designs: &[&Design],
    measured: &mut [Measured],
    queries: &[NamedQuery],
) -> Result<String> {
    let ids = workspace.table_ids();
    let target = |design: &&Design| {
        let at = workspace.designs.iter().position(|other| std::ptr::eq(other, *design)).unwrap_or_default();
        Ok(place.target(ids[at].clone())?)
    };
    let targets: Vec<Target> = designs.iter().map(target).collect::<Result<_>>()?;
    let Some(first) = targets.first() else { return Ok(String::new()) };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Wrong(format!("no threads can be started: {error}")))?;
    runtime.block_on(async {
        // A design with problems has no table.
        for (target, table) in targets.iter().zip(&*measured).filter(|(_, table)| table.problems.is_empty()) {
            Remote::check_table(target, &table.name, &table.column_families).await?;
        }
        let client = DataClient::new(first, 1).await?;
        let bar = progress::bar(
            Some((designs.len() * queries.len()) as u64),
            "{bar:30} {human_pos} access patterns run",
        );
        let designs: Vec<Design> = designs.iter().map(|design| (*design).clone()).collect();
        for of in tables_of_designs(&designs) {
            for (index, named) in queries.iter().enumerate() {
                bar.inc(1);
                let at = named.table_of(&designs, &of);
                let reads: Vec<Operation> =
                    measured[at].reads[index].iter().cloned().map(Operation::Read).collect();
                let query = measured[of.start].queries.get_mut(index).filter(|query| query.error.is_none());
                if let Some(query) = query {
                    query.instance = Some(OnInstance::of(&client, &targets[at], &reads, &named.limits).await);
                }
            }
        }
        bar.finish_and_clear();
        let at = first.emulator.as_ref().map(|host| format!(" at {host}")).unwrap_or_default();
        Ok(format!("{}{at}", first.parent()))
    })
}

impl OnInstance {
    /// Sends the reads of an access pattern together.
    async fn of(
        client: &DataClient,
        target: &Target,
        reads: &[Operation],
        limits: &QueryLimits,
    ) -> OnInstance {
        let name: Arc<str> = target.table_name().into();
        let begun = Instant::now();
        let answers = try_join_all(reads.iter().map(|read| client.read(Encoded::new(&name, read))));
        let late = |_| Err(Status::deadline_exceeded(format!("no answer in {} s", ANSWER_MAX.as_secs())));
        let answers: std::result::Result<Vec<Seen>, Status> =
            tokio::time::timeout(ANSWER_MAX, answers).await.unwrap_or_else(late);
        let elapsed_micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let mut asked = OnInstance {
            reads: reads.len() as u32,
            rows_seen: None,
            cells_seen: None,
            rows_returned: 0,
            cells_returned: 0,
            elapsed_micros,
            error: None,
            misses: Vec::new(),
            is_limited: false,
            lacks_counts: false,
        };
        match answers {
            Err(status) => asked.error = Some(format!("{:?}: {}", status.code(), status.message())),
            Ok(seen) => {
                asked.rows_seen = seen.iter().map(|seen| Some(seen.stats?.rows_seen)).sum();
                asked.cells_seen = seen.iter().map(|seen| Some(seen.stats?.cells_seen)).sum();
                asked.rows_returned = seen.iter().map(|seen| seen.rows).sum();
                asked.cells_returned = seen.iter().map(|seen| seen.cells).sum();
                asked.compare(limits);
            }
        }
        asked
    }

    /// Compares its counts with the limits for which a server reports counts.
    fn compare(&mut self, limits: &QueryLimits) {
        let is_counted = self.rows_seen.is_some();
        let known = QueryLimits {
            rows_returned_min: limits.rows_returned_min,
            rows_seen_per_row_max: limits.rows_seen_per_row_max.filter(|_| is_counted),
            cells_seen_max: limits.cells_seen_max.filter(|_| is_counted),
            ..QueryLimits::default()
        };
        let stats = ReadStats {
            rows_seen: self.rows_seen.unwrap_or(0),
            cells_seen: self.cells_seen.unwrap_or(0),
            rows_returned: self.rows_returned,
            cells_returned: self.cells_returned,
            ..ReadStats::default()
        };
        self.misses = known.misses(&stats, self.reads);
        self.is_limited = !known.is_empty();
        self.lacks_counts =
            !is_counted && (limits.rows_seen_per_row_max.is_some() || limits.cells_seen_max.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(rows_seen: Option<u64>, limits: &QueryLimits) -> OnInstance {
        let mut asked = OnInstance {
            reads: 1,
            rows_seen,
            cells_seen: rows_seen,
            rows_returned: 10,
            cells_returned: 10,
            elapsed_micros: 1,
            error: None,
            misses: Vec::new(),
            is_limited: false,
            lacks_counts: false,
        };
        asked.compare(limits);
        asked
    }

    #[test]
    fn limits_of_what_is_not_counted_are_neither_kept_nor_missed() {
        let seen = QueryLimits { rows_seen_per_row_max: Some(1.5), ..QueryLimits::default() };
        let returned = QueryLimits { rows_returned_min: Some(11), ..seen.clone() };
        let found = |rows_seen, limits: &QueryLimits| {
            let asked = asked(rows_seen, limits);
            (asked.is_limited, asked.lacks_counts, asked.misses.len())
        };
        assert_eq!(found(Some(10), &seen), (true, false, 0));
        assert_eq!(found(Some(20), &seen), (true, false, 1));
        assert_eq!(found(None, &seen), (false, true, 0));
        assert_eq!(found(None, &returned), (true, true, 1));
        assert_eq!(
            found(None, &QueryLimits { blocks_max: Some(1), ..QueryLimits::default() }),
            (false, false, 0)
        );
    }
}
