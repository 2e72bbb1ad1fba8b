//! The user's actions in the field: type, press keys, paste, take a completion.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, HtmlTextAreaElement};
use yew::functional::UseForceUpdateHandle;
use yew::{Callback, InputEvent, KeyboardEvent, NodeRef, TargetCast};

use super::PromptProps;
use crate::browser::byte_at;
use crate::page::actions::{PromptMemory, ShellAction};
use crate::page::state::{KeyPress, Pressed, PromptContext};

/// The field, and what its listeners share.
#[derive(Clone)]
pub struct Field {
    /// The element.
    pub node: NodeRef,
    /// The command that is being typed.
    pub memory: PromptMemory,
    /// Draws the field again.
    pub redraw: UseForceUpdateHandle,
    /// Receives the user's actions.
    pub on_action: Callback<ShellAction>,
}

impl Field {
    /// Returns a callback that takes what was typed into the line.
    pub fn on_input(&self) -> Callback<InputEvent> {
        let Field { memory, redraw, .. } = self.clone();
        Callback::from(move |event: InputEvent| {
            memory.line_mut().set_text(event.target_unchecked_into::<HtmlTextAreaElement>().value());
            redraw.force_update();
        })
    }

    /// Returns a callback that handles the keys of the line, and leaves others to the browser.
    pub fn on_key(&self, props: &PromptProps) -> Callback<KeyboardEvent> {
        let Field { memory, redraw, on_action, .. } = self.clone();
        let (language, running, known) = (props.language, props.running, props.known.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.is_composing() {
                return;
            }
            let area: HtmlTextAreaElement = event.target_unchecked_into();
            let (start, end) = selection(&area);
            let mut line = memory.line_mut();
            let press = KeyPress {
                key: &event.key(),
                ctrl: event.ctrl_key(),
                shift: event.shift_key(),
                caret: byte_at(line.text(), start),
                selects: start != end,
            };
            let pressed = line.press(&press, &PromptContext { language, running, tables: &known });
            drop(line);
            let action = match pressed {
                Pressed::Ignored => return,
                Pressed::Done => None,
                Pressed::Run(text) => Some(ShellAction::Run(text)),
                Pressed::Cancel => Some(ShellAction::Cancel),
            };
            event.prevent_default();
            redraw.force_update();
            action.into_iter().for_each(|action| on_action.emit(action));
        })
    }

    /// Returns a callback that puts the completion with this index into the line.
    pub fn on_take(&self) -> Callback<usize> {
        let Field { node, memory, redraw, .. } = self.clone();
        Callback::from(move |at: usize| {
            memory.line_mut().take(at);
            redraw.force_update();
            if let Some(area) = node.cast::<HtmlTextAreaElement>() {
                // Fails only for an element that is not shown.
                drop(area.focus());
            }
        })
    }

    /// Runs a pasted text of several lines, until the returned listener is dropped. Yew has no
    /// event with the pasted data.
    pub fn listen_to_paste(&self) -> Option<EventListener> {
        let Field { node, memory, redraw, on_action } = self.clone();
        let area: HtmlTextAreaElement = node.cast()?;
        let options = EventListenerOptions::enable_prevent_default();
        Some(EventListener::new_with_options(&area.clone(), "paste", options, move |event| {
            let data = event.dyn_ref::<ClipboardEvent>().and_then(ClipboardEvent::clipboard_data);
            let Some(text) = data.and_then(|data| data.get_data("text/plain").ok()) else { return };
            if !text.trim_end().contains('\n') {
                return;
            }
            event.prevent_default();
            let (value, (start, end)) = (area.value(), selection(&area));
            let (before, after) = (byte_at(&value, start), byte_at(&value, end));
            let text =
                format!("{}{}{}", &value[..before], text.replace("\r\n", "\n"), &value[after.max(before)..]);
            memory.line_mut().clear();
            on_action.emit(ShellAction::Run(text));
            redraw.force_update();
        }))
    }
}

/// Returns the start and the end of the selection, in the browser's units.
fn selection(area: &HtmlTextAreaElement) -> (Option<u32>, Option<u32>) {
    (area.selection_start().ok().flatten(), area.selection_end().ok().flatten())
}
