//! The line in which commands are typed: its text, the offered completions, and the effect of keys.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_shell::{Completion, Language, complete};

use super::CommandHistory;

/// The maximum number of completions that are offered together.
const OFFERED_MAX: usize = 50;

/// The line that is being typed. It is kept while the shell is folded.
#[derive(Debug, Default)]
pub struct PromptLine {
    text: String,
    history: CommandHistory,
    offered: Vec<Completion>,
    /// The completion that Enter takes: an index into `offered`, or 0 without any.
    active: usize,
    /// The caret position to set once the field shows the text.
    caret: Option<usize>,
}

/// A key that was pressed in the line.
pub struct KeyPress<'a> {
    /// The name in the browser.
    pub key: &'a str,
    /// Whether the Control key is down.
    pub ctrl: bool,
    /// Whether the Shift key is down.
    pub shift: bool,
    /// The caret position, in bytes of the text.
    pub caret: usize,
    /// Whether some of the text is selected.
    pub selects: bool,
}

/// The context of the line.
pub struct PromptContext<'a> {
    /// The language of the command.
    pub language: Language,
    /// Whether a command runs, and can be cancelled.
    pub running: bool,
    /// Tables and their families.
    pub tables: &'a [(String, Vec<String>)],
}

/// The effect of a key beyond the line.
#[derive(Debug, PartialEq, Eq)]
pub enum Pressed {
    /// The key is left to the browser.
    Ignored,
    /// The key was handled.
    Done,
    /// The key runs these commands.
    Run(String),
    /// The key cancels the running command.
    Cancel,
}

impl PromptLine {
    /// Makes an empty line with earlier commands.
    pub fn new(history: CommandHistory) -> PromptLine {
        PromptLine { history, ..PromptLine::default() }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the earlier commands.
    pub fn history(&self) -> &CommandHistory {
        &self.history
    }

    /// Returns the offered completions, and the index of the one that Enter takes.
    pub fn offered(&self) -> (&[Completion], usize) {
        (&self.offered, self.active)
    }

    /// Returns the new caret position once, in bytes of the text.
    pub fn take_caret(&mut self) -> Option<usize> {
        self.caret.take()
    }

    /// Adds a command to the history.
    pub fn push(&mut self, command: &str) {
        self.history.push(command);
    }

    /// Sets the text that the user has typed.
    pub fn set_text(&mut self, text: String) {
        self.text = text;
        self.history.leave();
        self.offered.clear();
    }

    /// Empties the line.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// Applies a key to the line.
    pub fn press(&mut self, press: &KeyPress, shell: &PromptContext) -> Pressed {
        let (offers, caret) = (!self.offered.is_empty(), press.caret);
        match press.key {
            "Enter" | "Tab" if offers && !press.shift => self.take(self.active),
            "ArrowDown" if offers => self.active = (self.active + 1) % self.offered.len(),
            "ArrowUp" if offers => self.active = (self.active + self.offered.len() - 1) % self.offered.len(),
            "Escape" if offers => self.offered.clear(),
            "Escape" if shell.running => return Pressed::Cancel,
            "c" if press.ctrl && !press.selects && (shell.running || !self.text.is_empty()) => {
                self.text.clear();
                return if shell.running { Pressed::Cancel } else { Pressed::Done };
            }
            "Enter" if !press.shift => {
                let text = core::mem::take(&mut self.text);
                return if text.trim().is_empty() { Pressed::Done } else { Pressed::Run(text) };
            }
            // In an empty line, Tab moves to the next control, as in other fields.
            "Tab" if press.shift || self.text.trim().is_empty() => return Pressed::Ignored,
            "Tab" => self.complete(caret, shell),
            "ArrowUp" if !self.text[..caret].contains('\n') => match self.history.up(&self.text) {
                Some(earlier) => self.show(earlier),
                None => return Pressed::Ignored,
            },
            "ArrowDown" if !self.text[caret..].contains('\n') => match self.history.down() {
                Some(later) => self.show(later),
                None => return Pressed::Ignored,
            },
            _ => return Pressed::Ignored,
        }
        Pressed::Done
    }

    fn show(&mut self, text: String) {
        self.caret = Some(text.len());
        self.text = text;
    }

    /// Completes the word at the caret if there is one completion, and offers several.
    fn complete(&mut self, caret: usize, shell: &PromptContext) {
        let mut found = complete(shell.language, &self.text, caret, shell.tables);
        found.truncate(OFFERED_MAX);
        (self.offered, self.active) = (found, 0);
        match self.offered.as_slice() {
            [only] if self.text.get(only.span.start as usize..only.span.end as usize) == Some(&only.text) => {
                self.offered.clear();
            }
            [_] => self.take(0),
            _ => {}
        }
    }

    /// Replaces the word at the caret by a completion.
    pub fn take(&mut self, at: usize) {
        let Some(completion) = self.offered.get(at).cloned() else { return };
        self.offered.clear();
        let (start, end) = (completion.span.start as usize, completion.span.end as usize);
        let (Some(before), Some(after)) = (self.text.get(..start), self.text.get(end.max(start)..)) else {
            return;
        };
        // A space ends the word, unless more text follows the completion.
        let goes_on = completion.text.ends_with(['=', ':', ',', '(', '\'']) || after.starts_with(' ');
        let text = format!("{before}{}{}", completion.text, if goes_on { "" } else { " " });
        self.caret = Some(text.len());
        self.text = text + after;
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::Span;

    use super::*;

    fn line(text: &str, offered: &[(u32, u32, &str)]) -> PromptLine {
        let completion = |(start, end, text): &(u32, u32, &str)| Completion {
            span: Span { start: *start, end: *end },
            text: (*text).into(),
            about: String::new(),
        };
        PromptLine {
            text: text.into(),
            offered: offered.iter().map(completion).collect(),
            ..PromptLine::default()
        }
    }

    #[test]
    fn a_completion_takes_the_place_of_the_word() {
        for (text, offered, after) in [
            ("re", (0, 2, "read"), "read |"),
            ("read \u{e9} pre", (8, 11, "prefix="), "read \u{e9} prefix=|"),
            ("re t", (0, 2, "read"), "read| t"),
            ("re", (9, 2, "read"), "re"),
        ] {
            let mut line = line(text, &[offered]);
            line.take(0);
            let shown = line
                .caret
                .map_or(line.text.clone(), |at| format!("{}|{}", &line.text[..at], &line.text[at..]));
            assert_eq!(shown, after);
        }
    }

    #[test]
    fn a_key_is_for_the_list_first_then_for_the_command_then_for_the_browser() {
        let press = |key, ctrl, caret| KeyPress { key, ctrl, shift: false, caret, selects: false };
        let idle = PromptContext { language: Language::Cbt, running: false, tables: &[] };
        let busy = PromptContext { running: true, ..idle };
        let mut offers = line("re", &[(0, 2, "read"), (0, 2, "reset")]);
        assert_eq!(offers.press(&press("ArrowDown", false, 2), &idle), Pressed::Done);
        assert_eq!(offers.press(&press("Enter", false, 2), &idle), Pressed::Done);
        assert_eq!(offers.press(&press("Enter", false, 6), &idle), Pressed::Run("reset ".into()));
        assert_eq!(
            offers.press(&press("Enter", false, 0), &idle),
            Pressed::Done,
            "an empty line runs nothing"
        );
        assert_eq!(offers.press(&press("Tab", false, 0), &idle), Pressed::Ignored);
        assert_eq!(offers.press(&press("Escape", false, 0), &idle), Pressed::Ignored);
        assert_eq!(offers.press(&press("Escape", false, 0), &busy), Pressed::Cancel);
        offers.set_text("half".into());
        assert_eq!(offers.press(&press("c", true, 4), &idle), Pressed::Done);
        assert_eq!(offers.text(), "");
        assert_eq!(offers.press(&press("c", true, 0), &idle), Pressed::Ignored);
    }
}
