//! The row keys of the user's own log of requests, as row keys of a design.

use tabletop_keys::{Field, KeyMap, Template};
use tabletop_model::{Code, Error, Result, RowKey};
use tabletop_protocol::LogKeys;
use tabletop_workspace::{Replay, Traffic};

/// The share of a log's keys that must have the stated form, so that another design gets the
/// requests of the log.
const READ_MIN: f64 = 0.95;

/// Returns the first of these templates whose keys a log has: at least 95% of the keys.
pub fn form_of_log<'t>(
    templates: impl IntoIterator<Item = &'t Template>,
    traffic: &Traffic,
) -> Option<&'t Template> {
    templates.into_iter().find(|template| {
        let (mut all, mut read) = (0_usize, 0_usize);
        for (_, key) in traffic.replays().flat_map(|replay| &replay.requests) {
            all += 1;
            read += usize::from(template.reads(key.as_bytes()));
        }
        all > 0 && read as f64 >= READ_MIN * all as f64
    })
}

/// The keys of the requests of a log in the table of a design.
pub(super) struct LogOnDesign {
    counts: LogKeys,
    /// The form of the keys that were converted.
    form: String,
}

impl LogOnDesign {
    pub fn new() -> LogOnDesign {
        LogOnDesign { counts: LogKeys::default(), form: String::new() }
    }

    /// Returns the keys of a stream's requests in a table with keys of this template; `None` for a
    /// request that is left out. A table whose keys have the form of the log gets all requests with
    /// the keys of the log.
    ///
    /// # Errors
    /// `InvalidArgument` for a form that is not a template of these fields, and if the template
    /// needs a field that the keys do not contain.
    pub fn keys(
        &mut self,
        replay: &Replay,
        template: &Template,
        fields: &[Field],
    ) -> Result<Vec<Option<RowKey>>> {
        let recorded = || replay.requests.iter().map(|(_, key)| key.as_str());
        if replay.keys.is_empty() {
            return Ok(recorded().map(|key| Some(RowKey::from(key))).collect());
        }
        let (form, problems) = Template::parse(&replay.keys, fields);
        if let Some(problem) = problems.first() {
            return Err(Error::invalid(format!(
                "the form of the log's keys, {}: {}",
                replay.keys, problem.message
            )));
        }
        self.counts.requests += replay.requests.len() as u32;
        if form == *template {
            self.counts.unread += recorded().filter(|key| !form.reads(key.as_bytes())).count() as u32;
            return Ok(recorded().map(|key| Some(RowKey::from(key))).collect());
        }
        let map = KeyMap::new(&form, template).map_err(|missing| {
            let names = missing.join(", ");
            Error::invalid(format!(
                "the log's keys, {}, do not contain what this design's key needs: {names}. Compare designs without it, or \
                 replay a log whose keys have it",
                replay.keys
            ))
        })?;
        let keys: Vec<Option<RowKey>> = recorded().map(|key| map.convert(key.as_bytes())).collect();
        self.counts.unread += keys.iter().filter(|key| key.is_none()).count() as u32;
        self.counts.is_converted = true;
        self.form.clone_from(&replay.keys);
        Ok(keys)
    }

    /// Returns how many keys do not have the form of the log's keys; `None` without a stated form.
    ///
    /// # Errors
    /// `FailedPrecondition` if another design would get less than 95% of the requests.
    pub fn counts(self) -> Result<Option<LogKeys>> {
        let LogKeys { requests, unread, is_converted } = self.counts;
        let read = requests - unread;
        if is_converted && f64::from(read) < READ_MIN * f64::from(requests) {
            let share = 100.0 * f64::from(read) / f64::from(requests);
            let message = format!(
                "{share:.0}% of the log's keys have the form {} and fit this design, and comparing designs needs 95%: correct \
                 the form",
                self.form
            );
            return Err(Error::new(Code::FailedPrecondition, message));
        }
        Ok((requests > 0).then_some(self.counts))
    }
}
