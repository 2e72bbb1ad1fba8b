//! The command `help`.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::Write as _;

use super::arguments::{Input, InputResult};
use super::form::CommandForm;
use super::forms::{FORMS, find};
use crate::place::WRITTEN;
use crate::task::{PrintText, Task};

/// Prints all commands, or the syntax of one.
pub(super) fn help(input: Input) -> InputResult<Box<dyn Task>> {
    let text = match input.word(0) {
        Some(name) => about(find(name).map_err(Box::new)?),
        None => all(),
    };
    Ok(Box::new(PrintText(text)))
}

fn all() -> String {
    let mut out = String::new();
    for form in FORMS {
        line(&mut out, "", form.name, 20, form.about);
    }
    out.push_str("\nhelp <command> prints its syntax. Quotes are those of bash: 'a b', \"a b\", $'\\x00'.\n");
    out
}

fn about(form: &CommandForm) -> String {
    let mut out = String::new();
    writeln!(out, "{}\n\n  cbt {}", form.about, form.usage()).expect(WRITTEN);
    if !form.options.is_empty() {
        out.push('\n');
    }
    for option in form.options {
        line(&mut out, "  ", &[option.name, "=", option.value].concat(), 36, option.about);
    }
    out
}

fn line(out: &mut String, indent: &str, name: &str, width: usize, about: &str) {
    writeln!(out, "{indent}{name:width$} {about}").expect(WRITTEN);
}
