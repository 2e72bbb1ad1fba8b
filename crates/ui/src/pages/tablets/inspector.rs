//! One tablet, looked at closely.

use std::rc::Rc;

use tabletop_model::{RowKey, TableView, TabletId, TabletView};
use tabletop_schema::DesignView;
use wasm_bindgen_futures::spawn_local;
use yew::{AttrValue, Callback, Html, KeyboardEvent, Properties, function_component, html, use_state};

use super::load::{Load, rate};
use crate::browser;
use crate::results::format::{bytes, thousands};
use crate::widgets::{Button, ButtonKind, Icon, IconView};

/// Properties of [`Inspector`].
#[derive(Properties, PartialEq)]
pub struct InspectorProps {
    /// The design's table.
    pub view: Rc<DesignView>,
    /// The tablet that was chosen.
    pub selected: TabletId,
    /// Shows none.
    pub on_close: Callback<()>,
    /// For screen readers.
    pub on_say: Callback<AttrValue>,
}

/// Its range of keys, what it holds, and what it does.
#[function_component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let on_close = &props.on_close;
    let table = &props.view.table;
    let Some(at) = place_of(table, props.selected) else { return html! {} };
    let tablet = &table.tablets[at];
    let hot = Load::of(table).hot[at];
    let onkeydown = {
        let on_close = on_close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                on_close.emit(());
            }
        })
    };
    let number = |name: &'static str, value: String| html! { <><dt>{name}</dt><dd class="num">{value}</dd></> };
    html! {
        <section class="inspector" aria-labelledby="inspector-title" {onkeydown}>
            <header>
                <h3 id="inspector-title">{format!("Tablet {} of {}", at + 1, table.tablets.len())}</h3>
                if hot { <span class="hot-badge"><IconView icon={Icon::Hot} />{"hot"}</span> }
                <Button label="Close the inspector" icon={Icon::Close} icon_only=true kind={ButtonKind::Quiet} on_click={on_close.clone()} />
            </header>
            <dl class="range">
                <dt>{"Start, inclusive"}</dt>
                <dd><KeyEnd key_bytes={tablet.start.clone()} open="the beginning of the table" name="start key" on_say={props.on_say.clone()} /></dd>
                <dt>{"End, exclusive"}</dt>
                <dd><KeyEnd key_bytes={tablet.end.clone()} open="the end of the table" name="end key" on_say={props.on_say.clone()} /></dd>
            </dl>
            <dl class="numbers">
                { number("Rows", thousands(tablet.rows)) }
                { number("Cells", thousands(tablet.cells)) }
                { number("Stored", bytes(tablet.bytes)) }
                { number("in the memtable", bytes(tablet.memtable_bytes)) }
                { number("SSTables", thousands(tablet.sstables.into())) }
                { number("Writes", thousands(tablet.writes)) }
                { number("Writes a second", rate(tablet.writes_per_second)) }
                { number("Reads", thousands(tablet.reads)) }
                { number("Reads a second", rate(tablet.reads_per_second)) }
            </dl>
        </section>
    }
}

/// Where a tablet is now: at its own place, or at that of the first one that was split from it.
pub fn place_of(table: &TableView, id: TabletId) -> Option<usize> {
    let at = |matches: &dyn Fn(&TabletView) -> bool| table.tablets.iter().position(matches);
    at(&|tablet| tablet.id == id).or_else(|| at(&|tablet| tablet.parent == Some(id)))
}

/// Properties of [`KeyEnd`].
#[derive(Properties, PartialEq)]
struct KeyEndProps {
    key_bytes: RowKey,
    /// What no bytes mean here.
    open: AttrValue,
    name: AttrValue,
    on_say: Callback<AttrValue>,
}

/// One end of the range, with a button that copies it.
#[function_component]
fn KeyEnd(props: &KeyEndProps) -> Html {
    let copied = use_state(|| None::<RowKey>);
    if props.key_bytes.is_empty() {
        return html! { <span class="soft">{props.open.clone()}</span> };
    }
    let text = props.key_bytes.to_string();
    let is_copied = copied.as_ref() == Some(&props.key_bytes);
    let on_click = {
        let (copied, key, text, name, on_say) =
            (copied.clone(), props.key_bytes.clone(), text.clone(), props.name.clone(), props.on_say.clone());
        Callback::from(move |()| {
            let (copied, key, text, name, on_say) = (copied.clone(), key.clone(), text.clone(), name.clone(), on_say.clone());
            spawn_local(async move {
                if browser::copy(&text).await {
                    copied.set(Some(key));
                    on_say.emit(format!("Copied the {name}").into());
                } else {
                    on_say.emit("The browser did not let the page copy: select the text instead".into());
                }
            });
        })
    };
    html! {
        <>
            <span class="mono key-end">{text}</span>
            <Button label={format!("Copy the {}", props.name)} icon={if is_copied { Icon::Check } else { Icon::Copy }} icon_only=true
                kind={ButtonKind::Quiet} {on_click} />
        </>
    }
}
