//! Filters as code for each client.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{Bytes, RowFilter};

use super::Lang;

/// Writes code that makes the filter. `Err` names a filter that the client does not support.
pub(super) fn write(lang: Lang, filter: &RowFilter) -> Result<String, &'static str> {
    match lang {
        Lang::Python => python(filter),
        Lang::Node => Ok(format!("[{}]", node(filter)?)),
        Lang::Java => java(filter),
        Lang::Go => go(filter),
        Lang::Rust => rust(filter),
    }
}

/// The code of a filter. (It is not named `Code`, because the generator of TypeScript types takes
/// the first type of a name, and `Code` is the one for errors.)
type Expression = Result<String, &'static str>;

fn all(filters: &[RowFilter], write: fn(&RowFilter) -> Expression) -> Expression {
    Ok(filters.iter().map(write).collect::<Result<Vec<String>, _>>()?.join(", "))
}

fn python(filter: &RowFilter) -> Expression {
    let bytes = |bytes: &[u8]| Lang::Python.bytes(bytes);
    let text = |text: &str| Lang::Python.text(text);
    // A name for each end of a range; a flag for whether the end is inclusive.
    let ends = |start: &Bound<Bytes>, end: &Bound<Bytes>, names: [&str; 2]| {
        let mut out = String::new();
        for ((bound, name), flag) in
            [start, end].into_iter().zip(names).zip(["inclusive_start", "inclusive_end"])
        {
            match bound {
                Bound::Included(at) => out.push_str(&format!(", {name}={}, {flag}=True", bytes(at))),
                Bound::Excluded(at) => out.push_str(&format!(", {name}={}, {flag}=False", bytes(at))),
                Bound::Unbounded => {}
            }
        }
        out
    };
    let written = match filter {
        RowFilter::Chain(filters) => format!("RowFilterChain([{}])", all(filters, python)?),
        RowFilter::Interleave(filters) => format!("RowFilterUnion([{}])", all(filters, python)?),
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branch = |name: &str, branch: &Option<Box<RowFilter>>| -> Expression {
                match branch {
                    Some(filter) => Ok(format!(", {name}={}", python(filter)?)),
                    None => Ok(String::new()),
                }
            };
            format!(
                "ConditionalRowFilter({}{}{})",
                python(predicate)?,
                branch("true_filter", on_true)?,
                branch("false_filter", on_false)?
            )
        }
        RowFilter::Sink(_) => "SinkFilter(True)".into(),
        RowFilter::PassAll(_) => "PassAllFilter(True)".into(),
        RowFilter::BlockAll(_) => "BlockAllFilter(True)".into(),
        RowFilter::RowKeyRegex(regex) => format!("RowKeyRegexFilter({})", bytes(regex)),
        RowFilter::FamilyNameRegex(regex) => format!("FamilyNameRegexFilter({})", text(regex)),
        RowFilter::ColumnQualifierRegex(regex) => format!("ColumnQualifierRegexFilter({})", bytes(regex)),
        RowFilter::ValueRegex(regex) => format!("ValueRegexFilter({})", bytes(regex)),
        RowFilter::ColumnRange(range) => {
            let ends = ends(&range.start, &range.end, ["start_qualifier", "end_qualifier"]);
            format!("ColumnRangeFilter({}{ends})", text(&range.family))
        }
        RowFilter::TimestampRange(range) => return Ok(format!("time_range({}, {})", range.start, range.end)),
        RowFilter::ValueRange(range) => {
            let ends = ends(&range.start, &range.end, ["start_value", "end_value"]);
            format!("ValueRangeFilter({})", ends.trim_start_matches(", "))
        }
        RowFilter::CellsPerRowOffset(count) => format!("CellsRowOffsetFilter({count})"),
        RowFilter::CellsPerRowLimit(count) => format!("CellsRowLimitFilter({count})"),
        RowFilter::CellsPerColumnLimit(count) => format!("CellsColumnLimitFilter({count})"),
        RowFilter::RowSample(share) => format!("RowSampleFilter({share:?})"),
        RowFilter::StripValue(_) => "StripValueTransformerFilter(True)".into(),
        RowFilter::ApplyLabel(label) => format!("ApplyLabelFilter({})", text(label)),
        RowFilter::ValueBitmask(mask) => format!("ValueBitmaskFilter({})", bytes(mask)),
    };
    Ok(format!("filters.{written}"))
}

fn node(filter: &RowFilter) -> Expression {
    // The client sends a pattern as UTF-8, so bytes beyond ASCII are written as escapes of RE2,
    // which do not work within \Q…\E.
    let regex = |regex: &[u8]| {
        if regex.is_ascii() || regex.windows(2).any(|pair| pair == b"\\Q") {
            return core::str::from_utf8(regex)
                .map(|regex| Lang::Node.text(regex))
                .map_err(|_| "a pattern that is not text");
        }
        let ascii: String = regex
            .iter()
            .map(|&byte| if byte < 0x80 { String::from(char::from(byte)) } else { format!("\\x{byte:02x}") })
            .collect();
        Ok(Lang::Node.text(&ascii))
    };
    let ends = |start: &Bound<Bytes>, end: &Bound<Bytes>| {
        let mut out = Vec::new();
        for (bound, name) in [(start, "start"), (end, "end")] {
            let (at, is_within) = match bound {
                Bound::Included(at) => (at, true),
                Bound::Excluded(at) => (at, false),
                Bound::Unbounded => continue,
            };
            out.push(format!("{name}: {{ value: {}, inclusive: {is_within} }}", Lang::Node.bytes(at)));
        }
        out.join(", ")
    };
    Ok(match filter {
        // A list is a chain.
        RowFilter::Chain(filters) => all(filters, node)?,
        RowFilter::Interleave(filters) => {
            format!("{{ interleave: [{}] }}", all(filters, |filter| Ok(format!("[{}]", node(filter)?)))?)
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            let mut out = format!("test: [{}]", node(predicate)?);
            for (name, branch) in [("pass", on_true), ("fail", on_false)] {
                if let Some(filter) = branch {
                    out.push_str(&format!(", {name}: [{}]", node(filter)?));
                }
            }
            format!("{{ condition: {{ {out} }} }}")
        }
        RowFilter::Sink(_) => "{ sink: true }".into(),
        RowFilter::PassAll(_) => "{ all: true }".into(),
        RowFilter::BlockAll(_) => "{ all: false }".into(),
        RowFilter::RowKeyRegex(pattern) => format!("{{ row: {{ key: {} }} }}", regex(pattern)?),
        RowFilter::FamilyNameRegex(pattern) => format!("{{ family: {} }}", Lang::Node.text(pattern)),
        // The client omits an empty pattern.
        RowFilter::ColumnQualifierRegex(pattern) if pattern.is_empty() => "{ column: \"(?:)\" }".into(),
        RowFilter::ValueRegex(pattern) if pattern.is_empty() => "{ value: \"(?:)\" }".into(),
        RowFilter::ColumnQualifierRegex(pattern) => format!("{{ column: {} }}", regex(pattern)?),
        RowFilter::ValueRegex(pattern) => format!("{{ value: {} }}", regex(pattern)?),
        RowFilter::ColumnRange(range) => {
            // Without an end the client sends no range at all.
            let ends = match ends(&range.start, &range.end) {
                ends if ends.is_empty() => "start: { value: bytes(\"\"), inclusive: true }".into(),
                ends => ends,
            };
            format!("{{ column: {{ family: {}, {ends} }} }}", Lang::Node.text(&range.family))
        }
        RowFilter::TimestampRange(range) => {
            let end =
                if range.end == 0 { String::new() } else { format!(", end: new Date({})", range.end / 1000) };
            format!("{{ time: {{ start: new Date({}){end} }} }}", range.start / 1000)
        }
        RowFilter::ValueRange(range) => format!("{{ value: {{ {} }} }}", ends(&range.start, &range.end)),
        RowFilter::CellsPerRowOffset(count) => format!("{{ row: {{ cellOffset: {count} }} }}"),
        RowFilter::CellsPerRowLimit(count) => format!("{{ row: {{ cellLimit: {count} }} }}"),
        RowFilter::CellsPerColumnLimit(count) => format!("{{ column: {{ cellLimit: {count} }} }}"),
        RowFilter::RowSample(share) => format!("{{ row: {{ sample: {share:?} }} }}"),
        RowFilter::StripValue(_) => "{ value: { strip: true } }".into(),
        RowFilter::ApplyLabel(label) => format!("{{ label: {} }}", Lang::Node.text(label)),
        RowFilter::ValueBitmask(_) => return Err("value_bitmask"),
    })
}

fn java(filter: &RowFilter) -> Expression {
    let bytes = |bytes: &[u8]| Lang::Java.bytes(bytes);
    let ends = |start: &Bound<Bytes>, end: &Bound<Bytes>| {
        let mut out = String::new();
        for (bound, name) in [(start, "start"), (end, "end")] {
            match bound {
                Bound::Included(at) => out.push_str(&format!(".{name}Closed({})", bytes(at))),
                Bound::Excluded(at) => out.push_str(&format!(".{name}Open({})", bytes(at))),
                Bound::Unbounded => {}
            }
        }
        out
    };
    let each = |filters: &[RowFilter]| -> Expression {
        let filters =
            filters.iter().map(|filter| -> Expression { Ok(format!(".filter({})", java(filter)?)) });
        Ok(filters.collect::<Result<Vec<String>, _>>()?.concat())
    };
    let written = match filter {
        RowFilter::Chain(filters) => format!("chain(){}", each(filters)?),
        RowFilter::Interleave(filters) => format!("interleave(){}", each(filters)?),
        RowFilter::Condition { predicate, on_true, on_false } => {
            let mut out = format!("condition({})", java(predicate)?);
            for (name, branch) in [("then", on_true), ("otherwise", on_false)] {
                if let Some(filter) = branch {
                    out.push_str(&format!(".{name}({})", java(filter)?));
                }
            }
            out
        }
        RowFilter::Sink(_) => "sink()".into(),
        RowFilter::PassAll(_) => "pass()".into(),
        RowFilter::BlockAll(_) => "block()".into(),
        RowFilter::RowKeyRegex(regex) => format!("key().regex({})", bytes(regex)),
        RowFilter::FamilyNameRegex(regex) => format!("family().regex({})", Lang::Java.text(regex)),
        RowFilter::ColumnQualifierRegex(regex) => format!("qualifier().regex({})", bytes(regex)),
        RowFilter::ValueRegex(regex) => format!("value().regex({})", bytes(regex)),
        RowFilter::ColumnRange(range) => {
            format!(
                "qualifier().rangeWithinFamily({}){}",
                Lang::Java.text(&range.family),
                ends(&range.start, &range.end)
            )
        }
        RowFilter::TimestampRange(range) => {
            let end = if range.end == 0 { String::new() } else { format!(".endOpen({}L)", range.end) };
            format!("timestamp().range().startClosed({}L){end}", range.start)
        }
        RowFilter::ValueRange(range) => format!("value().range(){}", ends(&range.start, &range.end)),
        RowFilter::CellsPerRowOffset(count) => format!("offset().cellsPerRow({count})"),
        RowFilter::CellsPerRowLimit(count) => format!("limit().cellsPerRow({count})"),
        RowFilter::CellsPerColumnLimit(count) => format!("limit().cellsPerColumn({count})"),
        RowFilter::RowSample(share) => format!("key().sample({share:?})"),
        RowFilter::StripValue(_) => "value().strip()".into(),
        RowFilter::ApplyLabel(label) => format!("label({})", Lang::Java.text(label)),
        RowFilter::ValueBitmask(_) => return Err("value_bitmask"),
    };
    Ok(format!("FILTERS.{written}"))
}

fn go(filter: &RowFilter) -> Expression {
    let bytes = |bytes: &[u8]| Lang::Go.bytes(bytes);
    // The client's ranges are [start, end): the next text after one is the same text with a zero
    // byte appended.
    let end = |bound: &Bound<Bytes>, is_start: bool| match bound {
        Bound::Included(at) if is_start => Some(at.0.clone()),
        Bound::Excluded(at) if !is_start => Some(at.0.clone()),
        Bound::Included(at) | Bound::Excluded(at) => Some([&at[..], &[0]].concat()),
        Bound::Unbounded => None,
    };
    let written = match filter {
        RowFilter::Chain(filters) => format!("ChainFilters({})", all(filters, go)?),
        RowFilter::Interleave(filters) => format!("InterleaveFilters({})", all(filters, go)?),
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branch = |branch: &Option<Box<RowFilter>>| -> Expression {
                branch.as_ref().map_or(Ok("nil".into()), |filter| go(filter))
            };
            format!("ConditionFilter({}, {}, {})", go(predicate)?, branch(on_true)?, branch(on_false)?)
        }
        RowFilter::Sink(_) => return Err("sink"),
        RowFilter::PassAll(_) => "PassAllFilter()".into(),
        RowFilter::BlockAll(_) => "BlockAllFilter()".into(),
        RowFilter::RowKeyRegex(regex) => format!("RowKeyFilter({})", bytes(regex)),
        RowFilter::FamilyNameRegex(regex) => format!("FamilyFilter({})", Lang::Go.text(regex)),
        RowFilter::ColumnQualifierRegex(regex) => format!("ColumnFilter({})", bytes(regex)),
        RowFilter::ValueRegex(regex) => format!("ValueFilter({})", bytes(regex)),
        RowFilter::ColumnRange(range) => {
            // An empty text means no end.
            let ends =
                [end(&range.start, true), end(&range.end, false)].map(|end| bytes(&end.unwrap_or_default()));
            format!("ColumnRangeFilter({}, {}, {})", Lang::Go.text(&range.family), ends[0], ends[1])
        }
        RowFilter::TimestampRange(range) => {
            format!("TimestampRangeFilterMicros({}, {})", range.start, range.end)
        }
        RowFilter::ValueRange(range) => {
            let ends = [end(&range.start, true), end(&range.end, false)]
                .map(|end| end.map_or("nil".into(), |end| format!("[]byte({})", bytes(&end))));
            format!("ValueRangeFilter({}, {})", ends[0], ends[1])
        }
        RowFilter::CellsPerRowOffset(count) => format!("CellsPerRowOffsetFilter({count})"),
        RowFilter::CellsPerRowLimit(count) => format!("CellsPerRowLimitFilter({count})"),
        RowFilter::CellsPerColumnLimit(count) => format!("LatestNFilter({count})"),
        RowFilter::RowSample(share) => format!("RowSampleFilter({share:?})"),
        RowFilter::StripValue(_) => "StripValueFilter()".into(),
        RowFilter::ApplyLabel(label) => format!("LabelFilter({})", Lang::Go.text(label)),
        RowFilter::ValueBitmask(_) => return Err("value_bitmask"),
    };
    Ok(format!("bigtable.{written}"))
}

fn rust(filter: &RowFilter) -> Expression {
    let bytes = |bytes: &[u8]| format!("{}.to_vec()", Lang::Rust.bytes(bytes));
    let text = |text: &str| format!("{}.into()", Lang::Rust.text(text));
    // An end that is not written has its default value.
    let ends = |start: &Bound<Bytes>, end: &Bound<Bytes>, module: &str, what: &str| {
        let mut out = Vec::new();
        for (bound, name) in [(start, "Start"), (end, "End")] {
            let (at, way) = match bound {
                Bound::Included(at) => (at, "Closed"),
                Bound::Excluded(at) => (at, "Open"),
                Bound::Unbounded => continue,
            };
            out.push(format!(
                "{}_{}: Some({module}::{name}{what}::{name}{what}{way}({}))",
                name.to_ascii_lowercase(),
                what.to_ascii_lowercase(),
                bytes(at)
            ));
        }
        if out.len() < 2 {
            out.push("..Default::default()".into());
        }
        out.join(", ")
    };
    let written = match filter {
        RowFilter::Chain(filters) => {
            format!("Filter::Chain(row_filter::Chain {{ filters: vec![{}] }})", all(filters, rust)?)
        }
        RowFilter::Interleave(filters) => {
            format!("Filter::Interleave(row_filter::Interleave {{ filters: vec![{}] }})", all(filters, rust)?)
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branch = |branch: &Option<Box<RowFilter>>| -> Expression {
                match branch {
                    Some(filter) => Ok(format!("Some(Box::new({}))", rust(filter)?)),
                    None => Ok("None".into()),
                }
            };
            format!(
                "Filter::Condition(Box::new(row_filter::Condition {{ predicate_filter: Some(Box::new({})), true_filter: {}, false_filter: {} }}))",
                rust(predicate)?,
                branch(on_true)?,
                branch(on_false)?
            )
        }
        RowFilter::Sink(_) => "Filter::Sink(true)".into(),
        RowFilter::PassAll(_) => "Filter::PassAllFilter(true)".into(),
        RowFilter::BlockAll(_) => "Filter::BlockAllFilter(true)".into(),
        RowFilter::RowKeyRegex(regex) => format!("Filter::RowKeyRegexFilter({})", bytes(regex)),
        RowFilter::FamilyNameRegex(regex) => format!("Filter::FamilyNameRegexFilter({})", text(regex)),
        RowFilter::ColumnQualifierRegex(regex) => {
            format!("Filter::ColumnQualifierRegexFilter({})", bytes(regex))
        }
        RowFilter::ValueRegex(regex) => format!("Filter::ValueRegexFilter({})", bytes(regex)),
        RowFilter::ColumnRange(range) => {
            let ends = ends(&range.start, &range.end, "column_range", "Qualifier");
            format!(
                "Filter::ColumnRangeFilter(ColumnRange {{ family_name: {}, {ends} }})",
                text(&range.family)
            )
        }
        RowFilter::TimestampRange(range) => format!(
            "Filter::TimestampRangeFilter(TimestampRange {{ start_timestamp_micros: {}, end_timestamp_micros: {} }})",
            range.start, range.end
        ),
        RowFilter::ValueRange(range) => {
            let ends = ends(&range.start, &range.end, "value_range", "Value");
            format!("Filter::ValueRangeFilter(ValueRange {{ {ends} }})")
        }
        RowFilter::CellsPerRowOffset(count) => format!("Filter::CellsPerRowOffsetFilter({count})"),
        RowFilter::CellsPerRowLimit(count) => format!("Filter::CellsPerRowLimitFilter({count})"),
        RowFilter::CellsPerColumnLimit(count) => format!("Filter::CellsPerColumnLimitFilter({count})"),
        RowFilter::RowSample(share) => format!("Filter::RowSampleFilter({share:?})"),
        RowFilter::StripValue(_) => "Filter::StripValueTransformer(true)".into(),
        RowFilter::ApplyLabel(label) => format!("Filter::ApplyLabelTransformer({})", text(label)),
        // The messages that this client is built with do not have it yet.
        RowFilter::ValueBitmask(_) => return Err("value_bitmask"),
    };
    Ok(format!("filter({written})"))
}
