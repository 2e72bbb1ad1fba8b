//! Compares the answers of a design with a plain filter over all loaded events.
//!
//! Each access pattern is read from the design's table for several values: the pattern's own and
//! some of the events', such as the most frequent one and ones with unusual characters. The design must
//! return exactly the cells of the events that match. It does not if a value contains the separator of
//! the key, if a GC rule collects cells, or if a row has cells of other events.

mod choose;

use tabletop_advice::WrongAnswer;
use tabletop_keys::{FamilyRule, Field, Layout, Part, Query, Record, Roles, RowChoice, salt, time};
use tabletop_model::{Mutation, Row, RowFilter, order::sorted};
use tabletop_workspace::NamedQuery;

use crate::event_mapping::EventMapping;
use crate::supply::Supply;
use choose::Values;

/// The most events that show a wrong answer.
const EXAMPLES_MAX: usize = 20;

/// Compares the answers of one design, slice by slice.
pub(crate) struct AnswerCheck {
    basis: Basis,
    stage: Stage,
    values: Vec<Values>,
    probes: Vec<Probe>,
    /// The next event or probe of the stage.
    next: u32,
    wrong: Vec<WrongAnswer>,
    /// Some events that were returned although they have other values.
    examples: Vec<u32>,
}

/// The inputs of the comparison. The playback position is not one of them, because only the complete
/// table is compared.
#[derive(PartialEq)]
struct Basis {
    template: String,
    layout: Layout,
    fields: Vec<Field>,
    families: Vec<FamilyRule>,
    events: u32,
    queries: Vec<(String, Query)>,
}

impl Basis {
    fn of(mapping: &EventMapping, supply: Supply) -> Basis {
        Basis {
            template: mapping.written.text(),
            layout: mapping.layout.clone(),
            fields: mapping.written.fields().to_vec(),
            families: mapping.families.clone(),
            events: supply.events.len() as u32,
            queries: supply.queries.iter().map(|named| (named.name.clone(), named.query.clone())).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Finds the values that the events have.
    Values,
    /// Finds the events that a plain filter returns.
    Filter,
    /// Reads the patterns.
    Read,
    /// Finds the events of the other cells that were returned.
    Others,
    /// All answers are compared.
    Done,
}

/// One read of a pattern.
struct Probe {
    /// Index of the pattern.
    pattern: usize,
    query: Query,
    /// Fields by index with their texts.
    equals: Vec<(usize, String)>,
    /// Milliseconds since 1970, `[from, until)`.
    times: [Option<i64>; 2],
    keeps: Keeps,
    /// The events of a plain filter.
    events: Vec<Expected>,
    /// The hash of each of their cells, and the index in `events`.
    cells: Vec<(u64, u32)>,
    /// Hashes of other cells that were returned.
    unknown: Vec<u64>,
    others: u32,
}

/// Which events of a plain filter a pattern asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    All,
    /// The latest of each row.
    LatestOfRow,
    /// This number of the newest.
    Newest(u64),
}

struct Expected {
    micros: i64,
    row: u64,
    cells: u32,
    returned: u32,
}

impl AnswerCheck {
    /// Begins to compare the answers to the patterns. Patterns that are not by fields have no plain
    /// filter, and a design that refuses a pattern has no answer to it.
    pub(crate) fn new(mapping: &EventMapping, supply: Supply) -> AnswerCheck {
        let fields = mapping.written.fields();
        let own = |(at, named): (usize, &NamedQuery)| {
            mapping.written.plan(&named.query.rows, &mapping.readable).ok()?;
            Probe::own(at, &named.query, fields)
        };
        let probes: Vec<Probe> = supply.queries.iter().enumerate().filter_map(own).collect();
        let mut values: Vec<Values> = Vec::new();
        for probe in &probes {
            let of: Vec<usize> = probe.equals.iter().map(|(field, _)| *field).collect();
            if !of.is_empty() && !values.iter().any(|known| known.fields == of) {
                values.push(Values::new(of));
            }
        }
        let stage = if probes.is_empty() { Stage::Done } else { Stage::Values };
        let (wrong, examples) = (Vec::new(), Vec::new());
        AnswerCheck { basis: Basis::of(mapping, supply), stage, values, probes, next: 0, wrong, examples }
    }

    /// Returns whether it compares the answers to these patterns, of this design, on these events.
    pub(crate) fn is_of(&self, mapping: &EventMapping, supply: Supply) -> bool {
        self.basis == Basis::of(mapping, supply)
    }

    /// Returns the patterns with a wrong answer; `None` until all answers are compared.
    pub(crate) fn wrong(&self) -> Option<&[WrongAnswer]> {
        (self.stage == Stage::Done).then_some(&self.wrong)
    }

    /// Returns some events that were returned although they have other values.
    pub(crate) fn examples(&self) -> &[u32] {
        &self.examples
    }

    /// Does about the work of `count` events. It does nothing while there is a query to read.
    pub(crate) fn slice(&mut self, mapping: &EventMapping, supply: Supply, count: u32) {
        let all = supply.events.len() as u32;
        let range = self.next..self.next.saturating_add(count).min(all);
        match self.stage {
            Stage::Values => {
                supply.events.for_each(range.clone(), |index, record| {
                    self.values.iter_mut().for_each(|values| values.add(index, record.values));
                });
                if self.is_past(range.end, all, Stage::Filter) {
                    self.choose(supply, mapping);
                }
            }
            Stage::Filter => {
                supply.events.for_each(range.clone(), |index, record| {
                    filter(&mut self.probes, mapping, index, record);
                });
                if self.is_past(range.end, all, Stage::Read) {
                    self.probes.iter_mut().for_each(Probe::sort);
                }
            }
            Stage::Others => {
                supply.events.for_each(range.clone(), |index, record| {
                    let cells = own_cells(mapping, index, record).unwrap_or_default().1;
                    for probe in self.probes.iter_mut().filter(|probe| !probe.unknown.is_empty()) {
                        let is_unknown = |cell: &u64| probe.unknown.binary_search(cell).is_ok();
                        if cells.iter().any(is_unknown) {
                            probe.others += 1;
                            if self.examples.len() < EXAMPLES_MAX && !self.examples.contains(&index) {
                                self.examples.push(index);
                            }
                        }
                    }
                });
                if self.is_past(range.end, all, Stage::Done) {
                    self.conclude();
                }
            }
            Stage::Read | Stage::Done => {}
        }
    }

    /// Returns the query whose rows must be given next to [`AnswerCheck::returned`].
    pub(crate) fn query(&self) -> Option<&Query> {
        (self.stage == Stage::Read).then(|| &self.probes[self.next as usize].query)
    }

    /// Compares some rows of [`AnswerCheck::query`]. `is_complete` says that there are no more.
    pub(crate) fn returned(&mut self, rows: &[Row], is_complete: bool) {
        let probe = &mut self.probes[self.next as usize];
        rows.iter().for_each(|row| probe.returned(row));
        if !is_complete {
            return;
        }
        probe.unknown = sorted(std::mem::take(&mut probe.unknown), u64::cmp);
        self.after_reads(self.next + 1);
    }

    /// Advances to the probe `next`. After the last one come the events of other cells, if any were
    /// returned.
    fn after_reads(&mut self, next: u32) {
        if self.is_past(next, self.probes.len() as u32, Stage::Others)
            && self.probes.iter().all(|probe| probe.unknown.is_empty())
        {
            self.stage = Stage::Done;
            self.conclude();
        }
    }

    /// Leaves out the pattern of [`AnswerCheck::query`], which the table refuses to read: it has no
    /// answer. The other patterns have.
    pub(crate) fn refused(&mut self) {
        let pattern = self.probes[self.next as usize].pattern;
        let before =
            self.probes[..self.next as usize].iter().filter(|probe| probe.pattern == pattern).count();
        self.probes.retain(|probe| probe.pattern != pattern);
        self.after_reads(self.next - before as u32);
    }

    /// Notes how far the stage is. Returns whether it is complete; then the next one begins.
    fn is_past(&mut self, end: u32, all: u32, next: Stage) -> bool {
        self.next = end;
        let is_complete = end >= all;
        if is_complete {
            (self.stage, self.next) = (next, 0);
        }
        is_complete
    }

    /// Adds the patterns with the chosen values of the events.
    fn choose(&mut self, supply: Supply, mapping: &EventMapping) {
        let separators: Vec<&str> = mapping.written.parts().iter().filter_map(literal).collect();
        let own: Vec<Probe> = std::mem::take(&mut self.probes);
        let chosen: Vec<(Vec<usize>, Vec<u32>)> = std::mem::take(&mut self.values)
            .into_iter()
            .map(|values| (values.fields.clone(), values.choose(supply, &separators)))
            .collect();
        let mut record = Vec::new();
        for probe in own {
            let fields: Vec<usize> = probe.equals.iter().map(|(field, _)| *field).collect();
            let events = chosen.iter().find(|(of, _)| *of == fields).map_or(&[][..], |(_, events)| events);
            for event in events {
                supply.events.record(*event as usize, &mut record);
                let record = Record { fields: supply.events.fields(), values: &record };
                self.probes.extend(probe.of_event(&record));
            }
            self.probes.push(probe);
        }
    }

    /// Finds the worst answer to each pattern.
    fn conclude(&mut self) {
        let Basis { fields, families, queries, .. } = &self.basis;
        for (at, (name, _)) in queries.iter().enumerate() {
            let of_pattern = self.probes.iter().filter(|probe| probe.pattern == at);
            let found = of_pattern.map(|probe| {
                let values =
                    probe.equals.iter().map(|(field, text)| (fields[*field].name.clone(), text.clone()));
                let (events, missing) = probe.counts();
                WrongAnswer {
                    pattern: name.clone(),
                    values: values.collect(),
                    events,
                    missing,
                    others: probe.others,
                    is_collected: missing > 0 && families.iter().any(FamilyRule::collects),
                }
            });
            let worst = found.filter(|found| found.wrong() > 0).max_by_key(WrongAnswer::wrong);
            self.wrong.extend(worst);
        }
        self.probes = Vec::new();
    }
}

impl Probe {
    /// Returns the pattern as it is saved; `None` if it is not by fields.
    fn own(pattern: usize, query: &Query, fields: &[Field]) -> Option<Probe> {
        let time = Roles::of(fields).time;
        let micros = |text: &String| time::parse(text).or_else(|| fields[time?].micros(text));
        // As the planner: a bound within a millisecond is rounded up.
        let millis = |text: &Option<String>| {
            text.as_ref().map(|text| micros(text).map(|micros| -(-micros).div_euclid(1000)))
        };
        let (equals, times) = match &query.rows {
            RowChoice::Fields { equals, from, until } => {
                let at = |(name, text): &(String, String)| {
                    let field = fields.iter().position(|field| field.name == *name)?;
                    // A condition on the time is a span of it.
                    (time != Some(field)).then(|| (field, text.clone()))
                };
                let equals: Option<Vec<(usize, String)>> = equals.iter().map(at).collect();
                let bound = |of| match millis(of) {
                    Some(None) => None,
                    known => Some(known.flatten()),
                };
                (equals?, [bound(from)?, bound(until)?])
            }
            RowChoice::All if query.rows_limit == 0 => (Vec::new(), [None, None]),
            _ => return None,
        };
        let limits_only = query.filter.as_ref().is_none_or(is_limit);
        let keeps = match query.newest_rows() {
            Some(_) if !limits_only => return None,
            Some(rows) => Keeps::Newest(rows),
            None if query.keeps_latest() && limits_only => Keeps::LatestOfRow,
            // Any other filter selects cells of the rows, whatever the rows are.
            None => Keeps::All,
        };
        let filter = query.filter.clone().filter(|_| keeps == Keeps::LatestOfRow);
        let rows_limit = if matches!(keeps, Keeps::Newest(_)) { query.rows_limit } else { 0 };
        let query = Query { rows: query.rows.clone(), filter, rows_limit, reversed: query.reversed };
        Some(Probe {
            pattern,
            query,
            equals,
            times,
            keeps,
            events: Vec::new(),
            cells: Vec::new(),
            unknown: Vec::new(),
            others: 0,
        })
    }

    /// Returns the same pattern for the values of an event, and for a span that begins at its time.
    fn of_event(&self, record: &Record) -> Option<Probe> {
        let equals: Option<Vec<(usize, String)>> =
            self.equals.iter().map(|(field, _)| Some((*field, record.values[*field]?.to_owned()))).collect();
        let equals = equals?;
        let RowChoice::Fields { from, until, .. } = &self.query.rows else { return None };
        let (mut from, mut until, mut times) = (from.clone(), until.clone(), self.times);
        if let [Some(start), Some(end)] = times {
            let begin = millis_of(record)?;
            times = [Some(begin), Some(begin + (end - start))];
            [from, until] = times.map(|time| time.map(|millis| time::format(millis * 1000)));
        }
        let names = equals.iter().map(|(field, text)| (record.fields[*field].name.clone(), text.clone()));
        let rows = RowChoice::Fields { equals: names.collect(), from, until };
        let query = Query { rows, ..self.query.clone() };
        Some(Probe {
            query,
            equals,
            times,
            events: Vec::new(),
            cells: Vec::new(),
            unknown: Vec::new(),
            ..*self
        })
    }

    /// Whether a plain filter returns an event, whose time is `millis`. Numbers of the same value are
    /// the same.
    fn matches(&self, record: &Record, millis: Option<i64>) -> Option<bool> {
        let [from, until] = self.times;
        let is_in_time = (from.is_none() && until.is_none())
            || millis
                .is_some_and(|at| from.is_none_or(|from| at >= from) && until.is_none_or(|until| at < until));
        let mut is_text = true;
        let has_values = self.equals.iter().all(|(field, text)| {
            record.values[*field].is_some_and(|value| {
                value == text || {
                    is_text = false;
                    let number = |text: &str| text.trim().parse::<f64>().ok();
                    number(value).is_some_and(|one| number(text) == Some(one))
                }
            })
        });
        (is_in_time && has_values).then_some(is_text)
    }

    /// Puts the cells into an order, and leaves only the events that the pattern asks for.
    fn sort(&mut self) {
        self.cells = sorted(std::mem::take(&mut self.cells), Ord::cmp);
        let dropped: Vec<bool> = match self.keeps {
            Keeps::All => return,
            Keeps::LatestOfRow => {
                let order = |one: &usize, other: &usize| {
                    let key = |at: usize| (self.events[at].row, self.events[at].micros);
                    key(*one).cmp(&key(*other))
                };
                let order = sorted((0..self.events.len()).collect(), order);
                let mut dropped = vec![false; self.events.len()];
                for pair in order.windows(2) {
                    dropped[pair[0]] = self.events[pair[0]].row == self.events[pair[1]].row;
                }
                dropped
            }
            Keeps::Newest(rows) => {
                let times =
                    sorted(self.events.iter().map(|event| event.micros).collect(), |one: &i64, other| {
                        other.cmp(one)
                    });
                let least = (rows as usize).checked_sub(1).and_then(|at| times.get(at)).copied();
                self.events.iter().map(|event| least.is_some_and(|least| event.micros < least)).collect()
            }
        };
        for (event, dropped) in self.events.iter_mut().zip(dropped) {
            if dropped {
                event.cells = 0;
            }
        }
    }

    /// Counts the cells of a returned row.
    fn returned(&mut self, row: &Row) {
        for cell in &row.cells {
            let hash = hash_of(&row.key, &cell.family, &cell.qualifier, cell.timestamp);
            let first = self.cells.partition_point(|(other, _)| *other < hash);
            let equal = self.cells[first..].iter().take_while(|(other, _)| *other == hash);
            let mut is_known = false;
            for (_, event) in equal {
                self.events[*event as usize].returned += 1;
                is_known = true;
            }
            if !is_known {
                self.unknown.push(hash);
            }
        }
    }

    /// Returns the number of events that the pattern asks for, and how many of these are missing.
    fn counts(&self) -> (u32, u32) {
        let asked = || self.events.iter().filter(|event| event.cells > 0);
        let absent = || asked().filter(|event| event.returned < event.cells);
        let (count, missing) = (asked().count() as u32, absent().count() as u32);
        let Keeps::Newest(rows) = self.keeps else { return (count, missing) };
        // Of the events at the last moment that is asked for, any may be returned.
        let last = asked().map(|event| event.micros).min();
        let events = count.min(rows as u32);
        let earlier = absent().filter(|event| Some(event.micros) > last).count() as u32;
        (events, earlier.max(events.saturating_sub(count - missing)))
    }
}

/// Returns the text of a part of a key that is the same in each key.
fn literal(part: &Part) -> Option<&str> {
    match part {
        Part::Literal(text) => Some(text),
        _ => None,
    }
}

/// Whether a filter only limits the number of cells.
fn is_limit(filter: &RowFilter) -> bool {
    match filter {
        RowFilter::CellsPerRowLimit(_) | RowFilter::CellsPerColumnLimit(_) => true,
        RowFilter::Chain(filters) => filters.iter().all(is_limit),
        _ => false,
    }
}

/// Adds an event to the probes whose plain filter returns it.
fn filter(probes: &mut [Probe], mapping: &EventMapping, index: u32, record: &Record) {
    let mut written = None;
    let has_times = |probe: &Probe| probe.times.iter().any(Option::is_some);
    let millis = probes.iter().any(has_times).then(|| millis_of(record)).flatten();
    for probe in probes {
        let Some(is_text) = probe.matches(record, millis) else { continue };
        let Some((row, cells)) = written.get_or_insert_with(|| own_cells(mapping, index, record)) else {
            // It is refused, which is a loss of the design.
            return;
        };
        let event = probe.events.len() as u32;
        let micros = mapping.writer.timestamp(record, index.into());
        probe.cells.extend(cells.iter().map(|cell| (*cell, event)));
        // A number of the same value may be returned, but need not be.
        let asked = if is_text { cells.len() as u32 } else { 0 };
        probe.events.push(Expected { micros, row: *row, cells: asked, returned: 0 });
    }
}

/// Returns the milliseconds of an event, since 1970.
fn millis_of(record: &Record) -> Option<i64> {
    let at = Roles::of(record.fields).time?;
    Some(record.fields[at].micros(record.values[at]?)?.div_euclid(1000))
}

/// Returns hashes of the row of an event, and of the cells that belong to it only.
fn own_cells(mapping: &EventMapping, index: u32, record: &Record) -> Option<(u64, Vec<u64>)> {
    let row = mapping.writer.write(record, index.into()).ok()?;
    let kind = mapping.layout.kind;
    let own = if kind.shares_rows() {
        Some(mapping.writer.own_places(record, row.mutations.clone()).ok()?)
    } else {
        None
    };
    let mut cells: Vec<u64> = Vec::new();
    for mutation in &row.mutations {
        let Mutation::SetCell { family, qualifier, timestamp, .. } = mutation else { continue };
        let is_own = |own: &Vec<(String, Vec<u8>)>| {
            own.iter().any(|(of, place)| of == family && **place == ***qualifier)
        };
        if own.as_ref().is_none_or(is_own) {
            cells.push(hash_of(&row.key, family, qualifier, *timestamp));
        }
    }
    cells.sort_unstable();
    cells.dedup();
    Some((salt::hash(&row.key), cells))
}

fn hash_of(key: &[u8], family: &str, qualifier: &[u8], timestamp: i64) -> u64 {
    let mut hash = salt::hash(key);
    for part in [family.as_bytes(), qualifier, &timestamp.to_le_bytes()] {
        hash = hash.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt::hash(part);
    }
    hash
}
