//! One part of the template: its chip, what it does to a real event, what it costs.

use std::rc::Rc;

use tabletop_schema::{ChipView, Part, Template, edit};
use yew::{Callback, DragEvent, Html, KeyboardEvent, classes, html};

use super::part_editor::part_editor;
use super::parts::chip_id;
use crate::messages::messages;
use crate::results::part_class;
use crate::state::Look;
use crate::widgets::{Icon, tool};

/// What a person does to a part. Solid parts are moved by their place among the solid ones.
pub enum Act {
    /// Opens or closes the editor of a part.
    Toggle(usize),
    /// Closes the editor; the focus goes to the element with this id.
    Close(String),
    /// Moves a solid part.
    Move {
        /// Where it is.
        from: usize,
        /// Where it goes.
        to: usize,
    },
    /// Takes a part away.
    Remove(usize),
    /// Puts another in its place.
    Replace(usize, Part),
    /// Takes up a solid part.
    DragStart(usize),
    /// Holds it over another, or over none.
    DragOver(Option<usize>),
    /// Lets it go there, or over nothing.
    Drop(Option<usize>),
    /// Lets it go anywhere.
    DragEnd,
}

/// A part of a list.
pub struct Line<'a> {
    /// The whole.
    pub template: &'a Rc<Template>,
    /// Index of the part.
    pub at: usize,
    /// Its place among the solid parts, if it is one.
    pub slot: Option<usize>,
    /// How many solid parts there are.
    pub slots: usize,
    /// What it does to a real event.
    pub chip: &'a ChipView,
    /// Which editor is open, what is dragged.
    pub look: &'a Look,
    /// What to do.
    pub on_act: &'a Callback<Act>,
}

/// A line of the list: chip, separator and tools; in and out; cost; and the editor, if it is open.
pub fn part_line(line: Line) -> Html {
    let Line { template, at, slot, slots, chip, look, on_act } = line;
    let part = &template.parts()[at];
    let says = &messages().design;
    let name = edit::name(part);
    let text = part_text(template, part);
    let separator = match template.parts().get(at + 1) {
        Some(Part::Literal(text)) => Some((at + 1, text.clone())),
        _ => None,
    };
    let is_open = look.part == Some(at);
    let open = look.part.filter(|open| is_open || separator.as_ref().is_some_and(|(literal, _)| literal == open));
    let place = slot.unwrap_or(0);
    let id = chip_id(at);
    let on_escape = open.map(|open| {
        let (on_act, id) = (on_act.clone(), chip_id(open));
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                on_act.emit(Act::Close(id.clone()));
            }
        })
    });
    let up = on_act.reform(move |()| Act::Move { from: place, to: place.saturating_sub(1) });
    let down = on_act.reform(move |()| Act::Move { from: place, to: place + 1 });
    html! {
        <li
            class={classes!("part", (slot.is_some() && slot == look.drop_target).then_some("drop-target"))}
            onkeydown={on_escape}
            ondragover={on_act.reform(move |event: DragEvent| {
                if slot.is_some() {
                    event.prevent_default();
                }
                Act::DragOver(slot)
            })}
            ondrop={on_act.reform(move |event: DragEvent| {
                event.prevent_default();
                Act::Drop(slot)
            })}
        >
            <div class="part-line">
                <button
                    type="button"
                    {id}
                    class={classes!("chip", "mono", part_class(at))}
                    aria-expanded={if is_open { "true" } else { "false" }}
                    aria-label={(says.edit)(&text)}
                    title={slot.map(|_| says.chip_keys)}
                    draggable={slot.map(|_| "true")}
                    ondragstart={on_act.reform(move |event: DragEvent| {
                        take_up(&event);
                        Act::DragStart(place)
                    })}
                    ondragend={on_act.reform(|_: DragEvent| Act::DragEnd)}
                    onclick={on_act.reform(move |_| Act::Toggle(at))}
                    onkeydown={on_key(at, slot, on_act)}
                >
                    {text}
                </button>
                if let Some((literal, text)) = separator {
                    <button
                        type="button"
                        id={chip_id(literal)}
                        class="chip separator-chip mono"
                        aria-expanded={if look.part == Some(literal) { "true" } else { "false" }}
                        aria-label={(says.edit_separator)(&text)}
                        onclick={on_act.reform(move |_| Act::Toggle(literal))}
                    >
                        {text}
                    </button>
                }
                <span class="part-tools">
                    if slot.is_some() {
                        { tool(&(says.move_up)(&name), Icon::Up, place == 0, up) }
                        { tool(&(says.move_down)(&name), Icon::Down, place + 1 == slots, down) }
                    }
                    { tool(&(says.remove)(&name), Icon::Close, false, on_act.reform(move |()| Act::Remove(at))) }
                </span>
            </div>
            { in_and_out(chip, part) }
            if let Some(open) = open {
                { part_editor(
                    &template.parts()[open],
                    template.fields(),
                    &on_act.reform(move |part| Act::Replace(open, part)),
                    on_act.reform(move |()| Act::Remove(open)),
                ) }
            }
        </li>
    }
}

fn on_key(at: usize, slot: Option<usize>, on_act: &Callback<Act>) -> Callback<KeyboardEvent> {
    let on_act = on_act.clone();
    Callback::from(move |event: KeyboardEvent| {
        let act = match (event.key().as_str(), event.alt_key(), slot) {
            ("ArrowUp" | "ArrowLeft", true, Some(from)) => Act::Move { from, to: from.saturating_sub(1) },
            ("ArrowDown" | "ArrowRight", true, Some(from)) => Act::Move { from, to: from + 1 },
            ("Delete", false, _) => Act::Remove(at),
            _ => return,
        };
        event.prevent_default();
        on_act.emit(act);
    })
}

fn take_up(event: &DragEvent) {
    if let Some(transfer) = event.data_transfer() {
        // Firefox drags nothing without data; the text itself is not read again.
        let _ = transfer.set_data("text/plain", "part");
        transfer.set_effect_allowed("move");
    }
}

/// What goes in and comes out, if there is an event to show, and the line of cost.
fn in_and_out(chip: &ChipView, part: &Part) -> Html {
    if matches!(part, Part::Literal(_)) {
        return html! {};
    }
    let output = chip.output.to_string();
    html! {
        <>
            if !output.is_empty() {
                <div class="in-out mono">
                    if output != chip.input {
                        <span class="soft ellipsis" title={chip.input.clone()}>{chip.input.clone()}</span>
                        <span class="soft" aria-label={messages().design.becomes}>{"→"}</span>
                    }
                    <span class="ellipsis" title={output.clone()}>{output}</span>
                </div>
            }
            if !chip.cost.is_empty() {
                <div class="cost soft small">{chip.cost.clone()}</div>
            }
        </>
    }
}

/// A part as the template writes it, without the braces.
fn part_text(template: &Template, part: &Part) -> String {
    match part {
        Part::Literal(text) => text.clone(),
        part => {
            let text = Template::new([part.clone()], template.fields()).text();
            text.trim_start_matches('{').trim_end_matches('}').to_owned()
        }
    }
}
