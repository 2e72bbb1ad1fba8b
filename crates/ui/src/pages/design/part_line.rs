//! One part of the template: its chip, what it does to a real event, what it costs.

use std::rc::Rc;

use tabletop_schema::{ChipView, Part, Template};
use yew::{Callback, DragEvent, Html, KeyboardEvent, Properties, classes, function_component, html};

use super::edit;
use super::part_editor::PartEditor;
use super::parts::chip_id;
use crate::results::part_class;
use crate::widgets::{Button, ButtonKind, Icon};

/// What a person does to a part. Solid parts are moved by their place among the solid ones.
pub enum Act {
    /// Opens or closes the editor of a part.
    Toggle(usize),
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
    /// Lets it go there.
    Drop(usize),
    /// Lets it go anywhere.
    DragEnd,
}

/// Properties of [`PartLine`].
#[derive(Properties, PartialEq)]
pub struct PartLineProps {
    /// The whole.
    pub template: Rc<Template>,
    /// Index of the part.
    pub at: usize,
    /// Its place among the solid parts, if it is one.
    pub slot: Option<usize>,
    /// How many solid parts there are.
    pub slots: usize,
    /// What it does to a real event.
    pub chip: ChipView,
    /// The part whose editor is open.
    pub open: Option<usize>,
    /// What is dragged would be dropped here.
    pub drop_target: bool,
    /// What to do.
    pub on_act: Callback<Act>,
}

/// A line of the list: chip, separator and tools; in and out; cost; and the editor, if it is open.
#[function_component]
pub fn PartLine(props: &PartLineProps) -> Html {
    let PartLineProps { template, at, slot, slots, chip, on_act, .. } = props;
    let (at, slot) = (*at, *slot);
    let part = &template.parts()[at];
    let name = edit::name(part);
    let separator = match template.parts().get(at + 1) {
        Some(Part::Literal(text)) => Some((at + 1, text.clone())),
        _ => None,
    };
    let act = |act: fn(usize, usize) -> Act| {
        on_act.reform({
            let slot = slot.unwrap_or(0);
            move |()| act(slot, at)
        })
    };
    let up = act(|slot, _| Act::Move { from: slot, to: slot.saturating_sub(1) });
    let down = act(|slot, _| Act::Move { from: slot, to: slot + 1 });
    let remove = act(|_, at| Act::Remove(at));
    let onkeydown = {
        let (up, down, remove) = (up.clone(), down.clone(), remove.clone());
        Callback::from(move |event: KeyboardEvent| {
            match (event.key().as_str(), event.alt_key()) {
                ("ArrowUp" | "ArrowLeft", true) if slot.is_some() => up.emit(()),
                ("ArrowDown" | "ArrowRight", true) if slot.is_some() => down.emit(()),
                ("Delete", false) => remove.emit(()),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let ondragstart = on_act.reform(move |event: DragEvent| {
        if let Some(transfer) = event.data_transfer() {
            // Firefox drags nothing without data; the text itself is not read again.
            let _ = transfer.set_data("text/plain", "part");
            transfer.set_effect_allowed("move");
        }
        Act::DragStart(slot.unwrap_or(0))
    });
    let ondragover = on_act.reform(move |event: DragEvent| {
        if slot.is_some() {
            event.prevent_default();
        }
        Act::DragOver(slot)
    });
    let ondrop = {
        let on_act = on_act.clone();
        Callback::from(move |event: DragEvent| {
            if let Some(slot) = slot {
                event.prevent_default();
                on_act.emit(Act::Drop(slot));
            }
        })
    };
    let is_open = props.open == Some(at);
    let editor = props.open.filter(|open| is_open || separator.as_ref().is_some_and(|(literal, _)| literal == open));
    html! {
        <li
            class={classes!("part", is_open.then_some("open"), props.drop_target.then_some("drop-target"))}
            {ondragover}
            {ondrop}
        >
            <div class="part-line">
                <button
                    type="button"
                    id={slot.map(chip_id)}
                    class={classes!("chip", "mono", part_class(at))}
                    aria-expanded={is_open.to_string()}
                    aria-label={format!("Edit {}", part_text(template, part))}
                    title={slot.map(|_| "Click to edit, drag to move. Alt+Up and Alt+Down move it too, Delete removes it.")}
                    draggable={slot.map(|_| "true")}
                    {ondragstart}
                    ondragend={on_act.reform(|_| Act::DragEnd)}
                    onclick={on_act.reform(move |_| Act::Toggle(at))}
                    {onkeydown}
                >
                    {part_text(template, part)}
                </button>
                if let Some((literal, text)) = separator {
                    <button
                        type="button"
                        class="chip separator-chip mono"
                        aria-expanded={(props.open == Some(literal)).to_string()}
                        aria-label={format!("Edit the separator {text}")}
                        onclick={on_act.reform(move |_| Act::Toggle(literal))}
                    >
                        {text}
                    </button>
                }
                <span class="part-tools">
                    if let Some(slot) = slot {
                        <Button label={format!("Move {name} up")} icon={Icon::Up} icon_only=true kind={ButtonKind::Quiet}
                            disabled={slot == 0} on_click={up} />
                        <Button label={format!("Move {name} down")} icon={Icon::Down} icon_only=true kind={ButtonKind::Quiet}
                            disabled={slot + 1 == *slots} on_click={down} />
                    }
                    <Button label={format!("Remove {name}")} icon={Icon::Close} icon_only=true kind={ButtonKind::Quiet}
                        on_click={remove} />
                </span>
            </div>
            { in_and_out(chip, part) }
            if let Some(open) = editor {
                <PartEditor
                    part={template.parts()[open].clone()}
                    fields={Rc::new(template.fields().to_vec())}
                    on_change={on_act.reform(move |part| Act::Replace(open, part))}
                    on_remove={on_act.reform(move |()| Act::Remove(open))}
                />
            }
        </li>
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
                        <span class="soft" aria-label="becomes">{"→"}</span>
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
