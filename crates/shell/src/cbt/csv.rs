//! The CSV of `import` and of lists of names, read record by record, so that a large file is never
//! held in memory as records.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use csv_core::{ReadRecordResult, Reader};

/// The fields of one line, or of several lines if quotes extend over them.
pub(super) type Record = Vec<Vec<u8>>;

/// A text that is read from beginning to end.
#[derive(Debug)]
pub(super) struct Csv {
    bytes: Vec<u8>,
    at: usize,
    /// The line of the next record, if it is not preceded by empty lines.
    line: usize,
    reader: Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
    /// The number of fields of the first record, which all others must have.
    width: Option<usize>,
}

impl Csv {
    pub fn new(bytes: Vec<u8>) -> Csv {
        Csv {
            bytes,
            at: 0,
            line: 1,
            reader: Reader::new(),
            fields: vec![0; 1 << 10],
            ends: vec![0; 1 << 6],
            width: None,
        }
    }

    /// Reads the next record and skips empty lines. Returns `None` at the end.
    ///
    /// # Errors
    /// Go's message, when the number of fields differs from the first record's.
    pub fn record(&mut self) -> Result<Option<Record>, String> {
        let before = self.at;
        let (mut written, mut ended) = (0, 0);
        loop {
            let rest = &self.bytes[self.at..];
            let (result, read, filled, found) =
                self.reader.read_record(rest, &mut self.fields[written..], &mut self.ends[ended..]);
            self.at += read;
            (written, ended) = (written + filled, ended + found);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(None),
            }
        }
        let taken = &self.bytes[before..self.at];
        let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
        let blank = taken.iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let line = self.line + lines(&taken[..blank]);
        self.line += lines(taken);
        if *self.width.get_or_insert(ended) != ended {
            return Err(alloc::format!("record on line {line}: wrong number of fields"));
        }
        let mut start = 0;
        let field = |&end: &usize| self.fields[core::mem::replace(&mut start, end)..end].to_vec();
        Ok(Some(self.ends[..ended].iter().map(field).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_by_lines() {
        let mut csv = Csv::new(b"a,b\r\n\r\n\"1\n2\",\"say \"\"hi\"\"\"\n\n\nx\n".to_vec());
        let text = |record: Record| record.join(&b'|');
        assert_eq!(csv.record().unwrap().map(text).as_deref(), Some(&b"a|b"[..]));
        assert_eq!(csv.record().unwrap().map(text).as_deref(), Some(&b"1\n2|say \"hi\""[..]));
        assert_eq!(csv.record(), Err("record on line 7: wrong number of fields".into()));
        assert_eq!(csv.record(), Ok(None));
        assert_eq!(Csv::new(Vec::new()).record(), Ok(None));
        let wide = vec![b','; 5_000];
        assert_eq!(Csv::new(wide).record().unwrap().map(|record| record.len()), Some(5_001));
    }
}
