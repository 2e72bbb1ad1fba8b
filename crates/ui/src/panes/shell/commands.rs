//! Parts of the page as commands: the query, the design, a row.

use tabletop_keys::{LayoutWriter, Record};
use tabletop_model::{ReadRows, Request, RowKey, RowSet, TableRequest};
use tabletop_shell::{Language, write};
use tabletop_texts::messages;
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, Icon, icon, push};
use crate::page::actions::{Actions, ShellAction, copy};
use crate::page::state::{PageState, ROWS_FILE};

/// The number of events that are written as commands.
const EVENTS_SHOWN: usize = 3;

/// Writes parts of the page in the language of the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// The table of the design shown.
    pub table: String,
    /// The language.
    pub language: Language,
}

impl Commands {
    /// Makes the writer for the design shown.
    pub fn of(state: &PageState) -> Commands {
        Commands { table: state.table_id(), language: state.look.language }
    }

    /// Writes the read of one row.
    pub fn lookup(&self, key: &RowKey) -> String {
        let rows = RowSet { keys: vec![key.clone()], ranges: Vec::new() };
        self.write(TableRequest::ReadRows(ReadRows { rows, ..ReadRows::default() }).of(self.table.clone()))
    }

    /// Writes the current query.
    pub fn query(&self, state: &PageState) -> Result<String, String> {
        let query = &state.workspace.query;
        let Some(template) = &state.shown.right else { return Err(messages().query.template_invalid.into()) };
        let layout = state.design().readable_layout();
        let plan = template.plan(&query.rows, &layout).map_err(|error| error.message)?;
        let order = template.row_order(query, &layout);
        let filter = plan.filter(query.filter.as_ref());
        let reads = plan.parts.iter().map(|rows| {
            // Each key has one row. A limit is only needed if it is below the number of keys, and a
            // single row has no order.
            let keys = rows.keys.len() as u64;
            let is_keys = rows.ranges.is_empty() && keys > 0;
            let read = ReadRows {
                rows: rows.clone(),
                filter: filter.clone(),
                rows_limit: if is_keys && order.rows_limit >= keys { 0 } else { order.rows_limit },
                reversed: order.reversed && !(is_keys && keys == 1),
                ..ReadRows::default()
            };
            self.write(TableRequest::ReadRows(read).of(self.table.clone()))
        });
        Ok(reads.filter(|command| !command.is_empty()).collect::<Vec<_>>().join("\n"))
    }

    /// Writes the import of the table's rows from a file. The HBase shell has no such command.
    pub fn import(&self) -> String {
        match self.language {
            Language::Cbt => format!("import {} {ROWS_FILE} timestamp=value-encoded", self.table),
            Language::HBase => String::new(),
        }
    }

    /// Writes the read of the keys between tablets, which clients can sample.
    pub fn tablets(&self) -> String {
        self.write(TableRequest::SampleRowKeys.of(self.table.clone()))
    }

    /// Writes the first events as the design stores them.
    pub fn first_events(&self, state: &PageState) -> String {
        let Some(template) = &state.shown.right else { return String::new() };
        let preview = &state.preview;
        let writer = LayoutWriter::new(&state.design().layout, &preview.fields, template)
            .with_families(&state.design().families);
        let events = preview.events.iter().take(EVENTS_SHOWN).enumerate();
        let entries = events.filter_map(|(index, event)| {
            let values: Vec<Option<&str>> = event.iter().map(Option::as_deref).collect();
            writer.write(&Record { fields: &preview.fields, values: &values }, index as u64).ok()
        });
        self.write(TableRequest::MutateRows(entries.collect()).of(self.table.clone()))
    }

    fn write(&self, request: Request) -> String {
        write(self.language, &request).join("\n")
    }
}

/// Draws commands with a button that shows them, to copy them or to run them in the shell. `which`
/// names them on the page; `title` names them in a language.
pub fn as_commands(
    which: &'static str,
    title: fn(&str) -> String,
    state: &PageState,
    actions: &Actions,
    commands: &dyn Fn(&Commands) -> Result<String, String>,
) -> Html {
    let language = if state.look.language == Language::Cbt { "cbt" } else { "HBase" };
    foldable(which, title(language), state, actions, &|| opened(state, actions, commands))
}

/// Draws a part of a pane with a button that unfolds it. `which` names the part on the page.
pub fn foldable(
    which: &'static str,
    title: String,
    state: &PageState,
    actions: &Actions,
    content: &dyn Fn() -> Html,
) -> Html {
    let open = state.look.unfolded.contains(&which);
    let toggle = actions.look(move |look| {
        if open { look.unfolded.retain(|each| *each != which) } else { look.unfolded.push(which) }
    });
    let id = format!("unfolded-{which}");
    html! {
        <div class="commands">
            <button type="button" class="fold commands-fold" aria-expanded={if open { "true" } else { "false" }} aria-controls={id.clone()}
                onclick={toggle.reform(|_| ())}>
                {icon(if open { Icon::Down } else { Icon::Right })}
                {title}
            </button>
            <div {id} hidden={!open}>
                if open { { content() } }
            </div>
        </div>
    }
}

/// Draws the commands. Its code is fetched later, because a first visit opens none.
#[inline(never)]
fn opened(
    state: &PageState,
    actions: &Actions,
    commands: &dyn Fn(&Commands) -> Result<String, String>,
) -> Html {
    let says = &messages().shell.as_commands;
    let soft = |text: String| html! { <p class="soft small">{text}</p> };
    match commands(&Commands::of(state)) {
        Ok(text) if text.is_empty() => soft(says.impossible.into()),
        Ok(text) => shown(&text, actions),
        Err(why) => soft(why),
    }
}

fn shown(text: &str, actions: &Actions) -> Html {
    let says = &messages().shell.as_commands;
    let copy = {
        let (text, actions) = (text.to_owned(), actions.clone());
        Callback::from(move |()| copy(text.clone(), says.copied, actions.act.clone()))
    };
    let run = {
        let text = text.to_owned();
        actions.shell.reform(move |()| ShellAction::Show(text.clone()))
    };
    html! {
        <>
            <pre class="commands-text" tabindex="0" role="group" aria-label={says.title}>{text.to_owned()}</pre>
            { push(says.copy, Some(Icon::Copy), ButtonKind::Quiet, copy) }
            { push(says.run, Some(Icon::Play), ButtonKind::Quiet, run) }
        </>
    }
}
