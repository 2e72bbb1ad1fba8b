//! What the dialog that shares the workspace keeps for itself.

use tabletop_views::share::PictureOf;

use crate::page::state::Part;

/// The dialog that shares the workspace, while it is open.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    /// The dialog; `None` while it is closed.
    pub dialog: Option<ShareLook>,
}

impl Part for Sharing {}

/// The dialog that shares the workspace.
#[derive(Clone, Debug, Default)]
pub struct ShareLook {
    /// The last announcement.
    pub said: &'static str,
    /// The file that is made once everything is measured.
    pub wish: Option<ShareWish>,
    /// Counts requests.
    pub wishes: u32,
    /// What pictures show.
    pub picture: PictureOf,
    /// Pictures are dark or light; `None` follows the page.
    pub dark: Option<bool>,
    /// Whether the link has what is measured on the user's own events.
    pub records: bool,
    /// Whether it also has some of these events.
    pub has_events: bool,
}

/// A file that the user has requested, or a text for the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareWish {
    /// The content that is requested.
    pub file: ShareFile,
    /// Whether the file is made from what is known now.
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
