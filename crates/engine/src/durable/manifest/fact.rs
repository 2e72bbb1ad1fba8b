//! Facts of a manifest, and their encoding.
//!
//! ```text
//! record  = fact*
//! fact    = 1 generation name                        first in each file
//!         | 2 spec
//!         | 3 tablet_id                              this tablet no longer exists
//!         | 4 tablet                                 as 12, in version 1: runs without a number
//!         | 5 segment file bytes                     the commit log has this segment; 0 bytes: it is still written to
//!         | 6 segment                                the commit log no longer has this segment
//!         | 7 count counter*
//!         | 8                                        the table, or the backup, was deleted
//!         | 9 name time                              this is a backup, made then
//!         | 10                                       the table exists: cancels an earlier 8
//!         | 11 count uid*                            the table may have files of these tables, which may have been removed themselves
//!         | 12 tablet                                this tablet exists, with these contents
//! spec    = count family* settings
//! family  = name [rule aggregate locality_group]       an empty name is a dropped family
//! rule    = 0 | 1 versions | 2 micros | 3 count rule* (union) | 4 count rule* (intersection)
//! tablet  = id parent range log_segment log_offset reads writes run_count run*
//! run     = file range sequence group rows cells bytes number       the last as in the header of the file
//! range   = start has_end [end]
//! ```
//! Numbers are varints, texts and keys are preceded by their length, and a parent of 0 means none.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Aggregate, ColumnFamily, GcRule, SortedMap, TableSettings, TabletId, Timestamp};

use crate::codec::{Damage, Decoder, put_bytes, put_varint};
use crate::key_range::KeyRange;
use crate::log::LogPlace;
use crate::storage::FileId;
use crate::table::size::Size;

/// A fact that holds for a table from the moment it is recorded.
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

/// The families in the order of their creation, and the settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spec {
    /// `None` for a dropped family, whose number is not reused.
    pub families: Vec<Option<ColumnFamily>>,
    pub settings: TableSettings,
}

/// The stored facts of a segment of the commit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentFact {
    pub file: FileId,
    /// Bytes that were synced when the next segment began; 0 for the segment that is still written
    /// to.
    pub bytes: u64,
}

/// The stored facts of a tablet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabletFact {
    pub id: TabletId,
    pub parent: Option<TabletId>,
    pub range: KeyRange,
    /// The log position before which all of the tablet's rows are in its runs.
    pub log_mark: LogPlace,
    pub reads: u64,
    pub writes: u64,
    /// The runs, newest first.
    pub runs: Vec<RunFact>,
}

/// The stored facts of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFact {
    pub file: FileId,
    /// The number in the header of the file.
    pub number: u64,
    pub range: KeyRange,
    pub sequence: u64,
    pub group: u8,
    pub size: Size,
}

impl TabletFact {
    /// Returns the number of rows in the locality group that has the most: a row may be in several.
    pub fn rows(&self) -> u64 {
        let mut groups: SortedMap<u8, u64> = SortedMap::new();
        self.runs.iter().for_each(|run| *groups.get_or_default(run.group) += run.size.rows);
        groups.into_values().max().unwrap_or_default()
    }
}

pub(super) fn put_fact(out: &mut Vec<u8>, fact: &Fact) {
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
            out.push(12);
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

/// Decodes the facts of a record.
pub(super) fn decode_facts(payload: &[u8], is_first: bool) -> Result<Vec<Fact>, Damage> {
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
        1 => Fact::Table { generation: decoder.varint()?, name: decoder.text()? },
        2 => Fact::Spec(read_spec(decoder)?),
        3 => Fact::TabletGone(TabletId(decoder.varint()?)),
        kind @ (4 | 12) => Fact::Tablet(read_tablet(decoder, kind == 12)?),
        5 => {
            let number = decoder.varint()?;
            Fact::Segment(number, SegmentFact { file: FileId(decoder.varint()?), bytes: decoder.varint()? })
        }
        6 => Fact::SegmentGone(decoder.varint()?),
        7 => Fact::Counters(read_numbers(decoder)?),
        8 => Fact::Deleted,
        9 => Fact::Backup(decoder.text()?, decoder.varint()? as Timestamp),
        10 => Fact::Present,
        11 => Fact::Shares(read_numbers(decoder)?),
        kind => return Err(Damage::new(at, format!("fact {kind}"), "a fact of 1 to 12")),
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
    let at = decoder.at;
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
    settings.validate().map_err(|error| Damage::new(at, error.message, "settings that a table can have"))?;
    Ok(Spec { families, settings })
}

fn read_family(decoder: &mut Decoder) -> Result<Option<ColumnFamily>, Damage> {
    let name = decoder.text()?;
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

/// Reads a GC rule. In another encoding a rule has at most 500 bytes, which limits its depth.
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
    for number in [
        tablet.log_mark.segment,
        tablet.log_mark.offset,
        tablet.reads,
        tablet.writes,
        tablet.runs.len() as u64,
    ] {
        put_varint(out, number);
    }
    for run in &tablet.runs {
        put_varint(out, run.file.0);
        put_range(out, &run.range);
        for number in
            [run.sequence, run.group.into(), run.size.rows, run.size.cells, run.size.bytes, run.number]
        {
            put_varint(out, number);
        }
    }
}

fn read_tablet(decoder: &mut Decoder, has_numbers: bool) -> Result<TabletFact, Damage> {
    let id = TabletId(decoder.varint()?);
    let parent = Some(decoder.varint()?).filter(|parent| *parent != 0).map(TabletId);
    let range = read_range(decoder)?;
    let log_mark = LogPlace { segment: decoder.varint()?, offset: decoder.varint()? };
    let (reads, writes) = (decoder.varint()?, decoder.varint()?);
    let count = decoder.count(8)?;
    let runs = (0..count).map(|_| read_run(decoder, has_numbers)).collect::<Result<_, _>>()?;
    Ok(TabletFact { id, parent, range, log_mark, reads, writes, runs })
}

fn read_run(decoder: &mut Decoder, has_number: bool) -> Result<RunFact, Damage> {
    let file = FileId(decoder.varint()?);
    let range = read_range(decoder)?;
    let sequence = decoder.varint()?;
    let at = decoder.at;
    let group = decoder.varint()?;
    let group = u8::try_from(group).map_err(|_| Damage::new(at, group, "a locality group below 256"))?;
    let size = Size { rows: decoder.varint()?, cells: decoder.varint()?, bytes: decoder.varint()? };
    let number = if has_number { decoder.varint()? } else { 0 };
    Ok(RunFact { file, number, range, sequence, group, size })
}

fn put_range(out: &mut Vec<u8>, range: &KeyRange) {
    put_bytes(out, &range.start);
    out.push(range.end.is_some().into());
    if let Some(end) = &range.end {
        put_bytes(out, end);
    }
}

fn read_range(decoder: &mut Decoder) -> Result<KeyRange, Damage> {
    let start = decoder.sized()?.to_vec();
    let at = decoder.at;
    let end = match decoder.byte()? {
        0 => None,
        1 => Some(decoder.sized()?.to_vec()),
        other => return Err(Damage::new(at, other, "0 for no end or 1 for one")),
    };
    Ok(KeyRange { start, end })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn facts() -> Vec<Fact> {
        let rule = GcRule::Union(vec![
            GcRule::MaxVersions(3),
            GcRule::Intersection(vec![GcRule::MaxAge { micros: 5_000 }]),
        ]);
        let family = ColumnFamily {
            name: "f".into(),
            gc_rule: rule,
            aggregate: Some(Aggregate::Max),
            locality_group: 2,
        };
        let size = Size { rows: 1, cells: 2, bytes: 300 };
        let range = KeyRange { start: b"a".to_vec(), end: Some(b"b\xff".to_vec()) };
        let run =
            RunFact { file: FileId(300), number: 1 << 40, range: range.clone(), sequence: 9, group: 1, size };
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
    fn impossible_settings_are_damage() {
        for (sstables_max, is_right) in [(1, true), (0, false)] {
            let settings = TableSettings { sstables_max, ..TableSettings::default() };
            let mut bytes = Vec::new();
            put_spec(&mut bytes, &Spec { families: Vec::new(), settings });
            assert_eq!(read_spec(&mut Decoder::new(&bytes)).is_ok(), is_right);
        }
    }

    #[test]
    fn facts_survive_encoding_and_no_bytes_panic() {
        let mut bytes = Vec::new();
        facts().iter().for_each(|fact| put_fact(&mut bytes, fact));
        assert_eq!(decode(&bytes), Ok(facts()));
        for at in 0..bytes.len() {
            let _ = decode(&bytes[..at]);
            for change in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                // Any result but a panic is fine: the checksum detects the change.
                let _ = decode(&changed);
            }
        }
    }
}
