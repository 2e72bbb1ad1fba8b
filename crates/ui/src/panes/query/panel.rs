//! The panel: the query as controls.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_keys::{Field, FieldKind, Layout, Query, RowChoice, Template};
use tabletop_model::{Bytes, Error, RowFilter};
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::query::{
    Hint, Notation, PanelMemory, Spot, choice_index, edit,
    filter::{Change, Edited, Focus},
    hint, middle_box, offered_fields, time_field,
};
use web_sys::HtmlInputElement;
use yew::functional::UseForceUpdateHandle;
use yew::{
    AttrValue, Callback, Event, Html, KeyboardEvent, Properties, TargetCast, function_component, html,
    use_effect, use_force_update, use_mut_ref,
};

use super::filter::{Blocks, move_focus};
use super::rows::row_fields;
use super::text_field::TextFieldProps;
use crate::browser;
use crate::kit::{ButtonKind, Icon, MenuButton, SegmentSize, icon, push, segmented};
use crate::page::state::FilterCounts;

/// The first field of a choice of rows; the choice of all rows has none.
const FIRST_FIELD: &str = ":is(.query-rows, .query-fields) :is(input, textarea)";

/// Properties of [`QueryPanel`].
#[derive(Properties, PartialEq)]
pub struct QueryPanelProps {
    /// The query.
    pub query: Query,
    /// The fields of the events.
    pub fields: Rc<Vec<Field>>,
    /// The column families of the table, in the order of their creation.
    pub families: Rc<Vec<String>>,
    /// The columns of the table, the most frequent first.
    pub columns: Rc<Vec<(String, Bytes)>>,
    /// The template of the keys.
    pub template: Rc<Template>,
    /// The layout of the rows.
    pub layout: Layout,
    /// Whether a read is running.
    pub running: bool,
    /// The error of the last read: only the engine finds patterns that do not parse.
    #[prop_or_default]
    pub refusal: Option<Error>,
    /// What the filter of the last answered query did.
    #[prop_or_default]
    pub counts: Option<Rc<FilterCounts>>,
    /// Some values of each field.
    #[prop_or_default]
    pub suggestions: Rc<Vec<(String, Vec<String>)>>,
    /// Changes the query.
    pub on_change: Callback<Query>,
    /// Runs the query.
    pub on_run: Callback<()>,
    /// Cancels the read.
    pub on_cancel: Callback<()>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the query as controls.
#[function_component]
pub fn QueryPanel(props: &QueryPanelProps) -> Html {
    let memory = use_mut_ref(PanelMemory::default);
    let redraw = use_force_update();
    use_effect({
        let memory = memory.clone();
        move || move_focus(memory.borrow_mut().focus.take())
    });
    memory.borrow_mut().follow(&props.fields, &props.query.rows);
    let edits = Edits { now: use_mut_ref(|| props.query.clone()), on_change: props.on_change.clone() };
    edits.now.borrow_mut().clone_from(&props.query);
    let panel = Panel { props, on_text: on_text(&edits), edits, memory, redraw };
    html! {
        <div class="query-panel" onkeydown={panel.on_key()}>
            { panel.rows() }
            { hint_line(hint(&props.template, &props.layout, &props.query.rows)) }
            { panel.order() }
            { panel.run() }
            { panel.unused() }
            { panel.blocks() }
            { panel.filter_text() }
        </div>
    }
}

/// Returns a callback that applies a typed text to the query, if it is valid.
fn on_text(edits: &Edits) -> Callback<(Spot, String)> {
    let edits = edits.clone();
    Callback::from(move |(spot, text): (Spot, String)| edits.change(|query| edit(query, &spot, &text)))
}

/// Changes the query after the last change, which need not be the drawn one: the user can go on to
/// another field before a drawing.
#[derive(Clone)]
struct Edits {
    now: Rc<RefCell<Query>>,
    on_change: Callback<Query>,
}

impl Edits {
    fn change(&self, change: impl FnOnce(&Query) -> Option<Query>) {
        let next = change(&self.now.borrow());
        if let Some(next) = next {
            self.now.borrow_mut().clone_from(&next);
            self.on_change.emit(next);
        }
    }
}

/// The values that the parts of the panel are drawn from.
struct Panel<'a> {
    props: &'a QueryPanelProps,
    memory: Rc<RefCell<PanelMemory>>,
    redraw: UseForceUpdateHandle,
    edits: Edits,
    on_text: Callback<(Spot, String)>,
}

impl Panel<'_> {
    /// Returns a callback for Control and Enter, which run the query from any field.
    fn on_key(&self) -> Callback<KeyboardEvent> {
        let on_run = self.props.on_run.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                on_run.emit(());
            }
        })
    }

    /// Draws the choice of rows with its fields.
    fn rows(&self) -> Html {
        let (QueryPanelProps { query, fields, template, suggestions, .. }, says) =
            (self.props, &messages().query);
        let on_choice = {
            let (memory, edits, template) = (self.memory.clone(), self.edits.clone(), template.clone());
            Callback::from(move |at: usize| {
                let before = memory.borrow().choices[at].clone();
                let is_first_box = choice_index(&before) != at;
                let rows = if is_first_box { middle_box(&template).unwrap_or_default() } else { before };
                edits.change(|query| Some(Query { rows, ..query.clone() }));
                // A user who pointed at the choice types next; the arrow keys go to another choice.
                if !browser::shows_focus() {
                    browser::focus(FIRST_FIELD.into());
                }
            })
        };
        let offered = offered_fields(template, fields, &query.rows, &self.memory.borrow().added);
        let others = match &query.rows {
            RowChoice::Fields { .. } => other_fields(fields, &offered),
            _ => Vec::new(),
        };
        let by_fields = matches!(query.rows, RowChoice::Fields { .. } | RowChoice::Box { .. });
        let has_box = matches!(query.rows, RowChoice::Box { .. }) || template.zorder().is_some();
        let choices = &says.row_choices[..says.row_choices.len() - usize::from(!has_box)];
        html! {
            <>
                { segmented(says.rows, choices, Some(choice_index(&query.rows)), SegmentSize::Usual, on_choice) }
                <div class={if by_fields { "query-fields" } else { "query-rows" }}>
                    { row_fields(&query.rows, &offered, time_field(fields), suggestions, &self.on_text) }
                    if !others.is_empty() { { self.more_fields(others) } }
                </div>
            </>
        }
    }

    /// Draws a menu of the fields that are not in the key.
    fn more_fields(&self, names: Vec<AttrValue>) -> Html {
        let on_select = {
            let (memory, redraw) = (self.memory.clone(), self.redraw.clone());
            Callback::from(move |name: AttrValue| {
                memory.borrow_mut().added.push(name.to_string());
                redraw.force_update();
            })
        };
        let items = names.into_iter().map(|name| (name.clone(), name)).collect::<Vec<_>>();
        html! {
            <div class="query-more">
                <MenuButton label={messages().query.another_field} icon={Icon::Plus} {items} {on_select} />
            </div>
        }
    }

    /// Draws the limit and the order.
    fn order(&self) -> Html {
        let (query, says) = (&self.props.query, &messages().query);
        let on_reversed = {
            let edits = self.edits.clone();
            Callback::from(move |event: Event| {
                let reversed = event.target_unchecked_into::<HtmlInputElement>().checked();
                edits.change(|query| Some(Query { reversed, ..query.clone() }));
            })
        };
        let limit = TextFieldProps {
            class: "limit",
            ..TextFieldProps::new(
                Spot::Limit,
                says.limit,
                Notation::Limit,
                query.rows_limit.to_string(),
                &self.on_text,
            )
        };
        html! {
            <div class="query-order">
                { limit.draw() }
                <label class="check">
                    <input type="checkbox" checked={query.reversed} onchange={on_reversed} />
                    {if matches!(query.rows, RowChoice::Fields { .. }) && query.rows_limit > 0 { says.newest_first } else { says.reversed }}
                </label>
                if query.rows_limit == 0 { <span class="soft small">{says.no_limit}</span> }
            </div>
        }
    }

    /// Draws the buttons that run and cancel the query.
    fn run(&self) -> Html {
        let says = &messages().query;
        html! {
            <div class="query-run">
                { push(says.run, Some(Icon::Play), ButtonKind::Primary, self.props.on_run.clone()) }
                <kbd class="soft">{says.run_keys}</kbd>
                if self.props.running {
                    <div class="query-cancel">
                        { push(says.cancel, Some(Icon::Close), ButtonKind::Plain, self.props.on_cancel.clone()) }
                    </div>
                }
            </div>
        }
    }

    /// Draws notes on invalid fields, whose last valid values are used. The style sheet shows the
    /// notes of the fields that are marked.
    fn unused(&self) -> Html {
        let says = &messages().query;
        // The classes of query.css with their notes.
        let all = [
            ("of-rows", says.rows_invalid),
            ("of-limit", says.limit_invalid),
            ("of-blocks", says.block_invalid),
            ("of-text", if self.props.refusal.is_some() { says.filter_refused } else { says.filter_invalid }),
        ];
        let accepted = self.props.query.filter.as_ref().is_none_or(|filter| filter.validate().is_ok());
        html! {
            <p class="problem unused" role="status">
                { for all.into_iter().filter(|_| accepted).map(|(class, what)| html! { <span {class}>{ what }</span> }) }
            </p>
        }
    }

    /// Draws the filter as blocks.
    fn blocks(&self) -> Html {
        let QueryPanelProps { query, families, columns, refusal, counts, .. } = self.props;
        let on_edit = {
            let (memory, edits, drawn) = (self.memory.clone(), self.edits.clone(), query.filter.clone());
            Callback::from(move |change: Change| {
                edits.change(|query| {
                    let mut memory = memory.borrow_mut();
                    // If nothing has changed since the drawing, the focused block is where it is
                    // drawn.
                    let has_changed = query.filter != drawn;
                    let coming = memory
                        .focus
                        .as_ref()
                        .filter(|(_, goes)| has_changed && *goes != Focus::Stay)
                        .map(|(path, _)| path);
                    let (Edited { tree, focus }, goes) = change.apply(query.filter.as_ref(), coming)?;
                    memory.focus = Some((focus, goes));
                    Some(Query { filter: tree, ..query.clone() })
                });
            })
        };
        let (tree, families, counts) = (query.filter.clone(), families.clone(), counts.clone());
        let blocks = Blocks { tree, families, counts, on_text: self.on_text.clone(), on_edit };
        blocks.section(columns, refusal.as_ref())
    }

    /// Draws the filter as text.
    fn filter_text(&self) -> Html {
        let text = self.props.query.filter.as_ref().map(RowFilter::text).unwrap_or_default();
        let field = TextFieldProps {
            counts: self.props.counts.clone(),
            placeholder: "chain(family_name_regex(\"e\"), cells_per_column_limit(1))",
            ..TextFieldProps::new(
                Spot::Filter,
                messages().filter.as_text,
                Notation::Filter,
                text,
                &self.on_text,
            )
        };
        field.draw()
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
    fn a_change_keeps_what_the_one_before_it_has_done() {
        let query = Query { rows: RowChoice::All, filter: None, rows_limit: 100, reversed: false };
        let seen = Rc::new(RefCell::new(Vec::new()));
        let on_change = Callback::from({
            let seen = seen.clone();
            move |query: Query| seen.borrow_mut().push(query)
        });
        let edits = Edits { now: Rc::new(RefCell::new(query.clone())), on_change };
        edits.change(|query| Some(Query { reversed: true, ..query.clone() }));
        edits.change(|_| None);
        edits.change(|query| Some(Query { rows_limit: 7, ..query.clone() }));
        let first = Query { reversed: true, ..query };
        assert_eq!(*seen.borrow(), [first.clone(), Query { rows_limit: 7, ..first }]);
    }
}
