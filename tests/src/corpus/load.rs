//! The bytes and the events of an entry's file.

use tabletop_workload::Events;

use super::entry::{Entry, Source};
use super::readable::Reading;
use super::{fetched, generated, readable};

impl Entry {
    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// The reason why the file is not there, and what to do, if its package was not fetched.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        match &self.source {
            Source::Generated(name) => {
                let make = generated::named(name).ok_or_else(|| format!("there is no generator {name}"))?;
                Ok(make.bytes())
            }
            Source::Npm(file) => fetched::bytes("npm", file),
            Source::Pypi(file) => fetched::bytes("pypi", file),
        }
    }

    /// Returns all events of the file with the fields of this entry, also of a file that the reader
    /// of the product does not read today.
    ///
    /// # Errors
    /// The errors of [`Entry::bytes`].
    pub fn events(&self) -> Result<Events, String> {
        let bytes = self.bytes()?;
        let Reading { events, .. } = readable::read(&bytes);
        let Some(needs) = self.needs.as_ref().filter(|_| !self.reads_today) else { return Ok(events) };
        Ok(readable::read(&readable::converted(&bytes, needs)).events)
    }
}
