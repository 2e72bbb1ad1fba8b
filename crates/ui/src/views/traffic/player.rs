//! The clock of the simulation: play, pause, steps, speed, a slider, and what has happened to the
//! cluster.

use tabletop_advice::Symptom;
use tabletop_protocol::{ClusterEvent, ClusterEventKind, SimulationMoment, spells as spells_of};
use tabletop_texts::messages;
use tabletop_views::tablets::marks_of;
use tabletop_views::traffic::Simulated;
use yew::{Callback, Html, html};

use crate::kit::{Icon, Label, Scrubber, scrubber, select, tool};

/// Speeds that are offered, in seconds per second.
pub const SPEEDS: [u32; 5] = [1, 5, 10, 30, 120];
/// Events that the list shows, the last ones.
const EVENTS_SHOWN: usize = 200;

/// The user's action on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Play {
    /// Starts or stops it.
    Toggle,
    /// Goes to a second.
    Seek(u32),
    /// Moves forward by this many seconds from the second shown, or back.
    Step(i32),
    /// Index of a speed.
    Speed(usize),
}

/// Draws the controls.
pub fn player(
    simulated: &Simulated,
    position: u32,
    is_playing: bool,
    speed: usize,
    on_play: &Callback<Play>,
) -> Html {
    let says = &messages().traffic.player;
    let total = simulated.seconds_total;
    let seek = |to: Option<u32>| to.map(|to| on_play.reform(move |()| Play::Seek(to)));
    let step = |seconds: i32| on_play.reform(move |()| Play::Step(seconds));
    let seconds = || simulated.cluster_events.iter().map(|event| event.at_millis / 1_000);
    let previous = seconds().rev().find(|second| *second < position);
    let next = seconds().find(|second| *second > position);
    let slider = scrubber(Scrubber {
        marks: KINDS
            .map(|kind| (class(kind), marks(&simulated.cluster_events, total, kind)))
            .into_iter()
            .chain([false, true].map(|serious| diagnosed(&simulated.moments, total, serious)))
            .collect(),
        max: total,
        at: position,
        label: says.position,
        text: (says.at)(position, total),
        described_by: None,
        on_go: on_play.reform(Play::Seek),
        on_key: None,
    });
    let times: Vec<String> = SPEEDS.iter().map(|times| (says.times)(*times)).collect();
    let times: Vec<&str> = times.iter().map(String::as_str).collect();
    let (label, icon) = if is_playing { (says.pause, Icon::Pause) } else { (says.play, Icon::Play) };
    html! {
        <div class="traffic-player" role="group" aria-label={says.title}>
            { tool(label, icon, on_play.reform(|()| Play::Toggle)) }
            { tool(says.restart, Icon::Restart, seek((position > 0).then_some(0))) }
            { tool(says.previous, Icon::SplitBefore, seek(previous)) }
            { tool(says.back, Icon::Back, (position > 0).then(|| step(-1))) }
            { tool(says.forward, Icon::Forward, (position < total).then(|| step(1))) }
            { tool(says.next, Icon::SplitAfter, seek(next)) }
            {slider}
            <span class="num">{(says.at)(position, total)}</span>
            { select(Label::Hidden(says.speed), &times, Some(speed), on_play.reform(Play::Speed)) }
        </div>
    }
}

/// Draws the problems of the whole run, with the times at which they were found.
pub fn spells(simulated: &Simulated, on_play: &Callback<Play>) -> Html {
    let says = &messages().traffic.diagnoses;
    let found = spells_of(&simulated.moments);
    if found.is_empty() {
        return html! {};
    }
    let line = |spell: &tabletop_protocol::Spell| {
        let from = spell.from;
        let go = on_play.reform(move |_| Play::Seek(from));
        let evidence = match spell.diagnosis.symptom {
            Symptom::FailedNode { waiting, expired, .. } => (says.failed_spell)(waiting, expired),
            _ => (messages().advice.diagnosis_evidence)(&spell.diagnosis),
        };
        let text = format!("{} {evidence}", (says.kind)(spell.kind()));
        html! {
            <li>
                <button type="button" class="button quiet small num" onclick={go}>{(says.spell)(spell.from, spell.until)}</button>
                <span>{text}</span>
            </li>
        }
    };
    html! {
        <section class="traffic-spells" aria-labelledby="traffic-spells-title">
            <h3 id="traffic-spells-title">{says.spells}</h3>
            <ul>{ for found.iter().map(line) }</ul>
        </section>
    }
}

/// Returns the class of the marks of moments with diagnoses, and a line for each of them.
fn diagnosed(moments: &[SimulationMoment], total: u32, is_serious: bool) -> (&'static str, String) {
    let of_kind = moments.iter().filter(|moment| {
        let has_serious = moment.diagnoses.iter().any(|diagnosis| diagnosis.is_serious);
        !moment.diagnoses.is_empty() && has_serious == is_serious
    });
    let at = of_kind.map(|moment| moment.second.saturating_mul(1_000));
    let class = if is_serious { "diagnosed serious" } else { "diagnosed" };
    (class, marks_of(at, total.saturating_mul(1_000), (9, 12)))
}

/// Draws the list of cluster events up to the position.
pub fn events(simulated: &Simulated, position: u32, on_play: &Callback<Play>) -> Html {
    let says = &messages().traffic.player;
    let until = simulated.cluster_events.partition_point(|event| event.at_millis / 1_000 <= position);
    let line = |event: &ClusterEvent| {
        let second = event.at_millis / 1_000;
        let go = on_play.reform(move |_| Play::Seek(second));
        html! {
            <li class={class(event.kind())}>
                <button type="button" class="button quiet small num" onclick={go}>{(says.event_at)(event.at_millis)}</button>
                <span class="event-kind small">{(says.event)(event.kind())}</span>
                <span class="mono">{(says.happened)(event)}</span>
            </li>
        }
    };
    html! {
        <details class="traffic-events">
            <summary>{(says.events)(until)}</summary>
            if until == 0 { <p class="soft">{says.no_events}</p> }
            <ol>{ for simulated.cluster_events[..until].iter().rev().take(EVENTS_SHOWN).map(line) }</ol>
        </details>
    }
}

const KINDS: [ClusterEventKind; 5] = [
    ClusterEventKind::Split,
    ClusterEventKind::Merge,
    ClusterEventKind::Move,
    ClusterEventKind::Resize,
    ClusterEventKind::Failure,
];

fn class(kind: ClusterEventKind) -> &'static str {
    match kind {
        ClusterEventKind::Split => "event-split",
        ClusterEventKind::Merge => "event-merge",
        ClusterEventKind::Move => "event-move",
        ClusterEventKind::Resize => "event-resize",
        ClusterEventKind::Failure => "event-failure",
    }
}

/// Returns a line for each event of a kind, or for several that are drawn at the same position.
fn marks(events: &[ClusterEvent], total: u32, kind: ClusterEventKind) -> String {
    let ends = match kind {
        ClusterEventKind::Split | ClusterEventKind::Merge => (6, 12),
        ClusterEventKind::Move => (3, 9),
        ClusterEventKind::Resize | ClusterEventKind::Failure => (0, 12),
    };
    let of_kind = events.iter().filter(|event| event.kind() == kind).map(|event| event.at_millis);
    marks_of(of_kind, total.saturating_mul(1_000), ends)
}
