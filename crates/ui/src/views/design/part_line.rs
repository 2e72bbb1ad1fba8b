//! One part of the template: its chip, its effect on a real event, its cost.

use std::rc::Rc;

use tabletop_keys::{ChipView, Part, Template, edit};
use tabletop_texts::messages;
use yew::{Callback, DragEvent, Html, KeyboardEvent, classes, html};

use super::look::EditorLook;
use super::part_editor::part_editor;
use super::parts::chip_id;
use crate::kit::{Icon, tool};

/// The user's action on a part. Solid parts are moved by their index among the solid ones.
pub enum PartAction {
    /// Opens or closes the editor of a part.
    Toggle(usize),
    /// Closes the editor, and moves the focus to the element with this id.
    Close(String),
    /// Moves a solid part.
    Move {
        /// The index of the part.
        from: usize,
        /// The index that the part gets.
        to: usize,
    },
    /// Removes a part.
    Remove(usize),
    /// Replaces a part.
    Replace(usize, Part),
    /// Starts to drag a solid part.
    DragStart(usize),
    /// Drags it over another part, or over none.
    DragOver(Option<usize>),
    /// Drops it on another part, or on none.
    Drop(Option<usize>),
    /// Ends the drag.
    DragEnd,
}

/// A part of the list.
pub struct PartLine<'a> {
    /// The template.
    pub template: &'a Rc<Template>,
    /// Index of the part.
    pub at: usize,
    /// The index among the solid parts, if it is one.
    pub slot: Option<usize>,
    /// The number of solid parts.
    pub slots: usize,
    /// The effect on a real event.
    pub chip: &'a ChipView,
    /// The class of its colour.
    pub color: &'static str,
    /// The digits of the longest whole number of each field, if they are known.
    pub digits: &'a [Option<u8>],
    /// The open editor and the dragged part.
    pub look: &'a EditorLook,
    /// Performs an action.
    pub on_act: &'a Callback<PartAction>,
}

/// Draws a line of the list: chip and separator, in and out, cost, and, if the chip is open, the
/// editors of both with the tools.
pub fn part_line(line: PartLine) -> Html {
    let PartLine { template, at, slot, look, on_act, .. } = line;
    let separator = match template.parts().get(at + 1) {
        Some(Part::Literal(text)) => Some((at + 1, text.clone())),
        _ => None,
    };
    let is_open = look.part == Some(at);
    let on_escape = is_open.then(|| {
        let (on_act, id) = (on_act.clone(), chip_id(at));
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                on_act.emit(PartAction::Close(id.clone()));
            }
        })
    });
    html! {
        <li
            class={classes!("part", (slot.is_some() && slot == look.drop_target).then_some("drop-target"))}
            onkeydown={on_escape}
            ondragover={on_act.reform(move |event: DragEvent| {
                if slot.is_some() {
                    event.prevent_default();
                }
                PartAction::DragOver(slot)
            })}
            ondrop={on_act.reform(move |event: DragEvent| {
                event.prevent_default();
                PartAction::Drop(slot)
            })}
        >
            <div class="part-line">
                { chip(&line) }
                if let Some((_, text)) = &separator { <span class="mono soft">{text.clone()}</span> }
            </div>
            { in_and_out(line.chip, &template.parts()[at]) }
            if is_open {
                { editor(&line, at) }
                { for separator.map(|(literal, _)| editor(&line, literal)) }
                { tools(&line) }
            }
        </li>
    }
}

/// Draws the part as a button that opens its editor. A solid part can be dragged.
fn chip(line: &PartLine) -> Html {
    let (at, slot, on_act, says) = (line.at, line.slot, line.on_act, &messages().design);
    let text = part_text(line.template, &line.template.parts()[at]);
    let place = slot.unwrap_or(0);
    html! {
        <button
            type="button"
            id={chip_id(at)}
            class={classes!("chip", "mono", line.color)}
            aria-expanded={(line.look.part == Some(at)).to_string()}
            aria-label={(says.edit)(&text)}
            title={slot.map(|_| says.chip_keys)}
            draggable={slot.map(|_| "true")}
            ondragstart={on_act.reform(move |event: DragEvent| {
                take_up(&event);
                PartAction::DragStart(place)
            })}
            ondragend={on_act.reform(|_: DragEvent| PartAction::DragEnd)}
            onclick={on_act.reform(move |_| PartAction::Toggle(at))}
            onkeydown={on_key(at, slot, on_act)}
        >
            {text}
        </button>
    }
}

/// Draws the editor of a part of the line: the chip's own, or the literal after it.
#[inline(never)]
fn editor(line: &PartLine, of: usize) -> Html {
    part_editor(
        &line.template.parts()[of],
        line.template.fields(),
        line.digits,
        &line.on_act.reform(move |part| PartAction::Replace(of, part)),
        line.on_act.reform(move |()| PartAction::Remove(of)),
    )
}

/// Draws the buttons that move and remove a solid part.
fn tools(line: &PartLine) -> Html {
    let (at, on_act, says) = (line.at, line.on_act, &messages().design);
    let Some(place) = line.slot else { return html! {} };
    let name = edit::name(&line.template.parts()[at]);
    let move_to = |from: usize, to: usize| on_act.reform(move |()| PartAction::Move { from, to });
    html! {
        <span class="part-tools">
            { tool(&(says.move_up)(&name), Icon::Up, place.checked_sub(1).map(|to| move_to(place, to))) }
            { tool(&(says.move_down)(&name), Icon::Down, (place + 1 < line.slots).then(|| move_to(place, place + 1))) }
            { tool(&(says.remove)(&name), Icon::Close, on_act.reform(move |()| PartAction::Remove(at))) }
        </span>
    }
}

fn on_key(at: usize, slot: Option<usize>, on_act: &Callback<PartAction>) -> Callback<KeyboardEvent> {
    let on_act = on_act.clone();
    Callback::from(move |event: KeyboardEvent| {
        let act = match (event.key().as_str(), event.alt_key(), slot) {
            ("ArrowUp" | "ArrowLeft", true, Some(from)) => {
                PartAction::Move { from, to: from.saturating_sub(1) }
            }
            ("ArrowDown" | "ArrowRight", true, Some(from)) => PartAction::Move { from, to: from + 1 },
            ("Delete", false, _) => PartAction::Remove(at),
            _ => return,
        };
        event.prevent_default();
        on_act.emit(act);
    })
}

fn take_up(event: &DragEvent) {
    if let Some(transfer) = event.data_transfer() {
        // Firefox does not drag without data. The text is not used.
        let _ = transfer.set_data("text/plain", "part");
        transfer.set_effect_allowed("move");
    }
}

/// Draws the input and output of the part for the first event, and its cost.
fn in_and_out(chip: &ChipView, part: &Part) -> Html {
    if matches!(part, Part::Literal(_)) {
        return html! {};
    }
    let output = chip.output.to_string();
    let cost = (messages().advice.chip)(&chip.cost);
    html! {
        <>
            // The line has its final height before the first event arrives.
            <div class="in-out mono">
                if !output.is_empty() && output != chip.input {
                    <span class="soft ellipsis" title={chip.input.clone()}>{chip.input.clone()}</span>
                    <span class="soft" aria-label={messages().design.becomes}>{"→"}</span>
                }
                <span class="ellipsis" title={output.clone()}>{output}</span>
            </div>
            if !cost.is_empty() {
                <div class="cost soft small">{cost}</div>
            }
        </>
    }
}

/// Returns a part as the template writes it, without the braces.
fn part_text(template: &Template, part: &Part) -> String {
    match part {
        Part::Literal(text) => text.clone(),
        part => {
            let text = Template::new([part.clone()], template.fields()).text();
            text.trim_start_matches('{').trim_end_matches('}').to_owned()
        }
    }
}
