//! How far a load has come.

use tabletop_schema::{DataView, Keeping, LoadState, Source};
use yew::{Html, html};

use crate::app::Actions;
use crate::results::format::{bytes, count, thousands};
use crate::state::State;
use crate::widgets::{ButtonKind, push};

/// What a reload brings back of a person's own events.
fn kept(data: &DataView) -> String {
    match data.kept {
        None => String::new(),
        Some(kept) if kept >= data.events => " · kept in this browser".into(),
        Some(kept) if data.keeping == Keeping::Here => format!(" · {} kept so far", thousands(kept.into())),
        Some(kept) => format!(" · only {} kept", thousands(kept.into())),
    }
}

/// A bar with numbers and a way out while it lasts; afterwards one line.
pub fn progress(state: &State, actions: &Actions) -> Html {
    let data = &state.data;
    if data.state != LoadState::Loading {
        let events = count(data.events.into(), "event");
        let fields = count(data.fields.len() as u64, "field");
        return html! {
            <p class="num data-summary">
                {format!("{events} · {fields}")}
                <span class="soft">
                    if data.state == LoadState::Cancelled { {" · the load was cancelled"} }
                    {kept(data)}
                </span>
            </p>
        };
    }
    let events = f64::from(data.events);
    let (done, total) = match &state.workspace.source {
        Source::Generated(settings) => (events, f64::from(settings.events)),
        Source::Sample(name) => {
            let sample = state.samples.iter().find(|sample| sample.name == *name);
            (events, sample.map_or(0.0, |sample| f64::from(sample.events)))
        }
        Source::Own(_) if data.bytes == 0 => (events, f64::from(data.kept.unwrap_or(0))),
        Source::Own(_) => (data.bytes as f64, state.own_bytes as f64),
    };
    let text = match &state.workspace.source {
        // Read back from what is kept.
        Source::Own(_) if data.bytes == 0 => count(data.events.into(), "event"),
        Source::Own(_) if total > 0.0 => {
            format!("{} of {} · {}{}", bytes(data.bytes), bytes(state.own_bytes), count(data.events.into(), "event"), kept(data))
        }
        Source::Own(_) => format!("{} · {}{}", bytes(data.bytes), count(data.events.into(), "event"), kept(data)),
        _ => format!("{} of {} events", thousands(data.events.into()), thousands(total as u64)),
    };
    let percent = if total > 0.0 { (done / total * 100.0).min(100.0) } else { 0.0 };
    html! {
        <div class="load-progress">
            <progress aria-label="Loading events" max="100" value={percent.to_string()} />
            <span class="num small">{text}</span>
            { push("Cancel the load", None, ButtonKind::Quiet, false, actions.cancel_load.clone()) }
        </div>
    }
}
