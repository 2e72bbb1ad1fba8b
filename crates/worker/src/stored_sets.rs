//! The user's own events in a stored instance: one table per set. The tables of the migration are
//! in the same instance.
//!
//! ```text
//! set-00000001    row = index of an event, u32    e:{index of the field, u16}     = its text
//!                 row about                       about:name, format, on_bad_line, content, state, events, bytes, bad_lines, version
//!                                                 field:{index, u16}              = kind and name
//!                                                 problem:{index, u16}            = line, column and message
//! ```
//! Numbers in keys and qualifiers are big-endian, so that rows are in the order of the events. A
//! group of events is one request, so it is one record of the commit log and one sync. Once
//! [`StoredSets::put`] has counted an event, it is durable.

mod about;

use tabletop_engine::{Budget, Instance};
use tabletop_keys::{Field, FieldKind};
use tabletop_model::{
    Bytes, Code, ColumnFamily, Error, Mutation, ReadRows, Result, Row, RowKey, RowMutation, RowRange, RowSet,
    TableSettings, TableSpec, Timestamp, limits::MUTATIONS_MAX,
};
use tabletop_protocol::{LinesView, LoadState, SetView};
use tabletop_workload::Events;
use tabletop_workspace::{Format, OnBadLine, OwnData};

use crate::load::Seen;
use crate::shared_storage::SharedStorage;

/// Column family of the fields' texts.
const FAMILY: &str = "e";
/// Number of events per group. Each group is synced once.
pub(crate) const GROUP_EVENTS: u32 = 1_000;
/// Number of bytes of text at which a group is full.
const GROUP_BYTES: usize = 1 << 20;
/// Rows are written once, in key order, so the SSTables are large, few, and never overlap.
const MEMTABLE_BYTES_MAX: u64 = 4 << 20;
const SSTABLES_MAX: u32 = 64;
const TABLET_BYTES_MAX: u64 = 1 << 30;
/// Compaction budget per step.
const MAINTENANCE_BUDGET: Budget = Budget { bytes: 256 << 10 };
/// Number of fields to look for in a set that has lost its list of fields.
const FIELDS_MAX: usize = 1_000;

/// All stored sets.
pub(crate) struct StoredSets {
    instance: Instance<SharedStorage>,
    /// Sorted by number.
    sets: Vec<Set>,
    /// The highest number of any set in this run.
    last: u32,
    /// Damaged files that do not belong to a known set.
    damage: Option<Error>,
}

/// One set of events.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    /// The number of the set. It is not reused while the store is open.
    pub(crate) number: u32,
    pub(crate) own: OwnData,
    /// Number of synced events.
    pub(crate) events: u32,
    /// `Loading` until the load has ended and all events are stored.
    pub(crate) state: LoadState,
    pub(crate) seen: Seen,
    /// The damage in this set.
    pub(crate) trouble: Option<Error>,
}

impl StoredSets {
    /// Opens the sets in these files. Damage of a set is reported in the set.
    ///
    /// # Errors
    /// `Unavailable` if the files cannot be read at the moment.
    pub(crate) fn open(now: Timestamp, files: SharedStorage) -> Result<StoredSets> {
        let (instance, recovery) = Instance::open(files, now)?;
        let mut store =
            StoredSets { instance, sets: Vec::new(), last: 0, damage: recovery.damage.into_iter().next() };
        for table in recovery.tables {
            if let Some(number) = table.table.strip_prefix("set-").and_then(|number| number.parse().ok()) {
                let trouble = table.damage.into_iter().next();
                store.find_set(now, number, trouble)?;
            }
        }
        Ok(store)
    }

    /// Returns damage outside of the sets. Sets should not be added in that case.
    pub(crate) fn damage(&self) -> Option<&Error> {
        self.damage.as_ref()
    }

    /// Adds the set of a table. A table that was created but never written is deleted.
    fn find_set(&mut self, now: Timestamp, number: u32, trouble: Option<Error>) -> Result<()> {
        self.last = self.last.max(number);
        let rows = RowSet { keys: vec![about::key()], ranges: Vec::new() };
        let about = match self.read_rows(now, number, ReadRows { rows, ..ReadRows::default() }) {
            Ok(rows) => match (rows.first(), &trouble) {
                (Some(row), _) => about::read(number, row),
                (None, Some(error)) => Err(error.clone()),
                // If the deletion fails, it is retried when the storage is reopened.
                (None, None) => {
                    let _ = self.instance.delete_table(&table_of(number));
                    return Ok(());
                }
            },
            Err(error) => Err(error),
        };
        let mut set = match about {
            Ok(set) => set,
            Err(error) if error.code == Code::Unavailable => return Err(error),
            Err(error) => nameless(number, error),
        };
        match self.count(now, number) {
            Ok(events) => set.events = set.events.max(events),
            Err(error) => set.trouble = Some(error),
        }
        set.trouble = trouble.or(set.trouble);
        self.sets.push(set);
        Ok(())
    }

    /// Returns the best set of this file, read in this way: a complete set, otherwise the one with
    /// the most events. The data of an earlier build does not contain the digest of its file, so it
    /// can be any file of the name, preferably a set of such a build.
    pub(crate) fn find(&self, own: &OwnData) -> Option<&Set> {
        let is_of = |set: &&Set| {
            let has_content = own.content.is_none() || set.own.content == own.content;
            set.own.is_read_like(own) && has_content && set.events > 0
        };
        self.sets.iter().filter(is_of).max_by_key(|set| {
            let ended = set.state != LoadState::Loading;
            (
                set.state == LoadState::Loaded,
                set.own.content.is_none(),
                ended,
                if ended { 0 } else { set.events },
                set.number,
            )
        })
    }

    /// Begins a new set. An existing set of the same file stays until this one replaces it.
    pub(crate) fn begin(&mut self, now: Timestamp, own: &OwnData) -> Result<u32> {
        let number = self.last + 1;
        let settings = TableSettings {
            memtable_bytes_max: MEMTABLE_BYTES_MAX,
            sstables_max: SSTABLES_MAX,
            tablet_bytes_max: TABLET_BYTES_MAX,
            tablet_load_max: f64::MAX,
            ..TableSettings::default()
        };
        let families = std::iter::once(FAMILY).chain(about::FAMILIES).map(ColumnFamily::new).collect();
        let spec = TableSpec { families, settings, ..TableSpec::default() };
        match self.instance.create_table(now, &table_of(number), spec) {
            // An earlier attempt has created the table, but failed to write its first row.
            Err(error) if error.code == Code::AlreadyExists => {}
            created => created?,
        }
        let set = Set {
            number,
            own: own.clone(),
            events: 0,
            state: LoadState::Loading,
            seen: Seen::default(),
            trouble: None,
        };
        self.mutate(now, number, &[about::write(&set)])?;
        self.sets.push(set);
        self.last = number;
        Ok(number)
    }

    /// Stores the next group of a set's events.
    ///
    /// # Errors
    /// A storage error. In this case no event of the group is counted, and the call can be retried.
    pub(crate) fn put(&mut self, now: Timestamp, number: u32, events: &Events) -> Result<()> {
        let start = self.set(number)?.events;
        let mut end = start;
        let (mut entries, mut mutations, mut bytes) = (Vec::new(), 0, 0);
        let mut values = Vec::new();
        while end < (events.len() as u32).min(start + GROUP_EVENTS) {
            events.record_in_file(end as usize, &mut values);
            let cells: Vec<Mutation> = cells_of(&values).collect();
            mutations += cells.len();
            bytes += values.iter().flatten().map(|text| text.len()).sum::<usize>();
            let full = !entries.is_empty() && (mutations > MUTATIONS_MAX || bytes > GROUP_BYTES);
            if full {
                break;
            }
            end += 1;
            // A row has at least one cell, so an event without text is a gap in the keys.
            if !cells.is_empty() {
                entries.push(RowMutation { key: key_of(end - 1), mutations: cells });
            }
        }
        if !entries.is_empty() {
            self.mutate(now, number, &entries)?;
        }
        self.set_mut(number)?.events = end;
        Ok(())
    }

    /// Writes the fields of a set and the state of its load. After the end of the load, deletes the
    /// sets that this one replaces.
    pub(crate) fn note(
        &mut self,
        now: Timestamp,
        number: u32,
        fields: &[Field],
        state: LoadState,
        seen: &Seen,
    ) -> Result<()> {
        let mut set = self.set(number)?.clone();
        set.own.fields = fields.to_vec();
        (set.state, set.seen) = (state, seen.clone());
        self.mutate(now, number, &[about::write(&set)])?;
        let replaced = |other: &&Set| other.number != number && set.replaces(other);
        let ended = set.state != LoadState::Loading;
        let others: Vec<u32> =
            self.sets.iter().filter(|_| ended).filter(replaced).map(|set| set.number).collect();
        *self.set_mut(number)? = set;
        for other in others {
            self.delete(other)?;
        }
        Ok(())
    }

    /// Deletes a set.
    pub(crate) fn delete(&mut self, number: u32) -> Result<()> {
        self.set(number)?;
        self.instance.delete_table(&table_of(number))?;
        self.sets.retain(|set| set.number != number);
        Ok(())
    }

    /// Appends events `[start, end)` of a set to `events`, including those without text.
    ///
    /// # Errors
    /// `DataLoss` if one of them is damaged. In this case no events are appended.
    pub(crate) fn read(
        &mut self,
        now: Timestamp,
        number: u32,
        start: u32,
        end: u32,
        events: &mut Events,
    ) -> Result<()> {
        let rows = self.rows(now, number, start, end)?;
        let fields = events.fields().len();
        let mut texts = Vec::new();
        for row in &rows {
            texts.push((index_of(row)?, texts_of(row, fields)?));
        }
        let mut next = start;
        for (index, texts) in &texts {
            (next..*index).try_for_each(|_| events.push(&[]))?;
            events.push(texts)?;
            next = index + 1;
        }
        (next..end).try_for_each(|_| events.push(&[]))
    }

    /// Returns events `[start, end)` of a set as JSON lines. Unreadable events are counted.
    pub(crate) fn lines(&mut self, now: Timestamp, number: u32, start: u32) -> Result<LinesView> {
        let set = self.set(number)?;
        let (fields, last) = (set.own.fields.clone(), set.events);
        let end = last.min(start.saturating_add(GROUP_EVENTS));
        let mut view = LinesView { next: (end < last).then_some(end), ..LinesView::default() };
        let mut at = start;
        let mut step = end.saturating_sub(start);
        while at < end {
            let mut events = Events::new(fields.clone());
            match self.read(now, number, at, (at + step).min(end), &mut events) {
                Ok(()) => {
                    events.for_each(0..events.len() as u32, |_, record| {
                        record.push_json(&mut view.lines);
                        view.lines.push(b'\n');
                    });
                    at += step;
                }
                // Smaller steps can read the intact events around the damage.
                Err(error) if error.code == Code::DataLoss && step > 1 => step = step.div_ceil(10),
                Err(error) if error.code == Code::DataLoss => {
                    view.unreadable += 1;
                    at += 1;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(view)
    }

    /// Returns the instance, for further tables next to those of the sets. Their names must not
    /// begin with `set-`.
    pub(crate) fn instance(&mut self) -> &mut Instance<SharedStorage> {
        &mut self.instance
    }

    /// Compacts with one budget. Returns whether more compaction is due.
    pub(crate) fn maintain(&mut self, now: Timestamp) -> bool {
        self.instance.advance(now, MAINTENANCE_BUDGET)
    }

    /// Returns the views of all sets.
    pub(crate) fn views(&mut self, now: Timestamp) -> Vec<SetView> {
        let mut views = Vec::new();
        for set in &self.sets {
            let table = self.instance.table(&table_of(set.number));
            let bytes =
                table.map_or(0, |mut table| table.view(now).tablets.iter().map(|tablet| tablet.bytes).sum());
            views.push(SetView {
                set: set.number,
                own: set.own.clone(),
                events: set.events,
                bytes,
                state: set.state.clone(),
                trouble: set.trouble.clone(),
                shown: false,
                opens: self.find(&set.own).is_some_and(|found| found.number == set.number),
            });
        }
        views
    }

    /// Returns the set with this number.
    ///
    /// # Errors
    /// `NotFound` if it does not exist.
    pub(crate) fn set(&self, number: u32) -> Result<&Set> {
        self.sets.iter().find(|set| set.number == number).ok_or_else(|| missing(number))
    }

    fn set_mut(&mut self, number: u32) -> Result<&mut Set> {
        self.sets.iter_mut().find(|set| set.number == number).ok_or_else(|| missing(number))
    }

    fn mutate(&mut self, now: Timestamp, number: u32, entries: &[RowMutation]) -> Result<()> {
        let outcomes = self.instance.table(&table_of(number))?.mutate_rows(now, entries)?;
        outcomes.into_iter().flatten().next().map_or(Ok(()), Err)
    }

    fn rows(&mut self, now: Timestamp, number: u32, start: u32, end: u32) -> Result<Vec<Row>> {
        let rows = RowSet::range(RowRange::closed_open(key_of(start), key_of(end)));
        self.read_rows(now, number, ReadRows { rows, ..ReadRows::default() })
    }

    /// Returns the number of stored events, derived from the key of the last row.
    fn count(&mut self, now: Timestamp, number: u32) -> Result<u32> {
        let rows = RowSet::range(RowRange::closed_open(key_of(0), about::key()));
        let rows = self.read_rows(
            now,
            number,
            ReadRows { rows, rows_limit: 1, reversed: true, ..ReadRows::default() },
        )?;
        rows.first().map_or(Ok(0), |row| Ok(index_of(row)? + 1))
    }

    fn read_rows(&mut self, now: Timestamp, number: u32, read: ReadRows) -> Result<Vec<Row>> {
        // Events are written only once, so the events that a damaged set still has are correct.
        let read = ReadRows { may_be_outdated: true, ..read };
        Ok(self.instance.table(&table_of(number))?.read(now, &read)?.rows)
    }
}

impl Set {
    /// Returns whether another set is no longer needed when the load of this one has ended. It must
    /// be of the same file, read in the same way, and it must be incomplete unless this one is
    /// complete. For a set of an earlier build only the name of the file is known: a complete one
    /// counts as the same file if the result is the same.
    fn replaces(&self, other: &Set) -> bool {
        let (is_whole, is_other_whole) = (self.state == LoadState::Loaded, other.state == LoadState::Loaded);
        match (self.own.content, other.own.content) {
            (Some(content), Some(others)) => {
                content == others && self.own.is_read_like(&other.own) && (is_whole || !is_other_whole)
            }
            (None, Some(_)) => false,
            (_, None) => {
                let result = |set: &Set| (set.events, set.seen.clone(), set.own.fields.clone());
                other.own.name == self.own.name
                    && (!is_other_whole || is_whole && result(self) == result(other))
            }
        }
    }
}

/// Creates a set of which only the events are readable.
fn nameless(number: u32, error: Error) -> Set {
    let fields =
        (1..=FIELDS_MAX).map(|field| Field::new(format!("field_{field}"), FieldKind::Text)).collect();
    let name = format!("set {number} (name lost)");
    let own = OwnData {
        name,
        format: Format::Detect,
        fields,
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content: None,
    };
    Set { number, own, events: 0, state: LoadState::Loading, seen: Seen::default(), trouble: Some(error) }
}

fn table_of(number: u32) -> String {
    format!("set-{number:08}")
}

fn key_of(index: u32) -> RowKey {
    Bytes(index.to_be_bytes().into())
}

fn index_of(row: &Row) -> Result<u32> {
    let bytes = row.key.0.as_slice().try_into().map_err(|_| foreign(&format!("the row {}", row.key)))?;
    Ok(u32::from_be_bytes(bytes))
}

fn cells_of<'a>(values: &'a [Option<&'a str>]) -> impl Iterator<Item = Mutation> + 'a {
    // An event has at most 1,000 fields.
    let texts = values.iter().enumerate().filter_map(|(field, text)| Some((field as u16, (*text)?)));
    texts.map(|(field, text)| set_cell(FAMILY, &field.to_be_bytes(), text))
}

fn texts_of(row: &Row, fields: usize) -> Result<Vec<Option<&str>>> {
    let mut texts = vec![None; fields];
    for cell in &row.cells {
        let field =
            cell.qualifier.0.as_slice().try_into().map(|bytes| usize::from(u16::from_be_bytes(bytes)));
        let place = field.ok().and_then(|field| texts.get_mut(field));
        let (Some(place), Ok(text)) = (place, std::str::from_utf8(&cell.value)) else {
            return Err(foreign(&format!("a cell of the row {}", row.key)));
        };
        *place = Some(text);
    }
    Ok(texts)
}

fn set_cell(family: &str, qualifier: &[u8], text: &str) -> Mutation {
    Mutation::SetCell { family: family.into(), qualifier: qualifier.into(), timestamp: 0, value: text.into() }
}

fn missing(number: u32) -> Error {
    Error::not_found(format!(
        "there is no stored set {number}: it was deleted, or replaced by a set with the same name"
    ))
}

/// Returns the error for bytes that are intact, but not in the form that this program writes.
fn foreign(what: &str) -> Error {
    Error::new(
        Code::DataLoss,
        format!(
            "{what} is not in the form that this build writes: another build wrote it, or it was edited manually"
        ),
    )
}
