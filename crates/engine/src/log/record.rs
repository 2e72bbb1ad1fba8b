//! Records of the files that grow: the commit log and the manifest.
//!
//! ```text
//! file   = header(40) record*
//! record = head payload checksum:8       xxh3-64 of the payload
//! head   = length:4 synced:8 checksum:4  of the payload; the low half of xxh3-64 of the twelve bytes before it
//! ```
//! Little-endian. `synced` is the number of bytes of the file that were synced when the record was
//! written. Checksums are seeded with the UID and number in the header and the record's place, so
//! that a copy of a record elsewhere is not valid.
//!
//! A crash can only damage the last records. Bytes after the last complete record are therefore a
//! torn tail, whose writes were never acknowledged, unless a later record marks the place as
//! synced: then the bytes have been changed.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::codec::{Damage, little_endian};
use crate::log::file_header::FileHeader;
use crate::storage::{FileId, Slice, Storage, StorageError};

const HEAD_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 8;
/// Bytes that a disk writes as a unit, completely or not at all.
const PAGE_BYTES: usize = 512;
/// Bytes that are searched at a time.
const SEARCH_BYTES: usize = 1 << 20;

/// The position at which a record is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordPosition {
    /// The header of the file.
    pub header: FileHeader,
    /// The offset of the record in the file.
    pub offset: u64,
    /// The number of bytes before it that are synced.
    pub synced: u64,
}

/// Where the complete records of a file end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Bytes of the header and of all complete records.
    pub whole: u64,
    /// Bytes after the complete records.
    pub torn: u64,
}

/// Returns space for the head of a record. Append the payload to it.
pub(crate) fn begin(bytes_expected: usize) -> Vec<u8> {
    let mut record = Vec::with_capacity(HEAD_BYTES + bytes_expected + CHECKSUM_BYTES);
    record.resize(HEAD_BYTES, 0);
    record
}

/// Returns the range of the payload in a record that [`begin`] began.
pub(crate) fn payload_of(record: &[u8]) -> Range<usize> {
    HEAD_BYTES..record.len()
}

/// Completes a record that [`begin`] began.
///
/// # Errors
/// `NotDone` for a payload of 4 GiB or more.
pub(crate) fn finish(record: &mut Vec<u8>, position: RecordPosition) -> Result<(), StorageError> {
    let length = record.len() - HEAD_BYTES;
    let Ok(length) = u32::try_from(length) else {
        return Err(StorageError::NotDone(format!(
            "a record of {length} bytes: the limit is 4 GiB, write less at a time"
        )));
    };
    record[..4].copy_from_slice(&length.to_le_bytes());
    record[4..12].copy_from_slice(&position.synced.to_le_bytes());
    let seed = position.header.seed(position.offset);
    let head = xxh3_64_with_seed(&record[..12], seed) as u32;
    record[12..16].copy_from_slice(&head.to_le_bytes());
    let checksum = xxh3_64_with_seed(&record[HEAD_BYTES..], seed);
    record.extend_from_slice(&checksum.to_le_bytes());
    Ok(())
}

/// Passes the payloads of all complete records, with their places in the file, to `each`. It starts
/// at a place where a record begins.
///
/// # Errors
/// `Corrupt` when synced bytes have changed, or when `each` rejects a payload; the records before
/// were passed on. `synced` is the number of synced bytes, if it is known; what follows them is
/// then left out.
pub(crate) fn read(
    storage: &dyn Storage,
    file: FileId,
    header: FileHeader,
    from: u64,
    synced: Option<u64>,
    mut each: impl FnMut(u64, Slice) -> Result<(), Damage>,
) -> Result<End, StorageError> {
    let mut size = storage.size(file)?;
    if let Some(synced) = synced {
        if size < synced {
            let expected = format!("{synced} bytes, which were synced");
            return Err(Damage::new(0, format!("a file of {size} bytes"), expected).in_file(file, size));
        }
        size = synced;
    }
    if from > size {
        let expected = format!("{from} bytes, which were synced");
        return Err(Damage::new(0, format!("a file of {size} bytes"), expected).in_file(file, size));
    }
    let mut offset = from.max(header.bytes());
    while offset < size {
        match read_one(storage, file, header, offset, size)? {
            Ok(payload) => {
                let length = payload.len();
                each(offset, payload).map_err(|damage| damage.in_file(file, offset + HEAD_BYTES as u64))?;
                offset += (HEAD_BYTES + length + CHECKSUM_BYTES) as u64;
            }
            Err(damage) => {
                if synced.is_some() || is_synced(storage, file, header, offset, size)? {
                    return Err(damage.in_file(file, offset));
                }
                break;
            }
        }
    }
    Ok(End { whole: offset, torn: size.saturating_sub(offset) })
}

/// Returns whether the first record was never completely written: the file ends early, or has a
/// page of zeros.
pub(crate) fn is_cut_off(
    storage: &dyn Storage,
    file: FileId,
    header: FileHeader,
) -> Result<bool, StorageError> {
    let size = storage.size(file)?;
    let start = header.bytes() as usize;
    let Some(rest) = size.checked_sub((start + HEAD_BYTES + CHECKSUM_BYTES) as u64) else { return Ok(true) };
    let head = storage.read(file, start as u64, HEAD_BYTES)?;
    match read_head(&head, header, start as u64) {
        Some((length, _)) if u64::from(length) > rest => return Ok(true),
        _ => {}
    }
    let bytes = storage.read(file, 0, usize::try_from(size).unwrap_or(usize::MAX).min(2 * SEARCH_BYTES))?;
    let is_zero = |page: &[u8]| page.iter().all(|byte| *byte == 0);
    // The header was written before the rest of its page.
    let pages = bytes.chunks(PAGE_BYTES).enumerate();
    let mut pages = pages.map(|(page, bytes)| if page == 0 { &bytes[start..] } else { bytes });
    if pages.any(|page| page.len() >= CHECKSUM_BYTES && is_zero(page)) {
        return Ok(true);
    }
    // A shorter last page is the end of a checksum and may consist of zeros: the rest of the
    // checksum decides.
    let tail = (size % PAGE_BYTES as u64) as usize;
    if tail == 0 || tail >= CHECKSUM_BYTES || rest > SEARCH_BYTES as u64 {
        return Ok(false);
    }
    let (payload, stored) = bytes[start + HEAD_BYTES..].split_at(rest as usize);
    let computed = xxh3_64_with_seed(payload, header.seed(start as u64)).to_le_bytes();
    let (begin, end) = stored.split_at(CHECKSUM_BYTES - tail);
    Ok(is_zero(end) && computed.starts_with(begin))
}

/// Returns the range of the payload of the record that `bytes` begin with, or `None` if more bytes
/// are needed.
pub(crate) fn take(bytes: &[u8], header: FileHeader, offset: u64) -> Result<Option<Range<usize>>, Damage> {
    let Some(head) = bytes.get(..HEAD_BYTES) else { return Ok(None) };
    let Some((length, _)) = read_head(head, header, offset) else {
        return Err(Damage::new(0, "bytes of another checksum", "the head of a record"));
    };
    // Where `usize` has 32 bits, the end of a record of nearly 4 GiB does not fit.
    let end = (length as usize).checked_add(HEAD_BYTES + CHECKSUM_BYTES);
    let end =
        end.ok_or_else(|| Damage::new(0, format!("a record of {length} bytes"), "one that fits in memory"))?;
    let payload = HEAD_BYTES..end - CHECKSUM_BYTES;
    let Some(checksum) = bytes.get(payload.end..end) else { return Ok(None) };
    let computed = xxh3_64_with_seed(&bytes[payload.clone()], header.seed(offset));
    if checksum != computed.to_le_bytes() {
        let expected = format!("checksum {:016x}, as stored after them", little_endian(checksum));
        return Err(Damage::new(HEAD_BYTES, format!("{length} bytes of checksum {computed:016x}"), expected));
    }
    Ok(Some(payload))
}

/// Bytes of a record after its payload.
pub(crate) const TAIL_BYTES: usize = CHECKSUM_BYTES;

fn read_one(
    storage: &dyn Storage,
    file: FileId,
    header: FileHeader,
    offset: u64,
    size: u64,
) -> Result<Result<Slice, Damage>, StorageError> {
    let left = size - offset;
    if left < (HEAD_BYTES + CHECKSUM_BYTES) as u64 {
        return Ok(Err(Damage::new(0, format!("{left} bytes"), "a record")));
    }
    let head = storage.read(file, offset, HEAD_BYTES)?;
    let Some((length, _)) = read_head(&head, header, offset) else {
        return Ok(Err(Damage::new(0, "bytes of another checksum", "the head of a record")));
    };
    if left - ((HEAD_BYTES + CHECKSUM_BYTES) as u64) < u64::from(length) {
        return Ok(Err(Damage::new(0, format!("{left} bytes"), format!("a record of {length} bytes"))));
    }
    let bytes = storage.read(file, offset + HEAD_BYTES as u64, length as usize + CHECKSUM_BYTES)?;
    let (payload, stored) = bytes.split_at(length as usize);
    let computed = xxh3_64_with_seed(payload, header.seed(offset));
    if stored != computed.to_le_bytes() {
        let stored = little_endian(stored);
        let found = format!("{length} bytes of checksum {computed:016x}");
        return Ok(Err(Damage::new(
            HEAD_BYTES,
            found,
            format!("checksum {stored:016x}, as stored after them"),
        )));
    }
    Ok(Ok(bytes.part(0..length as usize)))
}

/// Returns whether a record after `position` marks `position` as synced.
fn is_synced(
    storage: &dyn Storage,
    file: FileId,
    header: FileHeader,
    position: u64,
    size: u64,
) -> Result<bool, StorageError> {
    let mut offset = position + 1;
    while offset + HEAD_BYTES as u64 <= size {
        let length = (size - offset).min((SEARCH_BYTES + HEAD_BYTES) as u64) as usize;
        let bytes = storage.read(file, offset, length)?;
        for (at, head) in bytes.windows(HEAD_BYTES).enumerate() {
            let at = offset + at as u64;
            if let Some((length, synced)) = read_head(head, header, at)
                && (position + 1..=at).contains(&synced)
                && at + HEAD_BYTES as u64 + u64::from(length) <= size
            {
                return Ok(true);
            }
        }
        offset += (length - HEAD_BYTES) as u64 + 1;
    }
    Ok(false)
}

/// Returns the length of the payload, and the number of bytes that were synced.
fn read_head(head: &[u8], header: FileHeader, offset: u64) -> Option<(u32, u64)> {
    let checksum = xxh3_64_with_seed(&head[..12], header.seed(offset)) as u32;
    let is_right = head[12..16] == checksum.to_le_bytes();
    is_right.then(|| (little_endian(&head[..4]) as u32, little_endian(&head[4..12])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::file_header::{FileKind, HEADER_BYTES};
    use crate::storage::MemoryStorage;
    use alloc::vec;

    const HEADER: FileHeader = FileHeader { kind: FileKind::CommitLog, version: 2, uid: 9, number: 3 };

    fn file(records: &[(&[u8], u64)]) -> (MemoryStorage, FileId) {
        let mut storage = MemoryStorage::default();
        let file = storage.create().unwrap();
        storage.append(file, vec![0; HEADER_BYTES]).unwrap();
        for (payload, synced) in records {
            let mut record = begin(payload.len());
            record.extend_from_slice(payload);
            finish(
                &mut record,
                RecordPosition { header: HEADER, offset: storage.size(file).unwrap(), synced: *synced },
            )
            .unwrap();
            storage.append(file, record).unwrap();
        }
        (storage, file)
    }

    fn changed(storage: &MemoryStorage, file: FileId, at: u64, length: u64) -> (MemoryStorage, FileId) {
        let mut bytes = storage.read(file, 0, length as usize).unwrap().to_vec();
        if let Some(byte) = bytes.get_mut(at as usize) {
            *byte ^= 4;
        }
        let mut copy = MemoryStorage::default();
        let file = copy.create().unwrap();
        copy.append(file, bytes).unwrap();
        (copy, file)
    }

    fn payloads(storage: &MemoryStorage, file: FileId) -> (Vec<Vec<u8>>, Result<End, StorageError>) {
        let mut found = Vec::new();
        let end = read(storage, file, HEADER, 0, None, |_, payload| {
            found.push(payload.to_vec());
            Ok(())
        });
        (found, end)
    }

    /// The size does not matter: a crash truncates a file, but a changed byte does not.
    #[test]
    fn an_unwritten_page_differs_from_a_changed_byte() {
        for length in (400..560).chain([1, 5_000]) {
            let (storage, file) = file(&[(&vec![7; length], 0)]);
            let size = storage.size(file).unwrap();
            for at in HEADER_BYTES as u64..size {
                let (copy, file) = changed(&storage, file, at, size);
                assert!(!is_cut_off(&copy, file, HEADER).unwrap(), "byte {at} of {size}");
            }
            for page in (0..size as usize).step_by(PAGE_BYTES) {
                let mut bytes = storage.read(file, 0, size as usize).unwrap().to_vec();
                let end = bytes.len().min(page + PAGE_BYTES);
                bytes[page.max(HEADER_BYTES)..end].fill(0);
                let mut copy = MemoryStorage::default();
                let file = copy.create().unwrap();
                copy.append(file, bytes).unwrap();
                assert!(is_cut_off(&copy, file, HEADER).unwrap(), "page {page} of {size}");
            }
        }
    }

    #[test]
    fn damage_is_corrupt_before_the_last_sync_and_torn_after_it() {
        // The second record was written when the first was synced, the third when still only the
        // first was.
        let first_end = (HEADER_BYTES + HEAD_BYTES + 3 + CHECKSUM_BYTES) as u64;
        let (storage, file) = file(&[(b"one", 40), (b"second", first_end), (b"3", first_end)]);
        let size = storage.size(file).unwrap();
        assert_eq!(payloads(&storage, file).0, [&b"one"[..], b"second", b"3"]);
        for at in HEADER_BYTES as u64..size {
            let (copy, file) = changed(&storage, file, at, size);
            let (found, end) = payloads(&copy, file);
            match found.len() {
                0 => assert!(matches!(end, Err(StorageError::Corrupt { .. })), "byte {at}: {end:?}"),
                1 => assert_eq!(end, Ok(End { whole: first_end, torn: size - first_end }), "byte {at}"),
                _ => assert!(end.is_ok_and(|end| end.torn == 25), "byte {at}"),
            }
        }
        for length in HEADER_BYTES as u64..size {
            let (copy, file) = changed(&storage, file, size, length);
            let (found, end) = payloads(&copy, file);
            let end = end.expect("a file that ends early is torn");
            assert_eq!((end.whole + end.torn, found.len() < 3), (length, true));
        }
    }
}
