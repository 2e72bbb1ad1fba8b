//! The export to a real Bigtable: commands that make the table, and code that makes its keys and runs its queries.

use std::ops::Range;
use std::rc::Rc;

use tabletop_export::{Export, ExportInput};
use tabletop_schema::{Design, NamedQuery, Template, Workspace, tables_of_designs};
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::{AttrValue, Callback, Event, Html, TargetCast, html};

use crate::actions::{Actions, ShellAction, copy};
use crate::browser;
use crate::messages::messages;
use crate::state::PageState;
use crate::widgets::{ButtonKind, Icon, Label, icon, push, select, text_field, tool};

const DIALOG: &str = "export";
/// Name of the query on the screen, if none is saved.
const UNSAVED: &str = "query";

/// Returns a callback that opens the dialog.
pub fn open_export(actions: &Actions) -> Callback<()> {
    let (shell, show) = (actions.shell.clone(), actions.look(|look| look.export.open = true));
    Callback::from(move |()| {
        if let Some(dialog) = dialog() {
            // Commands can have changed GC rules and splits.
            shell.emit(ShellAction::Known);
            show.emit(());
            // Fails only if it is already open.
            let _ = dialog.show_modal();
        }
    })
}

/// Draws the dialog, closed until it is opened.
pub fn export_dialog(state: &PageState, actions: &Actions) -> Html {
    let look = &state.look.export;
    let close = Callback::from(|()| dialog().iter().for_each(HtmlDialogElement::close));
    let onclose = actions.look(|look| look.export.open = false).reform(|_| ());
    html! {
        <dialog id={DIALOG} class="export" data-undo="own" aria-labelledby="export-title" {onclose}>
            <div class="dialog-head">
                <h2 id="export-title">{messages().export.title}</h2>
                { tool(messages().common.close, Icon::Close, close) }
            </div>
            if look.open { { body(state, actions) } }
        </dialog>
    }
}

fn body(state: &PageState, actions: &Actions) -> Html {
    let (look, says) = (&state.look.export, &messages().export);
    let Some(template) = &state.shown.right else {
        return html! {
            <p class="problem">{icon(Icon::Error)}<span>{says.template_invalid}</span></p>
        };
    };
    let export = Export::ALL[look.which];
    let labels = Export::ALL.map(Export::label);
    let table = look.table.clone().unwrap_or_else(|| state.table_id());
    let Written { text, warning } = written(export, state, template, &table);
    let content: Rc<str> = text.into();
    let designs = &state.workspace.designs;
    let others = tables_of(designs, state.design).filter(|at| *at != state.design).map(|at| designs[at].name.as_str());
    let others: Vec<&str> = others.collect();
    let on_pre_split = actions
        .look_at(|look, checked: bool| look.export.pre_split = checked)
        .reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    let copy = {
        let (content, actions) = (content.clone(), actions.clone());
        Callback::from(move |()| copy(content.to_string(), messages().common.copied, actions.act.clone()))
    };
    let download = {
        let (content, actions) = (content.clone(), actions.clone());
        Callback::from(move |()| {
            actions.say(match browser::download(export.file_name(), "text/plain", &content) {
                Ok(()) => messages().common.downloaded,
                Err(_) => messages().common.download_forbidden,
            });
        })
    };
    html! {
        <>
            <p class="soft">{says.about}</p>
            <div class="export-fields">
                { select(Label::Shown(says.what), &labels, Some(look.which), actions.look_at(|look, at: usize| look.export.which = at)) }
                { text_field(says.project, &look.project, actions.look_at(|look, text: String| look.export.project = text)) }
                { text_field(says.instance, &look.instance, actions.look_at(|look, text: String| look.export.instance = text)) }
                { text_field(says.table, &table, actions.look_at(|look, text: String| look.export.table = Some(text))) }
            </div>
            <label class="check">
                <input type="checkbox" checked={look.pre_split} onchange={on_pre_split} />
                {says.pre_split}
            </label>
            if let Some(warning) = warning {
                <p class="results-note">
                    {icon(Icon::Warning)}
                    <span>{warning}</span>
                </p>
            }
            if !others.is_empty() {
                <p class="results-note">
                    {icon(Icon::Info)}
                    <span>{(says.other_tables)(&others)}</span>
                </p>
            }
            <pre class="commands-text export-text" tabindex="0" role="group" aria-label={says.content}>{AttrValue::from(content)}</pre>
            <div class="export-tools">
                { push(messages().common.download, Some(Icon::Download), ButtonKind::Primary, download) }
                { push(messages().common.copy, Some(Icon::Copy), ButtonKind::Plain, copy) }
                <span class="soft mono">{export.file_name()}</span>
            </div>
        </>
    }
}

/// An export, and the warning about its split points.
struct Written {
    text: String,
    warning: Option<&'static str>,
}

fn written(export: Export, state: &PageState, template: &Template, table: &str) -> Written {
    let (spec, families) = (state.shell.spec(&state.table_id()), state.families());
    let splits = spec.filter(|_| state.look.export.pre_split).map(|spec| spec.initial_splits.as_slice()).unwrap_or_default();
    let Workspace { designs, queries: saved, query, .. } = &*state.workspace;
    let tables = tables_of(designs, state.design);
    // A query that reads an index table is one of that table.
    let of_table = saved.iter().filter(|named| named.table_of(designs, &tables) == state.design);
    let of_table: Vec<(&str, _)> = of_table.map(|NamedQuery { name, query, .. }| (&**name, query)).collect();
    let queries = if saved.is_empty() { vec![(UNSAVED, query)] } else { of_table };
    let input = ExportInput {
        project: &state.look.export.project,
        instance: &state.look.export.instance,
        table,
        template,
        layout: &state.design().layout,
        families: &families,
        splits,
        queries: &queries,
    };
    Written { text: export.write(&input), warning: input.splits_warning() }
}

/// Returns the indexes of the tables of the design with this table.
fn tables_of(designs: &[Design], table: usize) -> Range<usize> {
    tables_of_designs(designs).into_iter().find(|tables| tables.contains(&table)).unwrap_or(table..table + 1)
}

fn dialog() -> Option<HtmlDialogElement> {
    browser::document().get_element_by_id(DIALOG)?.dyn_into().ok()
}
