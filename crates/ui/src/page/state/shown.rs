//! Values derived from the workspace and the engine's answers. They are shared and stay the same
//! until they change, so that a pane is redrawn only for another pointer.

use std::rc::Rc;

use tabletop_keys::{Field, Layout, LayoutKind, Template};
use tabletop_model::{Bytes, Problem, order::sorted};
use tabletop_protocol::{DataView, DesignView, EventsView};
use tabletop_workspace::Design;

use super::StoredKeys;

/// The maximum number of values of a field that are offered.
const VALUES_MAX: usize = 20;

/// Values that panes are drawn from.
pub struct Shown {
    /// The fields of the events.
    pub fields: Rc<Vec<Field>>,
    /// The valid part of the template of the design shown.
    pub template: Rc<Template>,
    /// The problems of its text. Until the fields are loaded, every name is valid.
    pub problems: Rc<Vec<Problem>>,
    /// The last template without problems, which is the table's.
    pub right: Option<Rc<Template>>,
    /// The keys of the table.
    pub stored: Rc<StoredKeys>,
    /// The column families of the table.
    pub families: Rc<Vec<String>>,
    /// The columns of the table.
    pub columns: Rc<Vec<(String, Bytes)>>,
    /// Some values of each field.
    pub values: Rc<Vec<(String, Vec<String>)>>,
    /// The text and layout that the templates were parsed from.
    of: Option<(String, Layout)>,
    values_of: Rc<EventsView>,
}

impl Default for Shown {
    fn default() -> Self {
        let nothing = Rc::new(Template::new([], &[]));
        Shown {
            fields: Rc::default(),
            stored: Rc::new(StoredKeys::new(&nothing, &Layout::new(LayoutKind::Narrow))),
            template: nothing,
            problems: Rc::default(),
            right: None,
            families: Rc::default(),
            columns: Rc::default(),
            values: Rc::default(),
            of: None,
            values_of: Rc::default(),
        }
    }
}

impl Shown {
    /// Another table is shown: the last valid template of the previous one does not apply. The text
    /// is parsed again, even if it is the same.
    pub fn leave_table(&mut self) {
        (self.right, self.of) = (None, None);
    }

    /// Updates the values after a change of any of these.
    pub fn follow(&mut self, design: &Design, data: &DataView, view: &DesignView, preview: &Rc<EventsView>) {
        let mut parse = self
            .of
            .as_ref()
            .is_none_or(|(text, layout)| (text, layout) != (&design.template, &design.layout));
        if *self.fields != data.fields {
            self.fields = Rc::new(data.fields.clone());
            parse = true;
        }
        if parse {
            let (template, problems) = Template::parse(&design.template, &self.fields);
            self.template = Rc::new(template);
            if problems.is_empty() {
                self.right = Some(self.template.clone());
            }
            if let Some(right) = &self.right {
                self.stored = Rc::new(StoredKeys::new(right, &design.layout));
            }
            self.problems = Rc::new(if self.fields.is_empty() {
                Template::problems_of_text(&design.template)
            } else {
                problems
            });
            self.of = Some((design.template.clone(), design.layout.clone()));
        }
        if *self.families != view.families {
            self.families = Rc::new(view.families.clone());
        }
        if *self.columns != view.columns {
            self.columns = Rc::new(view.columns.clone());
        }
        if !Rc::ptr_eq(&self.values_of, preview) {
            self.values = Rc::new(values(preview));
            self.values_of = preview.clone();
        }
    }
}

/// Returns some values of each field, in order.
fn values(events: &EventsView) -> Vec<(String, Vec<String>)> {
    let of_field = |at: usize| {
        let values: Vec<String> =
            events.events.iter().filter_map(|event| event.get(at).cloned().flatten()).collect();
        let mut values = sorted(values, String::cmp);
        values.dedup();
        values.truncate(VALUES_MAX);
        values
    };
    events.fields.iter().enumerate().map(|(at, field)| (field.name.clone(), of_field(at))).collect()
}
