//! How much of what a tablet stores is garbage: cells that deletes hide, cells that GC rules
//! collect, cells of dropped families, and parts of files that no run names. The estimates come
//! from counts that each file has, so nothing is read.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::{GcRule, Timestamp, expires_after};

use crate::columns::FamilyId;
use crate::families::FamilyKind;
use crate::gc::counts_versions;
use crate::key_range::{KeyRange, next_key};
use crate::memtable::Memtable;
use crate::sstable::{Contents, Counter, FamilyContents, SsTable};
use crate::table::Table;
use crate::table::overlap::{Overlapping, Span, overlapping};
use crate::table::plan::Compaction;
use crate::table::run::Run;
use crate::table::size::Size;

/// Garbage that is at least one in this many of the stored bytes does not wait.
const SHARE: u64 = 8;
/// A set of runs of at most this many bytes is rewritten for any garbage.
const SMALL_BYTES: u64 = 256 << 10;
/// At most this many tablets of a table are collected per delay: each costs files and syncs.
const TABLETS: u64 = 16;
/// A file that more tablets than this may name is assumed to have no unnamed parts.
const SHARED_MAX: usize = 64;
/// How many keys of a run are looked up in older runs, to estimate how many of its rows they have.
const SAMPLE_KEYS: usize = 64;
/// How many keys of a memtable are looked up in older runs, to estimate how many of its rows they
/// have.
const SAMPLE_ROWS: usize = 4_096;

/// An estimate of garbage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbage {
    /// Bytes of garbage; 0 if there is none. Several deletes may count the same bytes.
    pub bytes: u64,
    /// Bytes that are stored, including garbage.
    pub stored: u64,
    /// The earliest time at which there is more garbage, if nothing is written.
    pub next: Timestamp,
}

impl Garbage {
    pub const NONE: Garbage = Garbage { bytes: 0, stored: 0, next: Timestamp::MAX };

    /// Returns how long the garbage waits, in units of the delay. An eighth of what is stored does
    /// not wait, so each byte of garbage costs at most eight that are written. A smaller share
    /// waits for the square of the size (4 MiB: 256 delays, which is 9 minutes at 2 s each; 64 MiB:
    /// 36 hours), but does not wait if little is stored. In a table with many `tablets`, sixteen
    /// are collected per delay.
    pub fn patience(&self, tablets: usize) -> i64 {
        let size = self.stored / SMALL_BYTES;
        let waits =
            if self.bytes.saturating_mul(SHARE) >= self.stored { 1 } else { size.saturating_mul(size) };
        i64::try_from(waits.max(tablets as u64 / TABLETS)).unwrap_or(i64::MAX).max(1)
    }
}

/// A run or a memtable, for an estimate.
struct Part<'a> {
    /// Counts of its cells; `None` if they are not known, for a file of format version 1.
    contents: Option<Cow<'a, Contents>>,
    size: Size,
    /// The run; `None` for the memtable.
    run: Option<&'a Run>,
    memtable: Option<&'a Memtable>,
    /// The bytes of its file that no run names and that are attributed to this run.
    cut: u64,
}

impl<'a> Part<'a> {
    fn of(run: &'a Run, cut: u64) -> Part<'a> {
        let contents = run.table.contents.as_ref().map(Cow::Borrowed);
        Part { contents, size: run.size, run: Some(run), memtable: None, cut }
    }
}

impl Table {
    /// Estimates the garbage of each set of overlapping runs of a tablet at `now`.
    pub(crate) fn garbage_of_runs(&self, index: usize, now: Timestamp) -> Vec<(Overlapping, Garbage)> {
        let tablet = &self.tablets[index];
        let mut found = Vec::new();
        for group in tablet.groups() {
            let all: Vec<&Run> = tablet.runs_of(group).collect();
            for runs in overlapping(&all.iter().map(|run| Span::of(run)).collect::<Vec<_>>()) {
                let parts: Vec<Part<'_>> =
                    runs.iter().map(|at| Part::of(all[*at], self.cut_bytes(all[*at]))).collect();
                let mut garbage = Garbage::NONE;
                (0..parts.len()).for_each(|part| garbage = self.add(garbage, &parts[part..], &parts, now));
                found.push((Overlapping { group, runs }, garbage));
            }
        }
        found
    }

    /// Estimates the garbage that would be found if the memtable of a tablet were written and
    /// merged with its runs. The memtable must be settled.
    pub(crate) fn garbage_of_memtable(&self, index: usize, now: Timestamp) -> Garbage {
        let tablet = &self.tablets[index];
        let memtable = &*tablet.memtable.read();
        let size = Size { rows: memtable.row_count(), cells: memtable.cells(), bytes: memtable.bytes() };
        let contents = Some(Cow::Owned(contents_of(memtable)));
        let first = Part { contents, size, run: None, memtable: Some(memtable), cut: 0 };
        let parts: Vec<Part<'_>> =
            [first].into_iter().chain(tablet.runs.iter().map(|run| Part::of(run, 0))).collect();
        let stored = parts[1..].iter().map(|part| part.size.bytes).sum();
        self.add(Garbage { stored, ..Garbage::NONE }, &parts, &parts, now)
    }

    /// Returns the bytes of a run's file that no run of the table names, in proportion to the run.
    /// Returns 0 if something else needs the file: a backup, or a table restored from one.
    fn cut_bytes(&self, run: &Run) -> u64 {
        let all = run.table.block_bytes();
        if run.size.bytes >= all {
            return 0;
        }
        let is_this = |other: &&Run| Arc::ptr_eq(&other.table, &run.table);
        let runs = || self.tablets[self.tablets_with(&run.table)].iter().flat_map(|tablet| &tablet.runs);
        let named: u64 = runs().filter(is_this).map(|run| run.size.bytes).sum();
        let inputs = self.background.compaction.iter().flat_map(Compaction::runs);
        let holders = runs().filter(is_this).count() + inputs.filter(is_this).count();
        if Arc::strong_count(&run.table) > holders {
            return 0;
        }
        share(all.saturating_sub(named), run.size.bytes, named)
    }

    /// Returns the tablets that may name a file. A file that very many tablets share, because their
    /// memtables were written together, is left out: each has a small part of it, which is merged
    /// soon.
    pub(crate) fn tablets_with(&self, table: &SsTable) -> Range<usize> {
        let rows = KeyRange {
            start: table.index.first_key(0).to_vec(),
            end: Some(next_key(table.index.last_key())),
        };
        let tablets = self.tablets_of(&rows);
        if tablets.len() > SHARED_MAX { 0..0 } else { tablets }
    }

    /// Adds the garbage of the first of some parts, and the garbage that it makes of the others,
    /// which are older.
    fn add(&self, sum: Garbage, parts: &[Part<'_>], all: &[Part<'_>], now: Timestamp) -> Garbage {
        let [part, older @ ..] = parts else { return sum };
        let families = &self.families;
        let stored = sum.stored + part.size.bytes + part.cut;
        let next = |next: Timestamp| sum.next.min(if next > now { next } else { Timestamp::MAX });
        let Some(contents) = &part.contents else {
            // There may be garbage that the counts do not show, so it is rewritten at some time.
            let may_have = families.are_collected() || all.len() > 1 || part.cut > 0;
            return Garbage { bytes: sum.bytes + part.cut.max(may_have.into()), stored, next: sum.next };
        };
        let old = older.iter().fold(Size::default(), |sum, part| sum.plus(&part.size));
        // Each delete is assumed to hide a row, or a cell, of average size in the older parts.
        let hidden = share(old.bytes, contents.row_deletes, old.rows)
            + share(old.bytes, contents.column_deletes, old.cells);
        let has_deletes =
            contents.row_deletes + contents.column_deletes > 0 && (part.run.is_some() || !older.is_empty());
        // If versions are counted, a cell in a row that older parts also have may push out a
        // version there.
        let overwritten = if families.count_versions() { rows_in(part, older) } else { 0.0 };
        let (mut cells, mut first) = (0, Timestamp::MAX);
        for (&family, counts) in contents.families.iter().map(|(family, counts)| (family, counts)) {
            let (dead, at) = self.dead_cells(family, counts, part.run, now);
            (cells, first) = (cells + dead, first.min(at));
            // A row of an older run may get more versions than are kept.
            let of_all = |part: &Part<'_>| {
                part.contents.as_ref()?.families.get(&family).map(|counts| counts.versions_max)
            };
            let versions_max = all.iter().filter_map(of_all).sum();
            let new = (counts.cells as f64 * overwritten) as u64;
            let surplus = if part.run.is_some() && !older.is_empty() { new.max(1) } else { new };
            let both = FamilyContents { surplus, versions_max, ..*counts };
            if let Some(rule) = families.gc_rule(family).filter(|rule| surplus > 0 && counts_versions(rule)) {
                cells += expired(rule, &both, Timestamp::MIN, now).min(surplus);
            }
        }
        // The counts are those of the whole file, of which this part may have only some rows.
        // Rounding must not turn a little garbage into none.
        let cells = share(cells, part.size.cells, contents.cells()).max((cells > 0).into());
        let dead = share(part.size.bytes, cells, part.size.cells).max((cells > 0).into());
        let bytes = dead + hidden.min(old.bytes).max(has_deletes.into()) + part.cut;
        Garbage { bytes: sum.bytes + bytes, stored, next: next(first) }
    }

    /// Returns how many cells of a family a collection removes at `now`, and the time from which it
    /// removes any.
    fn dead_cells(
        &self,
        family: FamilyId,
        counts: &FamilyContents,
        run: Option<&Run>,
        now: Timestamp,
    ) -> (u64, Timestamp) {
        let kind = FamilyKind::of(self.families.kinds(), family);
        let (Some(rule), false) = (self.families.gc_rule(family), kind == FamilyKind::Dropped) else {
            return (counts.cells, Timestamp::MIN);
        };
        match run.and_then(|run| run.collected) {
            // The collection that wrote the run has left nothing that expires before `next`.
            Some(collected) if now < collected.next => (0, collected.next),
            Some(collected) => (expired(rule, counts, collected.at, now).max(1), collected.next),
            None => {
                let from = expires_from(rule, counts);
                (if from <= now { expired(rule, counts, Timestamp::MIN, now).max(1) } else { 0 }, from)
            }
        }
    }
}

/// Counts the cells of a memtable.
fn contents_of(memtable: &Memtable) -> Contents {
    let mut counter = Counter::default();
    for row in memtable.range(&KeyRange::all()) {
        memtable.tombstones(row).iter().for_each(|tombstones| counter.tombstones(tombstones));
        let mut last = None;
        for cell in memtable.cells_of(row) {
            let is_older = last.replace(cell.column) == Some(cell.column);
            counter.cell(memtable.columns().get(cell.column).0, is_older, cell.timestamp);
        }
    }
    counter.finish()
}

/// Returns the fraction of a part's rows, from 0 to 1, that older parts also have, estimated from
/// some keys and the Bloom filters.
fn rows_in(part: &Part<'_>, older: &[Part<'_>]) -> f64 {
    let holds = |key: &[u8]| older.iter().filter_map(|part| part.run).any(|run| run.may_hold(key));
    let (mut keys, mut found) = (0_u32, 0_u32);
    let mut count = |key: &[u8]| {
        keys += 1;
        found += u32::from(holds(key));
    };
    part.run.iter().for_each(|run| run.sample(SAMPLE_KEYS).for_each(&mut count));
    if let Some(memtable) = part.memtable {
        let step = (memtable.row_count() as usize / SAMPLE_ROWS).max(1);
        memtable.range(&KeyRange::all()).step_by(step).for_each(|row| count(memtable.key(row)));
    }
    f64::from(found) / f64::from(keys.max(1))
}

/// Returns the earliest time at which a rule may collect a cell.
fn expires_from(rule: &GcRule, counts: &FamilyContents) -> Timestamp {
    match rule {
        GcRule::KeepAll => Timestamp::MAX,
        GcRule::MaxVersions(count) if counts.versions_max > (*count).max(1) as u64 => Timestamp::MIN,
        GcRule::MaxVersions(_) => Timestamp::MAX,
        GcRule::MaxAge { micros } => expires_after(counts.oldest, *micros),
        GcRule::Union(rules) => {
            rules.iter().map(|rule| expires_from(rule, counts)).min().unwrap_or(Timestamp::MAX)
        }
        GcRule::Intersection(rules) => {
            rules.iter().map(|rule| expires_from(rule, counts)).max().unwrap_or(Timestamp::MIN)
        }
    }
}

/// Estimates how many cells a rule collects at `now`, as if their times were evenly spread. Cells
/// that it collects at `since` have already been collected.
fn expired(rule: &GcRule, counts: &FamilyContents, since: Timestamp, now: Timestamp) -> u64 {
    match rule {
        GcRule::KeepAll => 0,
        GcRule::MaxVersions(count) => {
            let kept = (*count).max(1) as u64;
            if counts.versions_max <= kept {
                return 0;
            }
            share(counts.surplus, counts.versions_max - kept, counts.versions_max - 1).max(1)
        }
        GcRule::MaxAge { micros } => {
            let oldest = counts.oldest.max(since.saturating_sub(*micros));
            let passed = now.saturating_sub(*micros).saturating_sub(oldest);
            let span = counts.newest.saturating_sub(oldest).max(1);
            share(counts.cells, passed.max(0) as u64, span as u64).min(counts.cells)
        }
        GcRule::Union(rules) => rules.iter().map(|rule| expired(rule, counts, since, now)).max().unwrap_or(0),
        GcRule::Intersection(rules) => {
            rules.iter().map(|rule| expired(rule, counts, since, now)).min().unwrap_or(counts.cells)
        }
    }
}

/// Returns `of * part / whole`, or 0 if `whole` is 0.
fn share(of: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (of as f64 * (part as f64 / whole as f64)) as u64 }
}

#[cfg(test)]
mod tests;
