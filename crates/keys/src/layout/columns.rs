//! The layout with user-defined columns: the texts of each column are templates.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Mutation, Problem, Result, Timestamp, is_family_name};

use super::families::{RECORD_FAMILY, family_name};
use super::{CellTime, Column, FamilyRule, Layout, LayoutKind, json};
use crate::template::Part;
use crate::{Field, Record, Template};

/// The maximum number of columns in a layout. All of them are written for each event.
pub const COLUMNS_MAX: usize = 100;
/// The maximum length of a bucket, in seconds: about 100 years.
pub const BUCKET_SECONDS_MAX: u32 = 100 * 366 * 86_400;

const BAD_FAMILY: &str = "A family's name has 1 to 64 letters, digits and characters of \"-_.\".";
const NO_CELL: &str =
    "This event has no value for any column of the layout: add a column that all events have, or a literal.";

/// Identifies one of the texts of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnText {
    /// [`Column::family`].
    Family,
    /// [`Column::qualifier`].
    Qualifier,
    /// [`Column::value`].
    Value,
}

/// A problem in a text of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnProblem {
    /// The index of the column.
    pub column: usize,
    /// The text with the problem.
    pub text: ColumnText,
    /// The position in that text, and what to do.
    pub problem: Problem,
}

impl ColumnProblem {
    /// Returns the problem with its location: `Column 2, value: …`.
    pub fn text(&self) -> String {
        let text = match self.text {
            ColumnText::Family => "family",
            ColumnText::Qualifier => "qualifier",
            ColumnText::Value => "value",
        };
        format!("Column {}, {text}: {}", self.column + 1, self.problem.message)
    }
}

impl Layout {
    /// Returns a column for each field, as a starting point for the user.
    pub fn columns_of(fields: &[Field]) -> Vec<Column> {
        let column = |field: &Field| {
            let part = Part::Field { name: field.name.clone(), transforms: Vec::new() };
            let literal = Part::Literal(field.name.clone());
            Column {
                family: RECORD_FAMILY.into(),
                qualifier: Template::new([literal], fields).text(),
                value: Template::new([part], fields).text(),
                time: CellTime::Event,
            }
        };
        fields.iter().take(COLUMNS_MAX).map(column).collect()
    }

    /// Returns the layout for queries by fields: the cells of an aggregating family do not contain
    /// texts.
    #[inline]
    pub fn readable(&self, families: &[FamilyRule]) -> Cow<'_, Layout> {
        if self.kind == LayoutKind::Columns { self.readable_columns(families) } else { Cow::Borrowed(self) }
    }

    #[inline(never)]
    fn readable_columns(&self, families: &[FamilyRule]) -> Cow<'_, Layout> {
        let aggregates = |family: &str| {
            let is_any = family.contains('{');
            families.iter().any(|rule| rule.aggregate.is_some() && (is_any || rule.family == family))
        };
        if !self.columns.iter().any(|column| aggregates(&column.family)) {
            return Cow::Borrowed(self);
        }
        let mut readable = self.clone();
        for column in readable.columns.iter_mut().filter(|column| aggregates(&column.family)) {
            column.value.clear();
        }
        Cow::Owned(readable)
    }

    /// Returns the problems of the columns for events with these fields. Other layouts never have
    /// problems.
    #[inline]
    pub fn problems(&self, fields: &[Field]) -> Vec<ColumnProblem> {
        if self.kind == LayoutKind::Columns { self.problems_of_columns(fields) } else { Vec::new() }
    }

    #[inline(never)]
    fn problems_of_columns(&self, fields: &[Field]) -> Vec<ColumnProblem> {
        let whole = |text: &str, message: String| Problem {
            span: tabletop_model::Span { start: 0, end: text.len() as u32 },
            message,
        };
        let mut found = Vec::new();
        let mut report = |column, text, problem| found.push(ColumnProblem { column, text, problem });
        if self.columns.is_empty() {
            report(0, ColumnText::Family, whole("", "A layout of columns needs a column: add one.".into()));
        }
        for (at, column) in self.columns.iter().enumerate() {
            let (family, problems) = Template::of_column(&column.family, fields);
            let is_sound = problems.is_empty();
            problems.into_iter().for_each(|problem| report(at, ColumnText::Family, problem));
            let is_literal = family.parts().iter().all(|part| matches!(part, Part::Literal(_)));
            if is_sound && is_literal && !is_family_name(&literal_text(&family)) {
                report(at, ColumnText::Family, whole(&column.family, BAD_FAMILY.into()));
            }
            for (text, typed) in
                [(ColumnText::Qualifier, &column.qualifier), (ColumnText::Value, &column.value)]
            {
                if text == ColumnText::Value && typed == Column::RECORD {
                    continue;
                }
                Template::of_column(typed, fields)
                    .1
                    .into_iter()
                    .for_each(|problem| report(at, text, problem));
            }
        }
        found
    }
}

/// Returns the literal of a text without fields.
fn literal_text(template: &Template) -> String {
    let literals =
        template.parts().iter().map(|part| if let Part::Literal(text) = part { text.as_str() } else { "" });
    literals.collect()
}

/// A column, bound to the fields of the events.
#[derive(Clone, Debug)]
pub(crate) struct BoundColumn {
    pub family: Template,
    pub qualifier: Template,
    /// `None` for the whole record.
    pub value: Option<Template>,
    time: CellTime,
}

impl BoundColumn {
    /// Binds the columns of a layout. Of texts with problems, the parts that can be parsed are
    /// bound.
    #[inline]
    pub fn all(layout: &Layout, fields: &[Field]) -> Vec<BoundColumn> {
        if layout.kind == LayoutKind::Columns { BoundColumn::bind(layout, fields) } else { Vec::new() }
    }

    #[inline(never)]
    fn bind(layout: &Layout, fields: &[Field]) -> Vec<BoundColumn> {
        let bound = |column: &Column| BoundColumn {
            family: Template::of_column(&column.family, fields).0,
            qualifier: Template::of_column(&column.qualifier, fields).0,
            value: (column.value != Column::RECORD).then(|| Template::of_column(&column.value, fields).0),
            time: column.time,
        };
        layout.columns.iter().map(bound).collect()
    }

    /// Returns the family of the event's cell; `None` if the event does not have a value for one of
    /// the text's fields.
    pub fn family_of(&self, record: &Record<'_>) -> Result<Option<String>> {
        let Some(bytes) = write(&self.family, record)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        // A literal name must be a valid family name. A field's value may have any characters, so
        // it is converted.
        let is_literal = self.family.parts().iter().all(|part| matches!(part, Part::Literal(_)));
        Ok(Some(if is_literal { text.into() } else { family_name(&text).into() }))
    }

    /// Returns the timestamp of a cell of an event with this time.
    pub fn timestamp(&self, event: Timestamp) -> Timestamp {
        match self.time {
            CellTime::Event => event,
            CellTime::Bucket(seconds) => event - event.rem_euclid(i64::from(seconds.max(1)) * 1_000_000),
            CellTime::Zero => 0,
        }
    }

    /// Returns the column of the event's cell, if the cell belongs to this event only. Also `None`
    /// if the event does not have such a cell.
    fn own_place(&self, record: &Record<'_>) -> Result<Option<(String, Vec<u8>)>> {
        if self.time != CellTime::Event {
            return Ok(None);
        }
        Ok(self.family_of(record)?.zip(write(&self.qualifier, record)?))
    }

    fn cell(&self, record: &Record<'_>, event: Timestamp) -> Result<Option<Mutation>> {
        let Some(family) = self.family_of(record)? else { return Ok(None) };
        let Some(qualifier) = write(&self.qualifier, record)? else { return Ok(None) };
        let value = match &self.value {
            Some(template) => write(template, record)?,
            None => {
                let mut value = Vec::with_capacity(192);
                json::push_record(&mut value, record);
                Some(value)
            }
        };
        Ok(value.map(|value| Mutation::SetCell {
            family,
            qualifier: qualifier.into(),
            timestamp: self.timestamp(event),
            value: value.into(),
        }))
    }
}

/// Returns the cells of an event. If several cells have the same column, the last one is kept, as
/// in Bigtable.
///
/// # Errors
/// `InvalidArgument` if a value does not suit a transform, or if none of the columns has a value.
#[inline(never)]
pub(super) fn cells(columns: &[BoundColumn], record: &Record<'_>, event: Timestamp) -> Result<Vec<Mutation>> {
    let mut mutations = Vec::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        let cell = column.cell(record, event).map_err(|error| {
            tabletop_model::Error::new(error.code, format!("Column {}: {}", at + 1, error.message))
        })?;
        mutations.extend(cell);
    }
    if mutations.is_empty() {
        return Err(tabletop_model::Error::invalid(NO_CELL));
    }
    Ok(mutations)
}

/// Returns the columns (family and qualifier) of the cells that belong to this event only, each
/// once.
pub(super) fn own_places(columns: &[BoundColumn], record: &Record<'_>) -> Result<Vec<(String, Vec<u8>)>> {
    let mut places = Vec::new();
    for column in columns {
        places.extend(column.own_place(record)?.filter(|place| !places.contains(place)));
    }
    Ok(places)
}

/// Returns the bytes of a text; `None` if the event does not have a value for one of the text's
/// fields.
fn write(template: &Template, record: &Record<'_>) -> Result<Option<Vec<u8>>> {
    let (mut out, mut is_missing) = (Vec::new(), false);
    for at in 0..template.parts().len() {
        let mut value = |index: usize| {
            let value = record.value(index);
            is_missing |= value.is_none();
            value
        };
        let written = template.write_part(at, &mut value, &mut out);
        if is_missing {
            return Ok(None);
        }
        written?;
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests;
