//! What a table consists of: the only truth about its files.
//!
//! A manifest is a file of records (`record.rs`), each a list of facts that become true together once it is synced. The
//! first record tells everything; those behind it what has changed. When they have grown far beyond the first, all is told
//! again in a new file of the next generation, and the old one goes.
//!
//! A backup is such a file too, of one record that names the SSTables of a table at one moment, and perhaps of a second that
//! says that it was deleted.
//!
//! ```text
//! record  = fact*
//! fact    = 1 generation name                        first in each file
//!         | 2 spec
//!         | 3 tablet_id                              this tablet has gone
//!         | 4 tablet                                 it is so from now on
//!         | 5 segment file bytes                     the commit log has this segment; 0 bytes: it is still written to
//!         | 6 segment                                and this one no longer
//!         | 7 count counter*
//!         | 8                                        the table, or the backup, was deleted
//!         | 9 name time                              this is a backup, made then
//!         | 10                                       the table is there: what 8 has said before is over
//!         | 11 count uid*                            files of these tables may be here too, which may have gone themselves
//! spec    = count family* settings
//! family  = name [rule aggregate locality_group]       a name of no bytes is a family that was dropped
//! rule    = 0 | 1 versions | 2 micros | 3 count rule* (union) | 4 count rule* (intersection)
//! tablet  = id parent range log_segment log_offset reads writes run_count run*
//! run     = file range sequence group rows cells bytes
//! range   = start has_end [end]
//! ```
//! Numbers are varints, texts and keys have their length before them, a parent of 0 is none.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Aggregate, ColumnFamily, GcRule, TableSettings, TabletId, Timestamp};

use crate::codec::{Damage, Decoder, put_varint};
use crate::file_header::{FileHeader, FileKind};
use crate::key_range::KeyRange;
use crate::record::{self, End, Place};
use crate::run::Size;
use crate::storage::{FileId, Storage, StorageError};

/// A manifest is written anew when its changes take more than this, and more than `GROWTH` times what it began with.
const CHANGES_BYTES_MIN: u64 = 64 << 10;
const GROWTH: u64 = 4;

/// Bytes of a manifest whose end is not known.
const UNKNOWN_END: u64 = u64::MAX;

/// A place in the commit log: all places of a segment are before those of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogPlace {
    pub segment: u64,
    pub offset: u64,
}

/// Something that is true of a table from now on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    Table { generation: u64, name: String },
    Spec(Spec),
    TabletGone(TabletId),
    Tablet(TabletFact),
    Segment(u64, SegmentFact),
    SegmentGone(u64),
    Counters(Vec<u64>),
    Deleted,
    Backup(String, Timestamp),
    Present,
    Shares(Vec<u64>),
}

/// Families in the order of their creation, and thresholds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spec {
    /// `None` where one was dropped: its number is not used again.
    pub families: Vec<Option<ColumnFamily>>,
    pub settings: TableSettings,
}

/// What is stored of a segment of the commit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentFact {
    pub file: FileId,
    /// Bytes that were synced when the next segment began; 0 for the one that is written to.
    pub bytes: u64,
}

/// What is stored of a tablet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabletFact {
    pub id: TabletId,
    pub parent: Option<TabletId>,
    pub range: KeyRange,
    /// All its rows before this place are in its runs.
    pub log_mark: LogPlace,
    pub reads: u64,
    pub writes: u64,
    /// Newest first.
    pub runs: Vec<RunFact>,
}

/// What is stored of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFact {
    pub file: FileId,
    pub range: KeyRange,
    pub sequence: u64,
    pub group: u8,
    pub size: Size,
}

/// All that the facts of a manifest say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    pub generation: u64,
    pub name: String,
    pub spec: Spec,
    pub tablets: BTreeMap<TabletId, TabletFact>,
    pub segments: BTreeMap<u64, SegmentFact>,
    pub counters: Vec<u64>,
    pub is_deleted: bool,
    /// The name of the backup that this is, and when it was made.
    pub backup: Option<(String, Timestamp)>,
    /// Tables that made files which it had from its beginning.
    pub shares: Vec<u64>,
}

/// A manifest that is written to.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub file: FileId,
    pub uid: u64,
    pub generation: u64,
    /// Of the file; all of them synced.
    bytes: u64,
    /// Of header and first record.
    first_bytes: u64,
}

impl TabletFact {
    /// Rows, of the locality group that has most: a row may lie in several.
    pub fn rows(&self) -> u64 {
        let mut groups: BTreeMap<u8, u64> = BTreeMap::new();
        self.runs.iter().for_each(|run| *groups.entry(run.group).or_default() += run.size.rows);
        groups.into_values().max().unwrap_or_default()
    }
}

impl Manifest {
    /// Writes the first manifest of a table, which gets a uid of its own.
    pub fn create(storage: &mut impl Storage, facts: &[Fact]) -> Result<Manifest, StorageError> {
        let uid = new_uid(storage)?;
        let file = storage.create()?;
        Self::begin(storage, file, FileKind::Manifest, uid, 1, facts)
    }

    /// Writes a backup of the table `uid`.
    pub fn create_backup(storage: &mut impl Storage, uid: u64, facts: &[Fact]) -> Result<Manifest, StorageError> {
        let file = storage.create()?;
        Self::begin(storage, file, FileKind::Backup, uid, 1, facts)
    }

    /// Whether it has grown so far beyond its first record that it should be written anew.
    pub fn is_long(&self) -> bool {
        self.bytes - self.first_bytes > CHANGES_BYTES_MIN.max(self.first_bytes * GROWTH)
    }

    /// Writes all that is true into a file of the next generation, which takes the place of this one. The old one is removed.
    pub fn renew(&mut self, storage: &mut impl Storage, facts: &[Fact]) -> Result<(), StorageError> {
        let file = storage.create()?;
        // One that fails may be there all the same: the next one is of another generation.
        self.generation += 1;
        let new = Self::begin(storage, file, FileKind::Manifest, self.uid, self.generation, facts)?;
        let old = core::mem::replace(self, new);
        // It stays as an orphan if it cannot be removed: the next one to open the table removes it.
        let _ = storage.remove(old.file);
        Ok(())
    }

    /// Makes facts true, all or none.
    ///
    /// # Errors
    /// `NotDone` and `Full` when none is, `Unknown` when they may be.
    pub fn add(&mut self, storage: &mut impl Storage, facts: &[Fact]) -> Result<(), StorageError> {
        let place = Place { uid: self.uid, offset: self.bytes, synced: self.bytes };
        let record = encode(facts, place)?;
        let length = record.len() as u64;
        let done = storage.append(self.file, record).and_then(|()| storage.sync(self.file).map_err(may_have_happened));
        match done {
            Ok(()) => self.bytes += length,
            // Nothing can be added where nobody knows how the file ends.
            Err(StorageError::Unknown(_)) => self.bytes = UNKNOWN_END,
            Err(_) => {}
        }
        done
    }

    /// Whether something else than whole records may stand at its end, so that nothing can be added.
    pub fn is_torn(&self) -> bool {
        self.bytes == UNKNOWN_END
    }

    fn begin(
        storage: &mut impl Storage,
        file: FileId,
        kind: FileKind,
        uid: u64,
        generation: u64,
        facts: &[Fact],
    ) -> Result<Manifest, StorageError> {
        let header = FileHeader { kind, uid }.encode();
        let offset = header.len() as u64;
        let written = encode(facts, Place { uid, offset, synced: 0 }).and_then(|record| {
            let bytes = [header, record].concat();
            let length = bytes.len() as u64;
            storage.append(file, bytes)?;
            storage.sync(file).map_err(may_have_happened)?;
            Ok(length)
        });
        match written {
            Ok(bytes) => Ok(Manifest { file, uid, generation, bytes, first_bytes: bytes }),
            // Where it may have happened, a crash may bring the file back until something else is synced.
            Err(error) => {
                let _ = storage.remove(file);
                Err(error)
            }
        }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// `Corrupt` when its first record is not whole, or tablets are missing.
    pub fn open(storage: &impl Storage, file: FileId) -> Result<Loaded, StorageError> {
        let uid = FileHeader::read(storage, file)?.uid;
        let mut state = State::default();
        let (mut count, mut first_bytes) = (0, 0);
        let mut makes_sense = true;
        let end = record::read(storage, file, uid, None, |offset, payload| {
            if count == 1 {
                first_bytes = offset;
            }
            let facts = decode_facts(&payload, count == 0)?;
            facts.into_iter().for_each(|fact| state.add(fact));
            let checked = state.check();
            makes_sense = checked.is_ok();
            count += u64::from(makes_sense);
            checked
        });
        if !makes_sense {
            // All facts of a record or none.
            state = State::default();
            let mut left = count;
            let again = record::read(storage, file, uid, None, |_, payload| {
                if left > 0 {
                    decode_facts(&payload, left == count)?.into_iter().for_each(|fact| state.add(fact));
                    left -= 1;
                }
                Ok(())
            });
            // Damage behind these records was found already.
            if let Err(error @ (StorageError::NotDone(_) | StorageError::Unknown(_))) = again {
                return Err(error);
            }
        }
        let (end, damage) = match end {
            Ok(end) => (end, None),
            Err(damage @ StorageError::Corrupt { .. }) if count > 0 => (End { whole: UNKNOWN_END, torn: 0 }, Some(damage)),
            Err(error) => return Err(error),
        };
        if count == 0 {
            let (found, expected) = (format!("{} bytes of a torn record", end.torn), "a first record that is whole");
            return Err(Damage::new(0, found, expected).in_file(file, end.whole));
        }
        if count == 1 {
            first_bytes = end.whole;
        }
        // Behind a torn tail nothing can be added: it counts as long, so that it is written anew first.
        let bytes = if end.torn == 0 { end.whole } else { UNKNOWN_END };
        let manifest = Manifest { file, uid, generation: state.generation, bytes, first_bytes };
        Ok(Loaded { manifest, state, torn: end.torn, damage })
    }
}

/// A manifest that was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub manifest: Manifest,
    /// What it says, up to where it is damaged.
    pub state: State,
    /// Bytes of its end that are left out, for nobody was answered for them.
    pub torn: u64,
    pub damage: Option<StorageError>,
}

impl State {
    pub fn add(&mut self, fact: Fact) {
        match fact {
            Fact::Table { generation, name } => (self.generation, self.name) = (generation, name),
            Fact::Spec(spec) => self.spec = spec,
            Fact::TabletGone(id) => drop(self.tablets.remove(&id)),
            Fact::Tablet(tablet) => drop(self.tablets.insert(tablet.id, tablet)),
            Fact::Segment(number, segment) => drop(self.segments.insert(number, segment)),
            Fact::SegmentGone(segment) => drop(self.segments.remove(&segment)),
            Fact::Counters(counters) => self.counters = counters,
            Fact::Deleted => self.is_deleted = true,
            Fact::Present => self.is_deleted = false,
            Fact::Backup(name, at) => self.backup = Some((name, at)),
            Fact::Shares(uids) => self.shares = uids,
        }
    }

    /// Tablets in key order.
    pub fn tablets_in_order(&self) -> Vec<&TabletFact> {
        tabletop_model::order::sorted(self.tablets.values().collect(), |a, b| a.range.start.cmp(&b.range.start))
    }

    /// Files that it names, some of them several times.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let runs = self.tablets.values().flat_map(|tablet| tablet.runs.iter().map(|run| run.file));
        runs.chain(self.segments.values().map(|segment| segment.file))
    }

    /// Tablets cover every key once.
    fn check(&self) -> Result<(), Damage> {
        let mut start: Option<&[u8]> = Some(&[]);
        for tablet in self.tablets_in_order() {
            if start != Some(&tablet.range.start) || tablet.range.is_empty() {
                let expected = "tablets that follow each other without gaps";
                return Err(Damage::new(0, format!("tablet {} out of place", tablet.id.0), expected));
            }
            start = tablet.range.end.as_deref();
        }
        match start {
            None => Ok(()),
            Some(_) if self.is_deleted => Ok(()),
            Some(_) => Err(Damage::new(0, "no last tablet", "tablets up to the end of the table")),
        }
    }
}

/// A uid that no file has, nor had: storage may give the number of a file once more after it was opened again, so that of the
/// new file alone would not do.
fn new_uid(storage: &impl Storage) -> Result<u64, StorageError> {
    let mut last = 0;
    for file in storage.files()? {
        let uid = match FileHeader::read(storage, file) {
            Ok(header) => header.uid,
            Err(StorageError::Corrupt { .. }) => 0,
            Err(error) => return Err(error),
        };
        last = last.max(file.0).max(uid);
    }
    Ok(last + 1)
}

/// Turns any failure to sync into one that may have happened: what was appended is in the file.
pub(crate) fn may_have_happened(error: StorageError) -> StorageError {
    match error {
        StorageError::NotDone(why) | StorageError::Full(why) => StorageError::Unknown(why),
        other => other,
    }
}

fn encode(facts: &[Fact], place: Place) -> Result<Vec<u8>, StorageError> {
    let mut record = record::begin(facts.len() * 64);
    facts.iter().for_each(|fact| put_fact(&mut record, fact));
    record::finish(&mut record, place)?;
    Ok(record)
}

fn put_fact(out: &mut Vec<u8>, fact: &Fact) {
    match fact {
        Fact::Table { generation, name } => {
            out.push(1);
            put_varint(out, *generation);
            put_bytes(out, name.as_bytes());
        }
        Fact::Spec(spec) => {
            out.push(2);
            put_spec(out, spec);
        }
        Fact::TabletGone(id) => {
            out.push(3);
            put_varint(out, id.0);
        }
        Fact::Tablet(tablet) => {
            out.push(4);
            put_tablet(out, tablet);
        }
        Fact::Segment(number, segment) => {
            out.push(5);
            put_varint(out, *number);
            put_varint(out, segment.file.0);
            put_varint(out, segment.bytes);
        }
        Fact::SegmentGone(segment) => {
            out.push(6);
            put_varint(out, *segment);
        }
        Fact::Counters(counters) => {
            out.push(7);
            put_varint(out, counters.len() as u64);
            counters.iter().for_each(|&counter| put_varint(out, counter));
        }
        Fact::Deleted => out.push(8),
        Fact::Present => out.push(10),
        Fact::Backup(name, at) => {
            out.push(9);
            put_bytes(out, name.as_bytes());
            put_varint(out, *at as u64);
        }
        Fact::Shares(uids) => {
            out.push(11);
            put_varint(out, uids.len() as u64);
            uids.iter().for_each(|&uid| put_varint(out, uid));
        }
    }
}

/// The facts of a record.
fn decode_facts(payload: &[u8], is_first: bool) -> Result<Vec<Fact>, Damage> {
    let mut decoder = Decoder::new(payload);
    let mut facts = Vec::new();
    while !decoder.is_at_end() {
        let at = decoder.at;
        let fact = decode_fact(&mut decoder)?;
        if (is_first && at == 0) != matches!(fact, Fact::Table { .. }) {
            return Err(Damage::new(at, "a fact out of place", "the table's name first, and once"));
        }
        facts.push(fact);
    }
    Ok(facts)
}

fn decode_fact(decoder: &mut Decoder) -> Result<Fact, Damage> {
    let at = decoder.at;
    Ok(match decoder.byte()? {
        1 => Fact::Table { generation: decoder.varint()?, name: read_text(decoder)? },
        2 => Fact::Spec(read_spec(decoder)?),
        3 => Fact::TabletGone(TabletId(decoder.varint()?)),
        4 => Fact::Tablet(read_tablet(decoder)?),
        5 => {
            let number = decoder.varint()?;
            Fact::Segment(number, SegmentFact { file: FileId(decoder.varint()?), bytes: decoder.varint()? })
        }
        6 => Fact::SegmentGone(decoder.varint()?),
        7 => Fact::Counters(read_numbers(decoder)?),
        8 => Fact::Deleted,
        9 => Fact::Backup(read_text(decoder)?, decoder.varint()? as Timestamp),
        10 => Fact::Present,
        11 => Fact::Shares(read_numbers(decoder)?),
        kind => return Err(Damage::new(at, format!("fact {kind}"), "a fact of 1 to 11")),
    })
}

fn read_numbers(decoder: &mut Decoder) -> Result<Vec<u64>, Damage> {
    let count = decoder.count(1)?;
    (0..count).map(|_| decoder.varint()).collect()
}

pub(crate) fn put_spec(out: &mut Vec<u8>, spec: &Spec) {
    put_varint(out, spec.families.len() as u64);
    for family in &spec.families {
        let Some(ColumnFamily { name, gc_rule, aggregate, locality_group }) = family else {
            out.push(0);
            continue;
        };
        put_bytes(out, name.as_bytes());
        put_rule(out, gc_rule);
        out.push(aggregate.map_or(0, aggregate_number));
        out.push(*locality_group);
    }
    let TableSettings {
        block_bytes,
        memtable_bytes_max,
        sstables_max,
        tablet_bytes_max,
        tablet_load_max,
        load_window_seconds,
        cache_bytes_max,
    } = spec.settings;
    put_varint(out, block_bytes.into());
    put_varint(out, memtable_bytes_max);
    put_varint(out, sstables_max.into());
    put_varint(out, tablet_bytes_max);
    out.extend_from_slice(&tablet_load_max.to_le_bytes());
    put_varint(out, load_window_seconds.into());
    put_varint(out, cache_bytes_max);
}

pub(crate) fn read_spec(decoder: &mut Decoder) -> Result<Spec, Damage> {
    let count = decoder.count(1)?;
    let families = (0..count).map(|_| read_family(decoder)).collect::<Result<_, _>>()?;
    let settings = TableSettings {
        block_bytes: decoder.u32()?,
        memtable_bytes_max: decoder.varint()?,
        sstables_max: decoder.u32()?,
        tablet_bytes_max: decoder.varint()?,
        tablet_load_max: {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(decoder.slice(8)?);
            f64::from_le_bytes(bytes)
        },
        load_window_seconds: decoder.u32()?,
        cache_bytes_max: decoder.varint()?,
    };
    Ok(Spec { families, settings })
}

fn read_family(decoder: &mut Decoder) -> Result<Option<ColumnFamily>, Damage> {
    let name = read_text(decoder)?;
    if name.is_empty() {
        return Ok(None);
    }
    let gc_rule = read_rule(decoder, 0)?;
    let at = decoder.at;
    let aggregate = match decoder.byte()? {
        0 => None,
        number => {
            let all = [Aggregate::Sum, Aggregate::Min, Aggregate::Max, Aggregate::DistinctCount];
            let found = all.into_iter().find(|aggregate| aggregate_number(*aggregate) == number);
            Some(found.ok_or_else(|| Damage::new(at, number, "an aggregate of 0 to 4"))?)
        }
    };
    Ok(Some(ColumnFamily { name, gc_rule, aggregate, locality_group: decoder.byte()? }))
}

fn aggregate_number(aggregate: Aggregate) -> u8 {
    match aggregate {
        Aggregate::Sum => 1,
        Aggregate::Min => 2,
        Aggregate::Max => 3,
        Aggregate::DistinctCount => 4,
    }
}

fn put_rule(out: &mut Vec<u8>, rule: &GcRule) {
    let (kind, rules) = match rule {
        GcRule::KeepAll => return out.push(0),
        GcRule::MaxVersions(count) => {
            out.push(1);
            return put_varint(out, *count as u64);
        }
        GcRule::MaxAge { micros } => {
            out.push(2);
            return put_varint(out, *micros as u64);
        }
        GcRule::Union(rules) => (3, rules),
        GcRule::Intersection(rules) => (4, rules),
    };
    out.push(kind);
    put_varint(out, rules.len() as u64);
    rules.iter().for_each(|rule| put_rule(out, rule));
}

/// A rule has at most 500 bytes in another encoding, so it is never deeper than that.
fn read_rule(decoder: &mut Decoder, depth: u32) -> Result<GcRule, Damage> {
    let at = decoder.at;
    match decoder.byte()? {
        0 => Ok(GcRule::KeepAll),
        1 => Ok(GcRule::MaxVersions(decoder.varint()? as i32)),
        2 => Ok(GcRule::MaxAge { micros: decoder.varint()? as i64 }),
        kind @ (3 | 4) if depth < 500 => {
            let count = decoder.count(1)?;
            let rules = (0..count).map(|_| read_rule(decoder, depth + 1)).collect::<Result<_, _>>()?;
            Ok(if kind == 3 { GcRule::Union(rules) } else { GcRule::Intersection(rules) })
        }
        kind => Err(Damage::new(at, format!("kind {kind}"), "a rule of kind 0 to 4, not too deep")),
    }
}

fn put_tablet(out: &mut Vec<u8>, tablet: &TabletFact) {
    put_varint(out, tablet.id.0);
    put_varint(out, tablet.parent.map_or(0, |parent| parent.0));
    put_range(out, &tablet.range);
    for number in [tablet.log_mark.segment, tablet.log_mark.offset, tablet.reads, tablet.writes, tablet.runs.len() as u64] {
        put_varint(out, number);
    }
    for run in &tablet.runs {
        put_varint(out, run.file.0);
        put_range(out, &run.range);
        for number in [run.sequence, run.group.into(), run.size.rows, run.size.cells, run.size.bytes] {
            put_varint(out, number);
        }
    }
}

fn read_tablet(decoder: &mut Decoder) -> Result<TabletFact, Damage> {
    let id = TabletId(decoder.varint()?);
    let parent = Some(decoder.varint()?).filter(|parent| *parent != 0).map(TabletId);
    let range = read_range(decoder)?;
    let log_mark = LogPlace { segment: decoder.varint()?, offset: decoder.varint()? };
    let (reads, writes) = (decoder.varint()?, decoder.varint()?);
    let count = decoder.count(8)?;
    let runs = (0..count).map(|_| read_run(decoder)).collect::<Result<_, _>>()?;
    Ok(TabletFact { id, parent, range, log_mark, reads, writes, runs })
}

fn read_run(decoder: &mut Decoder) -> Result<RunFact, Damage> {
    let file = FileId(decoder.varint()?);
    let range = read_range(decoder)?;
    let sequence = decoder.varint()?;
    let at = decoder.at;
    let group = decoder.varint()?;
    let group = u8::try_from(group).map_err(|_| Damage::new(at, group, "a locality group below 256"))?;
    let size = Size { rows: decoder.varint()?, cells: decoder.varint()?, bytes: decoder.varint()? };
    Ok(RunFact { file, range, sequence, group, size })
}

fn put_range(out: &mut Vec<u8>, range: &KeyRange) {
    put_bytes(out, &range.start);
    out.push(range.end.is_some().into());
    if let Some(end) = &range.end {
        put_bytes(out, end);
    }
}

fn read_range(decoder: &mut Decoder) -> Result<KeyRange, Damage> {
    let start = read_bytes(decoder)?.to_vec();
    let at = decoder.at;
    let end = match decoder.byte()? {
        0 => None,
        1 => Some(read_bytes(decoder)?.to_vec()),
        other => return Err(Damage::new(at, other, "0 for no end or 1 for one")),
    };
    Ok(KeyRange { start, end })
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(crate) fn read_bytes<'a>(decoder: &mut Decoder<'a>) -> Result<&'a [u8], Damage> {
    let length = decoder.count(1)?;
    decoder.slice(length)
}

pub(crate) fn read_text(decoder: &mut Decoder) -> Result<String, Damage> {
    let at = decoder.at;
    let bytes = read_bytes(decoder)?;
    let text = core::str::from_utf8(bytes).map_err(|_| Damage::new(at, bytes.escape_ascii(), "text in UTF-8"))?;
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn facts() -> Vec<Fact> {
        let rule = GcRule::Union(vec![GcRule::MaxVersions(3), GcRule::Intersection(vec![GcRule::MaxAge { micros: 5_000 }])]);
        let family = ColumnFamily { name: "f".into(), gc_rule: rule, aggregate: Some(Aggregate::Max), locality_group: 2 };
        let size = Size { rows: 1, cells: 2, bytes: 300 };
        let range = KeyRange { start: b"a".to_vec(), end: Some(b"b\xff".to_vec()) };
        let run = RunFact { file: FileId(300), range: range.clone(), sequence: 9, group: 1, size };
        vec![
            Fact::Table { generation: 7, name: "t".into() },
            Fact::Spec(Spec { families: vec![Some(family), None], settings: TableSettings::default() }),
            Fact::TabletGone(TabletId(4)),
            Fact::Tablet(TabletFact {
                id: TabletId(5),
                parent: Some(TabletId(4)),
                range,
                log_mark: LogPlace { segment: 3, offset: 1_000 },
                reads: 1,
                writes: 2,
                runs: vec![run],
            }),
            Fact::Segment(3, SegmentFact { file: FileId(8), bytes: 900 }),
            Fact::SegmentGone(2),
            Fact::Counters(vec![0, u64::MAX]),
            Fact::Deleted,
            Fact::Backup("b".into(), 1_700_000_000_000_000),
            Fact::Present,
            Fact::Shares(vec![1, 1 << 40]),
        ]
    }

    fn decode(bytes: &[u8]) -> Result<Vec<Fact>, Damage> {
        let mut decoder = Decoder::new(bytes);
        let mut facts = Vec::new();
        while !decoder.is_at_end() {
            facts.push(decode_fact(&mut decoder)?);
        }
        Ok(facts)
    }

    #[test]
    fn facts_come_back_and_no_bytes_make_it_panic() {
        let mut bytes = Vec::new();
        facts().iter().for_each(|fact| put_fact(&mut bytes, fact));
        assert_eq!(decode(&bytes), Ok(facts()));
        for at in 0..bytes.len() {
            let _ = decode(&bytes[..at]);
            for change in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                // Any answer but a panic: the checksum is what tells.
                let _ = decode(&changed);
            }
        }
    }
}
