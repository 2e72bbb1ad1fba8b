//! Colours, if the output is a terminal and `NO_COLOR` is not set.

use std::io::{IsTerminal, stderr, stdout};

use crate::progress::escapes_are_enabled;

/// A style of texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    is_coloured: bool,
}

impl Style {
    /// Returns the style of standard output.
    pub(crate) fn of_output() -> Style {
        Style { is_coloured: stdout().is_terminal() && escapes_are_enabled() }
    }

    /// Returns the style of messages on standard error.
    pub(crate) fn of_errors() -> Style {
        Style { is_coloured: stderr().is_terminal() && escapes_are_enabled() }
    }

    /// Returns the style of texts in a file.
    #[cfg(test)]
    pub(crate) fn plain() -> Style {
        Style { is_coloured: false }
    }

    /// Formats a success.
    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Formats a failure.
    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// Formats a heading.
    pub(crate) fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }
}
