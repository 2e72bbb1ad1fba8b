//! A person's own events: pasted, picked or dropped.

use js_sys::Array;
use tabletop_schema::{Format, LoadState, OnBadLine, OwnData, Persistence, Source};
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlTextAreaElement};
use yew::{Callback, Event, Html, InputEvent, TargetCast, html};

use crate::actions::{Actions, OwnChoice};
use crate::browser::{self, take_file};
use crate::messages::messages;
use crate::state::{Edit, PageState, Pane};
use crate::widgets::{ButtonKind, Icon, SegmentSize, icon, push, segmented};

const FORMATS: [Format; 3] = [Format::Detect, Format::Csv, Format::JsonLines];
const BAD_LINES: [OnBadLine; 2] = [OnBadLine::Skip, OnBadLine::Stop];

/// How to read, a text to paste into, and a file to pick.
pub fn own_picker(state: &PageState, actions: &Actions) -> Html {
    // For events that are still to be chosen; afterwards the workspace says it.
    let is_own = matches!(state.workspace.source, Source::Own(_));
    let (format, on_bad_line) = match &state.workspace.source {
        Source::Own(own) => (own.format, own.on_bad_line),
        _ => state.look.reading,
    };
    let set = {
        let (edit, look) = (actions.edit.clone(), actions.look_at(|look, reading| look.reading = reading));
        move |format, on_bad_line| {
            look.emit((format, on_bad_line));
            if is_own {
                edit.emit(Edit::OwnReading(format, on_bad_line));
            }
        }
    };
    let on_format = {
        let set = set.clone();
        Callback::from(move |at: usize| set(FORMATS[at], on_bad_line))
    };
    let on_bad = Callback::from(move |at: usize| set(format, BAD_LINES[at]));
    let paste_missing = state.look.paste_missing;
    let oninput = paste_missing.then(|| actions.look(|look| look.paste_missing = false).reform(|_: InputEvent| ()));
    let on_paste = {
        let (own, show_missing) = (actions.own.clone(), actions.look(|look| look.paste_missing = true));
        // What was pasted before a reload keeps its name, and with it the designs and the query.
        let is_wanted = state.own_missing || state.data.state == LoadState::Interrupted;
        let name = match &state.workspace.source {
            Source::Own(own) if is_wanted && is_pasted(&own.name) => Some(own.name.clone()),
            _ => None,
        };
        Callback::from(move |()| {
            let Some(area) = paste_area() else { return };
            let text = area.value();
            if text.trim().is_empty() {
                show_missing.emit(());
                // It is shown, as the button is.
                drop(area.focus());
            } else if let Ok(blob) = Blob::new_with_str_sequence(&Array::of1(&text.into())) {
                own.emit(OwnChoice { blob, name: name.clone(), format, on_bad_line });
            }
        })
    };
    let taken = (FORMATS.iter().position(|each| *each == format), BAD_LINES.iter().position(|each| *each == on_bad_line));
    let says = &messages().data;
    html! {
        <div class="own">
            <div class="own-buttons">
                { file_button(says.choose_file, format, on_bad_line, actions) }
                <span class="soft small">{says.or_drop}</span>
            </div>
            <label class="field-label" for="own-text">{says.paste}</label>
            <textarea id="own-text" class="textarea mono" rows="4" spellcheck="false" data-undo="own"
                placeholder={"user,at,page\nada,2026-11-20T09:00:00Z,/home"} {oninput} />
            if paste_missing {
                <p class="problem" role="alert">{icon(Icon::Error)}{says.no_text}</p>
            }
            <div class="own-buttons">
                { push(says.load_text, None, ButtonKind::Plain, on_paste) }
            </div>
            <div class="own-options">
                <span class="field-label" aria-hidden="true">{says.format}</span>
                { segmented(says.format, &says.formats, taken.0, SegmentSize::Small, on_format) }
                <span class="field-label" aria-hidden="true">{says.invalid_lines}</span>
                { segmented(says.invalid_lines, &says.invalid_lines_choices, taken.1, SegmentSize::Small, on_bad) }
            </div>
        </div>
    }
}

fn paste_area() -> Option<HtmlTextAreaElement> {
    browser::document().get_element_by_id("own-text")?.dyn_into().ok()
}

/// A file has an ending.
fn is_pasted(name: &str) -> bool {
    name.starts_with("pasted") && !name.contains('.')
}

/// The browser's own file field, dressed as a button.
fn file_button(label: &str, format: Format, on_bad_line: OnBadLine, actions: &Actions) -> Html {
    let own = actions.own.clone();
    let onchange = Callback::from(move |event: Event| {
        take_file(&event.target_unchecked_into(), |file| {
            own.emit(OwnChoice { name: Some(file.name()), blob: file.into(), format, on_bad_line });
        });
    });
    html! {
        <label class="button file-button">
            {icon(Icon::File)}
            {label.to_owned()}
            <input type="file" class="visually-hidden" accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/*,application/json" {onchange} />
        </label>
    }
}

/// A load was not finished: a part of its events was kept.
pub fn interrupted_own(state: &PageState, actions: &Actions) -> Html {
    let Source::Own(own) = &state.workspace.source else { return html! {} };
    let says = &messages().data;
    html! {
        <div class="banner">
            <p>
                <strong>{(says.load_incomplete)(&own.name)}</strong>{" "}
                {(says.some_are_saved)(state.data.events.into())}
            </p>
            { give_again(own, actions) }
        </div>
    }
}

/// After a reload the page has the designs, but not the bytes of a person's file, and its events were not kept.
pub fn missing_own(state: &PageState, actions: &Actions) -> Html {
    let Source::Own(own) = &state.workspace.source else { return html! {} };
    let says = &messages().data;
    let what = if is_pasted(&own.name) { says.paste_again.to_owned() } else { (says.choose_again)(&own.name) };
    let is_kept = state.storage.sets.iter().any(|set| set.own.name == own.name);
    let why = match &state.data.keeping {
        Persistence::OtherTab => says.in_other_tab,
        _ if is_kept => says.saved_as_read_before,
        Persistence::OtherTabGone => says.perhaps_in_closed_tab,
        _ => says.not_saved,
    };
    html! {
        <div class="banner">
            <p><strong>{what}</strong>{" "}{why}</p>
            { give_again(own, actions) }
        </div>
    }
}

/// Where the person gives their own events once more.
fn give_again(own: &OwnData, actions: &Actions) -> Html {
    if !is_pasted(&own.name) {
        return file_button(&(messages().data.choose)(&own.name), own.format, own.on_bad_line, actions);
    }
    let to_data = actions.look(|look| {
        look.source = None;
        look.pane = Pane::Data;
        look.folded.retain(|pane| *pane != "data");
    });
    push(messages().data.paste_here, None, ButtonKind::Plain, to_data)
}
