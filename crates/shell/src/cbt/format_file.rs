//! The option `format-file`: a file that says how to display values. It is read before the rows.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use tabletop_model::{Error, Response, Result};

use super::arguments::{Input, InputResult};
use super::print::Rows;
use crate::place::problem;
use crate::read::Read;
use crate::settings::ReadFormats;
use crate::task::{Next, Task};

/// A read whose format file is read first.
struct Formatted {
    read: Read<Rows>,
    name: String,
    read_formats: ReadFormats,
    is_open: bool,
    failure: Option<Error>,
}

/// Returns the task of a read, with its format file if it has one.
pub(super) fn task(input: &Input, read: Read<Rows>) -> InputResult<Box<dyn Task>> {
    let Some(word) = input.option("format-file") else { return Ok(Box::new(read)) };
    let Some(read_formats) = input.settings.read_formats else {
        return Err(Box::new(problem(
            word.span(),
            "there are no format files here: use the command line, tabletop cbt",
        )));
    };
    let name = word.text().map_err(Box::new)?;
    Ok(Box::new(Formatted { read, name, read_formats, is_open: false, failure: None }))
}

impl Task for Formatted {
    fn next(&mut self, out: &mut String) -> Next {
        match self.failure.take() {
            Some(failure) => Next::Fail(failure),
            None if self.is_open => self.read.next(out),
            None => Next::Open(self.name.clone()),
        }
    }

    fn take(&mut self, answer: Response, out: &mut String) -> Result<()> {
        self.read.take(answer, out)
    }

    fn file(&mut self, bytes: core::result::Result<&[u8], String>) {
        self.is_open = true;
        match bytes
            .and_then(|bytes| (self.read_formats)(bytes).map_err(|why| format!("{}: {why}", self.name)))
        {
            Ok(formats) => self.read.printer().formats = Some(formats),
            Err(why) => self.failure = Some(Error::invalid(format!("format-file: {why}"))),
        }
    }

    fn doing(&self) -> &'static str {
        self.read.doing()
    }

    fn changes(&self) -> bool {
        false
    }
}
