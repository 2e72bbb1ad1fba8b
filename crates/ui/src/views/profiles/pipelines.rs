//! The two pipelines: how far they are, how fast, and their buttons.

use tabletop_protocol::{ProfilesChunk, ProfilesWork};
use tabletop_texts::messages;
use tabletop_texts::numbers::{duration, thousands};
use yew::{Html, html};

use super::{Msg, Plan, ProfilesView};
use crate::kit::{ButtonKind, Icon, Link, figures, push, tool};

/// Draws both.
pub fn pipelines(plan: &Plan, chunk: &ProfilesChunk, link: &Link<ProfilesView>) -> Html {
    let says = &messages().profiles.pipelines;
    let is_done = chunk.events >= chunk.events_total;
    let per_event = chunk.stream_micros.checked_div(chunk.events);
    let rate = per_second(chunk.events, chunk.stream_micros);
    let stream = [
        (says.arrived, format!("{} / {}", thousands(chunk.events), thousands(chunk.events_total))),
        (says.users, thousands(chunk.users)),
        (says.rate, rate.map_or("–".into(), thousands)),
        (says.staleness, per_event.map_or("–".into(), duration)),
    ];
    let (text, sign) = if plan.is_streaming { (says.pause, Icon::Pause) } else { (says.play, Icon::Play) };
    let toggle = (!is_done).then(|| {
        link.callback({
            let on = !plan.is_streaming;
            move |()| Msg::Stream(on)
        })
    });
    html! {
        <section class="profiles-pipelines" aria-labelledby="profiles-pipelines-title">
            <h3 id="profiles-pipelines-title">{says.title}</h3>
            <div class="profiles-pipeline">
                <div class="traffic-head">
                    <h4>{says.streaming}</h4>
                    { push(text, Some(sign), ButtonKind::Plain, toggle) }
                    { tool(says.restart, Icon::Restart, link.callback(|()| Msg::Restart)) }
                </div>
                <p class="soft small">{says.streaming_about}</p>
                <progress max={chunk.events_total.to_string()} value={chunk.events.to_string()} aria-label={says.streaming}></progress>
                <dl class="stats">{ figures(&stream) }</dl>
                if chunk.refused > 0 { <p class="small" role="status">{ (says.refused)(chunk.refused, &chunk.refusal) }</p> }
            </div>
            <div class="profiles-pipeline">
                <div class="traffic-head">
                    <h4>{says.batch}</h4>
                    { batch_button(plan, chunk, link) }
                </div>
                <p class="soft small">{says.batch_about}</p>
                { batch(plan, chunk) }
            </div>
        </section>
    }
}

fn batch_button(plan: &Plan, chunk: &ProfilesChunk, link: &Link<ProfilesView>) -> Html {
    let says = &messages().profiles.pipelines;
    let is_interrupted = chunk.batch.as_ref().is_some_and(|batch| batch.is_interrupted);
    let (text, on) = match (plan.is_batching, is_interrupted) {
        (true, _) => (says.interrupt, false),
        (false, true) => (says.resume, true),
        (false, false) => (says.compute, true),
    };
    let can = chunk.events > 0 && !(on && plan.is_streaming);
    push(
        text,
        Some(if on { Icon::Play } else { Icon::Pause }),
        ButtonKind::Plain,
        can.then(|| link.callback(move |()| Msg::Batch(on))),
    )
}

fn batch(plan: &Plan, chunk: &ProfilesChunk) -> Html {
    let says = &messages().profiles.pipelines;
    let Some(batch) = &chunk.batch else {
        let text = match (plan.is_batching, plan.is_streaming) {
            (true, true) => says.batch_waits,
            (true, false) => says.batch_begins,
            (false, _) => says.no_batch,
        };
        return html! { <p class="small" role="status">{text}</p> };
    };
    let share = if batch.is_done { Some(1.0) } else { batch.share };
    let rate = per_second(batch.users, batch.micros);
    let remaining =
        share.filter(|share| *share > 0.0).map(|share| (batch.micros as f64 * (1.0 - share) / share) as u64);
    let list = [
        (says.profiles, thousands(batch.users)),
        (says.cells, thousands(batch.cells)),
        (says.profile_rate, rate.map_or("–".into(), thousands)),
        (
            says.remaining,
            if batch.is_done { says.done.into() } else { remaining.map_or("–".into(), duration) },
        ),
    ];
    html! {
        <>
            <progress max="1" value={share.map(|share| share.to_string())} aria-label={says.batch}></progress>
            <dl class="stats">{ figures(&list) }</dl>
            if batch.is_resumed { <p class="small">{says.resumed}</p> }
            if batch.removed > 0 { <p class="small">{ (says.removed)(batch.removed) }</p> }
        </>
    }
}

/// Returns a whole number per second, once there was some work.
fn per_second(count: u64, micros: u64) -> Option<u64> {
    (micros > 0 && count > 0).then(|| (count as f64 / micros as f64 * 1e6) as u64)
}

/// Draws the buttons that change the events of the user shown.
pub fn user_actions(view: &ProfilesView, link: &Link<ProfilesView>) -> Html {
    let says = &messages().profiles.user;
    let has_user = view.user.is_some();
    let act = |work: ProfilesWork| has_user.then(|| link.callback(move |()| Msg::Work(work.clone())));
    html! {
        <div class="profiles-actions">
            { push(says.repeat, None, ButtonKind::Quiet, act(ProfilesWork::Repeat)) }
            { push(says.forget_user, None, ButtonKind::Quiet, act(ProfilesWork::ForgetUser)) }
            { push(says.forget_app, None, ButtonKind::Quiet, act(ProfilesWork::ForgetApp)) }
        </div>
    }
}
