//! What is measured on the user's own events, in a link: the sender's consent, and what the
//! recipient sees before these events are there.

use js_sys::Array;
use tabletop_texts::messages;
use tabletop_views::share::{EVENTS_MAX, Measured, Recorded, RecordedPart};
use tabletop_workspace::{Format, OnBadLine, Reading, Source};
use web_sys::Blob;
use yew::{Callback, Html, html};

use super::{Sharing, change, known};
use crate::browser;
use crate::kit::{ButtonKind, Icon, checked, icon, push};
use crate::page::actions::{self, Actions, OwnChoice};
use crate::page::state::PageState;

/// Draws what the sender can add to the link, if the events are not in it.
pub fn consent(state: &PageState, actions: &Actions) -> Html {
    let sharing = state.look.part::<Sharing>();
    let Some(look) = sharing.dialog.as_ref().filter(|_| matches!(state.workspace.source, Source::Own(_)))
    else {
        return html! {};
    };
    let says = &messages().share;
    let checkbox = |name: String, is_on: bool, on_change: Callback<bool>| {
        let onchange = checked(&name, &on_change);
        html! { <label class="check"><input type="checkbox" checked={is_on} {onchange} />{name}</label> }
    };
    let events = state.preview.events.len().min(EVENTS_MAX);
    let is_measured_here = !state.own_missing;
    html! {
        <div class="share-tools">
            { checkbox(says.record.into(), look.records, change(actions, |look, is_on| look.records = is_on)) }
            if look.records && is_measured_here && events > 0 {
                { checkbox((says.record_events)(events as u64), look.has_events, change(actions, |look, is_on| look.has_events = is_on)) }
            }
        </div>
    }
}

/// Returns what the link says of the measurements: nothing without the sender's consent. Without
/// the events, it is what their sender has measured.
pub fn text(state: &PageState) -> String {
    let sharing = state.look.part::<Sharing>();
    let is_own = matches!(state.workspace.source, Source::Own(_));
    let Some(look) = sharing.dialog.as_ref().filter(|look| look.records && is_own) else {
        return String::new();
    };
    if state.own_missing {
        return actions::recorded(state).map(|_| actions::recorded_text()).unwrap_or_default();
    }
    let today = browser::local_time();
    let day = today.split(' ').next().unwrap_or_default();
    let events = look.has_events.then_some(&*state.preview);
    Recorded::write(day, &state.workspace, &Measured::of(&known(state)), events)
}

/// Draws what the sender of the link has measured, until the events are there. It is never a tick:
/// what is not measured here may have changed since.
#[inline(never)]
pub fn recorded_note(state: &PageState, actions: &Actions) -> Html {
    let (Some(recorded), Source::Own(own)) = (actions::recorded(state), &state.workspace.source) else {
        return html! {};
    };
    let says = &messages().share;
    let load = {
        let (text, name) =
            (recorded.events.join("\n"), (says.events_of)(recorded.events.len() as u64, &own.name));
        let own = actions.own.clone();
        Callback::from(move |()| {
            // Fails only if the browser has no memory left.
            if let Ok(blob) = Blob::new_with_str_sequence(&Array::of1(&text.clone().into())) {
                own.emit(OwnChoice {
                    blob,
                    name: Some(name.clone()),
                    format: Format::Detect,
                    on_bad_line: OnBadLine::Skip,
                    reading: Reading::default(),
                });
            }
        })
    };
    html! {
        <section class="banner recorded" aria-label={says.recorded}>
            <p>{icon(Icon::Info)}<strong>{(says.recorded_on)(recorded.day)}</strong>{" "}{says.recorded_about}</p>
            { for recorded.parts.iter().map(part) }
            if !recorded.events.is_empty() {
                { push(&(says.load_events)(recorded.events.len() as u64), None, ButtonKind::Plain, load) }
            }
        </section>
    }
}

fn part(part: &RecordedPart) -> Html {
    let line = |cells: &Vec<String>| {
        let mut cells = cells.iter();
        let first = cells.next().map(|cell| html! { <th scope="row">{cell.clone()}</th> });
        html! { <tr>{ for first }{ for cells.map(|cell| html! { <td class="num">{cell.clone()}</td> }) }</tr> }
    };
    html! {
        <>
            <p>{part.sentences.clone()}</p>
            <details>
                <summary>{part.title.clone()}</summary>
                <div class="recorded-table">
                    <table>
                        <thead><tr>{ for part.head.iter().map(|cell| html! { <th scope="col">{cell.clone()}</th> }) }</tr></thead>
                        <tbody>{ for part.lines.iter().map(line) }</tbody>
                    </table>
                </div>
            </details>
        </>
    }
}
