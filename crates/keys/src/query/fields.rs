//! Plans of queries by field values, such as "all events of this user" or "this user between two
//! times": the tightest ranges that a template allows, and a filter for everything that ranges
//! cannot express.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{
    Bytes, Error, Result, RowFilter, RowRange, RowSet, TimestampRange, did_you_mean, pattern::literal,
};

use super::plan::Plan;
use super::stored;
use crate::layout::Shape;
use crate::roles::Roles;
use crate::salt::PartSalt;
use crate::template::{Part, Side, Template, TextRange, TimeTexts, part_fields};
use crate::{CellTime, Layout, LayoutKind, time};

/// The maximum number of ranges for a span of days or hours, under one salt.
const RANGES_MAX: usize = 64;

/// The condition of a query on the bytes of one part of the key.
pub(super) enum BytesCondition {
    /// Exactly these bytes.
    One(Vec<u8>),
    /// One of these texts. If there is a range, it contains no other texts.
    Several(Vec<Vec<u8>>, Option<TextRange>),
    /// A text between two texts of the same width.
    Between(TextRange),
    /// A text in one of these ranges, which are ascending.
    In(Vec<TextRange>),
    /// Any bytes.
    Open,
}

/// Milliseconds since 1970, `[from, until)`.
#[derive(Clone, Copy)]
struct Times {
    field: usize,
    from: Option<i64>,
    until: Option<i64>,
}

pub(super) fn plan(
    template: &Template,
    layout: &Layout,
    equals: &[(String, String)],
    from: Option<&str>,
    until: Option<&str>,
) -> Result<Plan> {
    let roles = Roles::of(template.fields());
    let Some((equals, times)) = read_conditions(template, &roles, equals, from, until)? else {
        return Ok(Plan::of(Vec::new()));
    };
    let Some(part_conditions) = part_conditions(template, &equals, times)? else {
        return Ok(Plan::of(Vec::new()));
    };
    let side =
        template.side_of_times(times.and_then(|times| times.from), times.and_then(|times| times.until));
    let Ranges { mut plan, row_keys, excludes_times, .. } = ranges(template, &part_conditions, side);
    plan.cells.extend(row_keys);
    let shape = Shape::of(layout, &roles);
    for (index, text) in &equals {
        if !key_determines(template, *index) {
            stored::filter_equal(template.fields(), &shape, layout, *index, text, &mut plan)?;
        }
    }
    if let Some(times) = times
        && !excludes_times
    {
        check_cell_times(layout)?;
        plan.cells.push(timestamp_filter(times)?);
    }
    plan.scans_more = !plan.cells.is_empty() || !plan.rows.is_empty();
    Ok(plan)
}

/// Fields by index with their texts, and times as numbers; `None` if no event can match the query.
type FieldConditions<'q> = Option<(Vec<(usize, &'q str)>, Option<Times>)>;

fn read_conditions<'q>(
    template: &Template,
    roles: &Roles,
    equals: &'q [(String, String)],
    from: Option<&str>,
    until: Option<&str>,
) -> Result<FieldConditions<'q>> {
    let fields = template.fields();
    // A time is written in ISO 8601 or in the format of the data.
    let micros_of = |text: &str| time::parse(text).or_else(|| fields[roles.time?].micros(text));
    let millis = |text: &str| match micros_of(text) {
        // Event times are truncated to milliseconds, so a bound within a millisecond is rounded up.
        Some(micros) => Ok(-(-micros).div_euclid(1000)),
        None => Err(Error::invalid(format!(
            "\"{text}\" is not a time: write it as 2019-05-28 or 2019-05-28T00:04:34Z."
        ))),
    };
    let (mut from, mut until) = (from.map(millis).transpose()?, until.map(millis).transpose()?);
    let mut known: Vec<(usize, &str)> = Vec::new();
    for (name, text) in equals {
        let index = fields.iter().position(|field| field.name == *name).ok_or_else(|| {
            let tail = did_you_mean(name, fields.iter().map(|field| field.name.as_str()));
            Error::invalid(format!("The events have no field {name}{tail}"))
        })?;
        if roles.time == Some(index) {
            let micros = micros_of(text);
            let micros =
                micros.ok_or_else(|| Error::invalid(format!("{name} is a time, and \"{text}\" is not.")))?;
            let instant = micros.div_euclid(1000);
            from = Some(from.map_or(instant, |from| from.max(instant)));
            until = Some(until.map_or(instant + 1, |until| until.min(instant + 1)));
        } else if let Some((_, before)) = known.iter().find(|(known, _)| *known == index) {
            if before != text {
                return Ok(None);
            }
        } else {
            known.push((index, text));
        }
    }
    let times = match (from, until, roles.time) {
        (None, None, _) => None,
        (_, _, None) => {
            return Err(Error::invalid(
                "The events have no field of kind time: correct the kind of one with the data, or omit the times.",
            ));
        }
        (Some(from), Some(until), _) if from >= until => return Ok(None),
        (from, until, Some(field)) => Some(Times { field, from, until }),
    };
    Ok(Some((known, times)))
}

/// The condition on a part, and whether all rows that meet it also have a time within the bounds.
pub(super) type PartCondition = (BytesCondition, bool);

/// Returns the condition on each part; `None` if no event that matches the query can have been
/// written.
fn part_conditions(
    template: &Template,
    equals: &[(usize, &str)],
    times: Option<Times>,
) -> Result<Option<Vec<PartCondition>>> {
    let fields = template.fields();
    let value = |index: usize| equals.iter().find(|(known, _)| *known == index).map(|(_, text)| *text);
    let mut part_conditions = Vec::with_capacity(template.parts().len());
    for (at, part) in template.parts().iter().enumerate() {
        let names = part_fields(part);
        let indices: Vec<Option<usize>> =
            names.iter().map(|name| fields.iter().position(|field| field.name == **name)).collect();
        let of_time = times.filter(|times| indices == [Some(times.field)]);
        let known = indices.iter().all(|index| index.is_some_and(|index| value(index).is_some()));
        if let Some(times) = of_time {
            let piece = match template.time_texts(at, times.from, times.until, RANGES_MAX) {
                None => (BytesCondition::Open, false),
                Some(TimeTexts::None) => return Ok(None),
                Some(TimeTexts::Some { several, range, exact }) => match (several, range) {
                    (Some(mut one), _) if one.len() == 1 => (BytesCondition::One(one.remove(0)), exact),
                    (Some(several), range) => (BytesCondition::Several(several, range), exact),
                    (None, Some(range)) => (BytesCondition::Between(range), exact),
                    (None, None) => (BytesCondition::Open, false),
                },
            };
            part_conditions.push(piece);
        } else if known && !matches!(part, Part::Salt { .. }) {
            let mut bytes = Vec::new();
            // A value that the part refuses is not in any row, because an event with it was refused
            // as well.
            if template.write_part(at, &mut |index| value(index), &mut bytes).is_err() {
                return Ok(None);
            }
            part_conditions.push((BytesCondition::One(bytes), false));
        } else {
            part_conditions.push((BytesCondition::Open, false));
        }
    }
    Ok(Some(part_conditions))
}

pub(super) struct Ranges {
    pub(super) plan: Plan,
    /// The index of the first part that the ranges do not restrict.
    pub(super) stop: usize,
    /// A filter for the matching row keys, if the ranges contain others.
    row_keys: Option<RowFilter>,
    /// Whether ranges and filter together exclude all rows whose time is out of bounds.
    excludes_times: bool,
}

/// Returns the ranges of keys that meet the leading conditions, up to the first part without a
/// condition, on one side of a cut-over or on both.
pub(super) fn ranges(template: &Template, part_conditions: &[PartCondition], side: Option<Side>) -> Ranges {
    let is_salted = template.salt_parts().is_some();
    let has_condition = |at: usize| {
        !matches!(part_conditions[at].0, BytesCondition::Open)
            && !matches!(template.parts()[at], Part::Literal(_))
    };
    let mut heads: Vec<Vec<u8>> = alloc::vec![Vec::new()];
    let mut ends: Vec<TextRange> = Vec::new();
    let mut stop = part_conditions.len();
    for (at, (piece, _)) in part_conditions.iter().enumerate().skip(usize::from(is_salted)) {
        let has_later_condition = (at + 1..part_conditions.len()).any(has_condition);
        match piece {
            BytesCondition::One(bytes) => {
                // The character after the salt does not belong to the logical key.
                let skip = if at == 1 && is_salted { template.salt_separator_bytes() } else { 0 };
                heads.iter_mut().for_each(|head| head.extend_from_slice(&bytes[skip..]));
                continue;
            }
            BytesCondition::Several(texts, range)
                if heads.len() * texts.len() <= RANGES_MAX && (has_later_condition || range.is_none()) =>
            {
                heads = heads
                    .iter()
                    .flat_map(|head| texts.iter().map(|text| [&head[..], text].concat()))
                    .collect();
                continue;
            }
            BytesCondition::Several(_, Some(range)) | BytesCondition::Between(range) => {
                ends.push(range.clone());
                stop = at + 1;
            }
            BytesCondition::In(ranges) => {
                ends.clone_from(ranges);
                stop = at + 1;
            }
            BytesCondition::Several(_, None) | BytesCondition::Open => stop = at,
        }
        break;
    }
    let mut sets: Vec<RowSet> = alloc::vec![RowSet::default(); template.scan_reads() as usize];
    let salt = known_salt(template, part_conditions);
    let is_key = stop == part_conditions.len() && ends.is_empty();
    let mut gaps = 0;
    for head in &heads {
        if is_key {
            for space in template
                .spaces(template.salt_of_key(head).or(salt), side.or_else(|| template.side_of_key(head)))
            {
                sets[template.index_of(space)].keys.extend(template.key_in(space, head));
            }
            continue;
        }
        let logical = match &ends[..] {
            [] => alloc::vec![RowRange::prefix(head.clone())],
            ends => ends.iter().map(|ends| between(head, ends)).collect(),
        };
        for space in template.spaces(salt, side) {
            let ranges = logical.iter().flat_map(|range| template.ranges_in(space, range, &mut gaps));
            sets[template.index_of(space)].ranges.extend(ranges);
        }
    }
    sets.retain(|set| !set.is_all());
    if let [set] = &mut sets[..]
        && set.ranges == [RowRange::ALL]
    {
        *set = RowSet::all();
    }
    // A regex can list texts but cannot compare them, so it cannot express a range of texts.
    let is_compared =
        |at: usize| matches!(part_conditions[at].0, BytesCondition::Between(..) | BytesCondition::In(..));
    let lists = |at: usize| has_condition(at) && !is_compared(at);
    // Without a separator, a longer value begins like a shorter one.
    let is_known = |at: usize| at < stop && matches!(part_conditions[at].0, BytesCondition::One(_));
    let is_open = |at: usize| has_condition(at) && !ends_itself(template, at) && !is_known(at + 1);
    let is_filtered =
        (stop..part_conditions.len()).any(lists) || !is_key && (usize::from(is_salted)..stop).any(is_open);
    let row_keys = is_filtered.then(|| row_keys(template, part_conditions, side));
    let excludes_times = part_conditions.iter().enumerate().any(|(at, (piece, excludes_other_times))| {
        *excludes_other_times && (at < stop || !matches!(piece, BytesCondition::Between(..)))
    });
    Ranges { plan: Plan { gaps, ..Plan::of(sets) }, stop, row_keys, excludes_times }
}

/// Returns whether the end of a part can be found in a key: by its width, or by what follows it.
fn ends_itself(template: &Template, at: usize) -> bool {
    template.is_prefix_free(at)
        || template.parts().get(at + 1).is_none_or(|next| matches!(next, Part::Literal(_)))
}

/// Returns the range of keys that begin with `head`, followed by a text between two bounds and
/// anything after it.
fn between(head: &[u8], (low, high): &TextRange) -> RowRange {
    let all = RowRange::prefix(head.to_vec());
    let start = match low {
        Some(text) => Bound::Included(Bytes([head, text].concat())),
        None => all.start,
    };
    let end = match high {
        Bound::Included(text) => RowRange::prefix([head, text].concat()).end,
        Bound::Excluded(text) => Bound::Excluded(Bytes([head, text].concat())),
        Bound::Unbounded => all.end,
    };
    RowRange { start, end }
}

/// Returns the salt that all matching rows share, if it hashes only parts that have a single value.
fn known_salt(template: &Template, part_conditions: &[PartCondition]) -> Option<u32> {
    let (buckets, over) = template.salt_parts()?;
    if over.is_empty() {
        return None;
    }
    let mut salt = PartSalt::new();
    for &part in over {
        let (BytesCondition::One(bytes), _) = &part_conditions[part] else {
            return None;
        };
        salt.add(bytes);
    }
    Some(salt.salt(buckets))
}

/// Returns a filter for the row keys whose parts meet the conditions.
fn row_keys(template: &Template, part_conditions: &[PartCondition], side: Option<Side>) -> RowFilter {
    row_key_filter(template, side, &|at, skipped| match &part_conditions[at].0 {
        BytesCondition::One(bytes) => literal(&bytes[skipped..]),
        BytesCondition::Several(texts, _) => {
            let texts: Vec<String> = texts.iter().map(|text| literal(text)).collect();
            format!("(?:{})", texts.join("|"))
        }
        BytesCondition::Between(..) | BytesCondition::In(..) | BytesCondition::Open => any(template, at),
    })
}

/// Returns a filter for the row keys on one side of a cut-over, or on both, whose parts match
/// patterns. `pattern` returns the pattern of a part without its first bytes; their number is 0
/// except for a literal after a salt.
fn row_key_filter(
    template: &Template,
    side: Option<Side>,
    pattern: &dyn Fn(usize, usize) -> String,
) -> RowFilter {
    let parts = template.parts().len();
    let regex = |pattern: String| RowFilter::RowKeyRegex(pattern.into());
    let salted = || regex((0..parts).map(|at| pattern(at, 0)).collect());
    let unsalted = || {
        let skipped = |at: usize| if at == 1 { template.salt_separator_bytes() } else { 0 };
        regex((1..parts).map(|at| pattern(at, skipped(at))).collect())
    };
    match side {
        Some(Side::After) => salted(),
        Some(Side::Before) => unsalted(),
        None => RowFilter::Condition {
            predicate: Box::new(regex(template.salt_pattern() + "\\C*")),
            on_true: Some(Box::new(salted())),
            on_false: Some(Box::new(unsalted())),
        },
    }
}

/// Returns a regex of all bytes that a part can have, as far as its width is known.
fn any(template: &Template, at: usize) -> String {
    match template.fixed_width(at) {
        Some(width) => format!("\\C{{{width}}}"),
        None => "\\C*".into(),
    }
}

/// Returns a filter for the row keys whose part `at` matches a regex.
pub(super) fn filter_of_part(template: &Template, side: Option<Side>, at: usize, pattern: &str) -> RowFilter {
    row_key_filter(template, side, &|other, skipped| match &template.parts()[other] {
        _ if other == at => pattern.into(),
        Part::Literal(text) => literal(&text.as_bytes()[skipped..]),
        _ => any(template, other),
    })
}

/// Returns whether some part of the key has different bytes for any two values of the field.
fn key_determines(template: &Template, field: usize) -> bool {
    let name = &template.fields()[field].name;
    (0..template.parts().len()).any(|at| {
        matches!(&template.parts()[at], Part::Field { name: held, .. } if held == name)
            && template.is_injective(at)
    })
}

/// Refuses a filter of timestamps in a layout with cells whose timestamps are not event times.
fn check_cell_times(layout: &Layout) -> Result<()> {
    let other = layout.columns.iter().position(|column| column.time != CellTime::Event);
    match other.filter(|_| layout.kind == LayoutKind::Columns) {
        None => Ok(()),
        Some(at) => Err(Error::new(
            tabletop_model::Code::FailedPrecondition,
            format!(
                "The key does not contain the time, and the cells of column {} do not have the time of their event: put the time \
                 into the key, or give the column the time of the event.",
                at + 1
            ),
        )),
    }
}

/// Returns a filter of the cells' timestamps, which are the events' times.
fn timestamp_filter(times: Times) -> Result<RowFilter> {
    if times.from.is_some_and(|from| from <= 0) || times.until.is_some_and(|until| until <= 0) {
        return Err(Error::new(
            tabletop_model::Code::FailedPrecondition,
            "The key does not contain the time, and cells cannot have timestamps before 1970-01-01: query a later time, or put the time into the key.",
        ));
    }
    let start = times.from.unwrap_or(0) * 1000;
    // A missing end is written as 0.
    let end = times.until.map_or(0, |until| until * 1000);
    Ok(RowFilter::TimestampRange(TimestampRange { start, end }))
}
