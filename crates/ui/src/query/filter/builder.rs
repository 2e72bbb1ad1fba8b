//! The filter of a query: blocks, text, examples to start from, and what production or the engine says against it.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_model::{Bytes, Error, RowFilter};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{AttrValue, Callback, Html, Properties, function_component, html, use_effect, use_mut_ref};

use super::blocks::{Blocks, Focus, block_id, kind_items, suggestion_lists};
use super::edit::{Edited, Path};
use super::examples::examples;
use super::fault::faults;
use super::kind::KINDS;
use super::text::FilterText;
use crate::widgets::{Button, ButtonKind, Icon, IconView, MenuButton};

/// Properties of [`FilterBuilder`].
#[derive(Properties, PartialEq)]
pub struct FilterBuilderProps {
    /// The filter, or none.
    pub filter: Option<RowFilter>,
    /// Of the table.
    pub families: Rc<Vec<String>>,
    /// Of the table, the most frequent first.
    pub columns: Rc<Vec<(String, Bytes)>>,
    /// What the engine said to the last read.
    pub refusal: Option<Error>,
    /// Another filter.
    pub on_change: Callback<Option<RowFilter>>,
}

/// Where the focus goes once the page shows what was changed.
type Next = Rc<RefCell<Option<(Path, Focus)>>>;

/// Blocks above, text below.
#[function_component]
pub fn FilterBuilder(props: &FilterBuilderProps) -> Html {
    let next: Next = use_mut_ref(|| None);
    use_effect({
        let next = next.clone();
        move || move_focus(&next)
    });
    let on_edit = {
        let (next, on_change) = (next.clone(), props.on_change.clone());
        Callback::from(move |(edited, focus): (Edited, Focus)| {
            *next.borrow_mut() = (focus != Focus::Stay).then_some((edited.focus, focus));
            on_change.emit(edited.tree);
        })
    };
    let family = props.families.first().cloned().unwrap_or_default();
    let on_first = {
        let on_edit = on_edit.clone();
        Callback::from(move |name: AttrValue| {
            if let Some(kind) = KINDS.iter().find(|kind| name == kind.name) {
                on_edit.emit((Edited { tree: Some((kind.make)(&family)), focus: Path::new() }, Focus::Field));
            }
        })
    };
    let ready = examples(&props.families, &props.columns);
    let items = ready.iter().map(|example| (example.name.clone().into(), example.name.clone().into())).collect::<Vec<_>>();
    let on_example = {
        let on_edit = on_edit.clone();
        Callback::from(move |name: AttrValue| {
            if let Some(example) = ready.iter().find(|example| name == example.name) {
                on_edit.emit((Edited { tree: Some(example.filter.clone()), focus: Path::new() }, Focus::Actions));
            }
        })
    };
    let on_clear = {
        let on_edit = on_edit.clone();
        Callback::from(move |()| on_edit.emit((Edited { tree: None, focus: Path::new() }, Focus::Actions)))
    };
    let faults = props.filter.as_ref().map(faults).unwrap_or_default();
    let refusal = props.refusal.as_ref().filter(|_| props.filter.is_some() && faults.is_empty());
    html! {
        <section class="filter-builder" aria-labelledby="filter-heading">
            <div class="filter-head">
                <h3 id="filter-heading">{"Filter"}</h3>
                <MenuButton label="Examples" {items} on_select={on_example} />
                if props.filter.is_some() {
                    <Button label="Clear filter" kind={ButtonKind::Quiet} icon={Icon::Close} on_click={on_clear} />
                }
            </div>
            { suggestion_lists(&props.families, &props.columns) }
            if let Some(tree) = &props.filter {
                { Blocks { tree: Rc::new(tree.clone()), families: props.families.clone(), faults: Rc::new(faults), on_edit }.draw() }
            } else {
                <p class="filter-none" id="filter-none">
                    <span class="soft">{"No filter: every cell comes back."}</span>
                    <MenuButton label="Add a filter" icon={Icon::Plus} items={kind_items()} on_select={on_first} />
                </p>
            }
            if let Some(error) = refusal {
                <p class="problem refusal" role="alert"><IconView icon={Icon::Error} />{ error.message.clone() }</p>
            }
            <FilterText filter={props.filter.clone()} on_change={props.on_change.clone()} />
        </section>
    }
}

/// Gives the focus to the block that was asked for, once.
fn move_focus(next: &Next) {
    let Some((path, focus)) = next.borrow_mut().take() else { return };
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let id = block_id(&path);
    let selectors = match focus {
        Focus::Field => [format!("#{id} input, #{id} .field select"), format!("#{id} .block-actions button")],
        _ => [format!("#{id} .block-actions button"), "#filter-none button".into()],
    };
    let found = selectors.iter().find_map(|selector| document.query_selector(selector).ok().flatten());
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown.
        drop(element.focus());
    }
}
