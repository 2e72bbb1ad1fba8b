//! The fields of a block that filters by itself.

use std::ops::Bound;

use tabletop_model::{Bytes, ColumnRange, RowFilter, TimestampRange, escape};
use yew::{AttrValue, Callback, Html, html};

use super::blocks::{Blocks, FAMILY_PATTERNS, QUALIFIER_PATTERNS, QUALIFIERS, address, block_id};
use super::edit::Path;
use crate::query::bound::{BoundField, End};
use crate::query::notation::{Notation, bytes, decimal, micros, micros_text, pattern_text, whole};
use crate::query::text_field::TextField;
use crate::widgets::{Button, ButtonKind, Select};

/// What a leaf can be told; nothing for a combination.
pub fn leaf_inputs(blocks: &Blocks, block: &RowFilter, path: &Path) -> Html {
    use RowFilter::*;
    let form = Form { blocks, path };
    match block {
        Chain(_) | Interleave(_) | Condition { .. } => html! {},
        Sink(on) => form.flag(*on, Sink(true), "straight to the result"),
        PassAll(on) => form.flag(*on, PassAll(true), "every cell"),
        BlockAll(on) => form.flag(*on, BlockAll(true), "no cell"),
        StripValue(on) => form.flag(*on, StripValue(true), "values become empty"),
        RowKeyRegex(pattern) => form.pattern(pattern, None, |text| RowKeyRegex(text.into())),
        FamilyNameRegex(pattern) => form.pattern(pattern.as_bytes(), Some(FAMILY_PATTERNS), FamilyNameRegex),
        ColumnQualifierRegex(pattern) => {
            form.pattern(pattern, Some(QUALIFIER_PATTERNS), |text| ColumnQualifierRegex(text.into()))
        }
        ValueRegex(pattern) => form.pattern(pattern, None, |text| ValueRegex(text.into())),
        ColumnRange(range) => form.column_range(range),
        TimestampRange(range) => form.time_range(*range),
        ValueRange(range) => {
            let (start, end) = (range.start.clone(), range.end.clone());
            form.bounds(&range.start, &range.end, None, move |new| {
                let (start, end) = new.apply(&start, &end);
                ValueRange(tabletop_model::ValueRange { start, end })
            })
        }
        CellsPerRowOffset(count) => form.count(*count, CellsPerRowOffset),
        CellsPerRowLimit(count) => form.count(*count, CellsPerRowLimit),
        CellsPerColumnLimit(count) => form.count(*count, CellsPerColumnLimit),
        RowSample(share) => form.field("Share of rows", Notation::Decimal, share.to_string(), None, "short", |text| {
            decimal(&text).ok().map(RowSample)
        }),
        ApplyLabel(label) => form.field("Label", Notation::Text, label.clone(), None, "short", |text| Some(ApplyLabel(text))),
        ValueBitmask(mask) => {
            form.field("Mask", Notation::Bytes, escape(mask), None, "", |text| bytes(&text).ok().map(ValueBitmask))
        }
    }
}

/// Class of the two fields of a time range: the only ones that the kind of their block does not name well enough.
const TIME: &str = "time";

/// One end of a range was changed.
enum NewBound {
    Start(Bound<Bytes>),
    End(Bound<Bytes>),
}

impl NewBound {
    /// Both ends after the change.
    fn apply(self, start: &Bound<Bytes>, end: &Bound<Bytes>) -> (Bound<Bytes>, Bound<Bytes>) {
        match self {
            NewBound::Start(start) => (start, end.clone()),
            NewBound::End(end) => (start.clone(), end),
        }
    }
}

struct Form<'a> {
    blocks: &'a Blocks,
    path: &'a Path,
}

impl Form<'_> {
    /// A callback that puts what `make` makes in the place of the block.
    fn put<T: 'static>(&self, make: impl Fn(T) -> Option<RowFilter> + 'static) -> Callback<T> {
        let (blocks, path) = (self.blocks.clone(), self.path.clone());
        Callback::from(move |value| {
            if let Some(block) = make(value) {
                blocks.replace(&path, block);
            }
        })
    }

    fn id(&self, part: &str) -> String {
        format!("{}-{}", block_id(self.path), part.to_lowercase().replace(' ', "-"))
    }

    fn named(&self, part: &str) -> AttrValue {
        format!("Block {} {part}", address(self.path)).into()
    }

    fn field(
        &self,
        label: &'static str,
        notation: Notation,
        value: String,
        list: Option<&'static str>,
        class: &'static str,
        make: impl Fn(String) -> Option<RowFilter> + 'static,
    ) -> Html {
        html! {
            <TextField
                id={self.id(label)}
                {label}
                full_name={self.named(label)}
                hide_label={class != TIME}
                {notation}
                {value}
                {class}
                placeholder={label}
                list={list.map(AttrValue::Static)}
                on_change={self.put(make)}
            />
        }
    }

    fn pattern(&self, pattern: &[u8], list: Option<&'static str>, make: impl Fn(String) -> RowFilter + 'static) -> Html {
        self.field("Pattern", Notation::Pattern, pattern_text(pattern), list, "", move |text| Some(make(text)))
    }

    fn count(&self, count: i32, make: impl Fn(i32) -> RowFilter + 'static) -> Html {
        self.field("Cells", Notation::Whole, count.to_string(), None, "short", move |text| whole(&text).ok().map(&make))
    }

    /// A filter that is always on. One that came in as off is refused by production, and can only be put right.
    fn flag(&self, on: bool, right: RowFilter, about: &'static str) -> Html {
        if on {
            return html! { <span class="block-note soft">{ about }</span> };
        }
        let on_click = self.put(move |()| Some(right.clone()));
        html! { <Button label="Turn on" kind={ButtonKind::Quiet} {on_click} /> }
    }

    fn bounds(
        &self,
        start: &Bound<Bytes>,
        end: &Bound<Bytes>,
        list: Option<&'static str>,
        make: impl Fn(NewBound) -> RowFilter + 'static,
    ) -> Html {
        let on_new = self.put(move |new| Some(make(new)));
        let list = list.map(AttrValue::Static);
        let of = format!("Block {}", address(self.path));
        html! {
            <div class="bounds">
                <BoundField
                    id={self.id("start")}
                    end={End::Start}
                    of={of.clone()}
                    bound={start.clone()}
                    list={list.clone()}
                    on_change={on_new.reform(NewBound::Start)}
                />
                <BoundField id={self.id("end")} end={End::End} {of} bound={end.clone()} {list} on_change={on_new.reform(NewBound::End)} />
            </div>
        }
    }

    fn column_range(&self, range: &ColumnRange) -> Html {
        let mut families = (*self.blocks.families).clone();
        if !families.contains(&range.family) {
            families.push(range.family.clone());
        }
        let options = families.into_iter().map(|family| (family.clone().into(), family.into())).collect::<Vec<_>>();
        let on_family = self.put({
            let range = range.clone();
            move |family: AttrValue| Some(RowFilter::ColumnRange(ColumnRange { family: family.to_string(), ..range.clone() }))
        });
        let changed = range.clone();
        html! {
            <>
                <Select label={self.named("family")} hide_label=true {options} selected={range.family.clone()} on_select={on_family} />
                { self.bounds(&range.start, &range.end, Some(QUALIFIERS), move |new| {
                    let (start, end) = new.apply(&changed.start, &changed.end);
                    RowFilter::ColumnRange(ColumnRange { family: changed.family.clone(), start, end })
                }) }
            </>
        }
    }

    fn time_range(&self, range: TimestampRange) -> Html {
        let start = self.field("From", Notation::Micros, micros_text(range.start), None, TIME, move |text| {
            micros(&text).ok().map(|start| RowFilter::TimestampRange(TimestampRange { start, ..range }))
        });
        let end = self.field("Until", Notation::Micros, micros_text(range.end), None, TIME, move |text| {
            micros(&text).ok().map(|end| RowFilter::TimestampRange(TimestampRange { end, ..range }))
        });
        html! { <div class="bounds">{ start }{ end }</div> }
    }
}
