//! A person's own events: pasted, picked or dropped.

use js_sys::Array;
use tabletop_schema::{Format, OnBadLine, Source};
use web_sys::{Blob, HtmlInputElement, HtmlTextAreaElement};
use yew::{AttrValue, Callback, Event, Html, Properties, TargetCast, function_component, html, use_node_ref, use_state};

use super::OwnChoice;
use crate::state::Edit;
use crate::widgets::{Button, Icon, IconView, Segmented};

/// Properties of [`OwnPicker`].
#[derive(Properties, PartialEq)]
pub struct OwnPickerProps {
    /// Where the events come from now.
    pub source: Source,
    /// Other events were chosen.
    pub on_own: Callback<OwnChoice>,
    /// The same are to be read in another way.
    pub on_edit: Callback<Edit>,
}

/// How to read, a text to paste into, and a file to pick.
#[function_component]
pub fn OwnPicker(props: &OwnPickerProps) -> Html {
    let area = use_node_ref();
    // For events that are still to be chosen; afterwards the workspace says it.
    let reading = use_state(|| (Format::Detect, OnBadLine::Skip));
    let (format, on_bad_line) = match &props.source {
        Source::Own(own) => (own.format, own.on_bad_line),
        _ => *reading,
    };
    let set = {
        let (reading, on_edit, is_own) = (reading.clone(), props.on_edit.clone(), matches!(props.source, Source::Own(_)));
        move |format, on_bad_line| {
            reading.set((format, on_bad_line));
            if is_own {
                on_edit.emit(Edit::OwnReading(format, on_bad_line));
            }
        }
    };
    let on_format = {
        let set = set.clone();
        Callback::from(move |value: AttrValue| {
            let format = match value.as_str() {
                "csv" => Format::Csv,
                "json" => Format::JsonLines,
                _ => Format::Detect,
            };
            set(format, on_bad_line);
        })
    };
    let on_bad = Callback::from(move |value: AttrValue| {
        set(format, if value == "stop" { OnBadLine::Stop } else { OnBadLine::Skip });
    });
    let on_paste = {
        let (area, on_own) = (area.clone(), props.on_own.clone());
        Callback::from(move |()| {
            let Some(area) = area.cast::<HtmlTextAreaElement>() else { return };
            let text = area.value();
            if let (false, Ok(blob)) = (text.trim().is_empty(), Blob::new_with_str_sequence(&Array::of1(&text.into()))) {
                on_own.emit(OwnChoice { blob, name: None, format, on_bad_line });
            }
        })
    };
    let formats = [("detect", "Detect"), ("csv", "CSV"), ("json", "JSON lines")];
    let taken = match format {
        Format::Detect => "detect",
        Format::Csv => "csv",
        Format::JsonLines => "json",
    };
    html! {
        <div class="own">
            <div class="own-options">
                <span class="field-label" aria-hidden="true">{"Format"}</span>
                <Segmented label="Format" options={formats.map(|(value, text)| (value.into(), text.into())).to_vec()} selected={taken}
                    small=true on_select={on_format} />
                <span class="field-label" aria-hidden="true">{"A bad line"}</span>
                <Segmented label="A bad line" options={vec![("skip".into(), "is skipped".into()), ("stop".into(), "stops the load".into())]}
                    selected={if on_bad_line == OnBadLine::Stop { "stop" } else { "skip" }} small=true on_select={on_bad} />
            </div>
            <label class="field-label" for="own-text">{"Paste CSV with a header line, or JSON lines"}</label>
            <textarea id="own-text" class="textarea mono" rows="4" ref={area} spellcheck="false"
                placeholder={"user,at,page\nada,2026-11-20T09:00:00Z,/home"} />
            <div class="own-buttons">
                <Button label="Load the text" on_click={on_paste} />
                <FileButton label="Choose a file" {format} {on_bad_line} on_own={props.on_own.clone()} />
                <span class="soft small">{"or drop one anywhere"}</span>
            </div>
        </div>
    }
}

/// Properties of [`FileButton`].
#[derive(Properties, PartialEq)]
struct FileButtonProps {
    label: AttrValue,
    format: Format,
    on_bad_line: OnBadLine,
    on_own: Callback<OwnChoice>,
}

/// The browser's own file field, dressed as a button.
#[function_component]
fn FileButton(props: &FileButtonProps) -> Html {
    let onchange = {
        let (format, on_bad_line, on_own) = (props.format, props.on_bad_line, props.on_own.clone());
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                on_own.emit(OwnChoice { name: Some(file.name()), blob: file.into(), format, on_bad_line });
            }
            // The same file may be chosen again after it was changed.
            input.set_value("");
        })
    };
    html! {
        <label class="button file-button">
            <IconView icon={Icon::File} />
            {props.label.clone()}
            <input type="file" class="visually-hidden" accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/*,application/json" {onchange} />
        </label>
    }
}

/// Properties of [`MissingOwn`].
#[derive(Properties, PartialEq)]
pub struct MissingOwnProps {
    /// The source that names the file.
    pub source: Source,
    /// The file was chosen again.
    pub on_own: Callback<OwnChoice>,
}

/// After a reload the page has the designs, but not the bytes of a person's file: it never kept them.
#[function_component]
pub fn MissingOwn(props: &MissingOwnProps) -> Html {
    let Source::Own(own) = &props.source else { return html! {} };
    html! {
        <div class="banner">
            <p>
                <strong>{format!("{} is needed again. ", own.name)}</strong>
                {"Your designs and the query are kept; the events stayed on your side, so please choose the file once more."}
            </p>
            <FileButton label={format!("Choose {}", own.name)} format={own.format} on_bad_line={own.on_bad_line} on_own={props.on_own.clone()} />
        </div>
    }
}
