//! Loads: the sources of events, and their progress.

use std::sync::Arc;

use tabletop_keys::Field;
use tabletop_model::{Code, Error, Result};
use tabletop_protocol::{DataView, LoadState};
use tabletop_workload::{Events, Generator, Reader, arrival_note, sample};
use tabletop_workspace::{ContentDigest, ContentHasher, GeneratorSettings, LoadProblem, OwnData};

/// Number of bytes of a sample that one step reads: a fraction of a millisecond.
const STEP_BYTES: usize = 16 << 10;

/// A file that the host fetches for the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Identifies the load that requested the file. Bytes with the ticket of a replaced load are
    /// dropped.
    pub ticket: u32,
    /// Path relative to the page.
    pub path: String,
}

/// The loaded events, and the source of further events.
pub(crate) struct EventLoad {
    /// Shared with the runs of jobs. Runs do not see later changes, because events that a run holds
    /// are copied before a change.
    events: Arc<Events>,
    source: Loader,
    state: LoadState,
    /// The reader's report, which is kept after the reader is dropped.
    seen: Seen,
    /// The fields before the first correction, and the notes about how they were detected.
    detected: Option<(Vec<Field>, Vec<LoadProblem>)>,
    /// Whether the order of the events has changed since it was last asked.
    rearranged: bool,
}

/// The reader's report about its input.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) bytes: u64,
    pub(crate) bad_lines: u64,
    pub(crate) problems: Vec<LoadProblem>,
}

enum Loader {
    Done,
    Generator(Generator),
    /// A sample, read in steps after it is fetched.
    Sample {
        reader: Reader,
        fetch: Fetch,
        events: u32,
        bytes: Vec<u8>,
        at: usize,
        arrived: bool,
    },
    /// The user's own events, read as their bytes arrive.
    Own {
        reader: Reader,
        /// The expected digest of the file, and the digest of the bytes so far.
        content: Option<(ContentDigest, ContentHasher)>,
    },
    /// The user's own events, before any bytes arrive.
    Awaited,
    /// The user's own events, this number of them, read back from storage in steps.
    Stored(u32),
}

impl EventLoad {
    /// Creates a load without events.
    pub(crate) fn empty() -> EventLoad {
        EventLoad {
            events: Arc::default(),
            source: Loader::Done,
            state: LoadState::Loaded,
            seen: Seen::default(),
            detected: None,
            rearranged: false,
        }
    }

    /// Loads the events of a generator.
    pub(crate) fn generated(settings: &GeneratorSettings) -> EventLoad {
        let generator = Generator::new(settings);
        EventLoad::of(Events::new(generator.fields()), Loader::Generator(generator))
    }

    /// Loads the events of a sample. The ticket distinguishes this load from all others.
    ///
    /// # Errors
    /// `NotFound` if there is no sample with this name.
    pub(crate) fn sample(name: &str, ticket: u32) -> Result<EventLoad> {
        let known = || {
            tabletop_workload::samples().into_iter().map(|sample| sample.name).collect::<Vec<_>>().join(", ")
        };
        let missing =
            || Error::not_found(format!("there is no sample \"{name}\": choose one of {}", known()));
        let info = tabletop_workload::samples()
            .into_iter()
            .find(|sample| sample.name == name)
            .ok_or_else(missing)?;
        let sample = sample(name).ok_or_else(missing)?;
        let source = Loader::Sample {
            reader: Reader::new(&sample.own),
            fetch: Fetch { ticket, path: sample.path },
            events: info.events,
            bytes: Vec::new(),
            at: 0,
            arrived: false,
        };
        Ok(EventLoad::of(Events::default(), source))
    }

    /// Loads the user's own events, whose bytes follow.
    pub(crate) fn own(own: &OwnData) -> EventLoad {
        let content = own.content.map(|expected| (expected, ContentHasher::new()));
        EventLoad::of(Events::default(), Loader::Own { reader: Reader::new(own), content })
    }

    /// Waits for the own events of an opened workspace: either they are read from storage, or the
    /// user loads the file again.
    pub(crate) fn awaited(own: &OwnData) -> EventLoad {
        EventLoad::of(Events::new(own.fields.clone()), Loader::Awaited)
    }

    fn of(events: Events, source: Loader) -> EventLoad {
        EventLoad {
            events: Arc::new(events),
            source,
            state: LoadState::Loading,
            seen: Seen::default(),
            detected: None,
            rearranged: false,
        }
    }

    /// Returns whether the order of the events has changed since the last call, so that tables with
    /// some of them must be built again.
    pub(crate) fn take_rearranged(&mut self) -> bool {
        std::mem::take(&mut self.rearranged)
    }

    /// Returns the events loaded so far.
    pub(crate) fn events(&self) -> &Arc<Events> {
        &self.events
    }

    /// Returns whether more events may follow.
    pub(crate) fn is_loading(&self) -> bool {
        self.state == LoadState::Loading
    }

    /// Returns the state of the load.
    pub(crate) fn state(&self) -> &LoadState {
        &self.state
    }

    /// Returns the reader's report so far.
    pub(crate) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Begins to read the awaited events back from storage. `events` is their number.
    pub(crate) fn begin_reading_back(&mut self, fields: &[Field], events: u32) {
        *self = EventLoad::of(Events::new(fields.to_vec()), Loader::Stored(events));
    }

    /// Returns the events, to add those that are read from storage.
    pub(crate) fn events_mut(&mut self) -> &mut Events {
        own(&mut self.events)
    }

    /// Ends reading from storage.
    pub(crate) fn end_reading_back(&mut self, state: LoadState, seen: Seen) {
        self.seen = seen;
        self.end(state);
    }

    /// The awaited events are not stored, so the user has to load them again.
    pub(crate) fn await_user(&mut self) {
        self.state = LoadState::Awaited;
    }

    /// Returns the total number of events, if it is known.
    pub(crate) fn events_total(&self) -> Option<u32> {
        let here = self.events.len() as u32;
        match &self.source {
            Loader::Done => Some(here),
            Loader::Generator(generator) => Some(here + generator.left()),
            Loader::Sample { events, .. } | Loader::Stored(events) => Some(here.max(*events)),
            Loader::Own { .. } | Loader::Awaited => None,
        }
    }

    /// Returns whether the kinds of the fields are final. Tables are only built then.
    pub(crate) fn is_settled(&self) -> bool {
        match &self.source {
            Loader::Sample { reader, .. } | Loader::Own { reader, .. } => reader.is_settled(),
            Loader::Done | Loader::Generator(_) | Loader::Stored(_) => true,
            Loader::Awaited => false,
        }
    }

    /// Returns the file that the host has to fetch, if the load waits for one.
    pub(crate) fn next_fetch(&self) -> Option<Fetch> {
        match &self.source {
            Loader::Sample { fetch, arrived: false, .. } => Some(fetch.clone()),
            _ => None,
        }
    }

    /// Accepts the fetched file, or the reason why it could not be fetched. A file with another
    /// ticket is dropped.
    pub(crate) fn fetched(&mut self, ticket: u32, file: Result<Vec<u8>>) {
        let Loader::Sample { fetch, bytes, arrived, .. } = &mut self.source else { return };
        if fetch.ticket != ticket {
            return;
        }
        match file {
            Ok(file) => (*bytes, *arrived) = (file, true),
            Err(error) => self.end(LoadState::Failed(error)),
        }
    }

    /// Reads the next bytes of the user's own events. Bytes of a cancelled or failed load are
    /// dropped.
    ///
    /// # Errors
    /// `FailedPrecondition` if the user's own data is not being loaded.
    pub(crate) fn feed(&mut self, bytes: &[u8], last: bool) -> Result<()> {
        match &mut self.source {
            Loader::Own { reader, content } => {
                let result = reader.feed(bytes, last, own(&mut self.events));
                self.seen = Seen::of(reader);
                content.iter_mut().for_each(|(_, hasher)| hasher.add(bytes));
                let differs = content.as_ref().is_some_and(|(expected, hasher)| hasher.digest() != *expected);
                match result {
                    Ok(()) if last && differs => self.end(LoadState::Failed(changed())),
                    Ok(()) if last && self.events.is_empty() => {
                        self.end(LoadState::Failed(no_events(&self.seen)));
                    }
                    Ok(()) if last => self.end(LoadState::Loaded),
                    Ok(()) => {}
                    Err(error) => self.end(LoadState::Failed(error)),
                }
                Ok(())
            }
            Loader::Done if self.state != LoadState::Loaded => Ok(()),
            _ => Err(Error::new(Code::FailedPrecondition, "no load is in progress: begin one first")),
        }
    }

    /// Cancels the load. The events read so far stay.
    pub(crate) fn cancel(&mut self) {
        if let Loader::Sample { reader, .. } | Loader::Own { reader, .. } = &mut self.source {
            reader.stop(own(&mut self.events));
        }
        if self.is_loading() {
            self.end(LoadState::Cancelled);
        }
    }

    /// Generates or reads about `count` more events. Returns whether there was anything to do.
    pub(crate) fn step(&mut self, count: u32) -> bool {
        let result = match &mut self.source {
            Loader::Generator(generator) => {
                generator.fill(own(&mut self.events), count).map(|_| generator.left() == 0)
            }
            Loader::Sample { reader, bytes, at, arrived: true, .. } => {
                let end = (*at + STEP_BYTES).min(bytes.len());
                let last = end == bytes.len();
                let result = reader.feed(&bytes[*at..end], last, own(&mut self.events));
                *at = end;
                self.seen = Seen::of(reader);
                result.map(|()| last)
            }
            _ => return false,
        };
        match result {
            Ok(false) => {}
            Ok(true) => self.end(LoadState::Loaded),
            Err(error) => self.end(LoadState::Failed(error)),
        }
        true
    }

    /// Replaces the names and kinds of the fields. Notes about how the fields were detected are
    /// removed, and return if the detected fields are restored. Notes about lines that could not be
    /// read stay.
    ///
    /// # Errors
    /// `FailedPrecondition` while the reader still detects fields, `InvalidArgument` for fields
    /// that do not fit the events.
    pub(crate) fn set_fields(&mut self, fields: Vec<Field>) -> Result<()> {
        if self.is_loading() {
            return Err(Error::new(
                Code::FailedPrecondition,
                "the fields can be corrected once everything is loaded or the load is cancelled",
            ));
        }
        let before = self.events.fields().to_vec();
        own(&mut self.events).set_fields(fields)?;
        let (fields, problems) = self.detected.get_or_insert_with(|| (before, self.seen.problems.clone()));
        let is_detected = self.events.fields() == *fields;
        self.seen.problems = problems.iter().filter(|problem| problem.lost || is_detected).cloned().collect();
        self.arrange();
        Ok(())
    }

    /// Returns the view of the load for the page.
    pub(crate) fn view(&self) -> DataView {
        DataView {
            fields: self.events.fields().to_vec(),
            events: self.events.len() as u32,
            bytes: self.seen.bytes,
            state: self.state.clone(),
            problems: self.seen.problems.clone(),
            bad_lines: self.seen.bad_lines,
            ..DataView::default()
        }
    }

    fn end(&mut self, state: LoadState) {
        self.source = Loader::Done;
        self.state = state;
        self.arrange();
    }

    /// Arranges the events in the order in which they arrive, and says so if that is not the order
    /// of the file.
    fn arrange(&mut self) {
        if !own(&mut self.events).arrange() {
            return;
        }
        self.rearranged = true;
        if let Some(note) = self.events.arranged_by().map(arrival_note)
            && !self.seen.problems.contains(&note)
        {
            self.seen.problems.insert(0, note);
        }
    }
}

/// Returns the events for a change. If a run holds them, they are copied first, so that the run
/// keeps its own version.
fn own(events: &mut Arc<Events>) -> &mut Events {
    if Arc::get_mut(events).is_none() {
        copy(events);
    }
    Arc::get_mut(events).expect("they are not shared after the copy")
}

/// Copies the events. This is rare, because runs are begun once all events are loaded: it only
/// happens when fields are corrected while a run is open.
#[cold]
#[inline(never)]
fn copy(events: &mut Arc<Events>) {
    *events = Arc::new(Events::clone(events));
}

/// Returns the error for a file whose bytes are not the announced ones.
fn changed() -> Error {
    Error::new(Code::FailedPrecondition, "The file changed while it was read: choose it again.")
}

/// Returns the error for a file without events: the first line that could not be read, or what was
/// noted last.
fn no_events(seen: &Seen) -> Error {
    const NONE: &str = "There are no events in the file.";
    Error::invalid(match (seen.problems.iter().find(|problem| problem.lost), seen.problems.last()) {
        (Some(lost), _) => format!("{NONE} Line {}: {}", lost.line, lost.message),
        (None, Some(note)) => note.message.clone(),
        (None, None) => NONE.to_owned(),
    })
}

impl Seen {
    fn of(reader: &Reader) -> Seen {
        Seen { bytes: reader.bytes(), bad_lines: reader.bad_lines(), problems: reader.problems().to_vec() }
    }
}
