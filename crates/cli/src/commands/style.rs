//! Colours, where a person sees them and has not asked for none (`NO_COLOR`).

use std::io::{IsTerminal, stderr, stdout};

use crate::progress::escapes_are_wanted;

/// How texts are set off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    is_coloured: bool,
}

impl Style {
    /// For the output.
    pub(crate) fn of_output() -> Style {
        Style { is_coloured: stdout().is_terminal() && escapes_are_wanted() }
    }

    /// For messages.
    pub(crate) fn of_errors() -> Style {
        Style { is_coloured: stderr().is_terminal() && escapes_are_wanted() }
    }

    /// For texts that go into a file.
    #[cfg(test)]
    pub(crate) fn plain() -> Style {
        Style { is_coloured: false }
    }

    /// Something that is as it should be.
    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Something that is not.
    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// A heading.
    pub(crate) fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }
}
