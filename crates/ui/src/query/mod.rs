//! The query panel: which rows, how many, from which end, and what of them.
//!
//! One component and one kind of field: a component costs some kilobytes of program. The panel is drawn from the question;
//! [`spot`] says what a typed text does to it.

mod filter;
mod named;
mod notation;
mod part;
mod plan;
mod rows;
mod spot;
mod text_field;

use std::rc::Rc;

use tabletop_model::{Bytes, Error, RowFilter};
use tabletop_schema::{Field, FieldKind, Layout, Query, RowChoice, Template};
use web_sys::HtmlInputElement;
use yew::{
    AttrValue, Callback, Event, Html, KeyboardEvent, Properties, TargetCast, function_component, html, use_effect,
    use_force_update, use_mut_ref,
};

use crate::messages::messages;
use crate::widgets::{ButtonKind, Icon, MenuButton, icon, push, segmented};
use filter::{Blocks, Change, Edited, Focus, Path, move_focus};
pub use named::named_queries;
use notation::Notation;
use plan::{Hint, hint};
use rows::{choice_index, fresh_choices, offered_fields, row_fields, time_field};
use spot::{Spot, edit};
use text_field::TextFieldProps;

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

/// What may be half-typed while Run uses what stood there before: the class that query.css knows it by, and what to say.
fn unused() -> [(&'static str, &'static str); 4] {
    let says = &messages().query;
    [
        ("of-rows", says.rows_invalid),
        ("of-limit", says.limit_invalid),
        ("of-blocks", says.block_invalid),
        ("of-text", says.filter_invalid),
    ]
}

/// What the panel remembers beside the question.
struct Memory {
    /// What was typed for each choice of rows, for when a person comes back to it.
    choices: [RowChoice; 5],
    /// Fields that were asked for by name, though the key does not tell them.
    added: Vec<String>,
    /// Of the events that all this was typed for.
    fields: Rc<Vec<Field>>,
    /// Where the focus goes once the page shows what was changed.
    focus: Option<(Path, Focus)>,
}

impl Memory {
    /// Other events have other fields: what was typed for theirs says nothing of these. Without fields, nothing is known yet.
    fn follow(&mut self, fields: &Rc<Vec<Field>>) {
        if fields.is_empty() || Rc::ptr_eq(fields, &self.fields) {
            return;
        }
        let is_there = |old: &Field| fields.iter().any(|field| field.name == old.name);
        if !self.fields.iter().all(is_there) {
            self.choices = fresh_choices();
            self.added.clear();
        }
        self.fields = fields.clone();
    }
}

/// The question, as controls.
#[function_component]
pub fn QueryPanel(props: &QueryPanelProps) -> Html {
    let memory = use_mut_ref(|| Memory { choices: fresh_choices(), added: Vec::new(), fields: Rc::default(), focus: None });
    let redraw = use_force_update();
    use_effect({
        let memory = memory.clone();
        move || move_focus(memory.borrow_mut().focus.take())
    });
    let query = &props.query;
    let at = choice_index(&query.rows);
    memory.borrow_mut().follow(&props.fields);
    memory.borrow_mut().choices[at] = query.rows.clone();

    let on_text = {
        let (query, on_change) = (query.clone(), props.on_change.clone());
        Callback::from(move |(spot, text): (Spot, String)| {
            if let Some(next) = edit(&query, &spot, &text) {
                on_change.emit(next);
            }
        })
    };
    let on_choice = props.on_change.reform({
        let (memory, query) = (memory.clone(), query.clone());
        move |at: usize| Query { rows: memory.borrow().choices[at].clone(), ..query.clone() }
    });
    let on_reversed = props.on_change.reform({
        let query = query.clone();
        move |event: Event| Query { reversed: event.target_unchecked_into::<HtmlInputElement>().checked(), ..query.clone() }
    });
    let on_edit = {
        let (memory, query, on_change) = (memory.clone(), query.clone(), props.on_change.clone());
        Callback::from(move |(Edited { tree, focus }, goes): Change| {
            memory.borrow_mut().focus = Some((focus, goes));
            on_change.emit(Query { filter: tree, ..query.clone() });
        })
    };
    let onkeydown = {
        let on_run = props.on_run.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                on_run.emit(());
            }
        })
    };

    let offered = offered_fields(&props.template, &props.fields, &query.rows, &memory.borrow().added);
    let others: Vec<AttrValue> = match &query.rows {
        RowChoice::Fields { .. } => other_fields(&props.fields, &offered),
        _ => Vec::new(),
    };
    let on_add = {
        let memory = memory.clone();
        Callback::from(move |name: AttrValue| {
            memory.borrow_mut().added.push(name.to_string());
            redraw.force_update();
        })
    };
    let says = &messages().query;
    let limit = TextFieldProps {
        class: "limit",
        ..TextFieldProps::new(Spot::Limit, says.limit, Notation::Limit, query.rows_limit.to_string(), &on_text)
    };
    let text = TextFieldProps {
        placeholder: "chain(family_name_regex(\"e\"), cells_per_column_limit(1))",
        ..TextFieldProps::new(
            Spot::Filter,
            messages().filter.as_text,
            Notation::Filter,
            query.filter.as_ref().map(RowFilter::text).unwrap_or_default(),
            &on_text,
        )
    };
    let accepted = query.filter.as_ref().is_none_or(|filter| filter.validate().is_ok());
    let blocks = Blocks { tree: query.filter.clone(), families: props.families.clone(), on_text: on_text.clone(), on_edit };
    html! {
        <div class="query-panel" {onkeydown}>
            { segmented(says.rows, &says.row_choices, Some(at), false, on_choice) }
            <div class={if at == 4 { "query-fields" } else { "query-rows" }}>
                { row_fields(&query.rows, &offered, time_field(&props.fields), &props.suggestions, &on_text) }
                if !others.is_empty() {
                    <div class="query-more">
                        <MenuButton
                            label={says.another_field}
                            icon={Icon::Plus}
                            items={others.into_iter().map(|name| (name.clone(), name)).collect::<Vec<_>>()}
                            on_select={on_add}
                        />
                    </div>
                }
            </div>
            { hint_line(hint(&props.template, &props.layout, &query.rows)) }
            <div class="query-order">
                { limit.draw() }
                <label class="check">
                    <input type="checkbox" checked={query.reversed} onchange={on_reversed} />
                    {says.reversed}
                </label>
                if query.rows_limit == 0 { <span class="soft small">{says.no_limit}</span> }
            </div>
            <div class="query-run">
                { push(says.run, Some(Icon::Play), ButtonKind::Primary, false, props.on_run.clone()) }
                <kbd class="soft">{says.run_keys}</kbd>
                if props.running {
                    <div class="query-cancel">
                        { push(says.cancel, Some(Icon::Close), ButtonKind::Plain, false, props.on_cancel.clone()) }
                    </div>
                }
            </div>
            // The style sheet shows those of which a field is marked as wrong.
            <p class="problem unused" role="status">{ for unused().into_iter().filter(|_| accepted).map(|(class, what)| html! {
                <span {class}>{ what }</span>
            }) }</p>
            { blocks.section(&props.columns, props.refusal.as_ref()) }
            { text.draw() }
        </div>
    }
}

fn other_fields(fields: &[Field], offered: &[String]) -> Vec<AttrValue> {
    let other = |field: &&Field| field.kind != FieldKind::Time && !offered.contains(&field.name);
    fields.iter().filter(other).map(|field| field.name.clone().into()).collect()
}

fn hint_line(hint: Hint) -> Html {
    let (class, shown, text) = match hint {
        Hint::Fits(text) => ("query-hint soft", None, text),
        Hint::Scans(text) => ("query-hint scans", Some(Icon::Warning), text),
        Hint::Wrong(text) => ("query-hint soft", Some(Icon::Info), text),
    };
    html! { <p {class}>{ for shown.map(icon) }{ text }</p> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_for_other_events_is_forgotten() {
        let of = |names: &[&str]| Rc::new(names.iter().map(|name| Field::new(*name, FieldKind::Text)).collect::<Vec<_>>());
        let mut memory = Memory { choices: fresh_choices(), added: Vec::new(), fields: Rc::default(), focus: None };
        memory.follow(&of(&["app", "user"]));
        memory.added.push("user".into());
        memory.choices[2] = RowChoice::Prefix("app-1".into());
        memory.follow(&of(&["app", "user", "page"]));
        memory.follow(&of(&[]));
        assert_eq!((memory.added.len(), &memory.choices[2]), (1, &RowChoice::Prefix("app-1".into())));
        memory.follow(&of(&["app", "city"]));
        assert_eq!((memory.added.len(), &memory.choices[2]), (0, &RowChoice::Prefix(Bytes::default())));
    }
}
