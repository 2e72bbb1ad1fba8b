//! Converts events into rows.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use tabletop_model::{
    Aggregate, AggregateInput, Error, Mutation, Result, RowKey, RowMutation, Timestamp, limits,
};

use super::cell_writer::CellWriter;
use super::columns::{self, BoundColumn};
use super::facet_cache::{FacetCache, FacetCells};
use super::families::{EVENT_FAMILY, RECORD_FAMILY, family_name};
use super::shape::Shape;
use super::{Encoding, FamilyRule, Layout, LayoutKind, narrow, row_per_entity, wide};
use crate::roles::Roles;
use crate::{Field, Record, Template};

/// Converts events into row mutations. Create one for each design and set of fields.
#[derive(Clone, Debug)]
pub struct LayoutWriter {
    shape: Shape,
    family_field: Option<usize>,
    roles: Roles,
    template: Template,
    columns: Vec<BoundColumn>,
    encoding: Encoding,
    /// The families whose cells are aggregated.
    aggregates: Vec<(String, Aggregate)>,
    /// The initial capacity of a key.
    key_bytes: usize,
    /// A cache, which does not affect the cells.
    facet_cache: RefCell<FacetCache>,
}

impl LayoutWriter {
    /// Creates a writer of events with these fields. The rows have the keys that `layout` stores:
    /// see [`Template::stored`].
    pub fn new(layout: &Layout, fields: &[Field], template: &Template) -> LayoutWriter {
        let roles = Roles::of(fields);
        let family_field =
            layout.family_field.as_ref().and_then(|name| fields.iter().position(|field| field.name == *name));
        LayoutWriter {
            shape: Shape::of(layout, &roles),
            family_field,
            roles,
            template: template.stored(layout),
            columns: BoundColumn::all(layout, fields),
            encoding: layout.encoding,
            aggregates: Vec::new(),
            key_bytes: 64,
            facet_cache: RefCell::default(),
        }
    }

    /// Returns a writer that adds to the cells of families that aggregate.
    #[inline]
    pub fn with_families(self, families: &[FamilyRule]) -> LayoutWriter {
        if families.is_empty() && self.aggregates.is_empty() { self } else { self.with_aggregates(families) }
    }

    #[inline(never)]
    fn with_aggregates(self, families: &[FamilyRule]) -> LayoutWriter {
        let aggregates =
            families.iter().filter_map(|rule| Some((rule.family.clone(), rule.aggregate?))).collect();
        LayoutWriter { aggregates, ..self }
    }

    /// Returns a writer of the same cells under the keys of `template`, for the same layout and
    /// fields.
    pub fn with_keys_of(self, layout: &Layout, template: &Template) -> LayoutWriter {
        LayoutWriter { template: template.stored(layout), ..self }
    }

    /// Returns the template of the row keys.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Adds the families of the record's cells to a list.
    pub fn push_families<'r>(&self, record: &Record<'r>, families: &mut Vec<Cow<'r, str>>) {
        if self.shape == Shape::Columns {
            self.push_families_of_columns(record, families);
        } else {
            families.push(self.family_of(record));
        }
    }

    #[inline(never)]
    fn push_families_of_columns(&self, record: &Record<'_>, families: &mut Vec<Cow<'_, str>>) {
        families.extend(
            self.columns.iter().filter_map(|column| column.family_of(record).ok().flatten()).map(Cow::Owned),
        );
    }

    /// Returns the family of all cells of `record`, for a layout with one family per event.
    pub(super) fn family_of<'r>(&self, record: &Record<'r>) -> Cow<'r, str> {
        let value = |index: usize| family_name(record.values[index].unwrap_or_default());
        match (self.shape, self.family_field) {
            (Shape::NarrowEvent(event), _) => value(event.event_type),
            (Shape::WideEvent(_), _) => Cow::Borrowed(EVENT_FAMILY),
            (Shape::Record { family: Some(index), .. }, _) | (_, Some(index)) => value(index),
            (Shape::Record { .. } | Shape::Fields | Shape::Columns, None) => Cow::Borrowed(RECORD_FAMILY),
        }
    }

    /// Returns the row key and the cells of `record`, the event with this index in its set.
    ///
    /// # Errors
    /// `InvalidArgument` if the template cannot make a key for the event, a column's name is over
    /// 16 KiB, or a family cannot aggregate a value.
    pub fn write(&self, record: &Record<'_>, index: u64) -> Result<RowMutation> {
        let mut key = Vec::with_capacity(self.key_bytes);
        self.template.write_key(record, &mut key)?;
        let cells = CellWriter { family: self.family_of(record), timestamp: self.timestamp(record, index) };
        let mut mutations = match self.shape {
            Shape::NarrowEvent(event) => {
                let name = record.values[event.event_name].unwrap_or_default();
                self.event_cells(&cells, name.as_bytes(), record.values[event.facets], narrow::facet_cells)
            }
            Shape::WideEvent(event) => self.event_cells(
                &cells,
                &wide::qualifier(&event, record),
                record.values[event.facets],
                wide::facet_cells,
            ),
            Shape::Record { qualifier, .. } => {
                row_per_entity::record(&cells, qualifier, record, self.encoding)
            }
            Shape::Fields => wide::fields(&cells, record),
            Shape::Columns => columns::cells(&self.columns, record, cells.timestamp)?,
        };
        for mutation in &mut mutations {
            if let Mutation::SetCell { qualifier, .. } = mutation {
                check_qualifier(qualifier)?;
            }
            if !self.aggregates.is_empty() {
                self.aggregate(mutation)?;
            }
        }
        Ok(RowMutation { key: RowKey::from(key), mutations })
    }

    /// Returns bytes that differ between any two events that do not replace each other in the
    /// table: the row key, and in layouts where events share rows, also the column and the
    /// timestamp of each cell.
    ///
    /// # Errors
    /// The errors of [`LayoutWriter::write`].
    pub fn identity(&self, kind: LayoutKind, record: &Record<'_>, index: u64) -> Result<Vec<u8>> {
        let mut identity = Vec::with_capacity(self.key_bytes);
        self.push_identity(kind, record, index, &mut identity)?;
        Ok(identity)
    }

    /// Appends the bytes of [`LayoutWriter::identity`], for which no values of cells are written if
    /// an event is one cell.
    ///
    /// # Errors
    /// The errors of [`LayoutWriter::write`].
    pub fn push_identity(
        &self,
        kind: LayoutKind,
        record: &Record<'_>,
        index: u64,
        identity: &mut Vec<u8>,
    ) -> Result<()> {
        if !kind.shares_rows() {
            return self.template.write_key(record, identity);
        }
        let time = self.timestamp(record, index);
        let push_place = |identity: &mut Vec<u8>, family: &str, qualifier: &[u8]| {
            for part in [family.as_bytes(), qualifier, &time.to_be_bytes()] {
                identity.extend_from_slice(&(part.len() as u64).to_be_bytes());
                identity.extend_from_slice(part);
            }
        };
        if let (Shape::Record { qualifier, .. }, true) = (self.shape, self.aggregates.is_empty()) {
            let qualifier = row_per_entity::qualifier_of(qualifier, record).as_bytes();
            check_qualifier(qualifier)?;
            self.template.write_key(record, identity)?;
            push_place(identity, &self.family_of(record), qualifier);
            return Ok(());
        }
        let row = self.write(record, index)?;
        identity.extend_from_slice(&row.key);
        let places = self.own_places(record, row.mutations)?;
        if places.is_empty() {
            identity.extend_from_slice(&index.to_be_bytes());
        }
        places.iter().for_each(|(family, qualifier)| push_place(identity, family, qualifier));
        Ok(())
    }

    /// Returns family and qualifier of the cells that belong to this event only. Other cells are
    /// shared on purpose.
    ///
    /// # Errors
    /// `InvalidArgument` if a value does not fit a transform of a column.
    pub fn own_places(
        &self,
        record: &Record<'_>,
        mutations: Vec<Mutation>,
    ) -> Result<Vec<(String, Vec<u8>)>> {
        if self.shape == Shape::Columns {
            return columns::own_places(&self.columns, record);
        }
        let place = |mutation| match mutation {
            Mutation::SetCell { family, qualifier, .. } => Some((family, qualifier.0)),
            _ => None,
        };
        Ok(mutations.into_iter().filter_map(place).collect())
    }

    fn event_cells(
        &self,
        cells: &CellWriter<'_>,
        qualifier: &[u8],
        facets: Option<&str>,
        write: fn(&str, Encoding) -> FacetCells,
    ) -> Vec<Mutation> {
        let mut facet_cache = self.facet_cache.borrow_mut();
        let known = facet_cache.cells(facets.unwrap_or_default(), |facets| write(facets, self.encoding));
        known.iter().map(|(end, value)| cells.cell([qualifier, end].concat(), value.as_slice())).collect()
    }

    /// Returns the time of an event in microseconds since 1970. Its cells have this timestamp,
    /// unless their column defines another one. Cell times begin in 1970, so an event before that
    /// has its index as the time, as an event without a time has: its cells replace no others.
    pub fn timestamp(&self, record: &Record<'_>, index: u64) -> Timestamp {
        match self.micros(record) {
            Some(micros @ 0..) => micros / 1000 * 1000,
            _ => index as i64 * 1000,
        }
    }

    /// Returns whether an event is before 1970, so that its cells cannot have its time.
    pub fn is_before_1970(&self, record: &Record<'_>) -> bool {
        self.micros(record).is_some_and(|micros| micros < 0)
    }

    fn micros(&self, record: &Record<'_>) -> Option<i64> {
        self.roles.time.and_then(|at| record.fields[at].micros(record.values[at]?))
    }

    /// Turns a cell in an aggregating family into an input of the aggregate.
    #[inline(never)]
    fn aggregate(&self, mutation: &mut Mutation) -> Result<()> {
        let Mutation::SetCell { family, qualifier, timestamp, value } = mutation else { return Ok(()) };
        let Some((_, aggregate)) = self.aggregates.iter().find(|(name, _)| name == family) else {
            return Ok(());
        };
        let input = match aggregate {
            Aggregate::DistinctCount => AggregateInput::Bytes(value.clone()),
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => {
                let number = core::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok());
                AggregateInput::Int(number.ok_or_else(|| not_a_number(family, qualifier, value))?)
            }
        };
        let (family, qualifier) = (core::mem::take(family), core::mem::take(qualifier));
        *mutation = Mutation::AddToCell { family, qualifier, timestamp: *timestamp, input };
        Ok(())
    }
}

#[cold]
fn not_a_number(family: &str, qualifier: &[u8], value: &[u8]) -> Error {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
    Error::invalid(format!(
        "Family {family} aggregates whole numbers of 64 bits, and column {} gets \"{}\": write a number, or remove the aggregate of the family.",
        shown(qualifier),
        shown(value)
    ))
}

fn check_qualifier(qualifier: &[u8]) -> Result<()> {
    if qualifier.len() <= limits::QUALIFIER_BYTES_MAX {
        return Ok(());
    }
    Err(tabletop_model::Error::invalid(format!(
        "A column's name would have {} bytes, but at most {} are allowed: choose a layout that does not use long texts as column names.",
        qualifier.len(),
        limits::QUALIFIER_BYTES_MAX
    )))
}
