//! Icons as inline SVG, 16 px, in the colour of the text around them. Each has a text next to it,
//! or an accessible name.

use yew::{Html, html};

/// The meaning of an icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Undo a change.
    Undo,
    /// Redo a change.
    Redo,
    /// Information.
    Info,
    /// Play events.
    Play,
    /// Pause.
    Pause,
    /// Start over.
    Restart,
    /// Do all immediately.
    Finish,
    /// A step back.
    Back,
    /// A step forward.
    Forward,
    /// To the last split.
    SplitBefore,
    /// To the next split.
    SplitAfter,
    /// Add.
    Plus,
    /// Remove one, or make smaller.
    Minus,
    /// Rows and columns.
    Table,
    /// Bytes.
    Binary,
    /// Remove or close.
    Close,
    /// Open a list.
    Down,
    /// Move up.
    Up,
    /// Open what is below.
    Right,
    /// A tablet with far more load than the others.
    Hot,
    /// A warning.
    Warning,
    /// An error.
    Error,
    /// No problems.
    Check,
    /// Copy to the clipboard.
    Copy,
    /// A file.
    File,
    /// A menu.
    Menu,
    /// Save as a file.
    Download,
    /// Clear.
    Clear,
    /// Stays in this browser.
    Lock,
    /// More actions.
    More,
    /// Several to choose from.
    Examples,
    /// Share.
    Share,
}

/// Draws an icon; hidden from screen readers.
pub fn icon(icon: Icon) -> Html {
    html! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
            <path d={strokes(icon)} />
        </svg>
    }
}

/// Returns the path of an icon in a square of 16.
pub fn strokes(icon: Icon) -> &'static str {
    match icon {
        Icon::Undo => "M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6",
        Icon::Redo => "m10 3 3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H10",
        Icon::Info => "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 7.4V11M8 5v.2",
        Icon::Play => "M5 3.2v9.6L12.5 8z",
        Icon::Pause => "M5.5 3.5v9M10.5 3.5v9",
        Icon::Restart => "M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 2.5v3.3h3.3",
        Icon::Finish => "M3.5 3.5v9L9 8zM9 3.5v9L14 8z",
        Icon::Back => "M11.5 3.5v9L5 8z",
        Icon::Forward => "M4.5 3.5v9L11 8z",
        Icon::SplitBefore => "M4 3v10M12 3.5v9L6 8z",
        Icon::SplitAfter => "M12 3v10M4 3.5v9L10 8z",
        Icon::Plus => "M8 3.5v9M3.5 8h9",
        Icon::Minus => "M3.5 8h9",
        Icon::Table => "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6",
        Icon::Binary => "M3 3h3.5v4H3zM3 13h3.5M4.8 9.2V13M9.5 13v-3.8H13V13zM9.5 7H13M11.2 3.2V7",
        Icon::Close => "m4 4 8 8M12 4l-8 8",
        Icon::Down => "m4.5 6.5 3.5 3.5 3.5-3.5",
        Icon::Up => "m4.5 9.5 3.5-3.5 3.5 3.5",
        Icon::Right => "M6.5 4.5 10 8l-3.5 3.5",
        Icon::Hot => {
            "M8 1.8c.4 2.6 3.9 4 3.9 7.7A3.9 3.9 0 0 1 8 13.6a3.9 3.9 0 0 1-3.9-3.9c0-1.9 1-2.9 1.6-3.7.4 1 1 1.4 1.5 1.5C7 5.5 6.8 3.5 8 1.8"
        }
        Icon::Warning => "M8 2.5 14.3 13.5H1.7zM8 6.5v3.2M8 11.5v.2",
        Icon::Error => "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.6M8 10.8v.2",
        Icon::Check => "m3 8.5 3.3 3.3L13 5",
        Icon::Copy => "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
        Icon::File => "M4 1.8h5l3.5 3.5v8.9H4zM9 1.8v3.5h3.5",
        Icon::Menu => "M2.5 4h11M2.5 8h11M2.5 12h11",
        Icon::Download => "M8 2.5v7M5 6.8l3 3 3-3M3 13.2h10",
        Icon::Clear => "M3 13h10M5.2 10.5 2.8 8l5.4-5.4 4.2 4.2-3.7 3.7zM5.6 5.2l4.2 4.2",
        Icon::More => "M3.5 8v.01M8 8v.01M12.5 8v.01",
        Icon::Examples => {
            "M2.5 2.5h4.3v4.3H2.5zM9.2 2.5h4.3v4.3H9.2zM2.5 9.2h4.3v4.3H2.5zM9.2 9.2h4.3v4.3H9.2z"
        }
        Icon::Share => "M8 10V2M5.2 4.6 8 1.8l2.8 2.8M5 7H3.2v6.8h9.6V7H11",
        Icon::Lock => "M3.5 7.2h9v6.3h-9zM5.5 7.2V5a2.5 2.5 0 0 1 5 0v2.2",
    }
}
