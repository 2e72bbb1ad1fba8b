//! Reads the user's own events from slices of a file of any size.

use tabletop_keys::{Field, time::DateFormat};
use tabletop_model::{Code, Error, Result};
use tabletop_workspace::{Format, HeaderLine, LoadProblem, OnBadLine, OwnData};

use super::Events;
use super::csv::{Csv, CsvStart};
use super::decode::{Decoder, Found};
use super::detect::Detector;
use super::json;
use super::log::{FilePosition, Log, choices};
use super::output::Output;

/// The maximum number of bytes of one record.
const RECORD_BYTES_MAX: usize = 16 << 20;
/// The bytes that are processed at a time. No more than this and one record of a large slice is
/// copied.
const PIECE_BYTES: usize = 1 << 20;

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Turns the bytes of a file into events. The same bytes produce the same events and problems, in
/// slices of any size.
pub struct Reader {
    decoder: Decoder,
    format: Format,
    header: HeaderLine,
    given: Vec<Field>,
    times: Vec<(String, DateFormat)>,
    on_bad_line: OnBadLine,
    parser: RecordParser,
    /// Bytes of a record whose end has not arrived yet.
    carry: Vec<u8>,
    /// The position of `carry` in the file.
    position: FilePosition,
    log: Log,
    detector: Detector,
    bytes: u64,
    record_bytes_max: usize,
    /// The reason why no more bytes are accepted.
    ended: Option<Error>,
}

/// The format of the file.
#[derive(Clone, Debug)]
enum RecordParser {
    /// The format is not detected yet.
    Unknown,
    Csv(Csv),
    Lines(json::Lines),
    Array(json::Array),
}

impl Reader {
    /// Creates a reader at the start of a file. Fields in `own` are used as given. In CSV they are
    /// matched by position if there are as many as columns, otherwise by name. In JSON they are
    /// matched by name, otherwise by the order in which names first occur.
    pub fn new(own: &OwnData) -> Self {
        Reader {
            decoder: Decoder::new(own.reading.encoding),
            format: own.format,
            header: own.reading.header,
            given: own.fields.clone(),
            times: Vec::new(),
            on_bad_line: own.on_bad_line,
            parser: RecordParser::Unknown,
            carry: Vec::new(),
            position: FilePosition::START,
            log: Log::default(),
            detector: Detector::new(own.reading),
            bytes: 0,
            record_bytes_max: RECORD_BYTES_MAX,
            ended: None,
        }
    }

    /// Declares fields as times with these formats, whatever kinds are given or detected.
    pub fn with_times(self, times: Vec<(String, DateFormat)>) -> Self {
        Reader { times, ..self }
    }

    /// Reads the next bytes of the file and adds the completed events to `events`, which must be an
    /// [`Events`] without fields at the first call. Each call may add fields (JSON). Their kinds
    /// are set after 1,000 records, or with the `last` bytes.
    ///
    /// # Errors
    /// `InvalidArgument` for a bad line when the load has to stop there, and for a file that cannot
    /// be read at all; `ResourceExhausted` when `events` is full; `FailedPrecondition` after the
    /// last bytes. After an error, the events so far stay, and no more bytes are accepted.
    pub fn feed(&mut self, bytes: &[u8], last: bool, events: &mut Events) -> Result<()> {
        if let Some(error) = &self.ended {
            return Err(error.clone());
        }
        let mut rest = bytes;
        loop {
            let (piece, more) = rest.split_at(rest.len().min(PIECE_BYTES));
            rest = more;
            let is_last = last && rest.is_empty();
            let read = self.feed_piece(piece, is_last, events);
            if read.is_err() || is_last {
                self.detector.decide(events, &mut self.log);
                let over = Error::new(Code::FailedPrecondition, "The file has been read to its end.");
                self.ended = Some(read.clone().err().unwrap_or(over));
                self.carry = Vec::new();
            }
            read?;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// Stops reading early: the kinds of the fields are decided, and an incomplete record is
    /// dropped.
    pub fn stop(&mut self, events: &mut Events) {
        self.detector.decide(events, &mut self.log);
        self.ended = Some(Error::new(Code::FailedPrecondition, "Reading the file was stopped."));
        self.carry = Vec::new();
    }

    /// Returns the first hundred bad lines, and notes about the header.
    pub fn problems(&self) -> &[LoadProblem] {
        &self.log.problems
    }

    /// Returns the number of lines that could not be read as events.
    pub fn bad_lines(&self) -> u64 {
        self.log.bad_lines
    }

    /// Returns the number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the kinds of all fields so far are decided.
    pub fn is_settled(&self) -> bool {
        self.ended.is_some() || self.detector.is_settled()
    }

    fn feed_piece(&mut self, piece: &[u8], last: bool, events: &mut Events) -> Result<()> {
        self.bytes += piece.len() as u64;
        let mut buffer = std::mem::take(&mut self.carry);
        if let Some(found) = self.decoder.feed(piece, last, &mut buffer)? {
            self.log.note(self.position.after(&buffer[..found.at]), read_as(&found));
        }
        let mut used = 0;
        let result = loop {
            match self.step(&buffer[used..], last, events) {
                Ok(0) => break Ok(()),
                Ok(count) => {
                    self.position.advance(&buffer[used..used + count]);
                    used += count;
                }
                Err(error) => {
                    self.log.forget_after(self.position);
                    break Err(error);
                }
            }
        };
        buffer.drain(..used);
        self.carry = buffer;
        result
    }

    /// Reads the next record, or the text between records. Returns the number of bytes read, or 0
    /// if it needs more.
    fn step(&mut self, rest: &[u8], last: bool, events: &mut Events) -> Result<usize> {
        let out = &mut Output {
            events,
            times: &self.times,
            detector: &mut self.detector,
            log: &mut self.log,
            position: self.position,
            on_bad_line: self.on_bad_line,
            record_bytes_max: self.record_bytes_max,
        };
        match &mut self.parser {
            RecordParser::Csv(csv) => csv.step(rest, last, out),
            RecordParser::Lines(lines) => lines.step(rest, last, out),
            RecordParser::Array(array) => array.step(rest, last, out),
            RecordParser::Unknown => {
                let Some((parser, used)) = begin(rest, last, self.format, self.header, &self.given, out)?
                else {
                    return Ok(0);
                };
                self.parser = parser;
                if rest.starts_with(BYTE_ORDER_MARK) {
                    // The byte order mark is counted as a character below, but does not belong to
                    // the text.
                    self.position.column = 0;
                }
                if used > 0 {
                    return Ok(used);
                }
                self.step(rest, last, events)
            }
        }
    }
}

/// Detects the format of a file that begins with `rest`. Returns the format and the number of bytes
/// before the first record, or `None` if more bytes are needed or there are none.
fn begin(
    rest: &[u8],
    last: bool,
    format: Format,
    header: HeaderLine,
    given: &[Field],
    out: &mut Output<'_>,
) -> Result<Option<(RecordParser, usize)>> {
    if rest.len() < BYTE_ORDER_MARK.len() && !last {
        return Ok(None);
    }
    let mark = if rest.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let text = &rest[mark..];
    let Some(first) = text.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) else {
        if last {
            out.note(rest, rest.len(), "The file is empty.");
        }
        return Ok(None);
    };
    let is_json = match format {
        Format::Csv => false,
        Format::JsonLines => true,
        Format::Detect if text[first] == b'[' => {
            // A line such as `[Header]` is a title.
            let next = text[first + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
            match next {
                None if !last => return Ok(None),
                next => next.is_none_or(|byte| {
                    byte.is_ascii_digit() || matches!(byte, b'{' | b'[' | b']' | b'"' | b'-')
                }),
            }
        }
        Format::Detect => text[first] == b'{',
    };
    if is_json {
        let given = given.to_vec();
        let parser = match text[first] {
            b'[' => RecordParser::Array(json::Array::new(given, out)),
            _ => RecordParser::Lines(json::Lines::new(given, out)),
        };
        return Ok(Some((parser, mark)));
    }
    // Blank lines before the header are skipped. A tab may be the header's first character.
    let blank = text[..first].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
    let Some(start) = CsvStart::of(&text[blank..], last, header, given) else { return Ok(None) };
    let used = mark + blank + start.used;
    for note in &start.notes {
        out.note(rest, used, note);
    }
    Ok(Some((RecordParser::Csv(Csv::new(start, given.to_vec())), used)))
}

/// Says in which encoding a file is read.
fn read_as(Found { encoding, byte, .. }: &Found) -> String {
    let name = encoding.replacen('w', "W", usize::from(encoding.starts_with("windows")));
    match byte {
        Some(byte) => format!(
            "The file is read as {name}, because the byte 0x{byte:02x} is not UTF-8: {} if texts look wrong.",
            choices::ENCODING
        ),
        None => format!("The file is read as {name}."),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
pub(in crate::events) mod tests;
