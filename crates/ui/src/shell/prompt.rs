//! The line in which commands are typed: history, completion, and texts of many lines.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::EventListener;
use tabletop_shell::{Completion, Language, complete};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Element, HtmlTextAreaElement};
use yew::{
    AttrValue, Callback, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast, function_component, html,
    use_effect, use_effect_with, use_force_update, use_node_ref,
};

use super::{History, ShellAction, prompt_of};
use crate::browser;
use crate::messages::messages;

/// Id of the field.
const PROMPT_ID: &str = "shell-line";
/// Completions that are offered at once.
const OFFERED_MAX: usize = 50;
/// Lines of the field, at most; more are scrolled. The style sheet says the same of lines that are broken.
const LINES_MAX: usize = 8;

/// What the prompt remembers while the pane is not shown.
#[derive(Clone)]
pub struct Memory(Rc<RefCell<Remembered>>);

struct Remembered {
    line: String,
    history: History,
    offered: Vec<Completion>,
    /// The one that Enter takes.
    active: usize,
    /// Where the caret goes once the field shows the line.
    caret: Option<usize>,
}

impl Memory {
    /// That of a page that was just opened.
    pub fn new() -> Memory {
        let history = History::restore();
        Memory(Rc::new(RefCell::new(Remembered { line: String::new(), history, offered: Vec::new(), active: 0, caret: None })))
    }

    /// A command was given, here or elsewhere.
    pub fn push(&self, command: &str) {
        let mut memory = self.0.borrow_mut();
        memory.history.push(command);
        memory.history.keep();
    }
}

impl PartialEq for Memory {
    fn eq(&self, other: &Memory) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Properties of [`Prompt`].
#[derive(Properties, PartialEq)]
pub struct PromptProps {
    /// What it remembers.
    pub memory: Memory,
    /// The words.
    pub language: Language,
    /// Something can be given up.
    pub running: bool,
    /// Tables and their families.
    pub known: Rc<Vec<(String, Vec<String>)>>,
    /// What the person does.
    pub on_action: Callback<ShellAction>,
}

/// One line, or more with Shift+Enter; Enter runs it.
#[function_component]
pub fn Prompt(props: &PromptProps) -> Html {
    let field = use_node_ref();
    let redraw = use_force_update();
    let memory = props.memory.0.clone();
    // A pasted text of many lines is run. Yew has no event of that name with its data, so the listener is our own.
    use_effect_with((props.on_action.clone(), props.language), {
        let (field, memory, redraw) = (field.clone(), memory.clone(), redraw.clone());
        move |(on_action, _): &(Callback<ShellAction>, Language)| {
            let on_action = on_action.clone();
            let listener = field.cast::<HtmlTextAreaElement>().map(|field| {
                let options = gloo_events::EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&field.clone(), "paste", options, move |event| {
                    let data = event.dyn_ref::<ClipboardEvent>().and_then(ClipboardEvent::clipboard_data);
                    let Some(text) = data.and_then(|data| data.get_data("text/plain").ok()) else { return };
                    if !text.trim_end().contains('\n') {
                        return;
                    }
                    event.prevent_default();
                    let value = field.value();
                    let (before, behind) = (byte_at(&value, field.selection_start()), byte_at(&value, field.selection_end()));
                    let text = format!("{}{}{}", &value[..before], text.replace("\r\n", "\n"), &value[behind.max(before)..]);
                    memory.borrow_mut().line.clear();
                    on_action.emit(ShellAction::Run(text));
                    redraw.force_update();
                })
            });
            move || drop(listener)
        }
    });
    // Where the caret was put goes into the field when it shows the line.
    use_effect({
        let (field, memory) = (field.clone(), memory.clone());
        move || {
            let caret = memory.borrow_mut().caret.take();
            if let (Some(field), Some(caret)) = (field.cast::<HtmlTextAreaElement>(), caret) {
                let at = utf16(&field.value(), caret);
                // Fails only for an element that is not shown.
                drop(field.set_selection_range(at, at));
            }
        }
    });

    let oninput = {
        let (memory, redraw) = (memory.clone(), redraw.clone());
        Callback::from(move |event: InputEvent| {
            let field: HtmlTextAreaElement = event.target_unchecked_into();
            let mut memory = memory.borrow_mut();
            memory.line = field.value();
            memory.history.leave();
            memory.offered.clear();
            redraw.force_update();
        })
    };
    let onkeydown = {
        let (memory, redraw, on_action) = (memory.clone(), redraw.clone(), props.on_action.clone());
        let (language, running, known) = (props.language, props.running, props.known.clone());
        Callback::from(move |event: KeyboardEvent| {
            let field: HtmlTextAreaElement = event.target_unchecked_into();
            let mut memory = memory.borrow_mut();
            let Some(action) = memory.key(&event, &field, language, running, &known) else { return };
            drop(memory);
            event.prevent_default();
            redraw.force_update();
            action.into_iter().for_each(|action| on_action.emit(action));
        })
    };
    let onfocus = props.on_action.reform(|_| ShellAction::Known);
    let take = {
        let (memory, redraw, field) = (memory.clone(), redraw.clone(), field.clone());
        Callback::from(move |at: usize| {
            memory.borrow_mut().take(at);
            redraw.force_update();
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                drop(field.focus());
            }
        })
    };
    let memory = memory.borrow();
    let offers = !memory.offered.is_empty();
    let says = &messages().shell;
    let rows = memory.line.split('\n').count().clamp(1, LINES_MAX);
    html! {
        <div class="shell-prompt">
            if offers { { offered(&memory, &take) } }
            <label for={PROMPT_ID} class="mono" aria-hidden="true">{prompt_of(props.language)}</label>
            <textarea
                ref={field}
                id={PROMPT_ID}
                class="mono"
                data-undo="own"
                aria-label={says.command}
                aria-autocomplete="list"
                aria-controls={offers.then_some("shell-completions")}
                aria-activedescendant={offers.then(|| option_id(memory.active))}
                aria-describedby="shell-keys"
                rows={rows.to_string()}
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
                placeholder={if memory.line.is_empty() { says.placeholder } else { "" }}
                value={AttrValue::from(memory.line.clone())}
                {oninput}
                {onkeydown}
                {onfocus}
            />
            <p id="shell-keys" class="visually-hidden">{says.keys}</p>
            <p class="visually-hidden" role="status">{ said(&memory) }</p>
        </div>
    }
}

fn offered(memory: &Remembered, take: &Callback<usize>) -> Html {
    let option = |(at, completion): (usize, &Completion)| {
        let take = take.clone();
        // Before the field loses the focus.
        let onmousedown = Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            take.emit(at);
        });
        let chosen = at == memory.active;
        html! {
            <li id={option_id(at)} role="option" aria-selected={if chosen { "true" } else { "false" }} {onmousedown}>
                <span class="mono">{completion.text.clone()}</span>
                <span class="soft small">{completion.about.clone()}</span>
            </li>
        }
    };
    html! {
        <ul id="shell-completions" class="shell-completions" role="listbox" aria-label={messages().shell.completions}>
            { for memory.offered.iter().enumerate().map(option) }
        </ul>
    }
}

fn option_id(at: usize) -> String {
    format!("shell-completion-{at}")
}

/// For those who do not see the list.
fn said(memory: &Remembered) -> String {
    match memory.offered.get(memory.active) {
        None => String::new(),
        Some(active) => (messages().shell.completion)(memory.active + 1, memory.offered.len(), &active.text),
    }
}

impl Remembered {
    /// What a key does, beside what it does to the line; nothing if it is the browser's.
    fn key(
        &mut self,
        event: &KeyboardEvent,
        field: &HtmlTextAreaElement,
        language: Language,
        running: bool,
        known: &[(String, Vec<String>)],
    ) -> Option<Option<ShellAction>> {
        if event.is_composing() {
            return None;
        }
        let offers = !self.offered.is_empty();
        let caret = byte_at(&self.line, field.selection_start());
        let selects = field.selection_start() != field.selection_end();
        match event.key().as_str() {
            "Enter" | "Tab" if offers && !event.shift_key() => self.take(self.active),
            "ArrowDown" if offers => self.active = (self.active + 1) % self.offered.len(),
            "ArrowUp" if offers => self.active = (self.active + self.offered.len() - 1) % self.offered.len(),
            "Escape" if offers => self.offered.clear(),
            "Escape" if running => return Some(Some(ShellAction::Cancel)),
            "c" if event.ctrl_key() && !selects && (running || !self.line.is_empty()) => {
                self.line.clear();
                return Some(running.then_some(ShellAction::Cancel));
            }
            "Enter" if !event.shift_key() => {
                let text = std::mem::take(&mut self.line);
                return Some((!text.trim().is_empty()).then_some(ShellAction::Run(text)));
            }
            // From an empty line Tab goes to the next control, as everywhere.
            "Tab" if event.shift_key() || self.line.trim().is_empty() => return None,
            "Tab" => self.complete(language, caret, known),
            "ArrowUp" if !self.line[..caret].contains('\n') => {
                let earlier = self.history.up(&self.line)?;
                self.show(earlier);
            }
            "ArrowDown" if !self.line[caret..].contains('\n') => {
                let later = self.history.down()?;
                self.show(later);
            }
            _ => return None,
        }
        Some(None)
    }

    fn show(&mut self, line: String) {
        self.caret = Some(line.len());
        self.line = line;
    }

    /// Completes the word at the caret as far as it is the only one, and offers what it may be beyond that.
    fn complete(&mut self, language: Language, caret: usize, known: &[(String, Vec<String>)]) {
        let mut found = complete(language, &self.line, caret, known);
        found.truncate(OFFERED_MAX);
        (self.offered, self.active) = (found, 0);
        match self.offered.as_slice() {
            [only] if self.line.get(only.span.start as usize..only.span.end as usize) == Some(&only.text) => self.offered.clear(),
            [_] => self.take(0),
            _ => {}
        }
    }

    /// Puts a completion in the place of what it completes.
    fn take(&mut self, at: usize) {
        let Some(completion) = self.offered.get(at).cloned() else { return };
        self.offered.clear();
        let (start, end) = (completion.span.start as usize, completion.span.end as usize);
        let (Some(before), Some(behind)) = (self.line.get(..start), self.line.get(end.max(start)..)) else { return };
        // A word is over, but for one that goes on with what it equals or names.
        let goes_on = completion.text.ends_with(['=', ':', ',', '(', '\'']) || behind.starts_with(' ');
        let text = format!("{before}{}{}", completion.text, if goes_on { "" } else { " " });
        self.caret = Some(text.len());
        self.line = text + behind;
    }
}

/// The browser counts text in units of UTF-16.
fn byte_at(text: &str, units: std::result::Result<Option<u32>, wasm_bindgen::JsValue>) -> usize {
    let units = units.ok().flatten().unwrap_or(u32::MAX);
    let mut seen = 0;
    let at = text.char_indices().find(|(_, c)| {
        let here = seen;
        seen += c.len_utf16() as u32;
        here >= units
    });
    at.map_or(text.len(), |(at, _)| at)
}

fn utf16(text: &str, at: usize) -> u32 {
    text.get(..at).unwrap_or(text).encode_utf16().count() as u32
}

/// Whether this is the field.
pub fn is_prompt(element: &Element) -> bool {
    element.id() == PROMPT_ID
}

/// Puts the focus into the field, if it is there.
pub fn focus() {
    let field = browser::document().get_element_by_id(PROMPT_ID);
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) {
        // Fails only for an element that is not shown.
        drop(field.focus());
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::Span;

    use super::*;

    fn memory(line: &str, offered: &[(u32, u32, &str)]) -> Remembered {
        let completion = |(start, end, text): &(u32, u32, &str)| Completion {
            span: Span { start: *start, end: *end },
            text: (*text).into(),
            about: String::new(),
        };
        Remembered {
            line: line.into(),
            history: History::default(),
            offered: offered.iter().map(completion).collect(),
            active: 0,
            caret: None,
        }
    }

    #[test]
    fn a_completion_takes_the_place_of_the_word() {
        for (line, offered, after) in [
            ("re", (0, 2, "read"), "read |"),
            ("read \u{e9} pre", (8, 11, "prefix="), "read \u{e9} prefix=|"),
            ("re t", (0, 2, "read"), "read| t"),
            ("re", (9, 2, "read"), "re"),
        ] {
            let mut memory = memory(line, &[offered]);
            memory.take(0);
            let shown = memory.caret.map_or(memory.line.clone(), |at| format!("{}|{}", &memory.line[..at], &memory.line[at..]));
            assert_eq!(shown, after);
        }
    }

    #[test]
    fn positions_are_those_of_the_browser() {
        let text = "a\u{1f642}b";
        for (units, bytes) in [(0, 0), (1, 1), (3, 5), (4, 6), (9, 6)] {
            assert_eq!(byte_at(text, Ok(Some(units))), bytes);
        }
        assert_eq!(utf16(text, 5), 3);
    }
}
