//! What is open, folded and chosen on the page.
//!
//! [`Look`] has what the page itself asks: which view and pane it shows, and its sizes. What a view
//! or a dialog keeps for itself is a [`Part`] that its own file declares: [`Look::part`] reads it
//! and [`Look::part_mut`] changes it. No list names the parts, so a view is added and removed with
//! its part.

use std::any::{Any, TypeId};
use std::rc::Rc;

use tabletop_protocol::DesignView;
use tabletop_shell::Language;
use tabletop_texts::{Locale, locale};
use tabletop_workspace::ViewId;

/// Everything that is open, folded or chosen on the page. It is not saved with the workspace.
pub struct Look {
    /// The view that the page shows.
    pub view: ViewId,
    /// The token of the running server that serves this page, if one does.
    pub server: Option<Rc<str>>,
    /// The pane that a narrow page shows.
    pub pane: Pane,
    /// Whether the page is narrow.
    pub narrow: bool,
    /// The theme, light or dark; `None` follows the system.
    pub theme: Option<&'static str>,
    /// The language of the page's texts.
    pub locale: Locale,
    /// The folded panes of the left column.
    pub folded: Vec<&'static str>,
    /// The unfolded sections of panes, such as the commands of a pane or the GC rules.
    pub unfolded: Vec<&'static str>,
    /// Whether the note on the workspace that is saved for all tabs is closed.
    pub other_work_read: bool,
    /// Whether a file is held over the page.
    pub dropping: bool,
    /// Whether the page draws what the first picture does not wait for.
    pub is_complete: bool,
    /// Whether the shell is open.
    pub shell_open: bool,
    /// The language of the shell and of all commands on the page.
    pub language: Language,
    /// Height of the shell, px.
    pub shell: f64,
    /// The views whose left column is folded.
    pub side_folded: Vec<ViewId>,
    /// Width of the left column, px.
    pub side: f64,
    /// Height of the upper row, px.
    pub upper: f64,
    parts: Vec<(TypeId, Box<dyn AnyPart>)>,
}

/// What a view, a pane or a dialog keeps for itself: what is open, folded, selected or half typed
/// in it.
pub trait Part: Clone + Default + 'static {
    /// Drops what does not outlive a change of the page.
    fn follow(&mut self, change: &Change) {
        let _ = change;
    }
}

/// A change of the page that ends something in several of its parts.
pub enum Change<'a> {
    /// Another design is on the screen.
    Design,
    /// Another version of the workspace is on the screen: an earlier one, or one from elsewhere.
    Workspace,
    /// Another saved workspace is on the screen.
    Saved,
    /// The user chose a source of events.
    Source,
    /// The workspace has other events.
    Events,
    /// The engine has sent a picture of the table.
    Picture(&'a DesignView),
}

/// A part of any type.
trait AnyPart {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn follow(&mut self, change: &Change);
}

impl<T: Part> AnyPart for Rc<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn follow(&mut self, change: &Change) {
        Rc::make_mut(self).follow(change);
    }
}

impl Look {
    /// Returns a part as it is now: its default until it has changed once.
    pub fn part<T: Part>(&self) -> Rc<T> {
        let id = TypeId::of::<T>();
        let known = self
            .parts
            .iter()
            .find(|(known, _)| *known == id)
            .and_then(|(_, part)| part.as_any().downcast_ref::<Rc<T>>());
        known.cloned().unwrap_or_default()
    }

    /// Returns a part for a change.
    pub fn part_mut<T: Part>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let at = self.parts.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            self.parts.push((id, Box::new(Rc::new(T::default()))));
            self.parts.len() - 1
        });
        let part =
            self.parts[at].1.as_any_mut().downcast_mut::<Rc<T>>().expect("parts are found by their type");
        Rc::make_mut(part)
    }

    /// Tells all parts of a change of the page.
    pub fn follow(&mut self, change: &Change) {
        self.parts.iter_mut().for_each(|(_, part)| part.follow(change));
    }
}

impl Default for Look {
    fn default() -> Self {
        Look {
            view: ViewId::Design,
            server: None,
            pane: Pane::Tablets,
            narrow: false,
            theme: None,
            locale: locale(),
            folded: vec!["data", "query"],
            unfolded: Vec::new(),
            other_work_read: false,
            dropping: false,
            is_complete: false,
            shell_open: false,
            language: Language::Cbt,
            shell: 260.0,
            side_folded: Vec::new(),
            side: 380.0,
            upper: 680.0,
            parts: Vec::new(),
        }
    }
}

/// The instance of Google Cloud that commands and generated code name.
#[derive(Clone, Debug)]
pub struct CloudInstance {
    /// The ID of the project in Google Cloud.
    pub project: String,
    /// The ID of the instance.
    pub instance: String,
}

impl Part for CloudInstance {}

impl Default for CloudInstance {
    fn default() -> Self {
        CloudInstance { project: "my-project".into(), instance: "my-instance".into() }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Open(Vec<u32>);

    impl Part for Open {
        fn follow(&mut self, change: &Change) {
            if matches!(change, Change::Design) {
                self.0.clear();
            }
        }
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Other(u32);

    impl Part for Other {}

    #[test]
    fn a_part_is_its_default_until_it_changes_and_hears_of_changes() {
        let mut look = Look::default();
        assert_eq!((look.part::<Open>().0.len(), look.part::<Other>().0), (0, 0));
        look.part_mut::<Open>().0.push(3);
        look.part_mut::<Other>().0 = 7;
        // A drawing keeps what it has read while the next change is made.
        let drawn = look.part::<Open>();
        look.part_mut::<Open>().0.push(4);
        assert_eq!((&drawn.0[..], &look.part::<Open>().0[..]), (&[3][..], &[3, 4][..]));
        look.follow(&Change::Workspace);
        assert_eq!(look.part::<Open>().0, [3, 4]);
        look.follow(&Change::Design);
        assert_eq!((look.part::<Open>().0.len(), look.part::<Other>().0), (0, 7));
    }
}
