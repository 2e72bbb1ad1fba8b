//! Events in memory: the texts of their fields, stored compactly, with access to any event by
//! index.

mod csv;
mod decode;
mod detect;
mod generate;
mod join;
mod json;
mod log;
mod numbers;
mod order;
mod output;
mod read;
mod samples;
mod zones;

pub use generate::{Generator, random};
pub use log::choices;
pub use order::arrival_note;
pub use read::Reader;
pub use samples::{Sample, sample, samples};

use tabletop_keys::{Field, Record};
use tabletop_model::{Code, Error, Result};

/// The maximum number of bytes of text in an [`Events`]. A browser's worker has 4 GiB for the
/// events and their tables together.
pub const TEXT_BYTES_MAX: u64 = 1 << 30;

/// Events in the order of their arrival, which is that of their file unless they are
/// [arranged](Events::arrange). Each event has an optional text per field.
///
/// A recently stored text is not stored again, but referred to, so events made of few distinct
/// texts (types, names, products) take a fraction of their size in a file. Kinds only determine how
/// texts are read: changing them does not change any event.
#[derive(Clone, Debug, Default)]
pub struct Events {
    fields: Vec<Field>,
    /// Each text is in one chunk, after its length (see [`push_length`]). Chunks never grow beyond
    /// their first allocation, so loading copies no text twice and needs no room for a second copy.
    chunks: Vec<String>,
    /// The address of each value, or [`ABSENT`]. An event has as many as there were fields when it
    /// was added, not counting absent ones at its end.
    addresses: Vec<TextAddress>,
    /// For each event, the end of its range in `addresses`.
    ends: Vec<u32>,
    /// The indices of the events in the order of their file, in the order in which they arrive;
    /// empty if both are the same.
    order: Vec<u32>,
    /// Recently stored texts, indexed by the lowest bits of their hash. The upper 32 bits of an
    /// entry are bits of the hash, so that most other texts are ruled out without a comparison. The
    /// lower 32 bits are the address of the text.
    recent_texts: Vec<u64>,
    bytes: u64,
}

/// Index of a chunk in the upper 12 bits, offset of a text's length in the lower 20, plus one.
type TextAddress = u32;
const ABSENT: TextAddress = 0;
const CHUNK_BITS: u32 = 20;
const CHUNK_BYTES: usize = 1 << CHUNK_BITS;
const CHUNKS_MAX: usize = 1 << (32 - CHUNK_BITS);
/// 256 KiB: about the size of a processor's second-level cache.
const RECENT_TEXTS: usize = 1 << 15;

impl Events {
    /// Creates an empty list of events with these fields.
    pub fn new(fields: Vec<Field>) -> Self {
        Events { fields, ..Events::default() }
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the names and kinds of the fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the bytes of all texts of all events, which is about the size of a file of them.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the bytes of memory that are allocated.
    pub fn memory_bytes(&self) -> u64 {
        let texts: usize = self.chunks.iter().map(String::capacity).sum();
        let addresses = self.addresses.capacity() + self.ends.capacity() + self.order.capacity();
        (texts + addresses * size_of::<u32>() + self.recent_texts.capacity() * size_of::<u64>()) as u64
    }

    /// Renames fields or corrects their kinds. The events stay as they are.
    ///
    /// # Errors
    /// `InvalidArgument`, without any change, when the number of fields differs, or a name is empty
    /// or used twice.
    pub fn set_fields(&mut self, fields: Vec<Field>) -> Result<()> {
        if fields.len() != self.fields.len() {
            return Err(Error::invalid(format!(
                "The events have {} fields, so {} cannot be set: give one for each.",
                self.fields.len(),
                fields.len()
            )));
        }
        for (index, field) in fields.iter().enumerate() {
            if field.name.is_empty() {
                return Err(Error::invalid(format!("Field {} has no name: give it one.", index + 1)));
            }
            if fields[..index].iter().any(|other| other.name == field.name) {
                return Err(Error::invalid(format!(
                    "Two fields are called `{}`: rename one of them.",
                    field.name
                )));
            }
        }
        self.fields = fields;
        Ok(())
    }

    /// Adds a field at the end. Existing events have no value for it.
    pub(crate) fn add_field(&mut self, field: Field) {
        self.fields.push(field);
    }

    /// Adds an event. Values follow the order of the fields; values left out at the end are absent.
    ///
    /// # Errors
    /// `ResourceExhausted` when the texts would take more than 1 GiB; the event is then not added.
    ///
    /// # Panics
    /// Panics if there are more values than fields.
    pub fn push(&mut self, values: &[Option<&str>]) -> Result<()> {
        self.push_each(values.iter().copied())
    }

    /// Adds an event as [`Events::push`] does, from values that are not in one slice.
    pub(crate) fn push_each<'a>(&mut self, values: impl Iterator<Item = Option<&'a str>>) -> Result<()> {
        let places_before = self.addresses.len();
        let mut bytes = 0;
        for value in values {
            let address = match value {
                None => ABSENT,
                Some(text) => {
                    bytes += text.len() as u64;
                    self.address_of(text)
                }
            };
            self.addresses.push(address);
        }
        let count = self.addresses.len() - places_before;
        assert!(count <= self.fields.len(), "{count} values for {} fields", self.fields.len());
        while self.addresses.len() > places_before && self.addresses.last() == Some(&ABSENT) {
            self.addresses.pop();
        }
        // Addresses have 32 bits, and so do their indices, which limits the number of chunks and of
        // addresses.
        let full = self.bytes + bytes > TEXT_BYTES_MAX
            || self.chunks.len() > CHUNKS_MAX
            || u32::try_from(self.addresses.len()).is_err();
        if full {
            self.addresses.truncate(places_before);
            return Err(Error::new(
                Code::ResourceExhausted,
                format!(
                    "The first {} events fill the {} MiB that events may take: load a part of them.",
                    self.len(),
                    TEXT_BYTES_MAX >> 20
                ),
            ));
        }
        self.bytes += bytes;
        if !self.order.is_empty() {
            self.order.push(self.len() as u32);
        }
        self.ends.push(self.addresses.len() as u32);
        Ok(())
    }

    /// Replaces `values` with those of the event at `index`, one per field.
    ///
    /// # Panics
    /// Panics if there is no such event.
    pub fn record<'a>(&'a self, index: usize, values: &mut Vec<Option<&'a str>>) {
        self.record_in_file(self.in_file(index), values);
    }

    /// Replaces `values` with those of the event at `index` in the order of the file, one per field.
    ///
    /// # Panics
    /// Panics if there is no such event.
    pub fn record_in_file<'a>(&'a self, index: usize, values: &mut Vec<Option<&'a str>>) {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let addresses = &self.addresses[start as usize..self.ends[index] as usize];
        values.clear();
        values.extend(addresses.iter().map(|&address| (address != ABSENT).then(|| self.text_at(address))));
        values.resize(self.fields.len(), None);
    }

    /// Returns the value of one field of the event at `index`.
    ///
    /// # Panics
    /// Panics if there is no such event.
    pub fn value(&self, index: usize, field: usize) -> Option<&str> {
        self.value_in_file(self.in_file(index), field)
    }

    fn in_file(&self, index: usize) -> usize {
        if self.order.is_empty() { index } else { self.order[index] as usize }
    }

    /// Returns the value of one field of the event at `index` in the order of the file. That order shows
    /// what a file lists, which the order of times does not.
    ///
    /// # Panics
    /// Panics if there is no such event.
    pub fn value_in_file(&self, index: usize, field: usize) -> Option<&str> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let addresses = &self.addresses[start as usize..self.ends[index] as usize];
        addresses.get(field).filter(|&&address| address != ABSENT).map(|&address| self.text_at(address))
    }

    /// Calls `each` with the events at these indices, in the given order, with their index.
    ///
    /// # Panics
    /// Panics if there is no such event.
    pub fn for_each(&self, indices: impl IntoIterator<Item = u32>, mut each: impl FnMut(u32, &Record)) {
        let mut values = Vec::new();
        for index in indices {
            self.record(index as usize, &mut values);
            each(index, &Record { fields: &self.fields, values: &values });
        }
    }

    /// Replaces texts of a field by what `to` returns for them. Memory of earlier texts stays in
    /// use.
    pub(crate) fn rewrite(&mut self, field: usize, mut to: impl FnMut(&str) -> Option<String>) {
        for index in 0..self.len() {
            let start = index.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
            let at = start + field;
            if at >= self.ends[index] as usize || self.addresses[at] == ABSENT {
                continue;
            }
            let before = self.text_at(self.addresses[at]);
            if let Some(text) = to(before) {
                self.bytes = self.bytes - before.len() as u64 + text.len() as u64;
                self.addresses[at] = self.address_of(&text);
            }
        }
    }

    fn text_at(&self, address: TextAddress) -> &str {
        let chunk = &self.chunks[((address - 1) >> CHUNK_BITS) as usize];
        let (start, length) = read_length(chunk.as_bytes(), (address - 1) as usize & (CHUNK_BYTES - 1));
        &chunk[start..start + length]
    }

    fn address_of(&mut self, text: &str) -> TextAddress {
        if self.recent_texts.is_empty() {
            self.recent_texts = vec![u64::from(ABSENT); RECENT_TEXTS];
        }
        let hash = hash(text.as_bytes());
        let slot = hash as usize % RECENT_TEXTS;
        let tag = hash >> 32 << 32;
        let known = self.recent_texts[slot] as TextAddress;
        if known != ABSENT && self.recent_texts[slot] == tag | u64::from(known) && self.text_at(known) == text
        {
            return known;
        }
        let needed = text.len() + LENGTH_BYTES_MAX;
        if self.chunks.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < needed) {
            // A text larger than a chunk gets its own chunk.
            self.chunks.push(String::with_capacity(needed.max(CHUNK_BYTES)));
        }
        let index = self.chunks.len() - 1;
        let chunk = &mut self.chunks[index];
        let address = ((index << CHUNK_BITS) + chunk.len()) as u32 + 1;
        push_length(chunk, text.len());
        chunk.push_str(text);
        self.recent_texts[slot] = tag | u64::from(address);
        address
    }
}

/// Bytes of a 32-bit length at six bits per byte.
const LENGTH_BYTES_MAX: usize = 6;
const MORE: u8 = 0x40;

/// Writes a length as ASCII characters of six bits each, lowest first, so that lengths and texts
/// can share one `String`.
fn push_length(out: &mut String, mut length: usize) {
    while length >= usize::from(MORE) {
        out.push(char::from((length as u8 % MORE) | MORE));
        length /= usize::from(MORE);
    }
    out.push(char::from(length as u8));
}

/// Returns the start and the length of the text whose length is stored at `at`.
fn read_length(bytes: &[u8], mut at: usize) -> (usize, usize) {
    let mut length = 0;
    let mut shift = 0;
    loop {
        let byte = bytes[at];
        length |= usize::from(byte % MORE) << shift;
        shift += 6;
        at += 1;
        if byte & MORE == 0 {
            return (at, length);
        }
    }
}

/// 2^64 divided by the golden ratio, which spreads values that differ in few bits.
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a hash that serves only to find equal texts within one run. Texts are compared before
/// they are shared.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = u64::from_le_bytes(word.try_into().expect("a chunk of eight bytes"));
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(HASH_FACTOR);
    }
    for &byte in words.remainder() {
        hash = (hash.rotate_left(23) ^ u64::from(byte)).wrapping_mul(HASH_FACTOR);
    }
    (hash ^ (hash >> 32)).wrapping_mul(HASH_FACTOR)
}

#[cfg(test)]
mod tests;
