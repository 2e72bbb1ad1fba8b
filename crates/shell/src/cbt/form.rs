//! The name and the arguments of a command.

use alloc::boxed::Box;
use alloc::string::String;

use super::arguments::{Input, InputResult};
use crate::task::Task;

/// One command.
pub(crate) struct CommandForm {
    /// The command's name.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The arguments; arguments in brackets may be left out.
    pub takes: &'static [(&'static str, Takes)],
    /// Words that may be repeated after them. Without brackets, at least one is required.
    pub rest: Option<&'static str>,
    /// `name=value` after the arguments.
    pub options: &'static [Opt],
    /// Starts the command.
    pub(super) start: fn(Input) -> InputResult<Box<dyn Task>>,
}

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A table that exists.
    Table,
    /// A column family of that table.
    Family,
    /// The name of a command.
    Command,
    /// Anything else.
    Text,
}

/// One option.
pub(crate) struct Opt {
    /// The text before the `=`.
    pub name: &'static str,
    /// The text after the `=`.
    pub value: &'static str,
    /// A short description.
    pub about: &'static str,
}

impl CommandForm {
    /// The syntax, in one line.
    pub fn usage(&self) -> String {
        let mut out = self.places();
        for option in self.options {
            out.extend([" [", option.name, "=", option.value, "]"]);
        }
        out.extend(self.rest.map(|rest| [" ", rest].concat()));
        out
    }

    /// The syntax without the options.
    pub fn brief(&self) -> String {
        let more = if self.options.is_empty() { "" } else { " [<option>=<value> ...]" };
        [self.places().as_str(), self.rest.map_or("", |_| " "), self.rest.unwrap_or(more)].concat()
    }

    fn places(&self) -> String {
        let mut out = String::from(self.name);
        for (name, _) in self.takes {
            match name.strip_prefix('[') {
                Some(name) => out.extend([" [<", name.trim_end_matches(']'), ">]"]),
                None if name.ends_with(']') => out.extend([" <", name]),
                None => out.extend([" <", name, ">"]),
            }
        }
        out
    }
}
