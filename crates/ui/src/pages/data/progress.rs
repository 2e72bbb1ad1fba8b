//! How far a load has come.

use std::rc::Rc;

use tabletop_schema::{DataView, LoadState, SampleInfo, Source};
use yew::{Callback, Html, Properties, function_component, html};

use crate::results::format::{bytes, count, thousands};
use crate::widgets::{Button, ButtonKind};

/// Properties of [`LoadProgress`].
#[derive(Properties, PartialEq)]
pub struct LoadProgressProps {
    /// Where the events come from.
    pub source: Source,
    /// The events so far.
    pub data: Rc<DataView>,
    /// Sample sets that the engine knows.
    pub samples: Rc<Vec<SampleInfo>>,
    /// Bytes of the own file; 0 if that is not known.
    pub own_bytes: u64,
    /// Ends the load.
    pub on_cancel: Callback<()>,
}

/// A bar with numbers and a way out while it lasts; afterwards one line.
#[function_component]
pub fn LoadProgress(props: &LoadProgressProps) -> Html {
    let data = &props.data;
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
    let (done, total) = match &props.source {
        Source::Generated(settings) => (events, f64::from(settings.events)),
        Source::Sample(name) => {
            let sample = props.samples.iter().find(|sample| sample.name == *name);
            (events, sample.map_or(0.0, |sample| f64::from(sample.events)))
        }
        Source::Own(_) => (data.bytes as f64, props.own_bytes as f64),
    };
    let text = match &props.source {
        Source::Own(_) if total > 0.0 => {
            format!("{} of {} · {}", bytes(data.bytes), bytes(props.own_bytes), count(data.events.into(), "event"))
        }
        Source::Own(_) => format!("{} · {}", bytes(data.bytes), count(data.events.into(), "event")),
        _ => format!("{} of {} events", thousands(data.events.into()), thousands(total as u64)),
    };
    let percent = if total > 0.0 { (done / total * 100.0).min(100.0) } else { 0.0 };
    html! {
        <div class="load-progress">
            <progress aria-label="Loading events" max="100" value={percent.to_string()} />
            <span class="num small">{text}</span>
            <Button label="Cancel the load" kind={ButtonKind::Quiet} on_click={props.on_cancel.clone()} />
        </div>
    }
}
