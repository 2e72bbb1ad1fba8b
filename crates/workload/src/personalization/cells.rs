//! From a strategy to the filter that requests its cells, and from cells to a profile.

use std::collections::BTreeMap;

use tabletop_keys::{
    Encoding, FacetNames, Field, Layout, LayoutKind, Roles,
    facets::{Facet, parse_one},
    family_name, push_csv,
};
use tabletop_model::{Code, Error, Result, RowFilter, Timestamp, pattern::literal};
use tabletop_workspace::Strategy;

use super::{Profile, Window};

/// The family of wide events, as the layout writes them.
const WIDE_FAMILY: &str = "e";

/// Reads the cells of events in one layout for one strategy.
///
/// The filter and the reader agree: cells that the filter lets through and the strategy does not
/// name do not count, so a profile is the same with and without the filter.
#[derive(Clone, Debug)]
pub struct EventReader {
    cells: Cells,
    /// The encoding of their values.
    encoding: Encoding,
    /// The scores of facets by name, for layouts with all facets in one cell.
    facets: BTreeMap<String, u64>,
}

/// How the qualifier and the family of a cell are interpreted.
#[derive(Clone, Debug)]
enum Cells {
    /// All facets of an event: the score of the event, by family and qualifier.
    Narrow(BTreeMap<String, BTreeMap<Vec<u8>, u64>>),
    /// The whole event: the score of the event, by family and qualifier; the fields of events; and
    /// the index of the field that has the facets.
    Record(BTreeMap<String, BTreeMap<Vec<u8>, u64>>, Vec<Field>, usize),
    /// One facet of an event. First, for the filter: `CSV(event type, event name)` and a comma for
    /// each event, and each facet as CSV. Then, by qualifier: the name of the facet, and the score
    /// of the event times the score of the facet.
    Wide(Vec<Vec<u8>>, Vec<Vec<u8>>, BTreeMap<Vec<u8>, (String, u64)>),
}

impl EventReader {
    /// Creates a reader of events with these fields in `layout`.
    ///
    /// # Errors
    /// `FailedPrecondition` for events or a layout from which profiles cannot be computed; the
    /// message says what is missing.
    pub fn new(layout: &Layout, fields: &[Field], strategy: &Strategy) -> Result<EventReader> {
        let refused = |message: String| Err(Error::new(Code::FailedPrecondition, message));
        let roles = Roles::of(fields);
        let (Some(event), Some(_)) = (roles.event, roles.time) else {
            return refused(
                "Profiles need events with a time, a type (event_type), a name (event_name) and facets: rename the fields of the data, \
                 or correct their kinds."
                    .into(),
            );
        };
        let facets: BTreeMap<String, u64> =
            strategy.facets.iter().map(|facet| (facet.facet.clone(), u64::from(facet.score))).collect();
        let cells = match layout.kind {
            LayoutKind::Narrow => Cells::Narrow(by_column(strategy)),
            LayoutKind::RowPerEntity => Cells::Record(by_column(strategy), fields.to_vec(), event.facets),
            LayoutKind::Wide => wide(strategy),
            LayoutKind::Columns => {
                return refused(
                    "Profiles are computed from the layouts narrow, wide and row per entity: custom columns do not necessarily store all \
                     facets. Choose one of these layouts."
                        .into(),
                );
            }
        };
        Ok(EventReader { cells, encoding: layout.encoding, facets })
    }

    /// Returns the filter that requests the strategy's cells in `window`. In the wide layout it is
    /// an interleave of qualifier filters, one for each facet, as in the article. In the other
    /// layouts it is an interleave of the events' columns, whose cells have all facets.
    ///
    /// Bigtable rejects filters of more than 20,480 bytes. If the interleave for a strategy would
    /// be longer, the filter is one regular expression; if that is too long as well, it requests
    /// all cells.
    pub fn filter(&self, window: Window) -> RowFilter {
        let in_window =
            |chosen: RowFilter| RowFilter::Chain(vec![RowFilter::TimestampRange(window.range()), chosen]);
        let qualifier = |pattern: String| RowFilter::ColumnQualifierRegex(pattern.into());
        let within_limits = |filter: &RowFilter| in_window(filter.clone()).validate().is_ok();
        let chosen = match &self.cells {
            Cells::Narrow(events) | Cells::Record(events, ..) => {
                let of_family = events.iter().flat_map(|(family, names)| {
                    names.keys().map(move |name| {
                        let family = RowFilter::FamilyNameRegex(literal(family.as_bytes()));
                        RowFilter::Chain(vec![family, qualifier(literal(name))])
                    })
                });
                interleaved(of_family.collect())
            }
            Cells::Wide(prefixes, facets, _) => {
                let any_event = one_of(prefixes);
                let of_facet = |facet: &Vec<u8>| qualifier(format!("{any_event}{}", literal(facet)));
                let each = interleaved(if prefixes.is_empty() {
                    Vec::new()
                } else {
                    facets.iter().map(of_facet).collect()
                });
                if within_limits(&each) { each } else { qualifier(format!("{any_event}{}", one_of(facets))) }
            }
        };
        let chosen = if within_limits(&chosen) { chosen } else { RowFilter::PassAll(true) };
        in_window(chosen)
    }

    /// Adds a cell to the profile of its user, if the cell's time is in `window`.
    pub fn add(&self, window: Window, cell: CellParts<'_>, profile: &mut Profile) {
        let CellParts { family, qualifier, timestamp, value } = cell;
        if !window.contains(timestamp) {
            return;
        }
        profile.cells += 1;
        let is_read = match &self.cells {
            Cells::Narrow(events) => {
                let score = score_of(events, family, qualifier);
                score == 0 || self.add_narrow(value, score, profile).is_some()
            }
            Cells::Record(events, fields, at) => {
                let score = score_of(events, family, qualifier);
                score == 0 || self.add_record(value, fields, *at, score, profile).is_some()
            }
            Cells::Wide(_, _, columns) => match columns.get(qualifier).filter(|_| family == WIDE_FAMILY) {
                Some((facet, score)) => self.add_wide(value, facet, *score, profile).is_some(),
                None => true,
            },
        };
        profile.unreadable += u64::from(!is_read);
    }

    /// Adds a value such as `[["brand",":","Apple",1]]`, if it is JSON. Returns `None` for a value
    /// that no layout has written.
    fn add_narrow(&self, value: &[u8], event_score: u64, profile: &mut Profile) -> Option<()> {
        let mut text = String::new();
        for counted in &self.encoding.counts(value, FacetNames::InValue)? {
            if let Some(score) = self.facets.get(&*counted.name) {
                join(
                    &mut text,
                    Facet { name: &counted.name, operator: &counted.operator, value: &counted.value },
                );
                profile.add(&text, event_score * score);
            }
        }
        Some(())
    }

    /// Adds a value such as `[[":","Apple",1]]`, if it is JSON.
    fn add_wide(&self, value: &[u8], facet: &str, score: u64, profile: &mut Profile) -> Option<()> {
        let mut text = String::new();
        for counted in &self.encoding.counts(value, FacetNames::InColumn)? {
            join(&mut text, Facet { name: facet, operator: &counted.operator, value: &counted.value });
            profile.add(&text, score);
        }
        Some(())
    }

    /// Adds a value such as `{"facets":["brand:Apple"],…}`, if it is JSON. `at` is the index of the
    /// field of facets.
    fn add_record(
        &self,
        value: &[u8],
        fields: &[Field],
        at: usize,
        event_score: u64,
        profile: &mut Profile,
    ) -> Option<()> {
        let facets = self.encoding.event_facets(value, fields, at)?;
        let mut text = String::new();
        // A record keeps duplicates, but each facet value of an event counts once.
        let mut seen: Vec<String> = Vec::new();
        for facet in
            facets.iter().filter(|facet| !facet.trim().is_empty()).map(|facet| parse_one(facet.trim()))
        {
            let Some(score) = self.facets.get(facet.name) else { continue };
            join(&mut text, facet);
            if !seen.contains(&text) {
                profile.add(&text, event_score * score);
                seen.push(text.clone());
            }
        }
        Some(())
    }
}

/// One cell, as [`EventReader::add`] needs it.
#[derive(Clone, Copy, Debug)]
pub struct CellParts<'a> {
    /// The name of its family.
    pub family: &'a str,
    /// The cell's qualifier.
    pub qualifier: &'a [u8],
    /// Microseconds since 1970.
    pub timestamp: Timestamp,
    /// The bytes of the cell's value.
    pub value: &'a [u8],
}

impl<'a> From<&'a tabletop_model::Cell> for CellParts<'a> {
    fn from(cell: &'a tabletop_model::Cell) -> CellParts<'a> {
        CellParts {
            family: &cell.family,
            qualifier: &cell.qualifier,
            timestamp: cell.timestamp,
            value: &cell.value,
        }
    }
}

/// Writes a facet value as text: name, operator, value.
pub(super) fn join(text: &mut String, facet: Facet<'_>) {
    text.clear();
    text.extend([facet.name, facet.operator, facet.value]);
}

fn score_of(events: &BTreeMap<String, BTreeMap<Vec<u8>, u64>>, family: &str, qualifier: &[u8]) -> u64 {
    events.get(family).and_then(|names| names.get(qualifier)).copied().unwrap_or(0)
}

/// Returns the events of a strategy by their columns, for layouts with one cell per event.
fn by_column(strategy: &Strategy) -> BTreeMap<String, BTreeMap<Vec<u8>, u64>> {
    let mut families: BTreeMap<String, BTreeMap<Vec<u8>, u64>> = BTreeMap::new();
    for event in &strategy.events {
        let names = families.entry(family_name(&event.event_type).into_owned()).or_default();
        names.insert(event.event_name.clone().into_bytes(), event.score.into());
    }
    families
}

fn wide(strategy: &Strategy) -> Cells {
    let facets: Vec<Vec<u8>> = strategy.facets.iter().map(|facet| csv(&facet.facet)).collect();
    let mut columns = BTreeMap::new();
    let mut events = Vec::new();
    for event in &strategy.events {
        let prefix = [csv(&event.event_type), csv(&event.event_name), Vec::new()].join(&b',');
        for (facet, text) in strategy.facets.iter().zip(&facets) {
            let score = u64::from(event.score) * u64::from(facet.score);
            columns.insert([&*prefix, text].concat(), (facet.facet.clone(), score));
        }
        events.push(prefix);
    }
    Cells::Wide(events, facets, columns)
}

/// Returns a regular expression that matches these texts.
fn one_of(texts: &[Vec<u8>]) -> String {
    match texts {
        [one] => literal(one),
        _ => format!("(?:{})", texts.iter().map(|text| literal(text)).collect::<Vec<_>>().join("|")),
    }
}

fn csv(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    push_csv(&mut out, text);
    out
}

/// Returns an interleave of filters, which needs at least two.
fn interleaved(mut filters: Vec<RowFilter>) -> RowFilter {
    match filters.len() {
        0 => RowFilter::BlockAll(true),
        1 => filters.remove(0),
        _ => RowFilter::Interleave(filters),
    }
}
