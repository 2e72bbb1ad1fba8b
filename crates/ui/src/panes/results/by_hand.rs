//! Manual writes to the row of the chosen cell: its column, its family or all of it is deleted
//! after a confirmation, and a cell is added. A first visit opens no cell, so this code is fetched
//! later.

use std::rc::Rc;

use tabletop_model::{Cell, Mutation, RowKey, RowMutation, SERVER_TIME, TimestampRange};
use tabletop_texts::results::Deleted;
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::results::plain;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::{
    Callback, Component, Context, Html, InputEvent, KeyboardEvent, NodeRef, Properties, TargetCast, html,
};

use super::dom::element;
use super::grid::Grid;
use super::line::column_name;
use crate::kit::{ButtonKind, Icon, callback, push};

/// Draws the tools for the row of a cell.
pub fn row_tools(grid: &Rc<Grid>, key: &RowKey, cell: &Cell) -> Html {
    let on_done = callback(grid, move |grid, ()| {
        if let Some(lines) = element(&grid.look(|look| look.grid.clone())) {
            // Fails only for an element that is not shown.
            drop(lines.focus());
        }
    });
    let (family, column) = (cell.family.clone(), column_name(cell));
    let place = format!("{} {column}", plain(key));
    html! {
        <RowTools key={place} row={key.clone()} {family} qualifier={cell.qualifier.to_vec()} {column} on_write={grid.props.on_write.clone()} {on_done} />
    }
}

/// Properties of [`RowTools`].
#[derive(Properties, PartialEq)]
struct RowToolsProps {
    row: RowKey,
    family: String,
    qualifier: Vec<u8>,
    /// The displayed family and qualifier.
    column: String,
    on_write: Callback<RowMutation>,
    /// The tools close: something else takes the focus.
    on_done: Callback<()>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// The tools, and which of them is open.
#[derive(Default)]
struct RowTools {
    open: Option<Open>,
    /// The element that takes the focus.
    focus: NodeRef,
    /// Whether the field has not taken the focus yet.
    opens: bool,
}

/// The tool that is open.
enum Open {
    /// The confirmation of a delete.
    Delete(Deleted),
    /// The fields of a new cell: family, qualifier, value.
    Add([String; 3]),
}

enum Msg {
    Open(Open),
    Typed(usize, String),
    Save,
    Close,
}

impl RowTools {
    /// Returns the requested mutation.
    fn mutation(&self, props: &RowToolsProps) -> Option<Mutation> {
        Some(match self.open.as_ref()? {
            Open::Delete(Deleted::Row) => Mutation::DeleteFromRow,
            Open::Delete(Deleted::Family) => Mutation::DeleteFromFamily { family: props.family.clone() },
            Open::Delete(Deleted::Column) => Mutation::DeleteFromColumn {
                family: props.family.clone(),
                qualifier: props.qualifier.clone().into(),
                range: TimestampRange { start: 0, end: 0 },
            },
            Open::Add([family, qualifier, value]) => Mutation::SetCell {
                family: family.clone(),
                qualifier: qualifier.as_str().into(),
                timestamp: SERVER_TIME,
                value: value.as_str().into(),
            },
        })
    }

    fn question(&self, ctx: &Context<Self>, deleted: Deleted) -> Html {
        let (says, props) = (&messages().results.by_hand, ctx.props());
        let name = match deleted {
            Deleted::Row => plain(&props.row),
            Deleted::Family => props.family.clone(),
            Deleted::Column => props.column.clone(),
        };
        let question = (says.question)(deleted, &name);
        html! {
            <div ref={self.focus.clone()} class="by-hand-open" role="group" aria-label={question.clone()} tabindex="-1">
                <p class="small">{question}</p>
                { push(says.delete, None, ButtonKind::Primary, ctx.link().callback(|()| Msg::Save)) }
                { push(says.keep, None, ButtonKind::Quiet, ctx.link().callback(|()| Msg::Close)) }
            </div>
        }
    }

    fn fields(&self, ctx: &Context<Self>, texts: &[String; 3]) -> Html {
        let says = &messages().results.by_hand;
        let on_key =
            ctx.link().batch_callback(|event: KeyboardEvent| (event.key() == "Enter").then_some(Msg::Save));
        let field = |at: usize| {
            let oninput = ctx.link().callback(move |event: InputEvent| {
                let input: HtmlInputElement = event.target_unchecked_into();
                Msg::Typed(at, input.value())
            });
            html! {
                <label class="field">
                    <span class="field-label">{says.fields[at]}</span>
                    <input ref={if at == 1 { self.focus.clone() } else { NodeRef::default() }} class="input mono" value={texts[at].clone()}
                        spellcheck="false" autocomplete="off" {oninput} onkeydown={on_key.clone()} />
                </label>
            }
        };
        html! {
            <div class="by-hand-open" data-undo="own" role="group" aria-label={says.new_cell}>
                { for (0..texts.len()).map(field) }
                { push(says.save_cell, None, ButtonKind::Primary, ctx.link().callback(|()| Msg::Save)) }
                { push(messages().results.details.cancel, None, ButtonKind::Quiet, ctx.link().callback(|()| Msg::Close)) }
            </div>
        }
    }
}

impl Component for RowTools {
    type Message = Msg;
    type Properties = RowToolsProps;

    fn create(_: &Context<Self>) -> Self {
        RowTools::default()
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Open(open) => (self.open, self.opens) = (Some(open), true),
            // The field keeps what is typed, so nothing is redrawn.
            Msg::Typed(at, text) => {
                if let Some(Open::Add(texts)) = &mut self.open {
                    texts[at] = text;
                }
                return false;
            }
            Msg::Save => {
                let props = ctx.props();
                if let Some(mutation) = self.mutation(props) {
                    props.on_write.emit(RowMutation { key: props.row.clone(), mutations: vec![mutation] });
                }
                self.open = None;
                props.on_done.emit(());
            }
            Msg::Close => {
                self.open = None;
                ctx.props().on_done.emit(());
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let (says, props) = (&messages().results.by_hand, ctx.props());
        let delete = |deleted: Deleted| {
            let on_click = ctx.link().callback(move |()| Msg::Open(Open::Delete(deleted)));
            push((says.deletes)(deleted), Some(Icon::Close), ButtonKind::Quiet, on_click)
        };
        let add = {
            let family = props.family.clone();
            ctx.link()
                .callback(move |()| Msg::Open(Open::Add([family.clone(), String::new(), String::new()])))
        };
        let onkeydown = ctx.link().batch_callback(|event: KeyboardEvent| {
            (event.key() == "Escape").then(|| {
                event.stop_propagation();
                Msg::Close
            })
        });
        let open = self.open.as_ref().map(|open| match open {
            Open::Delete(deleted) => self.question(ctx, *deleted),
            Open::Add(texts) => self.fields(ctx, texts),
        });
        html! {
            <div class="by-hand" role="group" aria-label={says.title}>
                { push(says.add_cell, Some(Icon::Plus), ButtonKind::Quiet, add) }
                { for [Deleted::Column, Deleted::Family, Deleted::Row].map(delete) }
                if let Some(open) = open { <div {onkeydown}>{open}</div> }
            </div>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        if std::mem::take(&mut self.opens)
            && let Some(focused) = self.focus.cast::<HtmlElement>()
        {
            // Fails only for an element that is not shown.
            drop(focused.focus());
        }
    }
}
