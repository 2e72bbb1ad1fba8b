//! One of the two tables of a migration: converts events to its rows, and its rows to events.

use tabletop_keys::{FamilyRule, Field, FieldKind, LayoutWriter, Record, Roles, Template, part_fields};
use tabletop_model::{
    Code, ColumnFamily, Error, Mutation, Result, Row, RowKey, RowMutation, SortedSet, escape,
    limits::MUTATIONS_MAX,
};
use tabletop_workload::stored_events::{EventTexts, StoredEvents, with_record};
use tabletop_workspace::Design;

use crate::tables::Tables;

/// A table and its design.
pub(super) struct Side {
    pub table: String,
    name: String,
    writer: LayoutWriter,
    pub stored: StoredEvents,
    families: Vec<FamilyRule>,
    /// The families that exist.
    known: SortedSet<String>,
    fields: Vec<Field>,
    /// The template as the user wrote it.
    template: Template,
}

impl Side {
    pub fn new(table: &str, design: &Design, fields: &[Field]) -> Result<Side> {
        let refused = |message: String| Err(Error::new(Code::FailedPrecondition, message));
        let (template, problems) = Template::parse(&design.template, fields);
        if let Some(problem) = problems.first() {
            return refused(format!("The row key of {} has a problem: {}", design.name, problem.message));
        }
        if let Some(family) = design.families.iter().find(|family| family.aggregate.is_some()) {
            return refused(format!(
                "Family {} of {} aggregates, so its table keeps no events that could be copied.",
                family.family, design.name
            ));
        }
        let stored = StoredEvents::new(&design.layout, fields, &template)
            .map_err(|error| Error::new(error.code, format!("Design {}: {}", design.name, error.message)))?;
        Ok(Side {
            table: table.into(),
            name: design.name.clone(),
            writer: LayoutWriter::new(&design.layout, fields, &template),
            stored,
            families: design.families.clone(),
            known: SortedSet::default(),
            fields: fields.to_vec(),
            template,
        })
    }

    /// Checks that rows can be created from the fields that the old table keeps.
    pub fn check_written_from(&self, old: &Side) -> Result<()> {
        match self.needed_and_lost(old).first() {
            None => Ok(()),
            Some(name) => Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "The row key of {} needs {name}, and the table of {} does not keep it: take {name} out of the new key, or load the events \
                     from their source.",
                    self.name, old.name
                ),
            )),
        }
    }

    /// Checks that rows of this old table can be created from the events that are copied into the
    /// new one. Otherwise events that differ only in a lost field would be several events in the
    /// old table and one in the new table, and could not be looked up from there.
    pub fn check_kept_by(&self, new: &Side) -> Result<()> {
        let refused = |message: String| Err(Error::new(Code::FailedPrecondition, message));
        let both_keep = self.stored.keeps_facets() && new.stored.keeps_facets();
        for side in [self, new].into_iter().filter(|_| !both_keep) {
            let is_facets = |name: &&String| {
                self.fields.iter().any(|field| field.name == **name && field.kind == FieldKind::Facets)
            };
            if let Some(name) = side.template.parts().iter().flat_map(part_fields).find(is_facets) {
                return refused(format!(
                    "The row key of {} has the text of {name}. The tables do not both keep facets as the event writes them, so the same event \
                     could get another key: take {name} out of the key.",
                    side.name
                ));
            }
        }
        let (unread, lost) = (self.needed_and_lost(self).join(", "), self.needed_and_lost(new).join(", "));
        if !unread.is_empty() {
            return refused(format!(
                "The row key of {} needs {unread}, and its table does not keep it as it is, so no event of another table could be looked \
                 up there: load the events from their source.",
                self.name
            ));
        }
        if !lost.is_empty() {
            return refused(format!(
                "The table of {} would lose {lost}, which the row key of {} needs, so the two tables could not hold the same events. Keep \
                 {lost} in the new key as it is, or in a value: the layout Row per entity keeps all fields.",
                new.name, self.name
            ));
        }
        let values = self.values_shared_with(new).into_iter().map(|at| &self.fields[at]);
        let unread: Vec<&str> =
            values.filter(|field| field.format.is_some()).map(|field| &*field.name).collect();
        if !unread.is_empty() {
            let names = unread.join(", ");
            return refused(format!(
                "The times of {names} are read in a format of their own, and the tables of {} and {} do not both keep such texts, so no event of \
                 one could be looked up in the other. Keep {names} in both keys as it is, or in values: the layout Row per entity keeps all \
                 texts. Otherwise load the events from their source.",
                self.name, new.name
            ));
        }
        Ok(())
    }

    /// Returns the fields that both tables keep, but not both with the event's text. A time or a
    /// number is equal in both tables, but its text may differ.
    pub fn values_shared_with(&self, new: &Side) -> Vec<usize> {
        let is_kept = |at: &usize| self.stored.kept()[*at] && new.stored.kept()[*at];
        let keeps_text = |at: usize| self.stored.keeps_text(at) && new.stored.keeps_text(at);
        (0..self.fields.len()).filter(is_kept).filter(|at| !keeps_text(*at)).collect()
    }

    /// Checks that rows of this old table can be looked up from the new one. If the key contains a
    /// time or a number as the events write it, and one of the tables returns only its value, each
    /// event must write it as tables do. An event that does not would be a difference that no
    /// further copy removes, even though it is in both tables. Example: the event has
    /// `2019-05-28T00:00:00Z`, and the table returns `2019-05-28T00:00:00.000Z`. `events` returns
    /// events with their rows, and is only called in this case.
    pub fn check_found_from(
        &self,
        new: &Side,
        events: impl FnOnce() -> Result<Vec<(RowKey, EventTexts)>>,
    ) -> Result<()> {
        let values = self.values_shared_with(new).into_iter();
        let changed: Vec<usize> = values.filter(|at| self.stored.has_text_in_key(*at)).collect();
        if changed.is_empty() {
            return Ok(());
        }
        for (row, mut event) in events()? {
            self.stored.make_plain(&changed, &mut event);
            if self.write_texts(&self.fields, &event).is_ok_and(|again| again.key == row) {
                continue;
            }
            let names: Vec<&str> = changed.iter().map(|at| &*self.fields[*at].name).collect();
            let plain: Vec<&str> = changed.iter().filter_map(|at| event[*at].as_deref()).collect();
            let (row, names, plain) = (escape(&row), names.join(", "), plain.join(", "));
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "Row {row} of {} has {names} as the event writes it, not as {plain}. The tables of {} and {} do not both keep that text, \
                     so the event could not be looked up there. If the migration has begun, undo it. Keep {names} in the new key as it is, or \
                     in a value: the layout Row per entity keeps all texts. If the old table has lost them, load the events from where they \
                     came.",
                    self.name, self.name, new.name
                ),
            ));
        }
        Ok(())
    }

    /// Calls [`Side::check_found_from`] with the events of some rows of this table.
    pub fn check_rows_found_from(&self, new: &Side, rows: &[Row]) -> Result<()> {
        self.check_found_from(new, || {
            let mut events = Vec::new();
            for row in rows {
                let read = self.stored.read(core::slice::from_ref(row))?;
                events.extend(read.into_iter().map(|event| (row.key.clone(), event)));
            }
            Ok(events)
        })
    }

    /// Returns the fields that the row key needs and a table does not keep. (A salt hashes only
    /// fields that are in the key, too.)
    fn needed_and_lost(&self, table: &Side) -> Vec<&str> {
        let needed: Vec<&String> = self.template.parts().iter().flat_map(part_fields).collect();
        let fields = self.fields.iter().zip(table.stored.kept());
        fields
            .filter(|(field, is_kept)| !**is_kept && needed.contains(&&field.name))
            .map(|(field, _)| &*field.name)
            .collect()
    }

    /// Returns the row of an event.
    pub fn write(&self, event: &Record) -> Result<RowMutation> {
        let time = Roles::of(&self.fields).time;
        let has_time = time
            .is_some_and(|at| event.values[at].is_some_and(|text| self.fields[at].micros(text).is_some()));
        if !has_time {
            return Err(Error::invalid(
                "The event has no time, so its cells would not have one either: add a time.",
            ));
        }
        self.writer.write(event, 0)
    }

    /// Returns the fields that the key of this new table needs, and for which the old table returns
    /// other texts than the event has. An arriving event is written with the old table's texts, so
    /// that its copy has the same row.
    pub fn plain_from(&self, old: &Side) -> Vec<usize> {
        let is_changed = |at: &usize| {
            old.stored.kept()[*at] && !old.stored.keeps_text(*at) && self.stored.has_text_in_key(*at)
        };
        (0..self.fields.len()).filter(is_changed).collect()
    }

    /// Returns the row of an event, with the old table's texts for the `plain` fields: see
    /// [`StoredEvents::make_plain`].
    pub fn write_plain(&self, plain: &[usize], event: &Record) -> Result<RowMutation> {
        if plain.is_empty() {
            return self.write(event);
        }
        let mut texts: EventTexts = event.values.iter().map(|text| text.map(str::to_owned)).collect();
        self.stored.make_plain(plain, &mut texts);
        self.write_texts(event.fields, &texts)
    }

    /// Returns the row of an event that was read from a table.
    pub fn write_texts(&self, fields: &[Field], event: &[Option<String>]) -> Result<RowMutation> {
        with_record(fields, event, |record| self.write(record))
    }

    /// Writes rows, and creates the families that they need.
    pub fn store(&mut self, tables: &mut Tables, rows: Vec<RowMutation>) -> Result<()> {
        let names: SortedSet<&str> = rows
            .iter()
            .flat_map(|row| row.mutations.iter().filter_map(Mutation::family))
            .filter(|name| !self.known.contains(*name))
            .collect();
        if names.iter().next().is_some() {
            let family = |name: &&str| {
                let rule = self.families.iter().find(|rule| rule.family == **name);
                ColumnFamily {
                    gc_rule: rule.map(|rule| rule.gc_rule.clone()).unwrap_or_default(),
                    ..ColumnFamily::new(*name)
                }
            };
            tables.add_families(&self.table, names.iter().map(family).collect())?;
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            names.into_iter().for_each(|name| _ = self.known.insert(name));
        }
        // Requests are split, because the number of mutations in a request is limited.
        let (mut request, mut mutations) = (Vec::new(), 0);
        for row in rows {
            if mutations + row.mutations.len() > MUTATIONS_MAX {
                tables.write(&self.table, core::mem::take(&mut request))?;
                mutations = 0;
            }
            mutations += row.mutations.len();
            request.push(row);
        }
        tables.write(&self.table, request)
    }
}
