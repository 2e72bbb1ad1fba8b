//! The user's choices for the columns of the results. They are part of the workspace; a dragged
//! width becomes an edit of the workspace when it settles, so that a drag is one step of the
//! history.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use tabletop_objects::{ObjectSchema, ObjectTypes};
use tabletop_texts::messages;
use tabletop_workspace::{ColumnNotKept, Decoding, RESULT_COLUMN_WIDTHS, ResultColumn, ResultColumns};
use yew::Callback;
use yew::functional::UseForceUpdateHandle;

use crate::page::state::Edit;

/// Milliseconds after which a width has settled.
const REST_MILLIS: u32 = 300;

/// The choices for one design.
#[derive(Default)]
pub struct Chosen {
    /// The name of its table.
    table: String,
    /// The choices in the workspace.
    given: Option<Box<ResultColumns>>,
    /// The choices with widths that have not settled yet.
    pub now: Rc<ResultColumns>,
    /// The schema, parsed.
    pub types: Option<Rc<ObjectTypes>>,
    resting: Option<Timeout>,
    /// Why the last choice was not saved.
    pub said: &'static str,
}

impl Chosen {
    /// Takes over what the workspace has for the table shown, if it has changed.
    pub fn follow(&mut self, table: &str, given: &Option<Box<ResultColumns>>) {
        let is_other = self.table != table;
        if self.given != *given || (is_other && self.resting.is_some()) {
            self.take(given);
        }
        if is_other {
            self.table = table.into();
        }
    }

    #[inline(never)]
    fn take(&mut self, given: &Option<Box<ResultColumns>>) {
        self.given = given.clone();
        self.now = Rc::new(given.as_deref().cloned().unwrap_or_default());
        self.parse();
        self.resting = None;
        self.said = "";
    }

    #[inline(never)]
    fn change(&mut self, name: &str, change: impl FnOnce(&mut ResultColumn)) {
        self.said = match Rc::make_mut(&mut self.now).set(name, change) {
            Ok(()) => "",
            Err(ColumnNotKept::TooMany) => messages().results.too_many_columns,
            Err(ColumnNotKept::LongName) => messages().results.long_column,
        };
    }

    /// Parses the text of the schema, if it has changed.
    fn parse(&mut self) {
        let before = self.types.take();
        self.types = self.now.objects.as_deref().map(|schema| {
            let same = before.filter(|types| types.schema() == schema);
            same.unwrap_or_else(|| Rc::new(ObjectTypes::new(schema.clone())))
        });
    }

    fn edit(&mut self) -> Edit {
        self.resting = None;
        Edit::Results((!self.now.is_empty()).then(|| Box::new((*self.now).clone())))
    }
}

/// Changes what is chosen.
#[derive(Clone)]
pub struct ColumnEdits {
    /// What is chosen now.
    pub chosen: Rc<RefCell<Chosen>>,
    /// Edits the workspace.
    pub on_edit: Callback<Edit>,
    /// Draws the results again.
    pub redraw: UseForceUpdateHandle,
}

impl PartialEq for ColumnEdits {
    fn eq(&self, other: &ColumnEdits) -> bool {
        Rc::ptr_eq(&self.chosen, &other.chosen) && self.on_edit == other.on_edit
    }
}

impl ColumnEdits {
    /// Changes what is chosen for a column.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut ResultColumn)) {
        self.chosen.borrow_mut().change(name, change);
        self.emit();
    }

    /// Changes the decoding of values whose column does not choose its own.
    pub fn decode_all(&self, decoding: Decoding) {
        Rc::make_mut(&mut self.chosen.borrow_mut().now).values_as = decoding;
        self.emit();
    }

    /// Changes what values mean.
    pub fn set_objects(&self, schema: ObjectSchema) {
        {
            let mut chosen = self.chosen.borrow_mut();
            Rc::make_mut(&mut chosen.now).objects = (!schema.is_empty()).then(|| Box::new(schema));
            chosen.parse();
        }
        self.emit();
    }

    /// Sets the width of a column in px, at once on the page, and soon in the workspace; `None` for
    /// the default one.
    pub fn resize(&self, name: &str, width: Option<f64>) {
        let width = width
            .map(|width| width.round().clamp(*RESULT_COLUMN_WIDTHS.start(), *RESULT_COLUMN_WIDTHS.end()));
        let this = self.clone();
        {
            let mut chosen = self.chosen.borrow_mut();
            chosen.change(name, |column| column.width = width);
            chosen.resting = Some(Timeout::new(REST_MILLIS, move || this.emit()));
        }
        self.redraw.force_update();
    }

    /// Returns the choice that an item of a column's menu makes.
    pub fn choose(&self, name: &str, action: ColumnAction, shown_by_itself: bool) {
        self.change(name, |column| match action {
            ColumnAction::Pin => column.pinned = !column.pinned,
            ColumnAction::Show(shown) => column.shown = (shown != shown_by_itself).then_some(shown),
            ColumnAction::Decode(decoding) => column.values_as = decoding,
        });
    }

    fn emit(&self) {
        let edit = self.chosen.borrow_mut().edit();
        self.on_edit.emit(edit);
        self.redraw.force_update();
    }
}

/// A choice for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnAction {
    /// Pins it, or unpins it.
    Pin,
    /// Shows it, or hides it.
    Show(bool),
    /// Decodes its values differently from the others, or like them.
    Decode(Option<Decoding>),
}

impl ColumnAction {
    /// Returns the actions in the menu of a column: value and text. `decodes` has its own decoding
    /// and the decodings offered.
    pub fn menu(
        is_pinned: bool,
        decodes: Option<(Option<Decoding>, &[Decoding])>,
    ) -> Vec<(yew::AttrValue, yew::AttrValue)> {
        let says = &messages().results;
        let pin = if is_pinned { says.pivot.unpin } else { says.pivot.pin };
        let mut menu = vec![("pin".into(), pin.into()), ("hide".into(), says.pivot.hide.into())];
        if let Some((now, offered)) = decodes {
            let all = std::iter::once(None).chain(offered.iter().copied().map(Some)).enumerate();
            menu.extend(all.filter(|(_, one)| *one != now).map(|(at, one)| {
                let text = one.map_or(says.values_as_others.into(), |one| {
                    (says.values_as_one)(tabletop_views::results::decoding_name(one))
                });
                (at.to_string().into(), text.into())
            }));
        }
        menu
    }

    /// Returns the action with a value of the menu.
    pub fn of(value: &str) -> ColumnAction {
        match value {
            "pin" => ColumnAction::Pin,
            "hide" => ColumnAction::Show(false),
            at => {
                let at = at.parse().unwrap_or(0_usize);
                ColumnAction::Decode(at.checked_sub(1).and_then(|at| Decoding::ALL.get(at)).copied())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_is_in_the_workspace_when_it_rests() {
        let mut chosen = Chosen::default();
        chosen.follow("a", &None);
        chosen.change("f:q", |column| column.width = Some(90.0));
        chosen.follow("a", &None);
        assert_eq!(chosen.now.width("f:q"), Some(90.0), "other drawings do not end it");
        let Edit::Results(Some(edited)) = chosen.edit() else { panic!("something is chosen") };
        chosen.follow("a", &Some(edited));
        assert_eq!(chosen.now.width("f:q"), Some(90.0));
        chosen.follow("a", &None);
        assert!(chosen.now.is_empty(), "undone");
        assert_eq!(chosen.edit(), Edit::Results(None));
    }

    #[test]
    fn a_schema_is_parsed_when_it_changes() {
        let schema =
            |proto: &str| Some(Box::new(ObjectSchema { proto: proto.into(), ..ObjectSchema::default() }));
        let with = |proto: &str| {
            Some(Box::new(ResultColumns { objects: schema(proto), ..ResultColumns::default() }))
        };
        let mut chosen = Chosen::default();
        chosen.follow("a", &with("message A {}"));
        let first = chosen.types.clone().expect("it is parsed");
        let other = with("message A {}")
            .map(|columns| Box::new(ResultColumns { values_as: Decoding::Hex, ..*columns }));
        chosen.follow("a", &other);
        assert!(chosen.types.as_ref().is_some_and(|types| Rc::ptr_eq(types, &first)), "it is the same");
        chosen.follow("a", &with("message B {}"));
        assert!(chosen.types.as_ref().is_some_and(|types| types.types().message("B").is_some()));
        chosen.follow("a", &None);
        assert_eq!(chosen.types, None);
    }

    #[test]
    fn a_menu_has_all_but_what_is_so_already() {
        let actions = |decodes: Option<(Option<Decoding>, &[Decoding])>| -> Vec<ColumnAction> {
            ColumnAction::menu(false, decodes).iter().map(|(value, _)| ColumnAction::of(value)).collect()
        };
        assert_eq!(actions(None), [ColumnAction::Pin, ColumnAction::Show(false)]);
        let of_usual = actions(Some((None, &Decoding::ALL[..])));
        assert_eq!(of_usual.len(), 2 + Decoding::ALL.len());
        assert_eq!(of_usual.last(), Some(&ColumnAction::Decode(Some(Decoding::Protobuf))));
        let of_hex = actions(Some((Some(Decoding::Hex), &Decoding::ALL[..])));
        assert!(
            of_hex.contains(&ColumnAction::Decode(None))
                && !of_hex.contains(&ColumnAction::Decode(Some(Decoding::Hex)))
        );
    }
}
