//! The text of one example.

use tabletop_workspace::Place;

/// The title of an example, and what to look at in it.
pub struct ExampleText {
    /// The name of its workspace.
    pub title: &'static str,
    /// What to look at, in two sentences.
    pub about: &'static str,
    /// Phrases of the text in their order, each with the place on the page that shows it.
    pub places: &'static [(&'static str, Place)],
}
