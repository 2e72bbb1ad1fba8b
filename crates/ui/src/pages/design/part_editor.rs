//! What can be changed of one part.

use std::rc::Rc;

use tabletop_schema::time::TimeFormat;
use tabletop_schema::zorder::{FirstBit, ZOrder, ZOutput};
use tabletop_schema::{Field, FieldKind, Part, Template, Transform};
use web_sys::HtmlInputElement;
use yew::{AttrValue, Callback, Html, InputEvent, Properties, TargetCast, function_component, html};

use crate::widgets::{Button, ButtonKind, Icon, MenuButton, NumberField, Segmented, Select};

/// Properties of [`PartEditor`].
#[derive(Properties, PartialEq)]
pub struct PartEditorProps {
    /// As it is.
    pub part: Part,
    /// Fields of the events.
    pub fields: Rc<Vec<Field>>,
    /// As it is to be.
    pub on_change: Callback<Part>,
    /// Takes it away.
    pub on_remove: Callback<()>,
}

/// Fields for whatever kind of part it is.
#[function_component]
pub fn PartEditor(props: &PartEditorProps) -> Html {
    let PartEditorProps { part, fields, on_change, on_remove } = props;
    let body = match part {
        Part::Literal(text) => literal(text, on_change, on_remove),
        Part::Field { name, transforms } => field(name, transforms, fields, on_change),
        Part::Salt { buckets, over } => salt(*buckets, over, fields, on_change),
        Part::ZOrder(zorder) => zorder_fields(zorder, fields, on_change),
    };
    html! { <div class="part-editor">{body}</div> }
}

fn literal(text: &str, on_change: &Callback<Part>, on_remove: &Callback<()>) -> Html {
    let oninput = {
        let on_change = on_change.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            // Emptied on the way to something else: a separator goes by its button.
            if !input.value().is_empty() {
                on_change.emit(Part::Literal(input.value()));
            }
        })
    };
    html! {
        <>
            <label class="field">
                <span class="field-label">{"Separator"}</span>
                <input class="input mono" value={text.to_owned()} spellcheck="false" autocomplete="off" {oninput} />
            </label>
            <Button label="Remove the separator" kind={ButtonKind::Quiet} on_click={on_remove.clone()} />
        </>
    }
}

fn field(name: &str, transforms: &[Transform], fields: &[Field], on_change: &Callback<Part>) -> Html {
    let kind = fields.iter().find(|field| field.name == name).map_or(FieldKind::Text, |field| field.kind);
    let offered = offers(kind);
    let items =
        offered.iter().enumerate().map(|(at, (label, _))| (at.to_string().into(), AttrValue::from(*label))).collect::<Vec<_>>();
    let with = |transforms: Vec<Transform>| Part::Field { name: name.to_owned(), transforms };
    let add = {
        let (name, transforms) = (name.to_owned(), transforms.to_vec());
        on_change.reform(move |at: AttrValue| {
            let mut transforms = transforms.clone();
            if let Some((_, transform)) = at.parse().ok().and_then(|at: usize| offered.get(at)) {
                // A time is written in one way, and a number padded once.
                transforms.retain(|other| std::mem::discriminant(other) != std::mem::discriminant(transform));
                let place = if matches!(transform, Transform::Bucket(_)) { 0 } else { transforms.len() };
                transforms.insert(place, *transform);
            }
            Part::Field { name: name.clone(), transforms }
        })
    };
    html! {
        <>
            <div class="transforms">
                if transforms.is_empty() { <span class="soft small">{"As it is"}</span> }
                { for transforms.iter().enumerate().map(|(at, transform)| {
                    let text = transform_text(*transform);
                    let mut rest = transforms.to_vec();
                    rest.remove(at);
                    let rest = with(rest);
                    html! {
                        <span key={text.clone()} class="transform mono">
                            {text.clone()}
                            <Button label={format!("Remove {text}")} icon={Icon::Close} icon_only=true kind={ButtonKind::Quiet}
                                on_click={on_change.reform(move |()| rest.clone())} />
                        </span>
                    }
                }) }
            </div>
            <MenuButton label="Transform" icon={Icon::Plus} {items} on_select={add} />
        </>
    }
}

/// Transforms that make sense for a kind of field, with words for them.
fn offers(kind: FieldKind) -> Vec<(&'static str, Transform)> {
    let times = [
        ("ISO 8601", Transform::Time(TimeFormat::Iso)),
        ("Date", Transform::Time(TimeFormat::Date)),
        ("Month", Transform::Time(TimeFormat::Month)),
        ("Hour", Transform::Time(TimeFormat::Hour)),
        ("Seconds since 1970", Transform::Time(TimeFormat::Seconds)),
        ("Milliseconds since 1970", Transform::Time(TimeFormat::Millis)),
        ("Reverse time: the newest first", Transform::Time(TimeFormat::ReverseTime)),
        ("Bucket of a minute", Transform::Bucket(60)),
        ("Bucket of an hour", Transform::Bucket(3_600)),
        ("Bucket of a day", Transform::Bucket(86_400)),
    ];
    let numbers = [("Pad to 10 digits", Transform::Pad(10)), ("Pad to 19 digits", Transform::Pad(19))];
    let texts = [
        ("Hash", Transform::Hash(16)),
        ("Hash, 8 digits", Transform::Hash(8)),
        ("Reverse characters", Transform::Reverse),
        ("Upper case", Transform::Upper),
        ("Lower case", Transform::Lower),
    ];
    match kind {
        FieldKind::Time => times.into_iter().chain(texts.into_iter().take(3)).collect(),
        FieldKind::Int => numbers.into_iter().chain(texts.into_iter().take(3)).collect(),
        _ => texts.to_vec(),
    }
}

/// A transform as the template writes it.
fn transform_text(transform: Transform) -> String {
    let part = Part::Field { name: "x".into(), transforms: vec![transform] };
    let text = Template::new([part], &[]).text();
    text.trim_start_matches("{x:").trim_end_matches('}').to_owned()
}

fn salt(buckets: u32, over: &[String], fields: &[Field], on_change: &Callback<Part>) -> Html {
    let mut options = vec![(AttrValue::from(""), AttrValue::from("the whole key"))];
    options.extend(fields.iter().map(|field| (AttrValue::from(field.name.clone()), AttrValue::from(field.name.clone()))));
    let selected = AttrValue::from(over.join(", "));
    if over.len() > 1 {
        options.push((selected.clone(), selected.clone()));
    }
    let on_buckets = on_change.reform({
        let over = over.to_vec();
        move |buckets: f64| Part::Salt { buckets: buckets as u32, over: over.clone() }
    });
    let on_over = on_change.reform(move |name: AttrValue| {
        let over = if name.is_empty() { Vec::new() } else { vec![name.to_string()] };
        Part::Salt { buckets, over }
    });
    html! {
        <>
            <NumberField label="Salts" value={f64::from(buckets)} min=2.0 max=1000.0 on_change={on_buckets} />
            <Select label="Hash of" {options} {selected} on_select={on_over} />
        </>
    }
}

fn zorder_fields(zorder: &ZOrder, fields: &[Field], on_change: &Callback<Part>) -> Html {
    let numbers: Vec<(AttrValue, AttrValue)> = fields
        .iter()
        .filter(|field| matches!(field.kind, FieldKind::Int | FieldKind::Float | FieldKind::Text))
        .map(|field| (AttrValue::from(field.name.clone()), AttrValue::from(field.name.clone())))
        .collect();
    /// Another Z-order for a value of one control.
    fn set<T: 'static>(zorder: &ZOrder, on_change: &Callback<Part>, change: fn(&mut ZOrder, T)) -> Callback<T> {
        let zorder = zorder.clone();
        on_change.reform(move |value: T| {
            let mut next = zorder.clone();
            change(&mut next, value);
            Part::ZOrder(next)
        })
    }
    let first = if zorder.first == FirstBit::X { "x" } else { "y" };
    let output = match zorder.output {
        ZOutput::Decimal => "decimal",
        ZOutput::Hex => "hex",
        ZOutput::Bytes => "bytes",
    };
    let pairs = |pairs: &[(&'static str, &'static str)]| -> Vec<(AttrValue, AttrValue)> {
        pairs.iter().map(|&(value, text)| (value.into(), text.into())).collect()
    };
    html! {
        <div class="zorder-fields">
            <Select label="x" options={numbers.clone()} selected={zorder.x.field.clone()}
                on_select={set(zorder, on_change, |zorder, name: AttrValue| zorder.x.field = name.to_string())} />
            <NumberField label="from" value={zorder.x.min} min={f64::MIN} max={f64::MAX}
                on_change={set(zorder, on_change, |zorder, min| zorder.x.min = min)} />
            <NumberField label="to" value={zorder.x.max} min={f64::MIN} max={f64::MAX}
                on_change={set(zorder, on_change, |zorder, max| zorder.x.max = max)} />
            <Select label="y" options={numbers} selected={zorder.y.field.clone()}
                on_select={set(zorder, on_change, |zorder, name: AttrValue| zorder.y.field = name.to_string())} />
            <NumberField label="from" value={zorder.y.min} min={f64::MIN} max={f64::MAX}
                on_change={set(zorder, on_change, |zorder, min| zorder.y.min = min)} />
            <NumberField label="to" value={zorder.y.max} min={f64::MIN} max={f64::MAX}
                on_change={set(zorder, on_change, |zorder, max| zorder.y.max = max)} />
            <NumberField label="Bits" value={f64::from(zorder.bits)} min=1.0 max=32.0
                on_change={set(zorder, on_change, |zorder, bits: f64| zorder.bits = bits as u8)} />
            <Segmented label="First bit" options={pairs(&[("x", "x first"), ("y", "y first")])} selected={first} small=true
                on_select={set(zorder, on_change, |zorder, first: AttrValue| {
                    zorder.first = if first == "x" { FirstBit::X } else { FirstBit::Y };
                })} />
            <Segmented label="Written as" options={pairs(&[("decimal", "Decimal"), ("hex", "Hex"), ("bytes", "Bytes")])}
                selected={output} small=true
                on_select={set(zorder, on_change, |zorder, output: AttrValue| {
                    zorder.output = match output.as_str() {
                        "hex" => ZOutput::Hex,
                        "bytes" => ZOutput::Bytes,
                        _ => ZOutput::Decimal,
                    };
                })} />
        </div>
    }
}
