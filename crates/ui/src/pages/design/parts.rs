//! The template as a list of chips that can be moved, edited, added and removed.

use std::rc::Rc;

use tabletop_schema::{Part, Record, Template};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{Callback, Html, Properties, function_component, html, use_effect_with, use_mut_ref, use_state};

use super::add_part::AddPart;
use super::edit;
use super::part_line::{Act, PartLine};
use crate::browser;

/// Properties of [`PartList`].
#[derive(Properties, PartialEq)]
pub struct PartListProps {
    /// Parsed from the text.
    pub template: Rc<Template>,
    /// A real event to show, as many values as the template has fields.
    pub event: Option<Rc<Vec<Option<String>>>>,
    /// Another template, as text.
    pub on_change: Callback<String>,
    /// The same, keystroke by keystroke.
    pub on_typing: Callback<String>,
}

/// The parts in order. A literal stands in the line of the part before it; one at the front has a line of its own.
#[function_component]
pub fn PartList(props: &PartListProps) -> Html {
    let template = &props.template;
    // The part whose editor is open, by its index.
    let open = use_state(|| None::<usize>);
    // The chip that takes the focus once the template has changed, by its place among the solid parts.
    let focus_next = use_mut_ref(|| None::<usize>);
    let dragged = use_mut_ref(|| None::<usize>);
    let drop_target = use_state(|| None::<usize>);

    use_effect_with(template.text(), {
        let focus_next = focus_next.clone();
        move |_| {
            if let Some(slot) = focus_next.take() {
                focus_chip(slot);
            }
        }
    });

    let on_act = {
        let (template, on_change, on_typing) = (template.clone(), props.on_change.clone(), props.on_typing.clone());
        let (open, drop_target) = (open.clone(), drop_target.clone());
        Callback::from(move |act: Act| {
            let move_solid = |from: usize, to: usize| {
                if from != to && to < edit::solids(&template).len() {
                    open.set(None);
                    *focus_next.borrow_mut() = Some(to);
                    on_change.emit(edit::move_solid(&template, from, to).text());
                }
            };
            match act {
                Act::Toggle(at) => open.set((*open != Some(at)).then_some(at)),
                Act::Move { from, to } => move_solid(from, to),
                Act::Remove(at) => {
                    open.set(None);
                    *focus_next.borrow_mut() = Some(0);
                    let next = match template.parts()[at] {
                        Part::Salt { .. } => edit::with_salt(&template, None),
                        _ => edit::remove(&template, at),
                    };
                    on_change.emit(next.text());
                }
                Act::Replace(at, part @ Part::Literal(_)) => on_typing.emit(edit::replace(&template, at, part).text()),
                Act::Replace(at, part) => on_change.emit(edit::replace(&template, at, part).text()),
                Act::DragStart(from) => *dragged.borrow_mut() = Some(from),
                Act::DragOver(to) => {
                    let to = dragged.borrow().and(to);
                    if *drop_target != to {
                        drop_target.set(to);
                    }
                }
                Act::Drop(to) => {
                    drop_target.set(None);
                    if let Some(from) = dragged.take() {
                        move_solid(from, to);
                    }
                }
                Act::DragEnd => {
                    dragged.take();
                    drop_target.set(None);
                }
            }
        })
    };

    let values: Vec<Option<&str>> = props.event.iter().flat_map(|event| event.iter()).map(Option::as_deref).collect();
    let record = Record { fields: template.fields(), values: &values };
    // Between two sets of events the one at hand may still be of the other.
    let fits = !values.is_empty() && values.len() == template.fields().len();
    let chips = template.chips(fits.then_some(&record));
    let solids = edit::solids(template);
    let lines = template.parts().iter().enumerate().filter(|(at, part)| *at == 0 || !matches!(part, Part::Literal(_)));
    html! {
        <div class="parts">
            <ul aria-label="Parts of the row key">
                { for lines.map(|(at, _)| {
                    let slot = solids.iter().position(|&solid| solid == at);
                    html! {
                        <PartLine
                            key={at}
                            template={template.clone()}
                            {at}
                            {slot}
                            slots={solids.len()}
                            chip={chips[at].clone()}
                            open={*open}
                            drop_target={slot.is_some() && slot == *drop_target}
                            on_act={on_act.clone()}
                        />
                    }
                }) }
            </ul>
            <AddPart template={template.clone()} on_change={props.on_change.clone()} />
        </div>
    }
}

/// Id of the chip of a solid part.
pub fn chip_id(slot: usize) -> String {
    format!("chip-{slot}")
}

fn focus_chip(slot: usize) {
    let element = browser::document().get_element_by_id(&chip_id(slot));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // A chip that is shown takes the focus.
        let _ = element.focus();
    }
}
