//! The styles of texts for terminals. They are printed through `anstream`, which removes them if
//! the output is not a terminal, if `NO_COLOR` is set, and on a dumb terminal.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use tabletop_model::printable;

/// A success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A failure.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// A heading.
pub(crate) const STRONG: Style = Style::new().bold();

/// Prints a message to standard error. It may quote an untrusted file, request or name.
pub(crate) fn tell(message: impl Display) {
    eprintln!("{}", printable(&message.to_string()));
}

/// Prints the reason why the program fails to standard error.
pub(crate) fn complain(message: impl Display) {
    anstream::eprintln!("{BAD}tabletop{BAD:#}: {}", printable(&message.to_string()));
}
