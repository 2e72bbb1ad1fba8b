//! How events arrive, and at which size a tablet splits.

use std::rc::Rc;

use tabletop_schema::{ClusterSettings, DesignView, Playback};
use yew::{AttrValue, Callback, Html, Properties, function_component, html};

use crate::results::format::{bytes, thousands};
use crate::widgets::{Button, ButtonKind, Icon, Select};

/// Paces on offer, events a second.
const PACES: [f64; 8] = [10.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 5_000.0, 20_000.0];
/// Sizes on offer, bytes.
const SIZES: [u64; 8] = [20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 5_000_000, 20_000_000];

/// Properties of [`PlaybackBar`].
#[derive(Properties, PartialEq)]
pub struct PlaybackBarProps {
    /// The table.
    pub view: Rc<DesignView>,
    /// Thresholds and pace.
    pub cluster: ClusterSettings,
    /// Another way for events to arrive.
    pub on_play: Callback<Playback>,
    /// Other thresholds or another pace.
    pub on_cluster: Callback<ClusterSettings>,
}

/// Play, pause, restart, all at once; position; pace; threshold.
#[function_component]
pub fn PlaybackBar(props: &PlaybackBarProps) -> Html {
    let PlaybackBarProps { view, cluster, on_play, on_cluster } = props;
    let at_end = view.events_built >= view.events_total;
    let play = |playback: Playback| on_play.reform(move |()| playback);
    let on_pace = on_cluster.reform({
        let cluster = cluster.clone();
        move |pace: AttrValue| ClusterSettings {
            events_per_second: pace.parse().unwrap_or(cluster.events_per_second),
            ..cluster.clone()
        }
    });
    let on_size = on_cluster.reform({
        let cluster = cluster.clone();
        move |size: AttrValue| ClusterSettings { tablet_bytes_max: size.parse().ok(), ..cluster.clone() }
    });
    html! {
        <div class="playback">
            <div class="playback-buttons" role="group" aria-label="Arrival of events">
                if view.playing && !at_end {
                    <Button label="Pause" icon={Icon::Pause} icon_only=true kind={ButtonKind::Quiet} on_click={play(Playback::Pause)} />
                } else {
                    <Button label="Play" icon={Icon::Play} icon_only=true kind={ButtonKind::Quiet} disabled={at_end} on_click={play(Playback::Play)} />
                }
                <Button label="Restart" icon={Icon::Restart} icon_only=true kind={ButtonKind::Quiet} on_click={play(Playback::Restart)} />
                <Button label="Load all" icon={Icon::Finish} kind={ButtonKind::Quiet} disabled={at_end} on_click={play(Playback::Finish)} />
            </div>
            <span class="position num">
                {format!("{} of {} events", thousands(view.events_built.into()), thousands(view.events_total.into()))}
            </span>
            <Select
                label="Events per second"
                options={with_current(&PACES.map(|pace| (pace, format!("{} / s", thousands(pace as u64)))), cluster.events_per_second, |pace| {
                    format!("{pace} / s")
                })}
                selected={cluster.events_per_second.to_string()}
                hide_label=true
                on_select={on_pace}
            />
            <span class="threshold">
                <Select
                    label="Tablets split at"
                    options={sizes(cluster.tablet_bytes_max, view.tablet_bytes_max)}
                    selected={cluster.tablet_bytes_max.map(|size| size.to_string()).unwrap_or_default()}
                    on_select={on_size}
                />
                <span class="soft small">{"scaled down for a browser; Google publishes none"}</span>
            </span>
        </div>
    }
}

/// The choices, and the present one among them if it is of a person's own making.
fn with_current(choices: &[(f64, String)], current: f64, text: impl Fn(f64) -> String) -> Vec<(AttrValue, AttrValue)> {
    let mut options: Vec<(f64, String)> = choices.to_vec();
    if !choices.iter().any(|(value, _)| *value == current) {
        options.push((current, text(current)));
        options.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    options.into_iter().map(|(value, text)| (value.to_string().into(), text.into())).collect()
}

/// Sizes to choose from; the first is the one that the engine has fitted to the events.
fn sizes(current: Option<u64>, in_use: u64) -> Vec<(AttrValue, AttrValue)> {
    let mut sizes = SIZES.to_vec();
    sizes.extend(current.filter(|current| !SIZES.contains(current)));
    sizes.sort_unstable();
    let fixed = sizes.into_iter().map(|size| (AttrValue::from(size.to_string()), AttrValue::from(bytes(size))));
    let fitted = match current {
        None if in_use > 0 => format!("{} (fitted)", bytes(in_use)),
        _ => "a fitted size".to_owned(),
    };
    std::iter::once((AttrValue::from(""), AttrValue::from(fitted))).chain(fixed).collect()
}
