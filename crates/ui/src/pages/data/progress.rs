//! How far a load has come.

use tabletop_schema::{LoadState, Source};
use yew::{Html, html};

use crate::app::Deeds;
use crate::results::format::{bytes, count, thousands};
use crate::state::State;
use crate::widgets::{ButtonKind, push};

/// A bar with numbers and a way out while it lasts; afterwards one line.
pub fn progress(state: &State, deeds: &Deeds) -> Html {
    let data = &state.data;
    if data.state != LoadState::Loading {
        let events = count(data.events.into(), "event");
        let fields = count(data.fields.len() as u64, "field");
        return html! {
            <p class="num data-summary">
                {format!("{events} · {fields}")}
                if data.state == LoadState::Cancelled { <span class="soft">{" · the load was cancelled"}</span> }
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
        Source::Own(_) => (data.bytes as f64, state.own_bytes as f64),
    };
    let text = match &state.workspace.source {
        Source::Own(_) if total > 0.0 => {
            format!("{} of {} · {}", bytes(data.bytes), bytes(state.own_bytes), count(data.events.into(), "event"))
        }
        Source::Own(_) => format!("{} · {}", bytes(data.bytes), count(data.events.into(), "event")),
        _ => format!("{} of {} events", thousands(data.events.into()), thousands(total as u64)),
    };
    let percent = if total > 0.0 { (done / total * 100.0).min(100.0) } else { 0.0 };
    html! {
        <div class="load-progress">
            <progress aria-label="Loading events" max="100" value={percent.to_string()} />
            <span class="num small">{text}</span>
            { push("Cancel the load", None, ButtonKind::Quiet, false, deeds.cancel_load.clone()) }
        </div>
    }
}
