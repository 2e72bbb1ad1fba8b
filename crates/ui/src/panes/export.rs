//! The export to a real Bigtable: commands that make the table, and code that makes its keys and
//! runs its queries.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use tabletop_export::{Export, ExportInput, ExportTable};
use tabletop_keys::{Layout, Query, Template};
use tabletop_model::{ColumnFamily, RowKey};
use tabletop_texts::messages;
use tabletop_workspace::{Design, NamedQuery, Workspace, tables_of_designs};
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::{AttrValue, Callback, Event, Html, TargetCast, html};

use crate::browser;
use crate::kit::{ButtonKind, Icon, Label, icon, push, select, text_field, tool};
use crate::page::actions::{Actions, ShellAction, copy};
use crate::page::state::{CloudInstance, PageState, Part};

const DIALOG: &str = "export";

/// The dialog of the export to a real Bigtable.
#[derive(Clone, Debug)]
pub struct ExportLook {
    /// Whether the dialog is open.
    pub open: bool,
    /// Index in [`tabletop_export::Export::ALL`].
    which: usize,
    /// The position of the only table that is written among the tables of its design; `None` writes
    /// all of them.
    only: Option<usize>,
    /// The name of the table, if there is only one; `None` uses the design's name.
    table: Option<String>,
    /// Whether the table is split in advance at keys of the events.
    pre_split: bool,
}

impl Part for ExportLook {}

impl Default for ExportLook {
    fn default() -> Self {
        ExportLook { open: false, which: 0, only: None, table: None, pre_split: true }
    }
}

/// Returns a callback that opens the dialog.
pub fn open_export(actions: &Actions) -> Callback<()> {
    let (shell, show) = (actions.shell.clone(), actions.part(|look: &mut ExportLook| look.open = true));
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
    let look = state.look.part::<ExportLook>();
    let close = Callback::from(|()| dialog().iter().for_each(HtmlDialogElement::close));
    let onclose = actions.part(|look: &mut ExportLook| look.open = false).reform(|_| ());
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
    let (look, cloud, says) =
        (state.look.part::<ExportLook>(), state.look.part::<CloudInstance>(), &messages().export);
    let Some(template) = &state.shown.right else {
        return html! {
            <p class="problem">{icon(Icon::Error)}<span>{says.template_invalid}</span></p>
        };
    };
    let export = Export::ALL[look.which];
    let labels = Export::ALL.map(Export::label);
    let designs = &state.workspace.designs;
    let of_design = tables_of(designs, state.design);
    let only = look.only.filter(|at| of_design.len() > 1 && *at < of_design.len());
    let places = only.map_or(of_design.clone(), |at| of_design.start + at..of_design.start + at + 1);
    let is_one = places.len() == 1;
    let own_name = look.table.clone().filter(|_| is_one);
    let id = own_name.unwrap_or_else(|| state.workspace.table_ids().swap_remove(places.start));
    let written = written(export, state, template, places, &id);
    let content: Rc<str> = written.as_ref().map_or("", |written| &written.text).into();
    let warnings = written.as_ref().map(|written| written.warnings.clone()).unwrap_or_default();
    let choices: Vec<String> = std::iter::once((says.all_tables)(of_design.len()))
        .chain(of_design.clone().map(|at| designs[at].name.clone()))
        .collect();
    let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
    let on_tables = actions
        .part_at(|look: &mut ExportLook, at: usize| (look.only, look.table) = (at.checked_sub(1), None));
    let on_pre_split = actions
        .part_at(|look: &mut ExportLook, checked: bool| look.pre_split = checked)
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
                { select(Label::Shown(says.what), &labels, Some(look.which), actions.part_at(|look: &mut ExportLook, at: usize| look.which = at)) }
                { text_field(says.project, &cloud.project, actions.part_at(|cloud: &mut CloudInstance, text: String| cloud.project = text)) }
                { text_field(says.instance, &cloud.instance, actions.part_at(|cloud: &mut CloudInstance, text: String| cloud.instance = text)) }
                if of_design.len() > 1 {
                    { select(Label::Shown(says.tables), &choices, Some(only.map_or(0, |at| at + 1)), on_tables) }
                }
                if is_one {
                    { text_field(says.table, &id, actions.part_at(|look: &mut ExportLook, text: String| look.table = Some(text))) }
                }
            </div>
            <label class="check">
                <input type="checkbox" checked={look.pre_split} onchange={on_pre_split} />
                {says.pre_split}
            </label>
            { for warnings.iter().map(|warning| html! {
                <p class="results-note">
                    {icon(Icon::Warning)}
                    <span>{warning.clone()}</span>
                </p>
            }) }
            if let Err(why) = &written {
                <p class="soft" role="status">{why.clone()}</p>
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

/// An export, and the warnings about its split points.
struct Written {
    text: String,
    warnings: Vec<String>,
}

/// A table that is written.
struct Table<'a> {
    id: String,
    template: Cow<'a, Template>,
    layout: &'a Layout,
    families: Vec<ColumnFamily>,
    splits: &'a [RowKey],
    queries: Vec<(&'a str, &'a Query)>,
}

/// Writes some tables of the design shown. `id` is the id of the first. An error is for the user.
fn written(
    export: Export,
    state: &PageState,
    template: &Template,
    places: Range<usize>,
    id: &str,
) -> Result<Written, String> {
    let ids = state.workspace.table_ids();
    let table = |at: usize| {
        let mut table = table(state, template, &ids[at], at)?;
        if at == places.start {
            table.id = id.into();
        }
        Ok(table)
    };
    let tables = places.clone().map(table).collect::<Result<Vec<Table>, String>>()?;
    let tables: Vec<ExportTable> = tables.iter().map(Table::export).collect();
    let cloud = state.look.part::<CloudInstance>();
    let (project, instance) = (&cloud.project, &cloud.instance);
    let input = ExportInput { project, instance, tables: &tables };
    Ok(Written { text: export.write(&input), warnings: input.splits_warnings() })
}

/// Returns one table as the page knows it. An error is for the user.
fn table<'a>(state: &'a PageState, template: &'a Template, id: &str, at: usize) -> Result<Table<'a>, String> {
    let says = &messages().export;
    let Workspace { designs, queries, query, .. } = &*state.workspace;
    let (design, is_shown) = (&designs[at], at == state.design);
    let spec = state.shell.spec(id);
    let template = if is_shown {
        Cow::Borrowed(template)
    } else {
        let (template, problems) = Template::parse(&design.template, &state.shown.fields);
        if !problems.is_empty() {
            return Err((says.template_of_invalid)(&design.name));
        }
        Cow::Owned(template)
    };
    let families = match spec {
        _ if is_shown => state.families(),
        Some(spec) => spec.families.clone(),
        None => return Err(says.waits.into()),
    };
    let tables = tables_of(designs, at);
    // A query that reads an index table belongs to that table.
    let of_table = queries.iter().filter(|named| named.table_of(designs, &tables) == at);
    let mut of_table: Vec<(&str, &Query)> =
        of_table.map(|NamedQuery { name, query, .. }| (&**name, query)).collect();
    if is_shown && !queries.iter().any(|named| named.query == *query) {
        of_table.push((says.unsaved, query));
    }
    let splits = spec
        .filter(|_| state.look.part::<ExportLook>().pre_split)
        .map(|spec| spec.initial_splits.as_slice())
        .unwrap_or_default();
    Ok(Table { id: id.into(), template, layout: &design.layout, families, splits, queries: of_table })
}

impl Table<'_> {
    fn export(&self) -> ExportTable<'_> {
        let Table { id, template, layout, families, splits, queries } = self;
        ExportTable { id, template, layout, families, splits, queries }
    }
}

/// Returns the indexes of the tables of the design with this table.
fn tables_of(designs: &[Design], table: usize) -> Range<usize> {
    tables_of_designs(designs).into_iter().find(|tables| tables.contains(&table)).unwrap_or(table..table + 1)
}

fn dialog() -> Option<HtmlDialogElement> {
    browser::document().get_element_by_id(DIALOG)?.dyn_into().ok()
}
