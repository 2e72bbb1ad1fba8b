//! The bytes of an entry's file.

use super::entry::{Entry, Source};
use super::{fetched, generated};

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
}
