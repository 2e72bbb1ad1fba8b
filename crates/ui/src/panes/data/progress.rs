//! The progress of a load.

use tabletop_protocol::{DataView, LoadState, Persistence};
use tabletop_texts::messages;
use tabletop_workspace::Source;
use yew::{Html, html};

use crate::kit::{ButtonKind, push};
use crate::page::actions::Actions;
use crate::page::state::PageState;

/// Returns a sentence on how many of the user's own events are stored.
fn kept(data: &DataView) -> String {
    let says = &messages().data;
    match data.kept {
        None => String::new(),
        Some(kept) if kept >= data.events => says.all_saved.into(),
        Some(kept) if data.keeping == Persistence::Here => (says.saved_so_far)(kept.into()),
        Some(kept) => (says.only_saved)(kept.into()),
    }
}

/// Draws a bar with numbers and a button that cancels the load; after the load one line.
pub fn progress(state: &PageState, actions: &Actions) -> Html {
    let (data, says) = (&state.data, &messages().data);
    if data.state != LoadState::Loading {
        return html! {
            <p class="num data-summary">
                {(says.summary)(data.events.into(), data.fields.len() as u64)}
                <span class="soft">
                    if data.state == LoadState::Cancelled { {says.cancelled} }
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
        // The events are read from storage.
        Source::Own(_) if data.bytes == 0 => (messages().common.events)(data.events.into()),
        Source::Own(_) if total > 0.0 => {
            (says.read_of)(data.bytes, state.own_bytes, data.events.into()) + &kept(data)
        }
        Source::Own(_) => (says.read)(data.bytes, data.events.into()) + &kept(data),
        _ => (says.events_of)(data.events.into(), total as u64),
    };
    let percent = if total > 0.0 { (done / total * 100.0).min(100.0) } else { 0.0 };
    html! {
        <div class="load-progress">
            <progress aria-label={says.loading} max="100" value={percent.to_string()} />
            <span class="num small">{text}</span>
            { push(says.cancel_load, None, ButtonKind::Quiet, actions.cancel_load.clone()) }
        </div>
    }
}
