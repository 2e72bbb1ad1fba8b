//! One cell looked at closely: its whole key, column, time and value.

use tabletop_model::{Cell, Row, escape};
use tabletop_schema::{KeyView, time};
use wasm_bindgen_futures::spawn_local;
use yew::{AttrValue, Callback, Html, Properties, function_component, html, use_state, use_state_eq};

use super::decode::{Decoding, WHOLE_BYTES_MAX, hex_dump, whole};
use super::format::{count, thousands};
use super::key::key_parts;
use crate::browser;
use crate::widgets::{Button, ButtonKind, Icon};

/// Properties of [`Details`].
#[derive(Properties, PartialEq)]
pub struct DetailsProps {
    /// The row's key and its parts.
    pub key_view: KeyView,
    /// What the template reads out of the key.
    pub fields: Vec<(String, String)>,
    /// Cells in the row.
    pub cells: usize,
    /// The cell, or nothing when only the key was chosen.
    pub cell: Option<Cell>,
    /// How its value is to be read.
    pub decoding: Decoding,
    /// The key was chosen: it stands first.
    pub key_first: bool,
    /// Closed.
    pub on_close: Callback<()>,
}

/// The chosen cell, whole.
#[function_component]
pub fn Details(props: &DetailsProps) -> Html {
    let hex_key = use_state_eq(|| false);
    let copied = use_state(|| None::<(&'static str, bool)>);
    let copy = |what: &'static str, text: String| {
        let copied = copied.clone();
        Callback::from(move |()| {
            let (copied, text) = (copied.clone(), text.clone());
            spawn_local(async move { copied.set(Some((what, browser::copy(&text).await))) });
        })
    };
    let toggle_hex = {
        let hex_key = hex_key.clone();
        Callback::from(move |()| hex_key.set(!*hex_key))
    };
    let bytes = &props.key_view.key;
    let key = html! {
        <dl>
            <dt>{"Key"}</dt>
            <dd>
                <div class="key-whole mono">{ key_parts(&props.key_view, false) }</div>
                if *hex_key { <pre class="dump">{ hex_dump(bytes) }</pre> }
                <div class="soft">
                    { count(bytes.len() as u64, "byte") }{" · "}{ count(props.cells as u64, "cell") }{" in this row "}
                    <Button label="Hex" kind={ButtonKind::Quiet} pressed={*hex_key} on_click={toggle_hex} />
                </div>
            </dd>
            { for props.fields.iter().map(|(name, text)| html! {
                <div class="key-field"><dt>{ name.clone() }</dt><dd class="mono">{ text.clone() }</dd></div>
            }) }
        </dl>
    };
    html! {
        <section class="details" aria-label="Chosen cell">
            <div class="details-tools">
                <Button label="Copy key" icon={Icon::Copy} kind={ButtonKind::Quiet} on_click={copy("Key", escape(bytes))} />
                if let Some(cell) = &props.cell {
                    <Button label="Copy value" icon={Icon::Copy} kind={ButtonKind::Quiet} on_click={copy("Value", plain(&cell.value))} />
                }
                <span class="soft" role="status">
                    { match *copied {
                        Some((what, true)) => format!("{what} copied"),
                        Some((what, false)) => format!("{what} not copied: the browser forbids it"),
                        None => String::new(),
                    } }
                </span>
                <Button label="Close details" icon={Icon::Close} kind={ButtonKind::Quiet} icon_only=true on_click={props.on_close.clone()} />
            </div>
            // A scrolling box is reached by keys when it has the focus.
            <div class="details-body" tabindex="0" role="group" aria-label="Key, column, time and value">
                if props.key_first { { key.clone() } }
                if let Some(cell) = &props.cell { { cell_part(cell, props.decoding) } }
                if !props.key_first { { key } }
            </div>
        </section>
    }
}

fn cell_part(cell: &Cell, decoding: Decoding) -> Html {
    let value = &cell.value;
    let (kind, text) = whole(value, decoding);
    html! {
        <dl>
            <dt>{"Column"}</dt>
            <dd class="mono">{ cell.family.clone() }{":"}{ escape(&cell.qualifier) }</dd>
            <dt>{"Time"}</dt>
            <dd><span class="mono">{ time::format(cell.timestamp) }</span>{" "}<span class="soft num">{ micros(cell.timestamp) }</span></dd>
            if let Some(label) = &cell.label {
                <dt>{"Label"}</dt>
                <dd><span class="label">{ label.clone() }</span></dd>
            }
            <dt>{"Value"}</dt>
            <dd>
                <pre class="dump">{ text }</pre>
                <div class="soft">
                    { count(value.len() as u64, "byte") }{", read as "}{ kind.name() }
                    if value.len() > WHOLE_BYTES_MAX {
                        { format!("; the first {} are shown", thousands(WHOLE_BYTES_MAX as u64)) }
                    }
                </div>
            </dd>
        </dl>
    }
}

fn micros(timestamp: i64) -> AttrValue {
    format!("{}{} µs", if timestamp < 0 { "-" } else { "" }, thousands(timestamp.unsigned_abs())).into()
}

/// A value as the clipboard gets it: the text itself where it is text, else with escapes.
pub fn plain(value: &[u8]) -> String {
    std::str::from_utf8(value).map_or_else(|_| escape(value), str::to_string)
}

/// The text that stands in a column of the grid for a line, as the clipboard gets it.
pub fn column_text(row: &Row, cell: Option<&Cell>, column: usize) -> String {
    match (column, cell) {
        (0, _) | (_, None) => escape(&row.key),
        (1, Some(cell)) => cell.family.clone(),
        (2, Some(cell)) => escape(&cell.qualifier),
        (3, Some(cell)) => time::format(cell.timestamp),
        (_, Some(cell)) => plain(&cell.value),
    }
}
