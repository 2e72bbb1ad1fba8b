//! From a strategy to the filter that asks for its cells, and from cells to a profile.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use tabletop_model::pattern::literal;
use tabletop_model::{Code, Error, Result, RowFilter, Timestamp};
use tabletop_schema::facets::{Facet, parse_one};
use tabletop_schema::{Field, Layout, LayoutKind, Roles, Strategy, family_name, push_csv};

use super::{Profile, Window};

/// The family of wide events, as the layout writes them.
const WIDE_FAMILY: &str = "e";

/// Reads the cells of events in one layout for one strategy.
///
/// The filter and the reader agree: cells that the filter lets through and the strategy does not name count nothing, so a profile is
/// the same with and without the filter.
#[derive(Clone, Debug)]
pub struct EventReader {
    cells: Cells,
    /// The scores of facets by name, for layouts with all facets in one cell.
    facets: BTreeMap<String, u64>,
}

/// What the qualifier and the family of a cell mean.
#[derive(Clone, Debug)]
enum Cells {
    /// All facets of an event: by family, and within it by qualifier, the score of the event.
    Narrow(BTreeMap<String, BTreeMap<Vec<u8>, u64>>),
    /// The whole event as JSON; the same, and the name of the field with the facets.
    Record(BTreeMap<String, BTreeMap<Vec<u8>, u64>>, String),
    /// One facet of an event: by qualifier, the name of the facet, and the score of the event times that of the facet.
    /// Before them, for the filter: CSV(event type, event name) and a comma of each event, and each facet as CSV.
    Wide(Vec<Vec<u8>>, Vec<Vec<u8>>, BTreeMap<Vec<u8>, (String, u64)>),
}

impl EventReader {
    /// Makes a reader of events with these fields in `layout`.
    ///
    /// # Errors
    /// `FailedPrecondition` for events or a layout that cannot make profiles: the message says what is missing.
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
            LayoutKind::RowPerEntity => Cells::Record(by_column(strategy), fields[event.facets].name.clone()),
            LayoutKind::Wide => wide(strategy),
            LayoutKind::Columns => {
                return refused(
                    "Profiles are computed from the layouts narrow, wide and row per entity: a person's own columns need not keep all \
                     facets. Choose one of these layouts."
                        .into(),
                );
            }
        };
        Ok(EventReader { cells, facets })
    }

    /// The filter that asks for the strategy's cells in `window`: in the wide layout an interleave of qualifier filters, one for each
    /// facet, as in the article; in the others an interleave of the events' columns, whose cells have all facets.
    ///
    /// Bigtable refuses filters of more than 20,480 bytes. A strategy whose interleave would be longer asks with one regular expression,
    /// and one for which that is too long as well, for all cells.
    pub fn filter(&self, window: Window) -> RowFilter {
        let in_window = |chosen: RowFilter| RowFilter::Chain(vec![RowFilter::TimestampRange(window.range()), chosen]);
        let qualifier = |pattern: String| RowFilter::ColumnQualifierRegex(pattern.into());
        let within_limits = |filter: &RowFilter| in_window(filter.clone()).validate().is_ok();
        let chosen = match &self.cells {
            Cells::Narrow(events) | Cells::Record(events, _) => {
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
                let each = interleaved(if prefixes.is_empty() { Vec::new() } else { facets.iter().map(of_facet).collect() });
                if within_limits(&each) { each } else { qualifier(format!("{any_event}{}", one_of(facets))) }
            }
        };
        let chosen = if within_limits(&chosen) { chosen } else { RowFilter::PassAll(true) };
        in_window(chosen)
    }

    /// Adds what a cell says to the profile of its user, if its time is in `window`.
    pub fn add(&self, window: Window, cell: CellParts<'_>, profile: &mut Profile) {
        let CellParts { family, qualifier, timestamp, value } = cell;
        if !window.contains(timestamp) {
            return;
        }
        profile.cells += 1;
        let is_read = match &self.cells {
            Cells::Narrow(events) => {
                let score = score_of(events, family, qualifier);
                score == 0 || self.add_narrow(value, score, profile).is_ok()
            }
            Cells::Record(events, field) => {
                let score = score_of(events, family, qualifier);
                score == 0 || self.add_record(value, field, score, profile).is_ok()
            }
            Cells::Wide(_, _, columns) => match columns.get(qualifier).filter(|_| family == WIDE_FAMILY) {
                Some((facet, score)) => add_wide(value, facet, *score, profile).is_ok(),
                None => true,
            },
        };
        profile.unreadable += u64::from(!is_read);
    }

    /// `[["brand",":","Apple",1]]`
    fn add_narrow(&self, value: &[u8], event_score: u64, profile: &mut Profile) -> serde_json::Result<()> {
        let counts: Vec<(Text<'_>, Text<'_>, Text<'_>, u64)> = serde_json::from_slice(value)?;
        let mut text = String::new();
        for (name, operator, value, _) in &counts {
            if let Some(score) = self.facets.get(&*name.0) {
                join(&mut text, Facet { name: &name.0, operator: &operator.0, value: &value.0 });
                profile.add(&text, event_score * score);
            }
        }
        Ok(())
    }

    /// `{"facets":["brand:Apple"],…}`
    fn add_record(&self, value: &[u8], field: &str, event_score: u64, profile: &mut Profile) -> serde_json::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_slice(value);
        let facets = OneField(field).deserialize(&mut deserializer)?;
        deserializer.end()?;
        let mut text = String::new();
        // A record keeps duplicates, and each facet value of an event counts once.
        let mut seen: Vec<String> = Vec::new();
        for facet in facets.iter().filter(|facet| !facet.trim().is_empty()).map(|facet| parse_one(facet.trim())) {
            let Some(score) = self.facets.get(facet.name) else { continue };
            join(&mut text, facet);
            if !seen.contains(&text) {
                profile.add(&text, event_score * score);
                seen.push(text.clone());
            }
        }
        Ok(())
    }
}

/// One cell, as [`EventReader::add`] needs it.
#[derive(Clone, Copy, Debug)]
pub struct CellParts<'a> {
    /// The name of its family.
    pub family: &'a str,
    /// Its qualifier.
    pub qualifier: &'a [u8],
    /// Microseconds since 1970.
    pub timestamp: Timestamp,
    /// Its bytes.
    pub value: &'a [u8],
}

impl<'a> From<&'a tabletop_model::Cell> for CellParts<'a> {
    fn from(cell: &'a tabletop_model::Cell) -> CellParts<'a> {
        CellParts { family: &cell.family, qualifier: &cell.qualifier, timestamp: cell.timestamp, value: &cell.value }
    }
}

/// `[[":","Apple",1]]`
fn add_wide(value: &[u8], facet: &str, score: u64, profile: &mut Profile) -> serde_json::Result<()> {
    let counts: Vec<(Text<'_>, Text<'_>, u64)> = serde_json::from_slice(value)?;
    let mut text = String::new();
    for (operator, value, _) in &counts {
        join(&mut text, Facet { name: facet, operator: &operator.0, value: &value.0 });
        profile.add(&text, score);
    }
    Ok(())
}

/// Writes a facet value as text: name, operator, value.
pub(super) fn join(text: &mut String, facet: Facet<'_>) {
    text.clear();
    text.extend([facet.name, facet.operator, facet.value]);
}

fn score_of(events: &BTreeMap<String, BTreeMap<Vec<u8>, u64>>, family: &str, qualifier: &[u8]) -> u64 {
    events.get(family).and_then(|names| names.get(qualifier)).copied().unwrap_or(0)
}

/// The events of a strategy by their columns in the layouts with one cell per event.
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

/// A regular expression of these texts.
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

/// An interleave needs two filters.
fn interleaved(mut filters: Vec<RowFilter>) -> RowFilter {
    match filters.len() {
        0 => RowFilter::BlockAll(true),
        1 => filters.remove(0),
        _ => RowFilter::Interleave(filters),
    }
}

/// A text that is borrowed from the JSON if nothing in it is escaped.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads the list of one field of a JSON object, and passes over the others. An object without the field has an empty list.
struct OneField<'f>(&'f str);

impl<'de> DeserializeSeed<'de> for OneField<'_> {
    type Value = Vec<Cow<'de, str>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> core::result::Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneField<'_> {
    type Value = Vec<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event as a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> core::result::Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(Text(name)) = map.next_key()? {
            if name == self.0 {
                found = map.next_value::<Texts<'de>>()?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

struct Texts<'a>(Vec<Cow<'a, str>>);

impl<'de> Deserialize<'de> for Texts<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> core::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of facets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> core::result::Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(Text(text)) = list.next_element()? {
            texts.push(text);
        }
        Ok(Texts(texts))
    }
}
