//! The user's own events: pasted, chosen or dropped.

use js_sys::Array;
use tabletop_keys::FieldKind;
use tabletop_protocol::Persistence;
use tabletop_texts::messages;
use tabletop_workspace::{
    Format, HeaderLine, NumberReading, OnBadLine, OwnData, Reading, Source, TextEncoding, TimeZone,
};
use wasm_bindgen::JsCast;
use web_sys::{Blob, HtmlTextAreaElement};
use yew::{Callback, Event, Html, InputEvent, TargetCast, html};

use super::look::DataLook;
use crate::browser::{self, take_file};
use crate::kit::{ButtonKind, Icon, Label, SegmentSize, callback, icon, push, segmented, select, tool};
use crate::page::actions::{Actions, OwnChoice};
use crate::page::state::{Edit, GivenNote, PageState, Pane};

const FORMATS: [Format; 3] = [Format::Detect, Format::Csv, Format::JsonLines];
const HEADERS: [HeaderLine; 3] = [HeaderLine::Detect, HeaderLine::Present, HeaderLine::Absent];
const NUMBERS: [NumberReading; 4] =
    [NumberReading::Detect, NumberReading::Point, NumberReading::Comma, NumberReading::AsWritten];
const BAD_LINES: [OnBadLine; 2] = [OnBadLine::Skip, OnBadLine::Stop];

/// Draws the choice of a file, a field for a pasted text, and the options of reading.
pub fn own_picker(state: &PageState, actions: &Actions) -> Html {
    // The look has the options for events that are not chosen yet; the workspace has the options of
    // chosen events.
    let is_own = matches!(state.workspace.source, Source::Own(_));
    let (format, on_bad_line, reading) = match &state.workspace.source {
        Source::Own(own) => (own.format, own.on_bad_line, own.reading),
        _ => state.look.part::<DataLook>().reading,
    };
    let set = {
        let (edit, look) =
            (actions.edit.clone(), actions.part_at(|look: &mut DataLook, reading| look.reading = reading));
        move |format, on_bad_line, reading| {
            look.emit((format, on_bad_line, reading));
            if is_own {
                edit.emit(Edit::OwnReading(format, on_bad_line, reading));
            }
        }
    };
    let on_format = callback(&set, move |set, at: usize| set(FORMATS[at], on_bad_line, reading));
    let on_bad = callback(&set, move |set, at: usize| set(format, BAD_LINES[at], reading));
    let on_reading = Callback::from(move |reading: Reading| set(format, on_bad_line, reading));
    let paste_missing = state.look.part::<DataLook>().paste_missing;
    let oninput = paste_missing
        .then(|| actions.part(|look: &mut DataLook| look.paste_missing = false).reform(|_: InputEvent| ()));
    let on_paste = {
        let (own, show_missing) =
            (actions.own.clone(), actions.part(|look: &mut DataLook| look.paste_missing = true));
        // A text that was pasted before a reload keeps its name.
        let name = state.wanted_own().filter(|own| is_pasted(&own.name)).map(|own| own.name.clone());
        Callback::from(move |()| {
            let Some(area) = paste_area() else { return };
            let text = area.value();
            if text.trim().is_empty() {
                show_missing.emit(());
                // The field is visible, as the button is.
                drop(area.focus());
            } else if let Ok(blob) = Blob::new_with_str_sequence(&Array::of1(&text.into())) {
                own.emit(OwnChoice { blob, name: name.clone(), format, on_bad_line, reading });
            }
        })
    };
    let taken = (
        FORMATS.iter().position(|each| *each == format),
        BAD_LINES.iter().position(|each| *each == on_bad_line),
    );
    let says = &messages().data;
    html! {
        <div class="own">
            <div class="own-buttons">
                { file_button(says.choose_file, (format, on_bad_line, reading), actions) }
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
            { reading_options(reading, is_own && lacks_zones(state), &on_reading) }
        </div>
    }
}

/// Returns whether some time of the first events has no time zone.
fn lacks_zones(state: &PageState) -> bool {
    let mut times =
        state.preview.fields.iter().enumerate().filter(|(_, field)| field.kind == FieldKind::Time);
    let text = |at: usize| state.preview.events.iter().filter_map(move |event| event.get(at)?.as_deref());
    times.any(|(at, field)| text(at).any(|text| field.lacks_zone(text)))
}

/// Draws the choices about what is otherwise detected in the bytes.
#[inline(never)]
fn reading_options(reading: Reading, lacks_zones: bool, on_reading: &Callback<Reading>) -> Html {
    let says = &messages().data;
    let on_encoding =
        on_reading.reform(move |at: usize| Reading { encoding: TextEncoding::ALL[at], ..reading });
    let on_header = on_reading.reform(move |at: usize| Reading { header: HEADERS[at], ..reading });
    let mut encodings = TextEncoding::ALL.map(TextEncoding::label);
    encodings[0] = says.formats[0];
    let encoding = TextEncoding::ALL.iter().position(|each| *each == reading.encoding);
    let on_numbers = on_reading.reform(move |at: usize| Reading { numbers: NUMBERS[at], ..reading });
    let numbers = NUMBERS.iter().position(|each| *each == reading.numbers);
    let header = HEADERS.iter().position(|each| *each == reading.header);
    html! {
        <details class="fields-details" open={reading != Reading::default()}>
            <summary>{says.reading_options}</summary>
            { select(Label::Shown(says.encoding), &encodings, encoding, on_encoding) }
            { select(Label::Shown(says.first_line), &says.first_line_choices, header, on_header) }
            { select(Label::Shown(says.numbers), &says.numbers_choices, numbers, on_numbers) }
            if lacks_zones || reading.zone != TimeZone::Utc { { time_zone(reading, on_reading) } }
        </details>
    }
}

/// Draws the choice of the time zone of times without one.
#[inline(never)]
fn time_zone(reading: Reading, on_reading: &Callback<Reading>) -> Html {
    let mut zones = TimeZone::choices();
    // A workspace may have any offset.
    if !zones.contains(&reading.zone) {
        zones.push(reading.zone);
    }
    let texts: Vec<String> = zones.iter().map(TimeZone::to_string).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let taken = zones.iter().position(|zone| *zone == reading.zone);
    let on_zone = on_reading.reform(move |at: usize| Reading { zone: zones[at], ..reading });
    select(Label::Shown(messages().data.time_zone), &texts, taken, on_zone)
}

fn paste_area() -> Option<HtmlTextAreaElement> {
    browser::document().get_element_by_id("own-text")?.dyn_into().ok()
}

/// Returns whether a name is of a pasted text. The name of a file has an extension.
fn is_pasted(name: &str) -> bool {
    name.starts_with("pasted") && !name.contains('.')
}

/// Draws the browser's file field as a button.
fn file_button(
    label: &str,
    (format, on_bad_line, reading): (Format, OnBadLine, Reading),
    actions: &Actions,
) -> Html {
    let own = actions.own.clone();
    let onchange = Callback::from(move |event: Event| {
        take_file(&event.target_unchecked_into(), |file| {
            own.emit(OwnChoice { name: Some(file.name()), blob: file.into(), format, on_bad_line, reading });
        });
    });
    html! {
        <label class="button file-button">
            {icon(Icon::File)}
            {label.to_owned()}
            <input type="file" class="visually-hidden" accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.gz,text/*,application/json" {onchange} />
        </label>
    }
}

/// Draws the banner of a load that was interrupted after a part of its events was stored.
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

/// Draws the banner of own events that are missing: they were not stored before a reload, or the
/// workspace came without them.
pub fn missing_own(state: &PageState, actions: &Actions) -> Html {
    let Source::Own(own) = &state.workspace.source else { return html! {} };
    let says = &messages().data;
    let what = if is_pasted(&own.name) { says.needs_text.to_owned() } else { (says.needs_file)(&own.name) };
    let kept = || state.storage.sets.iter().map(|set| &set.own).filter(|kept| kept.name == own.name);
    let why = match &state.data.keeping {
        Persistence::OtherTab => says.in_other_tab,
        _ if kept().any(|kept| kept.may_be(own)) => says.saved_as_read_before,
        _ if kept().next().is_some() => says.other_file_saved,
        Persistence::OtherTabGone => says.perhaps_in_closed_tab,
        _ if state.came_from_elsewhere() => says.not_in_link,
        _ => says.not_here,
    };
    html! {
        <div class="banner">
            <p><strong>{what}</strong>{" "}{why}</p>
            { give_again(own, actions) }
        </div>
    }
}

/// Draws the banner of a file that was given in place of the missing events.
#[inline(never)]
pub fn given_own(state: &PageState, actions: &Actions) -> Html {
    let Some(file) = state.given_file().filter(|_| !state.look.part::<GivenNote>().is_closed) else {
        return html! {};
    };
    let lacks = state.fields_not_given();
    if lacks.is_empty() && !file.is_other() {
        return html! {};
    }
    let says = &messages().data;
    let missing = &file.missing;
    html! {
        <div class="banner">
            <p>
                <strong>{(says.other_file)(&file.given.name, &missing.name)}</strong>{" "}{says.designs_stay}
                if !lacks.is_empty() { {" "}{(says.fields_lack)(&lacks, &missing.name)} }
            </p>
            { give_again(missing, actions) }
            if state.has_all_fields() {
                { push(says.new_design, None, ButtonKind::Plain, actions.edit.reform(|()| Edit::DesignForGiven)) }
            }
            { tool(messages().storage.close_note, Icon::Close, actions.part(|note: &mut GivenNote| note.is_closed = true)) }
        </div>
    }
}

/// Draws a button to choose or paste the own events.
fn give_again(own: &OwnData, actions: &Actions) -> Html {
    if !is_pasted(&own.name) {
        return file_button(
            &(messages().data.choose)(&own.name),
            (own.format, own.on_bad_line, own.reading),
            actions,
        );
    }
    let to_data = actions.look(|look| {
        look.part_mut::<DataLook>().source = None;
        look.pane = Pane::Data;
        look.folded.retain(|pane| *pane != "data");
    });
    push(messages().data.paste_here, None, ButtonKind::Plain, to_data)
}
