//! The editor of one part.

use tabletop_keys::{
    Field, FieldKind, Part, Placeholder, Template, Transform, cut_over_text, parse_cut_over,
    time::TimeFormat,
    zorder::{Axis, FirstBit, ZOrder, ZOutput},
};
use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use yew::{AttrValue, Callback, Html, html};

use crate::kit::{
    ButtonKind, FormNumber, Icon, Label, MenuButton, Number, SegmentSize, TypedText, form, number,
    number_field, push, segmented, select, text_field, tool,
};

/// The notations of a Z-order.
const OUTPUTS: [ZOutput; 3] = [ZOutput::Decimal, ZOutput::Hex, ZOutput::Bytes];

/// Draws the controls for a part.
pub fn part_editor(
    part: &Part,
    fields: &[Field],
    digits: &[Option<u8>],
    on_change: &Callback<Part>,
    on_remove: Callback<()>,
) -> Html {
    let body = match part {
        Part::Literal(text) => literal(text, on_change, on_remove),
        Part::Field { name, transforms } => field(name, transforms, fields, digits, on_change),
        Part::Salt { buckets, over, from } => salt(*buckets, over, *from, fields, on_change),
        Part::ZOrder(zorder) => zorder_fields(zorder, fields, on_change),
    };
    html! { <div class="part-editor">{body}</div> }
}

fn literal(text: &str, on_change: &Callback<Part>, on_remove: Callback<()>) -> Html {
    html! {
        <>
            { text_field(messages().design.editor.separator, text, on_change.reform(Part::Literal)) }
            { push(messages().design.editor.remove_separator, None, ButtonKind::Quiet, on_remove) }
        </>
    }
}

fn field(
    name: &str,
    transforms: &[Transform],
    fields: &[Field],
    digits: &[Option<u8>],
    on_change: &Callback<Part>,
) -> Html {
    let at = fields.iter().position(|field| field.name == name);
    let kind = at.map_or(FieldKind::Text, |at| fields[at].kind);
    let offered = offers(kind, at.and_then(|at| digits.get(at).copied().flatten()));
    let items = offered
        .iter()
        .enumerate()
        .map(|(at, (label, _))| (at.to_string().into(), AttrValue::from(label.clone())))
        .collect::<Vec<_>>();
    let with = |transforms: Vec<Transform>| Part::Field { name: name.to_owned(), transforms };
    let add = {
        let (name, transforms) = (name.to_owned(), transforms.to_vec());
        on_change.reform(move |at: AttrValue| {
            let mut transforms = transforms.clone();
            if let Some((_, transform)) = at.parse().ok().and_then(|at: usize| offered.get(at)) {
                // A time has one format, and a number is padded once.
                transforms.retain(|other| std::mem::discriminant(other) != std::mem::discriminant(transform));
                let place = match transform {
                    Transform::Or(_) => 0,
                    Transform::Bucket(_) => usize::from(matches!(transforms.first(), Some(Transform::Or(_)))),
                    _ => transforms.len(),
                };
                transforms.insert(place, *transform);
            }
            Part::Field { name: name.clone(), transforms }
        })
    };
    html! {
        <>
            <div class="transforms">
                if transforms.is_empty() { <span class="soft small">{messages().design.editor.unchanged}</span> }
                { for transforms.iter().enumerate().map(|(at, transform)| {
                    let text = transform_text(*transform);
                    let mut rest = transforms.to_vec();
                    rest.remove(at);
                    let rest = with(rest);
                    html! {
                        <span key={text.clone()} class="transform mono">
                            {text.clone()}
                            { tool(&(messages().design.remove)(&text), Icon::Close, on_change.reform(move |()| rest.clone())) }
                        </span>
                    }
                }) }
            </div>
            <MenuButton label={messages().design.editor.transform} icon={Icon::Plus} {items} on_select={add} />
        </>
    }
}

/// Returns the transforms for a kind of field, with their names. Numbers are padded to the digits of
/// the longest one, or of any number of 64 bits.
fn offers(kind: FieldKind, digits: Option<u8>) -> Vec<(String, Transform)> {
    let says = &messages().design.editor;
    let times = [
        (says.iso.into(), Transform::Time(TimeFormat::Iso)),
        (says.date.into(), Transform::Time(TimeFormat::Date)),
        (says.month.into(), Transform::Time(TimeFormat::Month)),
        (says.hour.into(), Transform::Time(TimeFormat::Hour)),
        (says.seconds.into(), Transform::Time(TimeFormat::Seconds)),
        (says.millis.into(), Transform::Time(TimeFormat::Millis)),
        (says.reverse_time.into(), Transform::Time(TimeFormat::ReverseTime)),
        (says.minute_bucket.into(), Transform::Bucket(60)),
        (says.hour_bucket.into(), Transform::Bucket(3_600)),
        (says.day_bucket.into(), Transform::Bucket(86_400)),
    ];
    let widths = digits.filter(|digits| *digits < 19).into_iter().chain([19]);
    let numbers = widths.map(|digits| ((says.pad)(digits), Transform::Pad(digits)));
    let or = |text: &str| Placeholder::new(text).map(|or| ((says.or)(text), Transform::Or(or)));
    let texts = [
        (says.hash.into(), Transform::Hash(16)),
        (says.short_hash.into(), Transform::Hash(8)),
        (says.reverse.into(), Transform::Reverse),
        (says.reverse_domain.into(), Transform::ReverseDomain),
        (says.upper.into(), Transform::Upper),
        (says.lower.into(), Transform::Lower),
    ];
    match kind {
        FieldKind::Time => times.into_iter().chain(texts.into_iter().take(3)).collect(),
        FieldKind::Int => numbers.chain(texts.into_iter().take(3)).chain(or("0")).collect(),
        _ => texts.into_iter().chain(or("none")).collect(),
    }
}

/// Returns a transform as the template writes it.
fn transform_text(transform: Transform) -> String {
    let part = Part::Field { name: "x".into(), transforms: vec![transform] };
    let text = Template::new([part], &[]).text();
    text.trim_start_matches("{x:").trim_end_matches('}').to_owned()
}

fn salt(
    buckets: u32,
    over: &[String],
    from: Option<i64>,
    fields: &[Field],
    on_change: &Callback<Part>,
) -> Html {
    // The whole key, each field, and the typed fields if there are several.
    let by_hand = over.join(", ");
    let says = &messages().design.editor;
    let mut texts = vec![says.whole_key];
    texts.extend(fields.iter().map(|field| field.name.as_str()));
    if over.len() > 1 {
        texts.push(&by_hand);
    }
    let taken = match over {
        [] => Some(0),
        [name] => texts.iter().position(|text| text == name),
        _ => Some(texts.len() - 1),
    };
    let on_from = on_change.reform({
        let over = over.to_vec();
        move |from: Option<i64>| Part::Salt { buckets, over: over.clone(), from }
    });
    let on_buckets = on_change.reform({
        let over = over.to_vec();
        move |buckets: f64| Part::Salt { buckets: buckets as u32, over: over.clone(), from }
    });
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let on_over = on_change.reform(move |at: usize| {
        let name = at.checked_sub(1).and_then(|at| names.get(at).cloned());
        Part::Salt { buckets, over: name.into_iter().collect(), from }
    });
    html! {
        <>
            { number_field(says.salts, Number { value: buckets.into(), min: 2.0, max: 1_000.0, step: 1.0, kind: NumberKind::Whole }, on_buckets) }
            { select(Label::Shown(says.hash_of), &texts, taken, on_over) }
            { cut_over(from, on_from) }
        </>
    }
}

/// Draws the field of a salt's cut-over. An empty field means no cut-over.
fn cut_over(from: Option<i64>, on_change: Callback<Option<i64>>) -> Html {
    let says = &messages().design.editor;
    let refuses = Callback::from(move |text: String| {
        let is_time = text.trim().is_empty() || parse_cut_over(text.trim()).is_some();
        (!is_time).then_some(says.not_a_time)
    });
    let on_text = Callback::from(move |text: String| {
        let typed = parse_cut_over(text.trim());
        if typed != from {
            on_change.emit(typed);
        }
    });
    html! {
        <label class="field">
            <span class="field-label">{says.salted_from}</span>
            <TypedText text={from.map(cut_over_text).unwrap_or_default()} placeholder={says.salted_always} {refuses} {on_text} />
        </label>
    }
}

fn zorder_fields(zorder: &ZOrder, fields: &[Field], on_change: &Callback<Part>) -> Html {
    let numbers = fields
        .iter()
        .filter(|field| matches!(field.kind, FieldKind::Int | FieldKind::Float | FieldKind::Text));
    let names: Vec<String> = numbers.map(|field| field.name.clone()).collect();
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    let first = usize::from(zorder.first == FirstBit::Y);
    let output = OUTPUTS.iter().position(|output| *output == zorder.output);
    let says = &messages().design.editor;
    let axis = |name: &'static str, of: fn(&mut ZOrder) -> &mut Axis, now: &Axis| {
        let any = (f64::MIN, f64::MAX);
        let ends: [FormNumber<Axis>; 2] =
            [FormNumber::any(says.from, any, number!(min)), FormNumber::any(says.to, any, number!(max))];
        let ends = form(ends, now, |place| {
            change(zorder, on_change, move |zorder, value| place.set(of(zorder), value))
        });
        let taken = names.iter().position(|name| *name == now.field);
        let names = names.clone();
        let on_field =
            change(zorder, on_change, move |zorder, at: usize| of(zorder).field.clone_from(&names[at]));
        html! {
            <div class="axis" role="group" aria-label={name}>
                { select(Label::Shown(name), &texts, taken, on_field) }
                { for ends }
            </div>
        }
    };
    let bits: FormNumber<ZOrder> = FormNumber::whole(says.bits, (1.0, 32.0), number!(bits as u8));
    let bits = form([bits], zorder, |place| {
        change(zorder, on_change, move |zorder, value| place.set(zorder, value))
    });
    let on_first = change(zorder, on_change, |zorder, at: usize| {
        zorder.first = if at == 0 { FirstBit::X } else { FirstBit::Y };
    });
    let on_output = change(zorder, on_change, |zorder, at: usize| zorder.output = OUTPUTS[at]);
    html! {
        <div class="zorder-fields">
            { axis("x", |zorder| &mut zorder.x, &zorder.x) }
            { axis("y", |zorder| &mut zorder.y, &zorder.y) }
            { for bits }
            { segmented(says.first_bit, &says.first_bits, Some(first), SegmentSize::Small, on_first) }
            { segmented(says.written_as, &[says.decimal, says.hex, says.bytes], output, SegmentSize::Small, on_output) }
        </div>
    }
}

/// Returns a callback that changes a Z-order.
fn change<T: 'static>(
    zorder: &ZOrder,
    on_change: &Callback<Part>,
    how: impl Fn(&mut ZOrder, T) + 'static,
) -> Callback<T> {
    let zorder = zorder.clone();
    on_change.reform(move |value: T| {
        let mut next = zorder.clone();
        how(&mut next, value);
        Part::ZOrder(next)
    })
}
