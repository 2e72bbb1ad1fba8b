//! Events that a table refused, and the reason.

use tabletop_keys::{Record, Template};
use tabletop_model::Error;

/// The events that were refused.
#[derive(Clone, Default)]
pub(crate) struct Refused {
    /// Number of refused events.
    pub events: u32,
    /// The reason for the first refused event.
    first: Option<Error>,
    /// Number of events that were refused for that same reason.
    alike: u32,
    /// The field without a value, if that is the reason.
    lacking: Option<usize>,
}

impl Refused {
    /// Adds a refused event. `template` is the template of the table's keys.
    #[cold]
    pub fn add(&mut self, template: &Template, record: &Record, error: Error) {
        self.events += 1;
        if self.first.is_none() {
            self.lacking = template.lacking(record, &error);
        }
        let is_alike = *self.first.get_or_insert_with(|| error.clone()) == error;
        self.alike += u32::from(is_alike);
    }

    /// Returns the reason for the first refused event. If a value is missing, the reason says how
    /// many of `all` events lack it.
    pub fn reason(&self, template: Option<&Template>, all: u32) -> Option<Error> {
        let counted = |index| Some(template?.lacking_error(index, self.alike, all));
        self.lacking.and_then(counted).or_else(|| self.first.clone())
    }
}
