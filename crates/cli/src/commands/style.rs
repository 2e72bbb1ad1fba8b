//! The styles of texts for terminals. They are printed through `anstream`, which removes them if the output is not a terminal, if
//! `NO_COLOR` is set, and on a dumb terminal.

use anstyle::{AnsiColor, Style};

/// A success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A failure.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// A heading.
pub(crate) const STRONG: Style = Style::new().bold();
