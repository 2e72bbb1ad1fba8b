//! How a person looks at the page.

use tabletop_schema::{Format, OnBadLine, Persistence};
use tabletop_shell::Language;

/// What is open, folded, chosen for the eye only.
pub struct Look {
    /// On a narrow screen, the pane that shows.
    pub pane: Pane,
    /// Whether the screen is narrow.
    pub narrow: bool,
    /// Light, dark or nothing for that of the system.
    pub theme: Option<&'static str>,
    /// Panes of the left column that are folded.
    pub folded: Vec<&'static str>,
    /// The kind of source that is looked at, if it is not that of the workspace.
    pub source: Option<SourceKind>,
    /// How a person's own events are to be read that are still to be chosen.
    pub reading: (Format, OnBadLine),
    /// The part of the template whose editor is open.
    pub part: Option<usize>,
    /// The time format of a field that was typed last and cannot be used.
    pub time_format: Option<WrongFormat>,
    /// A person has asked to start over, and is asked whether they mean it.
    pub starting_over: bool,
    /// A text was to be loaded, and there was none.
    pub paste_missing: bool,
    /// The solid part that is being dragged.
    pub dragged: Option<usize>,
    /// The one that it is held over.
    pub drop_target: Option<usize>,
    /// A file is held over the page.
    pub dropping: bool,
    /// What the width of a tablet says.
    pub measure: Measure,
    /// 1 fits all tablets into the pane, as far as they go.
    pub zoom: f64,
    /// Tablets as a table.
    pub as_table: bool,
    /// How many lines of it.
    pub table_lines: usize,
    /// How the keys of the table are written.
    pub keys: KeyForm,
    /// What is to be deleted of what is kept, once the person says so again.
    pub deleting: Option<Deleting>,
    /// The browser was asked to keep it safe, and did not agree.
    pub persist_refused: bool,
    /// What was said of the storage and closed.
    pub storage_read: Persistence,
    /// The end of a tablet's range whose key was copied last.
    pub copied: Option<RangeEnd>,
    /// The shell is not folded.
    pub shell_open: bool,
    /// The words of the shell, and of all that is shown as commands.
    pub language: Language,
    /// The saved question that was picked.
    pub named: Option<String>,
    /// A question is being given a name.
    pub naming: Option<Naming>,
    /// Limits of the saved question are shown.
    pub limits: bool,
    /// The design on its way to a real Bigtable.
    pub export: ExportLook,
    /// What is shown as commands.
    pub commands: Vec<&'static str>,
    /// Height of the shell, px.
    pub shell: f64,
    /// Width of the left column, px.
    pub side: f64,
    /// Height of the upper row, px.
    pub upper: f64,
}

impl Default for Look {
    fn default() -> Self {
        Look {
            pane: Pane::Tablets,
            narrow: false,
            theme: None,
            folded: vec!["data"],
            source: None,
            reading: (Format::Detect, OnBadLine::Skip),
            part: None,
            time_format: None,
            starting_over: false,
            paste_missing: false,
            dragged: None,
            drop_target: None,
            dropping: false,
            measure: Measure::Bytes,
            zoom: 1.0,
            as_table: false,
            table_lines: 200,
            keys: KeyForm::Text,
            deleting: None,
            persist_refused: false,
            storage_read: Persistence::Here,
            copied: None,
            shell_open: false,
            language: Language::Cbt,
            named: None,
            naming: None,
            export: ExportLook::default(),
            limits: false,
            commands: Vec::new(),
            shell: 260.0,
            side: 380.0,
            upper: 480.0,
        }
    }
}

/// What a person says of the place that the design is to go to.
#[derive(Clone, Debug)]
pub struct ExportLook {
    /// The dialog is open.
    pub open: bool,
    /// Index in [`tabletop_export::Export::ALL`].
    pub which: usize,
    /// The project of the instance.
    pub project: String,
    /// The instance of the table.
    pub instance: String,
    /// Name of the table; nothing for that of the design.
    pub table: Option<String>,
    /// The table is cut at the keys that the events have.
    pub pre_split: bool,
}

impl Default for ExportLook {
    fn default() -> Self {
        ExportLook {
            open: false,
            which: 0,
            project: "my-project".into(),
            instance: "my-instance".into(),
            table: None,
            pre_split: true,
        }
    }
}

/// A time format that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongFormat {
    /// The field.
    pub field: String,
    /// As typed.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

/// A name for a question, while it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The saved query that gets another name; nothing if a new one is saved.
    pub of: Option<String>,
    /// As typed.
    pub name: String,
}

/// A part of what is kept in this browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleting {
    /// The set with this number.
    Set(u32),
    /// Everything.
    All,
}

/// A pane of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// Where the events come from.
    Data,
    /// Row key and layout.
    Design,
    /// Tablets and keys.
    Tablets,
    /// The question.
    Query,
    /// Its answer.
    Results,
    /// Commands.
    Shell,
}

/// Where events can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Made from a seed.
    Generated,
    /// Shipped with the page.
    Sample,
    /// A person's own.
    Own,
}

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// Where it begins.
    Start,
    /// Where it ends.
    End,
}

/// How a key is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// As text, with escapes for bytes that are none.
    Text,
    /// As hexadecimal bytes.
    Hex,
}

impl KeyForm {
    /// The other form.
    pub fn other(self) -> KeyForm {
        match self {
            KeyForm::Text => KeyForm::Hex,
            KeyForm::Hex => KeyForm::Text,
        }
    }
}

/// What the width of a tablet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Bytes stored.
    Bytes,
    /// Rows.
    Rows,
}
