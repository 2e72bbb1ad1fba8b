//! The query panel: which rows, how many, from which end, and what of them.

mod bound;
mod filter;
mod notation;
mod plan;
mod rows;
mod text_field;

use std::rc::Rc;

use tabletop_model::{Bytes, Error};
use tabletop_schema::{Field, Layout, Query, Template};
use web_sys::HtmlInputElement;
use yew::{AttrValue, Callback, Event, Html, KeyboardEvent, Properties, TargetCast, function_component, html};

use crate::widgets::{Button, ButtonKind, Icon, IconView};
use filter::FilterBuilder;
use notation::{Notation, limit};
use plan::{Hint, hint};
use rows::RowsForm;
use text_field::TextField;

/// Properties of [`QueryPanel`].
#[derive(Properties, PartialEq)]
pub struct QueryPanelProps {
    /// The question.
    pub query: Query,
    /// Of the events.
    pub fields: Rc<Vec<Field>>,
    /// Of the table, in the order of their creation.
    pub families: Rc<Vec<String>>,
    /// Of the table, the most frequent first.
    pub columns: Rc<Vec<(String, Bytes)>>,
    /// Of the keys.
    pub template: Rc<Template>,
    /// Of the rows.
    pub layout: Layout,
    /// A read is under way.
    pub running: bool,
    /// What the engine said against the last read: a pattern that does not parse is found there.
    #[prop_or_default]
    pub refusal: Option<Error>,
    /// For a field, some of its values.
    #[prop_or_default]
    pub suggestions: Rc<Vec<(String, Vec<String>)>>,
    /// Another question.
    pub on_change: Callback<Query>,
    /// Ask it.
    pub on_run: Callback<()>,
    /// Stop the read.
    pub on_cancel: Callback<()>,
}

/// The question, as controls.
#[function_component]
pub fn QueryPanel(props: &QueryPanelProps) -> Html {
    let query = &props.query;
    let on_rows = props.on_change.reform({
        let query = query.clone();
        move |rows| Query { rows, ..query.clone() }
    });
    let on_limit = props.on_change.reform({
        let query = query.clone();
        move |text: String| Query { rows_limit: limit(&text).unwrap_or(query.rows_limit), ..query.clone() }
    });
    let on_reversed = props.on_change.reform({
        let query = query.clone();
        move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            Query { reversed: input.checked(), ..query.clone() }
        }
    });
    let on_filter = props.on_change.reform({
        let query = query.clone();
        move |filter| Query { filter, ..query.clone() }
    });
    let onkeydown = {
        let on_run = props.on_run.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                on_run.emit(());
            }
        })
    };
    html! {
        <div class="query-panel" {onkeydown}>
            <RowsForm
                rows={query.rows.clone()}
                fields={props.fields.clone()}
                template={props.template.clone()}
                suggestions={props.suggestions.clone()}
                on_change={on_rows}
            />
            { hint_line(&hint(&props.template, &props.layout, &query.rows)) }
            <div class="query-order">
                <TextField
                    id="query-limit"
                    label="Rows at most"
                    notation={Notation::Limit}
                    value={query.rows_limit.to_string()}
                    on_change={on_limit}
                    class="limit"
                />
                <span class="soft">{ if query.rows_limit == 0 { "0 for all" } else { "" } }</span>
                <label class="check">
                    <input type="checkbox" checked={query.reversed} onchange={on_reversed} />
                    {"Last key first"}
                </label>
            </div>
            <div class="query-run">
                if props.running {
                    <Button label="Cancel" icon={Icon::Close} on_click={props.on_cancel.clone()} />
                } else {
                    <Button label="Run" icon={Icon::Play} kind={ButtonKind::Primary} title="Ctrl+Enter" on_click={props.on_run.clone()} />
                }
                <kbd class="soft">{"Ctrl+Enter"}</kbd>
            </div>
            <FilterBuilder
                filter={query.filter.clone()}
                families={props.families.clone()}
                columns={props.columns.clone()}
                refusal={props.refusal.clone()}
                on_change={on_filter}
            />
        </div>
    }
}

fn hint_line(hint: &Hint) -> Html {
    let (class, icon, text) = match hint {
        Hint::Fits(text) => ("query-hint soft", None, text),
        Hint::Scans(text) => ("query-hint scans", Some(Icon::Warning), text),
        Hint::Wrong(text) => ("query-hint soft", Some(Icon::Info), text),
    };
    html! {
        <p {class}>
            if let Some(icon) = icon { <IconView {icon} /> }
            { AttrValue::from(text.clone()) }
        </p>
    }
}
