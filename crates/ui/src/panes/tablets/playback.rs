//! The playback of events, the timeline, and the size at which a tablet splits.

use tabletop_protocol::Playback;
use tabletop_texts::messages;
use tabletop_texts::numbers::bytes;
use tabletop_workspace::ClusterSettings;
use yew::{Callback, Html, html};

use super::look::StripLook;
use super::timeline::{steps, timeline_bar};
use crate::kit::{ButtonKind, Icon, Label, Toggle, choices_with, push, select, toggle, tool};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState};

/// The offered paces, events per second.
const PACES: [f64; 8] = [10.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 5_000.0, 20_000.0];
/// The offered sizes, bytes.
const SIZES: [u64; 8] = [20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 5_000_000, 20_000_000];

/// Draws the buttons, the position, and the timeline; on request, the steps and the settings of the
/// simulation.
pub fn playback_bar(state: &PageState, actions: &Actions) -> Html {
    let (view, has_settings) = (&state.view, state.look.part::<StripLook>().has_settings);
    let at_end = view.events_built >= view.events_total;
    let play = |playback: Playback| actions.play.reform(move |()| playback);
    let says = &messages().tablets.playback;
    let (label, icon, playback) = if view.playing && !at_end {
        (says.pause, Icon::Pause, Playback::Pause)
    } else {
        (says.play, Icon::Play, Playback::Play)
    };
    html! {
        <div class="playback">
            <div class="playback-buttons" role="group" aria-label={says.title}>
                { tool(label, icon, (!at_end).then_some(play(playback))) }
                { push(says.load_all, Some(Icon::Finish), ButtonKind::Quiet, (!at_end).then_some(play(Playback::Finish))) }
            </div>
            <span class="position num">{(says.position)(view.events_built.into(), view.events_total.into())}</span>
            { toggle(Toggle {
                label: says.settings,
                icon: Icon::More,
                icon_only: true,
                pressed: has_settings,
                on_click: actions.part(|look: &mut StripLook| look.has_settings = !look.has_settings),
            }) }
            { timeline_bar(state, actions, has_settings) }
            if has_settings { { settings(state, actions) } }
        </div>
    }
}

/// Draws the steps, and the settings of the simulation: the pace of the events, and the size at
/// which tablets split.
#[inline(never)]
fn settings(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().tablets.playback;
    html! {
        <div class="simulation">
            <div class="playback-buttons">
                { tool(says.restart, Icon::Restart, actions.play.reform(|()| Playback::Restart)) }
                { steps(state, actions) }
            </div>
            { pace(&state.workspace.cluster, &actions.edit) }
            <span class="threshold">
                { threshold(&state.workspace.cluster, state.view.tablet_bytes_max, &actions.edit) }
                <span class="soft small ellipsis" title={says.scale_about}>{says.scale}</span>
            </span>
        </div>
    }
}

fn pace(cluster: &ClusterSettings, edit: &Callback<Edit>) -> Html {
    let current = cluster.events_per_second;
    let paces = choices_with(&PACES, Some(current));
    let says = &messages().tablets.playback;
    let texts: Vec<String> = paces.iter().map(|pace| (says.per_second)(*pace)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let taken = paces.iter().position(|pace| *pace == current);
    let on_select =
        Edit::by(edit, move |workspace, at: usize| workspace.cluster.events_per_second = paces[at]);
    select(Label::Shown(says.pace), &texts, taken, on_select)
}

/// Draws the choice of a size. The first is the one that the engine has fitted to the events.
fn threshold(cluster: &ClusterSettings, in_use: u64, edit: &Callback<Edit>) -> Html {
    let current = cluster.tablet_bytes_max;
    let says = &messages().tablets.playback;
    let sizes = choices_with(&SIZES, current);
    let fitted = match current {
        None if in_use > 0 => (says.fitted)(in_use),
        _ => says.fitted_later.to_owned(),
    };
    let texts: Vec<String> = std::iter::once(fitted).chain(sizes.iter().map(|size| bytes(*size))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let taken =
        current.map_or(Some(0), |current| sizes.iter().position(|size| *size == current).map(|at| at + 1));
    let on_select = Edit::by(edit, move |workspace, at: usize| {
        workspace.cluster.tablet_bytes_max = at.checked_sub(1).map(|at| sizes[at]);
    });
    select(Label::Shown(says.split_at), &texts, taken, on_select)
}
