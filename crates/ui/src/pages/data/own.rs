//! A person's own events: pasted, picked or dropped.

use js_sys::Array;
use tabletop_schema::{Format, OnBadLine, Source};
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlTextAreaElement};
use yew::{Callback, Event, Html, TargetCast, html};

use super::OwnChoice;
use crate::app::Deeds;
use crate::browser;
use crate::chrome::take_file;
use crate::state::{Edit, State};
use crate::widgets::{ButtonKind, Icon, icon, push, segmented};

const FORMATS: [Format; 3] = [Format::Detect, Format::Csv, Format::JsonLines];
const BAD_LINES: [OnBadLine; 2] = [OnBadLine::Skip, OnBadLine::Stop];

/// How to read, a text to paste into, and a file to pick.
pub fn own_picker(state: &State, deeds: &Deeds) -> Html {
    // For events that are still to be chosen; afterwards the workspace says it.
    let is_own = matches!(state.workspace.source, Source::Own(_));
    let (format, on_bad_line) = match &state.workspace.source {
        Source::Own(own) => (own.format, own.on_bad_line),
        _ => state.look.reading,
    };
    let set = {
        let (edit, look) = (deeds.edit.clone(), deeds.look_at(|look, reading| look.reading = reading));
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
    let on_paste = {
        let own = deeds.own.clone();
        Callback::from(move |()| {
            let text = pasted();
            if let (false, Ok(blob)) = (text.trim().is_empty(), Blob::new_with_str_sequence(&Array::of1(&text.into()))) {
                own.emit(OwnChoice { blob, name: None, format, on_bad_line });
            }
        })
    };
    let taken = (FORMATS.iter().position(|each| *each == format), BAD_LINES.iter().position(|each| *each == on_bad_line));
    html! {
        <div class="own">
            <div class="own-options">
                <span class="field-label" aria-hidden="true">{"Format"}</span>
                { segmented("Format", &["Detect", "CSV", "JSON lines"], taken.0, true, on_format) }
                <span class="field-label" aria-hidden="true">{"A bad line"}</span>
                { segmented("A bad line", &["is skipped", "stops the load"], taken.1, true, on_bad) }
            </div>
            <label class="field-label" for="own-text">{"Paste CSV with a header line, or JSON lines"}</label>
            <textarea id="own-text" class="textarea mono" rows="4" spellcheck="false"
                placeholder={"user,at,page\nada,2026-11-20T09:00:00Z,/home"} />
            <div class="own-buttons">
                { push("Load the text", None, ButtonKind::Plain, false, on_paste) }
                { file_button("Choose a file", format, on_bad_line, deeds) }
                <span class="soft small">{"or drop one anywhere"}</span>
            </div>
        </div>
    }
}

fn pasted() -> String {
    let area = browser::document().get_element_by_id("own-text").and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok());
    area.map(|area| area.value()).unwrap_or_default()
}

/// The browser's own file field, dressed as a button.
fn file_button(label: &str, format: Format, on_bad_line: OnBadLine, deeds: &Deeds) -> Html {
    let own = deeds.own.clone();
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

/// After a reload the page has the designs, but not the bytes of a person's file: it never kept them.
pub fn missing_own(source: &Source, deeds: &Deeds) -> Html {
    let Source::Own(own) = source else { return html! {} };
    html! {
        <div class="banner">
            <p>
                <strong>{format!("{} is needed again. ", own.name)}</strong>
                {"Your designs and the query are kept; the events stayed on your side, so please choose the file once more."}
            </p>
            { file_button(&format!("Choose {}", own.name), own.format, own.on_bad_line, deeds) }
        </div>
    }
}
