//! What users look up in the events, and the row key that the page makes for the user's own.

use std::rc::Rc;

use tabletop_advice::{LookUp, first_template};
use tabletop_keys::{Field, Template};
use tabletop_protocol::Suggestions;
use tabletop_workspace::{NamedQuery, Workspace};

use super::PageState;
use super::undo::replace_template;

impl PageState {
    /// Returns what users look up, the best first, as long as the suggestions are about these
    /// events.
    pub fn look_ups(&self) -> &[LookUp] {
        &self.suggested.look_ups
    }

    /// Returns the index of the field that the user looks up: the one whose access patterns the
    /// workspace has, or whose row key a design has, or the best one.
    pub fn chosen_look_up(&self) -> usize {
        let Workspace { queries, designs, .. } = &*self.workspace;
        let suits = |look_up: &LookUp| {
            let has = |own: &&NamedQuery| queries.iter().any(|named| named.query == own.query);
            let has_key = designs.iter().any(|design| design.template == look_up.template);
            (look_up.own_patterns().filter(has).count(), has_key)
        };
        // The first of several.
        let all = self.look_ups().iter().enumerate().rev();
        all.max_by_key(|(_, look_up)| suits(look_up)).map_or(0, |(at, _)| at)
    }

    /// Returns the template of a new design for the events.
    pub fn default_template(&self) -> String {
        let best = self.look_ups().get(self.chosen_look_up()).map(|best| best.template.clone());
        best.unwrap_or_else(|| first_template(&self.shown.fields))
    }

    /// Gives the designs whose templates do not suit these fields a first template, until all
    /// events are loaded.
    #[inline(never)]
    pub(super) fn make_first_keys(&mut self, next: &mut Workspace, fields: &[Field]) {
        for design in &mut next.designs {
            if !Template::parse(&design.template, fields).1.is_empty() {
                design.template = first_template(fields);
                self.first_key = Some(design.template.clone());
            }
        }
    }

    /// Takes what the values suggest. A first key that the user has not edited becomes the key that
    /// suits the events, with its access patterns, once, and without a step of the history.
    #[inline(never)]
    pub(super) fn take_suggestions(&mut self, suggestions: Suggestions) {
        self.suggested = Rc::new(suggestions);
        let Some(best) = self.suggested.look_ups.first().cloned().filter(|_| self.has_all_fields()) else {
            return;
        };
        let Some(first) = self.first_key.take() else { return };
        self.history.replace_template(&first, &best.template);
        let mut next = (*self.workspace).clone();
        replace_template(&mut next, &first, &best.template);
        if next.queries.is_empty() {
            best.add_patterns(&mut next);
            // A value may be too long for a query that is saved.
            if next.check().is_err() {
                next.queries.clear();
            }
        }
        self.workspace = Rc::new(next);
    }
}
