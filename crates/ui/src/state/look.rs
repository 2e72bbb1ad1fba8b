//! What is open, folded and chosen on the page.

use std::rc::Rc;

use tabletop_export::Lang;
use tabletop_model::TabletId;
use tabletop_schema::{ExampleId, Format, LoadProblem, OnBadLine, Persistence, TimelineView, ViewId};
use tabletop_shell::Language;
use tabletop_views::query::RangeEnd;
use tabletop_views::share::PictureOf;
use tabletop_views::tablet::InsideLook;
use tabletop_views::tablets::Measure;

use super::saved_work::WorkspacesLook;

/// Everything that is open, folded or chosen on the page. None of it is part of the workspace.
pub struct Look {
    /// The view that the page shows.
    pub view: ViewId,
    /// The token of the running server that serves this page, if one does.
    pub server: Option<Rc<str>>,
    /// The pane that a narrow page shows.
    pub pane: Pane,
    /// The page is narrow.
    pub narrow: bool,
    /// The theme, light or dark; `None` is that of the system.
    pub theme: Option<&'static str>,
    /// The folded panes of the left column.
    pub folded: Vec<&'static str>,
    /// The kind of source that the data pane shows, if it is not that of the workspace.
    pub source: Option<SourceKind>,
    /// How the next own events are read.
    pub reading: (Format, OnBadLine),
    /// Something was typed between the braces of the template.
    pub completing: bool,
    /// The part of the template whose editor is open.
    pub part: Option<usize>,
    /// The last time format that was typed, if it cannot be used.
    pub time_format: Option<TypedFormat>,
    /// Notes on the events that were closed.
    pub notes_read: Vec<LoadProblem>,
    /// The page asks whether the person wants to start over.
    pub starting_over: bool,
    /// The person pressed the button that loads a text, and there was none.
    pub paste_missing: bool,
    /// The note on own events that were given for missing ones is closed.
    pub given_read: bool,
    /// The solid part that is being dragged.
    pub dragged: Option<usize>,
    /// The solid part below the dragged one.
    pub drop_target: Option<usize>,
    /// A file is held over the page.
    pub dropping: bool,
    /// The page draws what no first picture waits for.
    pub is_complete: bool,
    /// What has happened to the table on the screen, and when; `None` until the page draws it.
    pub timeline: Option<Rc<TimelineView>>,
    /// The moment that was asked for last, in events, until the tables have reached it.
    pub seek: Option<u32>,
    /// The figure that the width of a tablet shows.
    pub measure: Measure,
    /// The zoom of the strip; 1 fits all tablets into the pane, as far as possible.
    pub zoom: f64,
    /// The strip is shown as a table.
    pub as_table: bool,
    /// The number of lines of that table.
    pub table_lines: usize,
    /// How the keys of the table are written.
    pub keys: KeyForm,
    /// The stored events that a second press deletes.
    pub deleting: Option<Deleting>,
    /// The browser has refused to keep stored events safe.
    pub persist_refused: bool,
    /// The note on the workspace that is saved for all tabs is closed.
    pub other_work_read: bool,
    /// The state of the storage whose note was closed.
    pub storage_read: Persistence,
    /// The end of a tablet's range whose key was copied last.
    pub copied: Option<RangeEnd>,
    /// The shell is open.
    pub shell_open: bool,
    /// The language of the shell and of all commands on the page.
    pub language: Language,
    /// The language of a query as code.
    pub code_language: Lang,
    /// The selected saved query.
    pub named: Option<String>,
    /// The name that is being typed for a query.
    pub naming: Option<Naming>,
    /// The limits of the saved query are shown.
    pub limits: bool,
    /// Index of the event that the designs are compared by, in the list.
    pub event: usize,
    /// The person chose it, in the list or by a row.
    pub event_chosen: bool,
    /// The event that is pointed at.
    pub pointed_event: Option<usize>,
    /// The tablet whose points or place on the strip are pointed at, on the page of a map.
    pub pointed_tablet: Option<TabletId>,
    /// The tablet that is shown from inside.
    pub inside: InsideLook,
    /// The dialog with all actions is open.
    pub palette: bool,
    /// The dialog with the keys is open.
    pub keys_dialog: bool,
    /// The access pattern that is edited in the grid of all designs.
    pub pattern: Option<OpenPattern>,
    /// The dialog about the page was opened.
    pub about: bool,
    /// The dialog of the stored data was opened.
    pub storage: bool,
    /// The list of saved workspaces.
    pub workspaces: WorkspacesLook,
    /// The dialog of the export.
    pub export: ExportLook,
    /// The dialog of examples is open.
    pub examples: bool,
    /// The example whose note was closed.
    pub example_read: Option<ExampleId>,
    /// The dialog that shares the workspace; `None` if it is closed.
    pub share: Option<ShareLook>,
    /// The parts of panes that are unfolded: the commands of a pane, the GC rules.
    pub unfolded: Vec<&'static str>,
    /// Height of the shell, px.
    pub shell: f64,
    /// The views whose left column is folded.
    pub side_folded: Vec<ViewId>,
    /// Width of the left column, px.
    pub side: f64,
    /// Height of the upper row, px.
    pub upper: f64,
}

impl Default for Look {
    fn default() -> Self {
        Look {
            view: ViewId::Design,
            server: None,
            pane: Pane::Tablets,
            narrow: false,
            theme: None,
            folded: vec!["data"],
            source: None,
            reading: (Format::Detect, OnBadLine::Skip),
            completing: false,
            part: None,
            time_format: None,
            notes_read: Vec::new(),
            starting_over: false,
            paste_missing: false,
            given_read: false,
            dragged: None,
            drop_target: None,
            dropping: false,
            is_complete: false,
            timeline: None,
            seek: None,
            measure: Measure::Bytes,
            zoom: 1.0,
            as_table: false,
            table_lines: 200,
            keys: KeyForm::Text,
            deleting: None,
            persist_refused: false,
            other_work_read: false,
            storage_read: Persistence::Here,
            copied: None,
            shell_open: false,
            language: Language::Cbt,
            code_language: Lang::Python,
            named: None,
            naming: None,
            event: 0,
            event_chosen: false,
            pointed_event: None,
            pointed_tablet: None,
            inside: InsideLook::default(),
            palette: false,
            keys_dialog: false,
            pattern: None,
            about: false,
            storage: false,
            workspaces: WorkspacesLook::default(),
            export: ExportLook::default(),
            examples: false,
            example_read: None,
            share: None,
            limits: false,
            unfolded: Vec::new(),
            shell: 260.0,
            side_folded: Vec::new(),
            side: 380.0,
            upper: 680.0,
        }
    }
}

/// The dialog that shares the workspace.
#[derive(Clone, Debug, Default)]
pub struct ShareLook {
    /// What it has announced last.
    pub said: &'static str,
    /// The file that is made as soon as all is measured.
    pub wish: Option<ShareWish>,
    /// Counts wishes.
    pub wishes: u32,
    /// What pictures show.
    pub picture: PictureOf,
    /// Pictures are dark or light; `None` is as the page.
    pub dark: Option<bool>,
}

/// A file that a person has asked for, or a text for the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareWish {
    /// What.
    pub file: ShareFile,
    /// It is made from what is known now.
    pub as_it_is: bool,
}

/// What can be made of the figures of all designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareFile {
    Markdown,
    Report,
    Svg,
    Png,
    CopyPng,
    Figures,
    Patterns,
    Json,
}

/// The dialog of the export to a real Bigtable.
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
    /// The place of the only table that is written among those of its design; `None` is all of them.
    pub only: Option<usize>,
    /// The name of the table, if there is one only; `None` is that of the design.
    pub table: Option<String>,
    /// The table is split in advance at keys of the events.
    pub pre_split: bool,
}

impl Default for ExportLook {
    fn default() -> Self {
        ExportLook {
            open: false,
            which: 0,
            project: "my-project".into(),
            instance: "my-instance".into(),
            only: None,
            table: None,
            pre_split: true,
        }
    }
}

/// A time format that is typed, or that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedFormat {
    /// The field.
    pub field: String,
    /// As typed.
    pub text: String,
    /// The error in it, once it is complete.
    pub wrong: Option<String>,
}

/// A name for a query, while it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The saved query that gets another name; `None` if a new one is saved.
    pub of: Option<String>,
    /// As typed.
    pub name: String,
}

/// An access pattern that is edited in the grid of all designs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPattern {
    /// Its name.
    pub name: String,
    /// What is edited.
    pub part: PatternPart,
}

/// A part of an access pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// The name.
    Name,
    /// The limits.
    Limits,
}

/// A part of what this browser stores.
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
    /// The source of the events.
    Data,
    /// Row key and layout.
    Design,
    /// Tablets and keys.
    Tablets,
    /// The query.
    Query,
    /// The rows of the query.
    Results,
    /// Commands.
    Shell,
}

/// A source of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Generated from a seed.
    Generated,
    /// Shipped with the page.
    Sample,
    /// A person's own events.
    Own,
}

/// The notation of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// As text, with escapes for bytes that are not text.
    Text,
    /// As hexadecimal bytes.
    Hex,
}

impl KeyForm {
    /// Returns the other form.
    pub fn other(self) -> KeyForm {
        match self {
            KeyForm::Text => KeyForm::Hex,
            KeyForm::Hex => KeyForm::Text,
        }
    }
}
