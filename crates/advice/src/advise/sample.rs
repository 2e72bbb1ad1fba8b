//! A sample of events with their keys under a design.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use tabletop_keys::{Field, FieldKind, FieldRole, Layout, LayoutWriter, Part, Record, Template, part_fields};
use tabletop_workspace::GivenRole;

use super::context::Context;
use super::{Cause, Fix, Warning};
use crate::evaluate::{EventHashes, LiveEvents, LiveLoad, live_load};
use crate::field_roles::field_roles;
use crate::key_list::Keys;

/// The fewest events for a verdict on writes: fewer show nothing.
pub const EVENTS_MIN: usize = 60;

/// Some events and their keys.
pub(super) struct Sample<'t, 'r> {
    /// The template as the user wrote it.
    pub written: &'t Template,
    /// The template of the stored keys.
    pub template: &'t Template,
    /// The layout of the cells.
    pub layout: &'t Layout,
    /// The index in the written template of each part of the stored one.
    pub parts: Vec<usize>,
    pub records: Vec<Record<'r>>,
    pub keys: Keys,
    /// The index of the record of each key. Events without a key are omitted.
    pub keyed: Vec<usize>,
    pub context: Context<'t>,
    /// The role of each field, once it is needed.
    roles: OnceCell<Vec<FieldRole>>,
    /// The events that follow, once they are needed; `None` if the events have no time, or are too
    /// few.
    live: OnceCell<Option<LiveEvents>>,
    /// Where they fall under the sample's own key, once that is needed.
    load: OnceCell<Option<LiveLoad>>,
    /// The hashes of the events, once they are needed.
    pub hashes: OnceCell<EventHashes>,
}

impl<'t, 'r> Sample<'t, 'r> {
    /// A sample of these records, with the keys that `writer` writes for `written` under `layout`.
    /// Fields have the roles that the context gives them, or those that the records show.
    pub fn of(
        written: &'t Template,
        writer: &'t LayoutWriter,
        layout: &'t Layout,
        context: Context<'t>,
        records: impl IntoIterator<Item = Record<'r>>,
    ) -> Sample<'t, 'r> {
        let records: Vec<Record> = records.into_iter().collect();
        let template = writer.template();
        let (keys, keyed) = Keys::of(template, &records);
        let parts = written.stored_parts(layout);
        Sample {
            written,
            template,
            layout,
            parts,
            records,
            keys,
            keyed,
            context,
            roles: OnceCell::new(),
            live: OnceCell::new(),
            load: OnceCell::new(),
            hashes: OnceCell::new(),
        }
    }
}

impl Sample<'_, '_> {
    pub fn warning(&self, cause: Cause, part: Option<usize>, fixes: Vec<Fix>) -> Warning {
        Warning { cause, part: part.map(|part| self.parts[part] as u32), fixes }
    }

    /// The index of a key of the row that has most events, and this row's share of the events.
    pub fn largest_row(&self) -> (usize, f64) {
        let order = self.keys.sorted();
        let groups = order.chunk_by(|&one, &other| self.keys.get(one) == self.keys.get(other));
        let largest = groups.max_by_key(|group| group.len()).unwrap_or_default();
        (largest.first().copied().unwrap_or_default(), largest.len() as f64 / self.keys.len().max(1) as f64)
    }

    /// The field or fields of a part.
    pub fn fields(&self, part: usize) -> Vec<String> {
        part_fields(&self.template.parts()[part]).into_iter().cloned().collect()
    }

    /// The field of a part that has one, as a time has.
    pub fn field(&self, part: usize) -> String {
        self.fields(part).into_iter().next().unwrap_or_default()
    }

    /// Indices of the parts that hold fields.
    pub fn field_parts(&self) -> impl Iterator<Item = usize> + '_ {
        let parts = self.template.parts();
        (0..parts.len()).filter(|&at| matches!(parts[at], Part::Field { .. } | Part::ZOrder(_)))
    }

    /// The bytes of the part at `at`, for each event that has a key.
    pub fn outputs(&self, at: usize) -> Keys {
        let mut keys = Keys::default();
        for &index in &self.keyed {
            let values = self.records[index].values;
            let written = self.template.write_part(
                at,
                &mut |field| values.get(field).copied().flatten(),
                &mut keys.bytes,
            );
            debug_assert!(written.is_ok(), "the whole key was written");
            keys.end();
        }
        keys
    }

    /// The role of a field of the template.
    pub fn role(&self, at: usize) -> FieldRole {
        self.roles()[at]
    }

    fn roles(&self) -> &[FieldRole] {
        self.roles.get_or_init(|| {
            let fields = self.written.fields();
            let given: Option<Vec<FieldRole>> =
                fields.iter().map(|field| GivenRole::of(self.context.roles, &field.name)).collect();
            if let Some(given) = given {
                return given;
            }
            let events: Vec<Vec<Option<&str>>> =
                self.even().iter().map(|record| record.values.to_vec()).collect();
            let found = field_roles(fields, &events);
            let chosen = |field: &Field| GivenRole::of(self.context.roles, &field.name);
            fields.iter().zip(found).map(|(field, found)| chosen(field).unwrap_or(found.role)).collect()
        })
    }

    /// The events that are evenly spread over all.
    pub fn even(&self) -> &[Record<'_>] {
        &self.records[..self.records.len().saturating_sub(self.context.others)]
    }

    /// The events that follow those of the sample; `None` if they have no time, or are too few.
    pub fn live(&self) -> Option<&LiveEvents> {
        let live = self.live.get_or_init(|| {
            let is_enough = self.even().len() >= EVENTS_MIN;
            is_enough.then(|| LiveEvents::of(self.even(), self.roles())).flatten()
        });
        live.as_ref()
    }

    /// Where live events fall.
    pub fn load(&self) -> Option<LiveLoad> {
        *self.load.get_or_init(|| self.load_of_stored(self.template, false))
    }

    /// Where live events fall under another template.
    pub fn load_of(&self, template: &Template, layout: &Layout) -> Option<LiveLoad> {
        self.load_of_stored(&template.stored(layout), false)
    }

    /// Where live events fall under a stored template; among the keys without their salts if
    /// `logical`.
    pub fn load_of_stored(&self, stored: &Template, logical: bool) -> Option<LiveLoad> {
        live_load(stored, self.even(), self.live()?, logical)
    }

    /// Whether a part of a stored template, and so each key of a moment, follows the clock.
    pub fn follows_clock(&self, template: &Template, part: usize) -> bool {
        let fields = template.fields();
        let follows = |at: usize| self.live().is_some_and(|live| live.follows_clock(at));
        match &template.parts()[part] {
            Part::Field { name, .. } => {
                fields.iter().position(|field| field.name == *name).is_some_and(follows)
            }
            Part::Literal(_) | Part::Salt { .. } | Part::ZOrder(_) => false,
        }
    }

    /// The texts of a field, of the events that have it.
    pub fn values(&self, name: &str) -> Vec<&str> {
        let at = self.written.fields().iter().position(|field| field.name == name);
        self.records.iter().filter_map(|record| record.values.get(at?).copied().flatten()).collect()
    }

    /// Whether a part of the stored template is a field of kind time.
    pub fn is_time(&self, part: usize) -> bool {
        is_time(self.template, part)
    }
}

/// Whether a part of `template` is a field of kind time.
pub(super) fn is_time(template: &Template, part: usize) -> bool {
    matches!(&template.parts()[part], Part::Field { name, .. }
        if template.fields().iter().any(|field| field.name == *name && field.kind == FieldKind::Time))
}

/// At most forty characters of a text, and an ellipsis if it has more.
pub(super) fn shorten(text: &[u8]) -> String {
    let mut text = tabletop_model::escape(text);
    if let Some((at, _)) = text.char_indices().nth(40) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// The bytes that must be different for each event of the sample under a template, with the index
/// of each event: its key, or in a row per entity its key, column and time.
pub(super) fn identities(template: &Template, layout: &Layout, sample: &Sample) -> (Keys, Vec<usize>) {
    if !layout.kind.shares_rows() {
        return Keys::of(&template.stored(layout), &sample.records);
    }
    let writer = LayoutWriter::new(layout, template.fields(), template);
    let (mut keys, mut keyed) = (Keys::default(), Vec::new());
    for (index, record) in sample.records.iter().enumerate() {
        let Ok(identity) = writer.identity(layout.kind, record, index as u64) else { continue };
        keys.push(&identity);
        keyed.push(index);
    }
    (keys, keyed)
}
