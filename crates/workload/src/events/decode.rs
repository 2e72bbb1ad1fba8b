//! The first step of reading a file: unpacks gzip, and turns any encoding into UTF-8.

mod gunzip;

use tabletop_model::{Error, Result};
use tabletop_workspace::TextEncoding;

use gunzip::Gunzip;

/// The bytes that show the kind of a file: marks of formats, and byte order marks.
const START_BYTES: usize = 4;
/// The number of bytes, from the first one that is not ASCII, in which the encoding is searched.
const EVIDENCE_BYTES: usize = 16 << 10;

/// Turns the bytes of a file into UTF-8. The text does not depend on how the bytes are divided.
pub(super) struct Decoder {
    chosen: TextEncoding,
    packing: Packing,
    text: Text,
}

/// The encoding that was found, and the reason.
pub(super) struct Found {
    pub(super) encoding: &'static str,
    /// The first byte that is not UTF-8; `None` for a text in UTF-16.
    pub(super) byte: Option<u8>,
    /// The length of the text, with what was in it before the call, up to the first character that
    /// is not ASCII.
    pub(super) at: usize,
}

enum Packing {
    /// The first bytes, which are too few to tell.
    Unknown(Vec<u8>),
    Plain,
    Gzip(Box<Gunzip>),
}

enum Text {
    /// The first bytes, which are too few to tell.
    Unknown(Vec<u8>),
    /// All bytes so far are ASCII.
    Ascii,
    /// The bytes from the first one that is not ASCII.
    Evidence(Vec<u8>),
    /// UTF-8, whose errors the parsers report.
    Utf8,
    Other(Box<encoding_rs::Decoder>),
}

impl Decoder {
    pub(super) fn new(chosen: TextEncoding) -> Self {
        Decoder { chosen, packing: Packing::Unknown(Vec::new()), text: Text::Unknown(Vec::new()) }
    }

    /// Appends the text of the next bytes of the file.
    ///
    /// # Errors
    /// `InvalidArgument` for a damaged gzip file, and for a file that is not a text.
    pub(super) fn feed(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<Option<Found>> {
        match &mut self.packing {
            Packing::Plain => self.text(bytes, last, out),
            Packing::Unknown(start) => {
                start.extend_from_slice(bytes);
                if start.len() < START_BYTES && !last {
                    return Ok(None);
                }
                let start = std::mem::take(start);
                self.packing = if start.starts_with(gunzip::MARK) {
                    Packing::Gzip(Box::default())
                } else {
                    Packing::Plain
                };
                self.feed(&start, last, out)
            }
            Packing::Gzip(gunzip) => {
                let mut plain = Vec::new();
                gunzip.feed(bytes, last, &mut plain)?;
                self.text(&plain, last, out)
            }
        }
    }

    fn text(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<Option<Found>> {
        match &mut self.text {
            Text::Utf8 => out.extend_from_slice(bytes),
            Text::Other(decoder) => decode(decoder, bytes, last, out),
            Text::Unknown(start) => {
                start.extend_from_slice(bytes);
                if start.len() < START_BYTES && !last {
                    return Ok(None);
                }
                let start = std::mem::take(start);
                let found = self.begin(&start, out.len())?;
                return Ok(self.text(&start, last, out)?.or(found));
            }
            Text::Ascii => {
                let ascii = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
                out.extend_from_slice(&bytes[..ascii]);
                if ascii < bytes.len() {
                    self.text = Text::Evidence(Vec::new());
                    return self.text(&bytes[ascii..], last, out);
                }
            }
            Text::Evidence(held) => {
                held.extend_from_slice(bytes);
                if held.len() >= EVIDENCE_BYTES || last {
                    let held = std::mem::take(held);
                    return self.decide(&held, last, out);
                }
            }
        }
        Ok(None)
    }

    /// Begins a text, whose encoding is chosen or shown by its first bytes.
    ///
    /// # Errors
    /// `InvalidArgument` for a file that is not a text.
    fn begin(&mut self, start: &[u8], at: usize) -> Result<Option<Found>> {
        let other: [(&[u8], &str); 3] = [
            (b"\x28\xb5\x2f\xfd", "compressed with Zstandard: unpack it first"),
            (b"PK\x03\x04", "a ZIP archive or a spreadsheet: unpack it, or save the sheet as CSV"),
            (b"PAR1", "a Parquet file: convert it to CSV or JSON lines first"),
        ];
        if let Some((_, what)) = other.iter().find(|(mark, _)| start.starts_with(mark)) {
            return Err(Error::invalid(format!("The file is {what}.")));
        }
        let first = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        let begins_with =
            |tag: &[u8]| first.get(..tag.len()).is_some_and(|first| first.eq_ignore_ascii_case(tag));
        if begins_with(b"<!doctype html") || begins_with(b"<html") {
            return Err(Error::invalid("The file is a web page (HTML): download the data that it shows."));
        }
        let utf16 = match start {
            [0xff, 0xfe, ..] => Some(encoding_rs::UTF_16LE),
            [0xfe, 0xff, ..] => Some(encoding_rs::UTF_16BE),
            // Two ASCII characters without a byte order mark.
            [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some(encoding_rs::UTF_16LE),
            [0, 1..=0x7f, 0, 1..=0x7f, ..] => Some(encoding_rs::UTF_16BE),
            _ => None,
        };
        let utf16 = utf16.filter(|_| self.chosen == TextEncoding::Detect);
        let chosen = match self.chosen {
            TextEncoding::Detect => utf16,
            chosen => encoding_rs::Encoding::for_label(chosen.label().as_bytes()),
        };
        self.text = match chosen {
            Some(encoding) if encoding == encoding_rs::UTF_8 => Text::Utf8,
            Some(encoding) => Text::Other(Box::new(encoding.new_decoder_with_bom_removal())),
            None if start.starts_with(b"\xef\xbb\xbf") => Text::Utf8,
            None => Text::Ascii,
        };
        Ok(utf16.map(|encoding| Found { encoding: encoding.name(), byte: None, at }))
    }

    /// Decides how a text is written that has these bytes after its ASCII.
    fn decide(&mut self, held: &[u8], last: bool, out: &mut Vec<u8>) -> Result<Option<Found>> {
        let evidence = &held[..held.len().min(EVIDENCE_BYTES)];
        // A zero byte is of no text in these encodings. The parsers refuse the file.
        if is_mostly_utf8(evidence) || evidence.contains(&0) {
            self.text = Text::Utf8;
            return self.text(held, last, out);
        }
        let mut detector = chardetng::EncodingDetector::new();
        detector.feed(evidence, last && held.len() == evidence.len());
        let encoding = detector.guess(None, false);
        let wrong = evidence.utf8_chunks().find_map(|chunk| chunk.invalid().first().copied());
        let found = Found { encoding: encoding.name(), byte: wrong, at: out.len() };
        self.text = Text::Other(Box::new(encoding.new_decoder_without_bom_handling()));
        self.text(held, last, out)?;
        Ok(Some(found))
    }
}

/// Returns whether there are more characters of UTF-8 than bytes that do not belong to one.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid > invalid
}

fn decode(decoder: &mut encoding_rs::Decoder, bytes: &[u8], last: bool, out: &mut Vec<u8>) {
    let needed = decoder.max_utf8_buffer_length(bytes.len()).expect("a part of a file");
    let start = out.len();
    out.resize(start + needed, 0);
    let (_, _, written, _) = decoder.decode_to_utf8(bytes, &mut out[start..], last);
    out.truncate(start + written);
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
