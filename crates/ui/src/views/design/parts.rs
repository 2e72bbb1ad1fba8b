//! The template as a list of chips that can be moved, edited, added and removed.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_keys::{Part, Record, Template, edit};
use tabletop_texts::messages;
use yew::{Callback, Html, html};

use super::add_part::add_part;
use super::look::EditorLook;
use super::part_line::{PartAction, PartLine, part_line};
use crate::browser;
use crate::page::actions::Actions;
use crate::page::state::{Action, Edit, NoTable, PageState, PartColors};

/// Draws the parts in order. A literal is on the line of the part before it; the first part of a
/// template can be a literal.
pub fn part_list(state: &PageState, actions: &Actions) -> Html {
    let template = &state.shown.template;
    let event = state.preview.events.first();
    let values: Vec<Option<&str>> =
        event.iter().flat_map(|event| event.iter()).map(Option::as_deref).collect();
    let record = Record { fields: template.fields(), values: &values };
    // While other events are loaded, the first event may still be one of the previous events.
    let fits = !values.is_empty() && values.len() == template.fields().len();
    let chips = template.chips(&state.design().layout, fits.then_some(&record));
    let solids = edit::solids(template);
    let colors = PartColors::new(template);
    let look = state.look.part::<EditorLook>();
    let on_act = {
        let (template, actions, dragged) = (template.clone(), actions.clone(), look.dragged);
        // Keys can come faster than drawings, so a move applies to the template after all earlier
        // actions.
        let now = RefCell::new(template.clone());
        Callback::from(move |act: PartAction| perform(act, &template, &now, dragged, &actions))
    };
    let lines = template
        .parts()
        .iter()
        .enumerate()
        .filter(|(at, part)| *at == 0 || !matches!(part, Part::Literal(_)));
    let line = |(at, _): (usize, &Part)| {
        part_line(PartLine {
            template,
            at,
            slot: solids.iter().position(|&solid| solid == at),
            slots: solids.len(),
            chip: &chips[at],
            color: colors.class(Some(at)),
            digits: &state.suggested.digits,
            look: &look,
            on_act: &on_act,
        })
    };
    // A file without events has no fields either, and none will come.
    let awaited = state.shown.fields.is_empty()
        && matches!(state.no_table(), Some(NoTable::Starting | NoTable::Loading));
    html! {
        <div class="parts">
            <ul class={awaited.then_some("awaited")} aria-label={messages().design.parts}>{ for lines.map(line) }</ul>
            { add_part(template, &state.suggested, actions.edit.reform(Edit::Template)) }
        </div>
    }
}

fn perform(
    act: PartAction,
    template: &Template,
    now: &RefCell<Rc<Template>>,
    dragged: Option<usize>,
    actions: &Actions,
) {
    let look = |change: fn(&mut EditorLook)| actions.act.emit(Action::part(change));
    let become_text = |next: Template, edit: fn(String) -> Edit| {
        actions.edit.emit(edit(next.text()));
        *now.borrow_mut() = Rc::new(next);
    };
    // After a removal that is not drawn yet, indexes refer to other parts.
    let current = || Some(now.borrow().clone()).filter(|now| now.parts().len() == template.parts().len());
    match act {
        PartAction::Toggle(at) => actions.act.emit(Action::part(move |look: &mut EditorLook| {
            look.part = if look.part == Some(at) { None } else { Some(at) };
        })),
        PartAction::Close(id) => {
            look(|look| look.part = None);
            browser::focus(format!("#{id}"));
        }
        PartAction::Move { from, to } => move_solid(now, from, to, actions),
        PartAction::Remove(at) => {
            let Some(template) = current() else { return };
            look(|look| look.part = None);
            let next = match template.parts()[at] {
                Part::Salt { .. } => edit::with_salt(&template, None),
                _ => edit::remove(&template, at),
            };
            focus_chip(&next, 0);
            become_text(next, Edit::Template);
        }
        PartAction::Replace(at, part) => {
            let Some(template) = current() else { return };
            let edit = if matches!(part, Part::Literal(_)) { Edit::TemplateTyping } else { Edit::Template };
            become_text(edit::replace(&template, at, part), edit);
        }
        PartAction::DragStart(from) => {
            actions.act.emit(Action::part(move |look: &mut EditorLook| look.dragged = Some(from)));
        }
        PartAction::DragOver(to) => {
            actions
                .act
                .emit(Action::part(move |look: &mut EditorLook| look.drop_target = look.dragged.and(to)));
        }
        PartAction::Drop(to) => {
            look(end_drag);
            if let (Some(from), Some(to)) = (dragged, to) {
                move_solid(now, from, to, actions);
            }
        }
        PartAction::DragEnd => look(end_drag),
    }
}

fn end_drag(look: &mut EditorLook) {
    look.dragged = None;
    look.drop_target = None;
}

fn move_solid(now: &RefCell<Rc<Template>>, from: usize, to: usize, actions: &Actions) {
    let template = now.borrow().clone();
    let slots = edit::solids(&template);
    if from != to && from.max(to) < slots.len() {
        // An open editor moves with its part.
        let at = slots[to];
        actions.act.emit(Action::part(move |look: &mut EditorLook| look.part = look.part.map(|_| at)));
        let next = edit::move_solid(&template, from, to);
        // The page already has a chip at that index. The next key can come before the page is
        // drawn, and it moves the focused chip.
        browser::focus_now(&chip_id(slots[to]));
        actions.edit.emit(Edit::Template(next.text()));
        *now.borrow_mut() = Rc::new(next);
    }
}

/// Returns the id of the chip of the part at `at`.
pub fn chip_id(at: usize) -> String {
    format!("chip-{at}")
}

/// Moves the focus to the chip of a solid part of the next template.
fn focus_chip(next: &Template, slot: usize) {
    if let Some(&at) = edit::solids(next).get(slot) {
        browser::focus(format!("#{}", chip_id(at)));
    }
}
