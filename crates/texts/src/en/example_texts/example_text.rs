//! The text of one example.

use tabletop_workspace::Place;

#[cfg(feature = "pseudo-locale")]
use crate::pseudo::Pseudo;

/// The title of an example, and what to look at in it.
pub struct ExampleText {
    /// The name of its workspace.
    pub title: &'static str,
    /// What to look at, in two sentences.
    pub about: &'static str,
    /// Phrases of the text in their order, each with the place on the page that shows it.
    pub places: &'static [(&'static str, Place)],
}

/// Leaks the text, as other texts of the pseudo-locale.
#[cfg(feature = "pseudo-locale")]
impl Pseudo for &'static ExampleText {
    fn pseudo(self) -> &'static ExampleText {
        let places = self.places.iter().map(|(phrase, place)| (phrase.pseudo(), *place));
        let text = ExampleText {
            title: self.title.pseudo(),
            about: self.about.pseudo(),
            places: alloc::vec::Vec::leak(places.collect()),
        };
        alloc::boxed::Box::leak(alloc::boxed::Box::new(text))
    }
}
