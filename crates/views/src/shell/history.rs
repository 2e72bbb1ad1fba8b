//! Earlier commands, for the arrow keys.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The maximum number of commands in the history.
const COMMANDS_MAX: usize = 200;
/// The separator of the commands in a text; no command has it.
const PARTING: char = '\u{1e}';

/// Commands, the latest last, and the position of the arrow keys.
#[derive(Debug, Default)]
pub struct CommandHistory {
    commands: Vec<String>,
    /// The command that is shown; `None` for what is being typed.
    at: Option<usize>,
    /// The text in the field when the first arrow was pressed.
    typed: String,
}

impl CommandHistory {
    /// Reads a text of [`CommandHistory::text`].
    pub fn read(text: &str) -> CommandHistory {
        let commands = text.split(PARTING).filter(|command| !command.is_empty()).map(String::from).collect();
        CommandHistory { commands, ..CommandHistory::default() }
    }

    /// Adds a command, unless it is the same as the last one.
    pub fn push(&mut self, command: &str) {
        self.at = None;
        let command = command.trim().replace(PARTING, " ");
        if command.is_empty() || self.commands.last() == Some(&command) {
            return;
        }
        self.commands.push(command);
        let over = self.commands.len().saturating_sub(COMMANDS_MAX);
        self.commands.drain(..over);
    }

    /// Returns all commands as one text.
    pub fn text(&self) -> String {
        self.commands.join(&PARTING.to_string())
    }

    /// Returns the command before the one that is shown.
    pub fn up(&mut self, line: &str) -> Option<String> {
        let at = self.at.unwrap_or(self.commands.len()).checked_sub(1)?;
        if self.at.is_none() {
            line.clone_into(&mut self.typed);
        }
        self.at = Some(at);
        Some(self.commands[at].clone())
    }

    /// Returns the command after the one that is shown. After the last one follows what was being
    /// typed.
    pub fn down(&mut self) -> Option<String> {
        let at = self.at? + 1;
        self.at = (at < self.commands.len()).then_some(at);
        Some(self.at.map_or_else(|| core::mem::take(&mut self.typed), |at| self.commands[at].clone()))
    }

    /// Moves the arrow keys to the end, because something was typed.
    pub fn leave(&mut self) {
        self.at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_back_and_come_back_to_what_was_being_typed() {
        let mut history = CommandHistory::default();
        assert_eq!((history.up("x"), history.down()), (None, None));
        for command in ["ls", " ls ", "read t", "", "count t"] {
            history.push(command);
        }
        assert_eq!(history.up("half"), Some("count t".into()));
        assert_eq!(history.up("count t"), Some("read t".into()));
        assert_eq!(history.up("read t"), Some("ls".into()));
        assert_eq!(history.up("ls"), None);
        assert_eq!(history.down(), Some("read t".into()));
        assert_eq!(history.down(), Some("count t".into()));
        assert_eq!(history.down(), Some("half".into()));
        assert_eq!(history.down(), None);
    }

    #[test]
    fn a_command_begins_at_the_end_again_and_the_oldest_go() {
        let mut history = CommandHistory::default();
        (0..300).for_each(|n| history.push(&n.to_string()));
        assert_eq!(history.commands.len(), COMMANDS_MAX);
        history.up("");
        history.up("");
        history.push("last");
        assert_eq!(history.up(""), Some("last".into()));
    }
}
