//! The commit log: writes that are not in an SSTable yet. An acknowledged write is found again
//! after a crash.
//!
//! The log is a chain of segments, which are files of records (`record.rs`). All changes of one
//! request form one record: they are appended and synced together, so a thousand rows cost one
//! sync, and a crash leaves all of them or none. A segment is removed when the rows of all its
//! records are in SSTables.
//!
//! ```text
//! payload = rows_length:4 row* columns | (nothing: the records before it are synced)
//! row     = key_length key op_count op*
//! op      = number * 8 + kind, then for each kind
//!           0 a cell of the time of the op before       value_length value
//!           1 a cell                                    time value_length value
//!           2 an input of an accumulator                time value_length value
//!           3 a delete of versions of a column          start length             a length of 0 has no end
//!           4 a delete of a family
//!           5 a delete of the row
//! columns = count (family qualifier_length qualifier)*
//! ```
//! Numbers are varints where no width is given. `number` is a column of the record's list (kinds 0
//! to 3), a family (4) or 0. Times are in microseconds, as the zigzag difference to the time before
//! in the record. Keys, qualifiers and values are stored whole, so that a replay can borrow them.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec::Vec;

use tabletop_model::Timestamp;
use tabletop_model::limits::{ROW_KEY_BYTES_MAX, TIMESTAMP_GRANULARITY_MICROS};

use crate::change::{Change, Changes, Op};
use crate::codec::{Damage, Decoder, little_endian, put_bytes, put_varint, unzigzag, zigzag};
use crate::columns::{Columns, FamilyId};
use crate::log::LogPlace;
use crate::log::file_header::{FileHeader, FileKind};
use crate::log::record::{self, End, RecordPosition};
use crate::storage::{FileId, Slice, Storage, StorageError, may_have_happened};

const SAME_TIME: u64 = 0;
const SET: u64 = 1;
const ADD: u64 = 2;
const DELETE_COLUMN: u64 = 3;
const DELETE_FAMILY: u64 = 4;
const DELETE_ROW: u64 = 5;

/// The segments of a table's log. The last one may be open.
#[derive(Debug)]
pub(crate) struct CommitLog {
    uid: u64,
    /// The segments, in ascending order of their numbers. The last one is written to if `is_open`.
    segments: VecDeque<Segment>,
    is_open: bool,
    /// The next segment, while a large write is logged there. The manifest already names it.
    prepared: Option<Prepared>,
    /// Bytes of the last segment that are synced.
    synced: u64,
    /// Whether a sync has failed. A later sync may succeed, but what was written before may still
    /// be lost.
    has_failed: bool,
    next_segment: u64,
    columns: Columns,
    record_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub number: u64,
    pub file: FileId,
    pub bytes: u64,
}

/// A segment whose first record is written concurrently with other writes, which go to the previous
/// segment until it is complete.
#[derive(Clone, Copy, Debug)]
struct Prepared {
    segment: Segment,
    /// Whether the record does not count and storage has not recorded this yet.
    is_given_up: bool,
}

impl CommitLog {
    /// Creates the log of a table with the segments of an earlier run. They are no longer written
    /// to, because the last one may end in a torn record.
    pub fn new(uid: u64, segments: VecDeque<Segment>, next_segment: u64) -> CommitLog {
        CommitLog {
            uid,
            segments,
            is_open: false,
            prepared: None,
            synced: 0,
            has_failed: false,
            next_segment,
            columns: Columns::default(),
            record_bytes: 0,
        }
    }

    /// Returns where the next record goes: after all that were written.
    pub fn end(&self) -> LogPlace {
        let place = |open: Segment| LogPlace { segment: open.number, offset: open.bytes };
        self.open().map_or(LogPlace { segment: self.next_segment, offset: 0 }, place)
    }

    /// Returns all segments, each with whether it is still written to.
    pub fn segments(&self) -> impl Iterator<Item = (Segment, bool)> {
        let closed = self.closed();
        self.segments.iter().enumerate().map(move |(at, segment)| (*segment, at >= closed))
    }

    /// Returns all segments that the manifest names, each with whether it is still written to.
    pub fn named(&self) -> impl Iterator<Item = (Segment, bool)> {
        self.segments().chain(self.prepared.map(|prepared| (prepared.segment, true)))
    }

    /// Returns the segment that is written to.
    pub fn open(&self) -> Option<Segment> {
        self.segments.back().copied().filter(|_| self.is_open)
    }

    /// Returns the bytes of all segments.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }

    /// Creates the file of a new segment and syncs its header. Call [`CommitLog::open_segment`]
    /// once the manifest names it.
    pub fn create_segment(&self, storage: &mut dyn Storage) -> Result<Segment, StorageError> {
        let file = storage.create()?;
        let header = FileHeader::new(FileKind::CommitLog, self.uid, self.next_segment);
        match storage.append(file, header.encode()).and_then(|()| storage.sync(file)) {
            Ok(()) => Ok(Segment { number: self.next_segment, file, bytes: header.bytes() }),
            Err(error) => {
                let _ = storage.remove(file);
                // No manifest names the file, so a write that may have happened counts as one that
                // did not.
                Err(match error {
                    StorageError::Unknown(why) => StorageError::NotDone(why),
                    other => other,
                })
            }
        }
    }

    /// Directs writes to a new segment from now on.
    pub fn open_segment(&mut self, segment: Segment) {
        self.next_segment = segment.number + 1;
        self.synced = segment.bytes;
        self.segments.push_back(segment);
        self.is_open = true;
    }

    /// Directs a large write to a new segment, which the manifest names. All other writes go to the
    /// open segment until [`CommitLog::open_prepared`].
    pub fn prepare(&mut self, segment: Segment) {
        self.next_segment = segment.number + 1;
        self.prepared = Some(Prepared { segment, is_given_up: false });
    }

    /// Returns whether a large write is being logged.
    pub fn is_preparing(&self) -> bool {
        self.prepared.is_some_and(|prepared| !prepared.is_given_up)
    }

    /// Directs writes to the prepared segment from now on. It has one record, which is synced, as
    /// is all of the previous segment.
    pub fn open_prepared(&mut self, bytes: u64) -> Option<LogPlace> {
        let Prepared { segment, .. } = self.prepared.take()?;
        self.synced = bytes;
        self.segments.push_back(Segment { bytes, ..segment });
        self.is_open = true;
        Some(LogPlace { segment: segment.number, offset: segment.bytes })
    }

    /// Abandons the prepared segment and returns it. Call [`CommitLog::forget_prepared`] once the
    /// manifest no longer names it.
    pub fn give_up_prepared(&mut self) -> Option<Segment> {
        let prepared = self.prepared.as_mut()?;
        prepared.is_given_up = true;
        Some(prepared.segment)
    }

    /// Removes the file of the prepared segment, which the manifest does not name.
    pub fn forget_prepared(&mut self, storage: &mut dyn Storage) {
        if let Some(prepared) = self.prepared.take() {
            // If the file cannot be removed it stays as an orphan: the next run that opens the
            // table removes it.
            let _ = storage.remove(prepared.segment.file);
        }
    }

    /// Ends the open segment, all of which is synced.
    pub fn end_segment(&mut self) {
        self.is_open = false;
    }

    /// Returns the number of the last segment that ever existed.
    pub fn last_number(&self) -> Option<u64> {
        self.next_segment.checked_sub(1).filter(|number| *number > 0)
    }

    /// Appends the changes of one request to the open segment. Returns where their record begins.
    ///
    /// # Errors
    /// `NotDone` and `Full` when nothing was written, `Unknown` when it may have been.
    pub fn append(
        &mut self,
        storage: &mut dyn Storage,
        changes: &Changes<'_>,
    ) -> Result<LogPlace, StorageError> {
        let mut bytes = record::begin(self.record_bytes);
        encode(&mut bytes, changes, &mut self.columns);
        self.record_bytes = bytes.len();
        let last = self.segments.back_mut().expect("a segment is open");
        let header = FileHeader::new(FileKind::CommitLog, self.uid, last.number);
        let place = LogPlace { segment: last.number, offset: last.bytes };
        record::finish(&mut bytes, RecordPosition { header, offset: last.bytes, synced: self.synced })?;
        let length = bytes.len() as u64;
        storage.append(last.file, bytes)?;
        last.bytes += length;
        Ok(place)
    }

    /// Syncs all records that were appended, so that they survive a crash.
    pub fn sync(&mut self, storage: &mut dyn Storage) -> Result<(), StorageError> {
        let Some(last) = self.segments.back().filter(|last| self.is_open && last.bytes > self.synced) else {
            return Ok(());
        };
        if self.has_failed {
            return Err(StorageError::Unknown("an earlier sync of the log has failed".into()));
        }
        let done = storage.sync(last.file).map_err(may_have_happened);
        self.has_failed = done.is_err();
        done?;
        self.synced = last.bytes;
        Ok(())
    }

    /// Adds an empty record if all others are synced; it marks them as synced. A later change of
    /// the last records is then detected as damage and not mistaken for the torn end of a crash.
    /// The record itself is not synced, and nothing depends on it.
    ///
    /// # Errors
    /// `NotDone` and `Full` when nothing was written, `Unknown` when it may have been.
    pub fn confirm(&mut self, storage: &mut dyn Storage) -> Result<(), StorageError> {
        let Some(last) = self.segments.back_mut().filter(|last| self.is_open && last.bytes == self.synced)
        else {
            return Ok(());
        };
        let header = FileHeader::new(FileKind::CommitLog, self.uid, last.number);
        let mut bytes = record::begin(0);
        record::finish(&mut bytes, RecordPosition { header, offset: last.bytes, synced: self.synced })?;
        let length = bytes.len() as u64;
        storage.append(last.file, bytes)?;
        last.bytes += length;
        Ok(())
    }

    /// Returns the segments before a number, which are no longer needed.
    pub fn before(&self, number: u64) -> impl Iterator<Item = u64> {
        self.segments
            .iter()
            .take(self.closed())
            .map(|segment| segment.number)
            .take_while(move |segment| *segment < number)
    }

    fn closed(&self) -> usize {
        self.segments.len() - usize::from(self.is_open)
    }

    /// Removes the files of segments that the manifest no longer names.
    pub fn forget_before(&mut self, storage: &mut dyn Storage, number: u64) {
        for _ in 0..self.before(number).count() {
            if let Some(segment) = self.segments.pop_front() {
                // If the file cannot be removed it stays as an orphan: the next run that opens the
                // table removes it.
                let _ = storage.remove(segment.file);
            }
        }
    }
}

/// Passes the records of a segment to `each`, with their places. The bytes before `from`, where a
/// record begins, are not read.
///
/// # Errors
/// `Corrupt` when synced bytes have changed. With `is_open`, the segment is still written to and
/// may end in a torn record.
pub(crate) fn replay(
    storage: &dyn Storage,
    uid: u64,
    segment: Segment,
    is_open: bool,
    from: u64,
    mut each: impl FnMut(LogPlace, &Changes<'_>) -> Result<(), Damage>,
) -> Result<End, StorageError> {
    let header = FileHeader::check(storage, segment.file, FileKind::CommitLog)?;
    header.check_owner(segment.file, &[uid], if header.version == 1 { 0 } else { segment.number })?;
    let synced = (!is_open).then_some(segment.bytes);
    record::read(storage, segment.file, header, from, synced, |offset, payload: Slice| {
        if payload.is_empty() {
            return Ok(());
        }
        each(LogPlace { segment: segment.number, offset }, &decode(&payload)?)
    })
}

/// Appends encoded changes to `out`.
pub(crate) fn encode(out: &mut Vec<u8>, changes: &Changes<'_>, columns: &mut Columns) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    columns.clear();
    let (mut column, mut time) = (u32::MAX, 0);
    for Change { key, ops } in changes.iter() {
        put_bytes(out, key);
        put_varint(out, ops.len() as u64);
        for op in ops {
            put_op(out, op, columns, &mut column, &mut time);
        }
    }
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    put_varint(out, columns.len() as u64);
    for column in 0..columns.len() as u32 {
        let (family, qualifier) = columns.get(column);
        put_varint(out, family.into());
        put_bytes(out, qualifier);
    }
}

#[inline]
fn put_op(out: &mut Vec<u8>, op: &Op<'_>, columns: &mut Columns, column: &mut u32, time: &mut Timestamp) {
    let mut head = |out: &mut Vec<u8>, family: FamilyId, qualifier: &[u8], kind: u64| {
        *column = columns.number(family, qualifier, *column);
        put_varint(out, u64::from(*column) << 3 | kind);
    };
    let put_time = |out: &mut Vec<u8>, time: &mut Timestamp, timestamp: Timestamp| {
        put_varint(out, zigzag(timestamp.wrapping_sub(*time)));
        *time = timestamp;
    };
    match *op {
        Op::Set { family, qualifier, timestamp, value } => {
            if timestamp == *time {
                head(out, family, qualifier, SAME_TIME);
            } else {
                head(out, family, qualifier, SET);
                put_time(out, time, timestamp);
            }
            put_bytes(out, value);
        }
        Op::Add { family, qualifier, timestamp, input } => {
            head(out, family, qualifier, ADD);
            put_time(out, time, timestamp);
            put_bytes(out, input);
        }
        Op::DeleteColumn { family, qualifier, start, end } => {
            head(out, family, qualifier, DELETE_COLUMN);
            put_time(out, time, start);
            put_varint(out, if end == Timestamp::MAX { 0 } else { end.wrapping_sub(start) as u64 });
        }
        Op::DeleteFamily(family) => put_varint(out, u64::from(family) << 3 | DELETE_FAMILY),
        Op::DeleteRow => put_varint(out, DELETE_ROW),
    }
}

/// Decodes the changes of a record.
pub(crate) fn decode(payload: &[u8]) -> Result<Changes<'_>, Damage> {
    let mut decoder = Decoder::new(payload);
    let length = little_endian(decoder.slice(4)?) as usize;
    let Some(rows_end) = decoder.at.checked_add(length).filter(|end| *end <= payload.len()) else {
        return Err(Damage::new(0, format!("rows of {length} bytes"), "no more than the record has"));
    };
    let mut columns = Decoder { bytes: payload, at: rows_end };
    let count = columns.count(2)?;
    let mut dictionary: Vec<(FamilyId, &[u8])> = Vec::with_capacity(count);
    for _ in 0..count {
        let family = read_family(&mut columns)?;
        dictionary.push((family, columns.sized()?));
    }
    if !columns.is_at_end() {
        return Err(Damage::new(columns.at, "more bytes", "the end of the columns"));
    }
    decoder.bytes = &payload[..rows_end];
    let mut changes = Changes::with_capacity(0);
    let mut time = 0;
    while !decoder.is_at_end() {
        let key = decoder.sized()?;
        for _ in 0..decoder.count(1)? {
            changes.push(read_op(&mut decoder, &dictionary, &mut time)?);
        }
        changes.end_row(key);
    }
    Ok(changes)
}

/// Checks everything that the engine relies on in changes read from a file, even if the checksums
/// are right.
pub(crate) fn check(changes: &Changes<'_>, families: usize) -> Result<(), Damage> {
    for change in changes.iter() {
        if change.key.is_empty() || change.key.len() > ROW_KEY_BYTES_MAX {
            let expected = format!("1 to {ROW_KEY_BYTES_MAX} bytes");
            return Err(Damage::new(0, format!("a row key of {} bytes", change.key.len()), expected));
        }
        for op in change.ops {
            let (family, time) = match *op {
                Op::Set { family, timestamp, .. } | Op::Add { family, timestamp, .. } => (family, timestamp),
                Op::DeleteColumn { family, start, end, .. } => {
                    if end != Timestamp::MAX && (end <= start || end % TIMESTAMP_GRANULARITY_MICROS != 0) {
                        let found = format!("a delete of {start} to {end} \u{b5}s");
                        return Err(Damage::new(
                            0,
                            found,
                            "an end that is a whole number of milliseconds after the start",
                        ));
                    }
                    (family, start)
                }
                Op::DeleteFamily(family) => (family, 0),
                Op::DeleteRow => continue,
            };
            if usize::from(family) >= families {
                return Err(Damage::new(
                    0,
                    format!("family {family}"),
                    format!("one of {families} families"),
                ));
            }
            if time < 0 || time % TIMESTAMP_GRANULARITY_MICROS != 0 {
                return Err(Damage::new(
                    0,
                    format!("a time of {time} \u{b5}s"),
                    "a whole number of milliseconds",
                ));
            }
        }
    }
    Ok(())
}

fn read_op<'a>(
    decoder: &mut Decoder<'a>,
    columns: &[(FamilyId, &'a [u8])],
    time: &mut Timestamp,
) -> Result<Op<'a>, Damage> {
    let at = decoder.at;
    let head = decoder.varint()?;
    let (number, kind) = (head >> 3, head & 7);
    let column = || {
        let column = usize::try_from(number).ok().and_then(|number| columns.get(number)).copied();
        column.ok_or_else(|| {
            Damage::new(at, format!("column {number}"), format!("one of {} columns", columns.len()))
        })
    };
    if matches!(kind, SET | ADD | DELETE_COLUMN) {
        *time = time.wrapping_add(unzigzag(decoder.varint()?));
    }
    match kind {
        SAME_TIME | SET => {
            let (family, qualifier) = column()?;
            Ok(Op::Set { family, qualifier, timestamp: *time, value: decoder.sized()? })
        }
        ADD => {
            let (family, qualifier) = column()?;
            Ok(Op::Add { family, qualifier, timestamp: *time, input: decoder.sized()? })
        }
        DELETE_COLUMN => {
            let (family, qualifier) = column()?;
            let length = decoder.varint()?;
            let end = if length == 0 { Timestamp::MAX } else { time.wrapping_add(length as i64) };
            Ok(Op::DeleteColumn { family, qualifier, start: *time, end })
        }
        DELETE_FAMILY => {
            let family = FamilyId::try_from(number).map_err(|_| Damage::new(at, number, "a family"))?;
            Ok(Op::DeleteFamily(family))
        }
        DELETE_ROW => Ok(Op::DeleteRow),
        _ => Err(Damage::new(at, format!("kind {kind}"), "a kind of 0 to 5")),
    }
}

fn read_family(decoder: &mut Decoder) -> Result<FamilyId, Damage> {
    let at = decoder.at;
    let family = decoder.varint()?;
    FamilyId::try_from(family).map_err(|_| Damage::new(at, family, "a family"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn changes() -> Changes<'static> {
        let mut changes = Changes::default();
        let set = |qualifier, timestamp, value| Op::Set { family: 1, qualifier, timestamp, value };
        changes.push(set(b"click,home,color", 1_700_000_000_000_000, b"red"));
        changes.push(set(b"", 1_700_000_000_000_000, b""));
        changes.push(set(b"", 0, &[7; 300]));
        changes.end_row(b"user\0");
        changes.push(Op::DeleteRow);
        changes.push(Op::Add { family: 300, qualifier: b"n", timestamp: 1_000, input: &[0, 1] });
        changes.push(Op::DeleteFamily(300));
        changes.push(Op::DeleteColumn { family: 1, qualifier: b"", start: 0, end: Timestamp::MAX });
        changes.push(Op::DeleteColumn { family: 1, qualifier: b"x", start: 5_000, end: 9_000 });
        changes.end_row(b"\xff");
        changes
    }

    #[test]
    fn changes_survive_encoding() {
        let mut bytes = Vec::new();
        encode(&mut bytes, &changes(), &mut Columns::default());
        assert_eq!(decode(&bytes), Ok(changes()));
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_err(), "cut off at {length}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            // Any result but a panic is fine: the checksum detects the change.
            let _ = decode(&changed);
        }
    }

    #[test]
    fn no_length_reaches_beyond_a_record() {
        assert!(decode(&[0xff; 4]).is_err() && decode(&[0xff, 0xff, 0xff, 0xff, 0, 0]).is_err());
    }

    #[test]
    fn a_change_that_no_write_can_make_is_damage() {
        let set = |timestamp| Op::Set { family: 1, qualifier: b"q", timestamp, value: b"" };
        let delete = |start, end| Op::DeleteColumn { family: 1, qualifier: b"q", start, end };
        let long = [7; ROW_KEY_BYTES_MAX + 1];
        for (key, op, is_right) in [
            (&b"k"[..], set(1_000), true),
            (b"k", set(1), false),
            (b"k", set(-1_000), false),
            (b"", set(0), false),
            (&long, Op::DeleteRow, false),
            (b"k", Op::DeleteFamily(2), false),
            (b"k", delete(0, 1_000), true),
            (b"k", delete(1_000, Timestamp::MAX), true),
            (b"k", delete(1, Timestamp::MAX), false),
            (b"k", delete(-1_000, 1_000), false),
            (b"k", delete(0, 999), false),
            (b"k", delete(2_000, 2_000), false),
            (b"k", delete(2_000, 1_000), false),
        ] {
            let mut changes = Changes::default();
            changes.push(op);
            changes.end_row(key);
            assert_eq!(check(&changes, 2).is_ok(), is_right, "{changes:?}");
        }
    }

    #[test]
    fn a_wide_row_has_a_small_overhead() {
        let qualifiers: Vec<Vec<u8>> = (0..12).map(|n| format!("click,home,facet{n}").into_bytes()).collect();
        let keys: Vec<Vec<u8>> = (0..1_000).map(|n| format!("app,user,{n:04}").into_bytes()).collect();
        let mut changes = Changes::default();
        for key in &keys {
            for qualifier in &qualifiers {
                changes.push(Op::Set { family: 0, qualifier, timestamp: 1_000, value: &[0; 30] });
            }
            changes.end_row(key);
        }
        let mut bytes = vec![];
        encode(&mut bytes, &changes, &mut Columns::default());
        assert_eq!(bytes.len() / 1_000, 12 * 32 + 15);
    }
}
