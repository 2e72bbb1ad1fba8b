//! Joins consecutive writes of a script into one request, which needs one sync of the disk.

use std::collections::HashSet;

use tabletop_model::limits::MUTATIONS_MAX;
use tabletop_model::{Mutation, Request, RowKey, RowMutation, SERVER_TIME, TableRequest};
use tabletop_shell::Run;

use super::script::Command;
use super::stream::{BYTES_MAX, ROWS_MAX, bytes_of};

/// A command whose first request has no answer yet.
pub(crate) struct Waiting {
    pub(crate) command: Command,
    pub(crate) run: Run,
}

/// Waiting commands, each with the number of its entries.
#[derive(Default)]
pub(crate) struct Writes {
    table: String,
    entries: Vec<RowMutation>,
    waiting: Vec<(Waiting, usize)>,
    mutations: usize,
    bytes: usize,
    /// Rows with a cell that gets the server's time: two versions in one request would get the same
    /// time and become one.
    stamped: HashSet<RowKey>,
}

impl Writes {
    /// Returns whether these entries can be written together with the waiting ones.
    pub(crate) fn takes(&self, table: &str, entries: &[RowMutation]) -> bool {
        let (mutations, bytes) = size(entries);
        self.table == table
            && self.entries.len() + entries.len() <= ROWS_MAX
            && self.mutations + mutations <= MUTATIONS_MAX
            && self.bytes + bytes <= BYTES_MAX
            && !entries.iter().any(|entry| is_stamped(entry) && self.stamped.contains(&entry.key))
    }

    pub(crate) fn push(&mut self, waiting: Waiting, table: String, entries: Vec<RowMutation>) {
        let (mutations, bytes) = size(&entries);
        self.mutations += mutations;
        self.bytes += bytes;
        self.stamped.extend(entries.iter().filter(|entry| is_stamped(entry)).map(|entry| entry.key.clone()));
        self.table = table;
        self.waiting.push((waiting, entries.len()));
        self.entries.extend(entries);
    }

    /// Takes the waiting commands, and returns them with their joint request.
    pub(crate) fn take(&mut self) -> Option<(Request, Vec<(Waiting, usize)>)> {
        let Writes { table, entries, waiting, .. } = std::mem::take(self);
        (!waiting.is_empty()).then_some((TableRequest::MutateRows(entries).of(table), waiting))
    }
}

fn size(entries: &[RowMutation]) -> (usize, usize) {
    let mutations = entries.iter().map(|entry| entry.mutations.len()).sum();
    (
        mutations,
        entries
            .iter()
            .map(|entry| entry.key.len() + entry.mutations.iter().map(bytes_of).sum::<usize>())
            .sum(),
    )
}

fn is_stamped(entry: &RowMutation) -> bool {
    entry
        .mutations
        .iter()
        .any(|mutation| matches!(mutation, Mutation::SetCell { timestamp: SERVER_TIME, .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_shell::{Language, Settings, Step};

    #[test]
    fn a_batch_writes_to_one_table_and_loses_no_version() {
        let mut writes = Writes::default();
        let settings =
            Settings { language: Language::HBase, utc_offset_seconds: |_| 0, now: || 0, read_formats: None };
        let mut takes = |text: &str| {
            let mut run = Run::start(&settings, text).expect("a command");
            let Step::Request(request) = run.step() else { panic!("it makes no request") };
            let Request::Table { table, request: TableRequest::MutateRows(entries) } = *request else {
                panic!("it writes nothing")
            };
            let taken = writes.waiting.is_empty() || writes.takes(&table, &entries);
            if taken {
                writes.push(Waiting { command: Command { text: text.into(), line: 1 }, run }, table, entries);
            }
            taken
        };
        assert!(takes("put 't', 'a', 'f:q', '1'"));
        assert!(takes("put 't', 'b', 'f:q', '1'"));
        assert!(takes("put 't', 'a', 'f:q', '0', 1000"), "its time is given");
        assert!(!takes("put 't', 'a', 'f:q', '2'"), "the server's time would be that of the first");
        assert!(!takes("put 'u', 'c', 'f:q', '1'"));
        let (request, waiting) = writes.take().expect("some wait");
        let Request::Table { request: TableRequest::MutateRows(entries), .. } = request else {
            panic!("it writes")
        };
        assert_eq!((entries.len(), waiting.len()), (3, 3));
        assert!(writes.take().is_none());
    }
}
