//! The commands that were given before, for the arrow keys.

/// Commands that are kept.
const COMMANDS_MAX: usize = 200;
/// Between two of them where they are kept: no command has one.
const PARTING: char = '\u{1e}';

/// Commands, the latest last, and where the arrow keys are among them.
#[derive(Debug, Default)]
pub struct CommandHistory {
    commands: Vec<String>,
    /// The one that is shown; nothing for what is being typed.
    at: Option<usize>,
    /// What was being typed when the first arrow was pressed.
    typed: String,
}

impl CommandHistory {
    /// The commands of a text that [`CommandHistory::text`] returned.
    pub fn read(text: &str) -> CommandHistory {
        let commands = text.split(PARTING).filter(|command| !command.is_empty()).map(String::from).collect();
        CommandHistory { commands, ..CommandHistory::default() }
    }

    /// Takes a command in; the same again counts once.
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

    /// All of them as one text.
    pub fn text(&self) -> String {
        self.commands.join(&PARTING.to_string())
    }

    /// The command before the one that is shown, if there is one.
    pub fn up(&mut self, line: &str) -> Option<String> {
        let at = self.at.unwrap_or(self.commands.len()).checked_sub(1)?;
        if self.at.is_none() {
            line.clone_into(&mut self.typed);
        }
        self.at = Some(at);
        Some(self.commands[at].clone())
    }

    /// The command behind the one that is shown; behind the last is what was being typed.
    pub fn down(&mut self) -> Option<String> {
        let at = self.at? + 1;
        self.at = (at < self.commands.len()).then_some(at);
        Some(self.at.map_or_else(|| std::mem::take(&mut self.typed), |at| self.commands[at].clone()))
    }

    /// Something was typed: the arrows begin at the end again.
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
