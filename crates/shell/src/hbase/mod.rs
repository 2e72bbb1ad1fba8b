//! The HBase shell: commands with literals of Ruby, and HBase's output. Times are in milliseconds
//! here.
//!
//! Bigtable has neither disabled tables nor visible tombstones: `disable` and `enable` only check
//! that the table exists, and deleted cells do not appear.

mod alter;
mod commands;
mod filter;
mod form;
mod options;
mod print;
mod ruby;
mod rules;
mod write;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use tabletop_model::{Error, Problem, did_you_mean};

use crate::place::{WRITTEN, problem};
use crate::task::{PrintText, Task};
use form::{COUNT, CREATE, CommandForm, FAMILY, GET, SCAN, Start};
use options::{Input, InputResult};

pub(crate) use ruby::split;
pub(crate) use write::write;

const fn form(
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    names: &'static [&'static str],
    start: Start,
) -> CommandForm {
    CommandForm { name, usage, about, names, start }
}

/// All commands, in the order of their names.
pub(crate) const FORMS: &[CommandForm] = &[
    form(
        "alter",
        "alter 't', {NAME => 'cf', VERSIONS => 5}",
        "Create, change and delete column families",
        FAMILY,
        alter::alter,
    ),
    form("append", "append 't', 'row', 'cf:q', 'value'", "Append bytes to a cell", &[], commands::append),
    form("count", "count 't', {STARTROW => 'a', STOPROW => 'b'}", "Count rows", COUNT, commands::count),
    form(
        "create",
        "create 't', {NAME => 'cf', VERSIONS => 1}, SPLITS => ['a', 'b']",
        "Create a table",
        CREATE,
        commands::create,
    ),
    form(
        "delete",
        "delete 't', 'row', 'cf:q', timestamp",
        "Delete one version of a cell, the newest if none is named",
        &[],
        commands::delete,
    ),
    form(
        "deleteall",
        "deleteall 't', 'row', 'cf:q', timestamp",
        "Delete a row, a family or a column of it",
        &["ROWPREFIXFILTER"],
        commands::delete_all,
    ),
    form("describe", "describe 't'", "Show a table's families", &[], commands::describe),
    form(
        "disable",
        "disable 't'",
        "Check that a table exists: Bigtable's tables need no disabling",
        &[],
        commands::nothing,
    ),
    form("drop", "drop 't'", "Delete a table", &[], commands::drop),
    form(
        "enable",
        "enable 't'",
        "Check that a table exists: Bigtable's tables are enabled",
        &[],
        commands::nothing,
    ),
    form("exists", "exists 't'", "Print whether a table exists", &[], commands::exists),
    form("get", "get 't', 'row', {COLUMN => 'cf:q', VERSIONS => 3}", "Read a row", GET, commands::get),
    form(
        "get_counter",
        "get_counter 't', 'row', 'cf:q'",
        "Read a cell that is a number",
        &[],
        commands::get_counter,
    ),
    form("help", "help 'scan'", "Print help text", &[], help),
    form("incr", "incr 't', 'row', 'cf:q', 1", "Add to a cell that is a number", &[], commands::increment),
    form("list", "list", "List tables", &[], commands::list),
    form("major_compact", "major_compact 't'", "Merge the files of a table", &[], commands::compact),
    form("put", "put 't', 'row', 'cf:q', 'value', timestamp", "Set a cell", &[], commands::put),
    form(
        "scan",
        "scan 't', {STARTROW => 'a', STOPROW => 'b', LIMIT => 5}",
        "Read rows",
        SCAN,
        commands::scan,
    ),
    form("truncate", "truncate 't'", "Delete all rows", &[], commands::truncate),
];

/// Starts the command of a line. Returns `None` for an empty line.
pub(crate) fn start(text: &str) -> Result<Option<Box<dyn Task>>, Problem> {
    let Some(call) = ruby::call(text)? else { return Ok(None) };
    let Some(form) = FORMS.iter().find(|form| form.name == call.name) else {
        let hint = did_you_mean(&call.name, FORMS.iter().map(|form| form.name));
        return Err(problem(call.span, format!("There is no command {}{hint}", call.name)));
    };
    let input = Input::new(form, call, text.len());
    (form.start)(input).map(Some).map_err(|problem| *problem)
}

/// Writes a failed request to the output.
pub(crate) fn write_failure(out: &mut String, error: &Error) {
    writeln!(out, "ERROR: {}", error.message).expect(WRITTEN);
}

fn help(input: Input) -> InputResult<Box<dyn Task>> {
    let mut out = String::new();
    match input.arguments.first() {
        None => {
            for form in FORMS {
                writeln!(out, "{:14} {}", form.name, form.about).expect(WRITTEN);
            }
        }
        Some(name) => {
            let text = input.text(0)?;
            let Some(form) = FORMS.iter().find(|form| form.name == text) else {
                let hint = did_you_mean(&text, FORMS.iter().map(|form| form.name));
                return Err(Box::new(problem(name.span, format!("There is no command {text}{hint}"))));
            };
            writeln!(out, "{}\n\n  {}", form.about, form.usage).expect(WRITTEN);
            if !form.names.is_empty() {
                writeln!(out, "\n  {}", form.names.join(", ")).expect(WRITTEN);
            }
        }
    }
    Ok(Box::new(PrintText(out)))
}
