//! One design's table, filled with the events that have arrived. It combines the mapping of events
//! to rows, the current table ([`EventTable`]), the table's past and future ([`Timeline`]), and
//! what is known about the design.

mod answers;
mod at_rest;
mod costs;
mod figures;
mod redesign;
mod travel;
mod view;
mod writes;

use tabletop_advice::Advice;
use tabletop_keys::{Field, Layout, Record, Template};
use tabletop_model::{
    Code, Error, ExportPiece, ExportResume, Problem, ReadRows, Result, RowMutation, RowsChunk, TableSpec,
};
use tabletop_workload::Events;
use tabletop_workspace::{ClusterSettings, Design, GivenRole};

use crate::answers::AnswerCheck;
use crate::event_mapping::{EventMapping, no_table, parse};
use crate::event_table::EventTable;
use crate::hand_writes::HandWrites;
use crate::measure::Measuring;
use crate::pictures::Pictures;
use crate::read::OpenRead;
use crate::size_count::SizeCount;
use crate::supply::Supply;
use crate::timeline::Timeline;

/// While events are loaded whose number is not known, this many of them are in the table. Its split
/// threshold follows from the number of all events, so it is rebuilt when that is known.
const EVENTS_OF_UNKNOWN: u32 = 10_000;

/// A design and its table.
pub struct DesignTable {
    /// Identifies the design, whatever its position in the list of designs.
    pub id: u32,
    design: Design,
    /// The template as typed, with its problems.
    typed: Template,
    problems: Vec<Problem>,
    /// The mapping of the last template without problems. No table is built before there is one.
    mapping: Option<EventMapping>,
    table: EventTable,
    /// A copy of the settled table (all events written and compacted) that only events and manual
    /// writes have shaped: see [`DesignTable::note_rest`].
    at_rest: Option<EventTable>,
    timeline: Timeline,
    /// Manual writes that are not in the table: their rows have another form, or the user has
    /// undone them.
    writes_aside: HandWrites,
    /// Increases with every change.
    revision: u64,
    pictures: Pictures,
    /// While the table is exported in pieces: which content of the table the export has begun with.
    exported: Option<(u64, u32, u64)>,
    /// The count of the table's logical bytes, if one was requested.
    size: Option<SizeCount>,
    /// The measurement of access patterns, if one was requested.
    measuring: Option<Measuring>,
    /// The comparison of the answers with a plain filter, once the table is complete.
    answers: Option<AnswerCheck>,
    /// While answers are compared: a copy of the table, and the read that is under way.
    answer_copy: Option<EventTable>,
    answer_read: Option<OpenRead>,
}

/// Whether more events will be written to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// More events will be written.
    Ongoing,
    /// All events are in the table.
    Ended,
}

impl DesignTable {
    /// Creates a design whose table is empty.
    pub fn new(id: u32, design: &Design, fields: &[Field], cluster: &ClusterSettings) -> DesignTable {
        let (typed, problems) = parse(design, fields);
        // Differs from all revisions of an earlier design at this index. With equal numbers, the
        // page would take this table for the earlier one.
        let revision = (u64::from(id) << 32) + 1;
        let mut design_table = DesignTable {
            id,
            design: design.clone(),
            typed,
            problems,
            mapping: None,
            table: EventTable::new(cluster, revision),
            at_rest: None,
            timeline: Timeline::default(),
            writes_aside: HandWrites::default(),
            revision,
            pictures: Pictures::default(),
            exported: None,
            size: None,
            measuring: None,
            answers: None,
            answer_copy: None,
            answer_read: None,
        };
        design_table.reform(fields);
        design_table
    }

    /// Returns the name of the design.
    pub fn name(&self) -> &str {
        &self.design.name
    }

    /// Returns the row of an event, and creates the families that the row needs.
    ///
    /// # Errors
    /// `FailedPrecondition` for a design without a table; the template's error if the event does
    /// not have the values that the row key needs.
    pub(crate) fn row(&mut self, record: &Record, index: u64) -> Result<RowMutation> {
        let mapping = self.mapping.as_ref().ok_or_else(no_table)?;
        self.table.row(mapping, record, index)
    }

    /// Returns the name of a family without an aggregate, which stores values unchanged; `None` if
    /// all families aggregate.
    pub(crate) fn plain_family(&mut self) -> Option<String> {
        let families = self.table.handle().describe().families;
        families.into_iter().find(|family| family.aggregate.is_none()).map(|family| family.name)
    }

    /// Returns whether the number of events in the table differs from the number that have arrived.
    pub fn is_behind(&self, supply: Supply) -> bool {
        self.mapping.is_some() && self.table.built() != supply.arrived
    }

    /// Returns whether a table can be built, but is still empty.
    pub fn is_unbuilt(&self) -> bool {
        self.mapping.is_some() && self.table.built() == 0
    }

    /// Returns the number of events that are in the table, or were refused.
    pub fn events_built(&self) -> u32 {
        self.table.built()
    }

    /// Returns the bytes of the longest row key written so far.
    pub fn key_bytes_max(&self) -> u64 {
        self.table.key_bytes_max() as u64
    }

    /// Returns whether a compaction is still due, because all events are in the table or because
    /// the user has requested one.
    pub(crate) fn is_settling(&self, supply: Supply) -> bool {
        self.table.is_unsettled(supply.total) || self.table.has_request()
    }

    /// Writes at most `count` of the events that have arrived, or goes back to an earlier moment if
    /// the table has more events than have arrived. After the last event, compacts the table.
    /// Returns whether there was anything to do.
    pub fn step(&mut self, supply: Supply, count: u32) -> bool {
        // The order matters: first the table moves to the moment that is displayed, then it grows,
        // then it compacts. One call does one slice of one of these, so that a host stays
        // responsive.
        if self.mapping.is_some() && self.is_elsewhere(supply) {
            self.travel(supply);
            return true;
        }
        if self.mapping.is_some() && self.is_scaled_otherwise(supply) {
            self.rebuild(supply.cluster);
            self.pictures.carry(self.revision - 1, self.revision);
            return true;
        }
        let Some(mapping) = &self.mapping else { return false };
        if self.pictures.glance(self.revision, mapping, supply) {
            return true;
        }
        let (table, timeline) = (&mut self.table, &mut self.timeline);
        let arrived = if supply.is_scaled() && supply.total.is_none() {
            supply.arrived.min(EVENTS_OF_UNKNOWN)
        } else {
            supply.arrived
        };
        if table.built() < arrived {
            // The thresholds for splits depend on the size of the whole load, so they must be known
            // before the first event is written.
            if table.built() == 0 && !table.choose_scale(mapping, supply) {
                return false;
            }
            let end = arrived.min(table.built().saturating_add(count));
            table.build(mapping, supply, end, |table| timeline.after_event(table));
            return true;
        }
        if table.has_request() {
            table.do_request();
            return true;
        }
        if table.is_unsettled(supply.total) {
            if table.settle() {
                self.note_rest(supply);
            }
            return true;
        }
        // Advice takes as long to measure as thousands of events take to be written, so the rows are final
        // before it.
        self.pictures.look(self.revision, mapping, supply)
            || self.pictures.count_losses(mapping, supply, count)
            || supply.total == Some(table.built())
                && self.pictures.count_shared(mapping, supply, || table.counts(mapping))
            || self.check_answers(supply, count)
    }

    /// Returns whether the table was begun when the number of all events was not known. With the same
    /// events, all tables are split at the same size.
    fn is_scaled_otherwise(&self, supply: Supply) -> bool {
        let is_begun = self.table.built() > 0 && supply.total.is_some();
        is_begun && supply.is_scaled() && self.table.scaled_for() != supply.total
    }

    /// Advises again: the user has given other roles to fields.
    pub fn advise_again(&mut self) {
        self.pictures.forget();
    }

    /// Returns the role of each field of the events: the user's, or the one that the events show.
    pub fn roles(&self, events: &Events) -> Vec<GivenRole> {
        self.pictures.roles(events)
    }

    /// Returns the advice about the design.
    pub(crate) fn advice(&self) -> &Advice {
        self.pictures.advice()
    }

    /// Returns the design.
    pub(crate) fn design(&self) -> &Design {
        &self.design
    }

    /// Returns how events become rows.
    ///
    /// # Errors
    /// `FailedPrecondition` for a design without a table.
    pub(crate) fn mapping(&self) -> Result<&EventMapping> {
        self.mapping.as_ref().ok_or_else(no_table)
    }

    /// Returns the current table.
    pub(crate) fn table(&self) -> &EventTable {
        &self.table
    }

    /// Returns the current table, for requests to its rows.
    pub(crate) fn table_mut(&mut self) -> &mut EventTable {
        &mut self.table
    }

    /// Returns the layout of the design.
    pub(crate) fn layout(&self) -> &Layout {
        &self.design.layout
    }

    /// Returns the current families, splits and settings of the table.
    pub fn describe(&mut self) -> TableSpec {
        self.table.handle().describe()
    }

    /// Empties the table's block cache.
    pub(crate) fn forget_blocks(&mut self) {
        self.table.handle().forget_blocks();
    }

    /// Answers a slice of a read of the table, at the design's time.
    ///
    /// # Errors
    /// The engine's errors.
    pub fn read(&mut self, read: &ReadRows) -> Result<RowsChunk> {
        self.table.read(read)
    }

    /// Returns the next piece of the table's export. The exported file is a snapshot with all
    /// events, so the table must not change during the export.
    ///
    /// # Errors
    /// `FailedPrecondition` if the table has changed during the export, or is still being built.
    pub fn export(&mut self, resume: Option<ExportResume>, growth: Growth) -> Result<ExportPiece> {
        let table = Some(self.table.content());
        let before = self.exported.take();
        let refused = |message| Err(Error::new(Code::FailedPrecondition, message));
        if resume.is_some() && before != table {
            return refused("the table changed during the download: download it again");
        }
        if growth == Growth::Ongoing {
            return refused("the table is still being built: download it when all its events are written");
        }
        let piece = self.table.handle().export(resume.as_ref())?;
        self.exported = table.filter(|_| piece.resume.is_some());
        Ok(piece)
    }
}

#[cfg(test)]
mod tests;
