//! The timeline: where the tables are among the events, what has happened to them and when, and
//! controls that go to any position.
//!
//! It is drawn once the later part of the program has arrived. Its space is reserved from the
//! start, so nothing moves.

use std::rc::Rc;

use tabletop_protocol::{Playback, TimelineView};
use tabletop_texts::messages;
use tabletop_texts::tablets::MomentKind;
use tabletop_views::tablets::{PAGE_STEPS, Targets, marks_of, step_of};
use web_sys::HtmlInputElement;
use yew::{Callback, Html, KeyboardEvent, TargetCast, classes, html};

use crate::kit::{Icon, Scrubber, scrubber, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, PageState, Timeline};

/// Returns the positions to go to from the current one of the page.
pub fn targets(state: &PageState) -> Targets {
    let look = state.look.part::<Timeline>();
    let splits = look.view.as_ref().map_or(&[][..], |timeline| &timeline.splits);
    Targets::around(position(state), state.view.events_total, splits)
}

/// Draws the timeline, or its reserved space while the page has no timeline. The moments in words are
/// drawn on request; what they say of manual writes, always.
pub fn timeline_bar(state: &PageState, actions: &Actions, in_words: bool) -> Html {
    let content = state
        .look
        .part::<Timeline>()
        .view
        .as_ref()
        .map_or_else(Html::default, |timeline| content(timeline, state, actions, in_words));
    html! { <div class="timeline">{content}</div> }
}

#[inline(never)]
fn content(timeline: &Rc<TimelineView>, state: &PageState, actions: &Actions, in_words: bool) -> Html {
    html! {
        <>
            { position_slider(timeline, state, actions) }
            { moments_in_words(timeline, in_words) }
        </>
    }
}

/// Draws the buttons that go by a step, and from split to split.
pub fn steps(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().tablets.timeline;
    let go = |target: fn(Targets) -> Option<u32>| go_to(target, state, actions);
    html! {
        <div class="timeline-steps" role="group" aria-label={says.steps}>
            { tool(says.split_before, Icon::SplitBefore, go(|targets| targets.split_before)) }
            { tool(says.back, Icon::Back, go(|targets| targets.back)) }
            { tool(says.forward, Icon::Forward, go(|targets| targets.forward)) }
            { tool(says.split_after, Icon::SplitAfter, go(|targets| targets.split_after)) }
        </div>
    }
}

/// Returns a callback that goes to a position. The page shows it at once; the tables follow.
pub fn seek(actions: &Actions) -> Callback<u32> {
    let actions = actions.clone();
    Callback::from(move |events: u32| {
        actions.act.emit(Action::part(move |look: &mut Timeline| look.seek = Some(events)));
        actions.play.emit(Playback::Seek(events));
    })
}

/// Returns a callback that goes to one of the positions around the page's current one, which need
/// not be the drawn one: clicks can come faster than drawings. Returns `None` if there is no such
/// position now.
fn go_to(target: fn(Targets) -> Option<u32>, state: &PageState, actions: &Actions) -> Option<Callback<()>> {
    target(targets(state))?;
    let (arrived, total, actions) = (state.view.events_arrived, state.view.events_total, actions.clone());
    Some(Callback::from(move |()| {
        let play = actions.play.clone();
        actions.act.emit(Action::part(move |look: &mut Timeline| {
            let splits = look.view.as_ref().map_or(&[][..], |timeline| &timeline.splits);
            let at = look.seek.unwrap_or(arrived).min(total);
            if let Some(events) = target(Targets::around(at, total, splits)) {
                look.seek = Some(events);
                play.emit(Playback::Seek(events));
            }
        }));
    }))
}

fn position_slider(timeline: &TimelineView, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().tablets.timeline;
    let (at, total) = (position(state), state.view.events_total);
    let time = timeline.event_time.as_deref().filter(|_| state.look.part::<Timeline>().seek.is_none());
    let on_go = seek(actions);
    let on_key = on_key(total, on_go.clone());
    let marks = |class, moments: &[u32], ends| (class, marks_of(moments.iter().copied(), total, ends));
    scrubber(Scrubber {
        marks: vec![
            marks("moment-compaction", &timeline.compactions, (8, 12)),
            marks("moment-merge", &timeline.merges, (4, 12)),
            marks("moment-split", &timeline.splits, (0, 12)),
            marks("moment-write", &timeline.writes, (0, 6)),
        ],
        max: total,
        at,
        label: says.position,
        text: (says.moment)(at.into(), total.into(), time),
        described_by: Some("moments"),
        on_go,
        on_key: Some(on_key),
    })
}

/// Returns a callback that goes by steps, which are larger than an event.
fn on_key(total: u32, on_go: Callback<u32>) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let slider: HtmlInputElement = event.target_unchecked_into();
        // Use the current value, not the drawn one: keys can come faster than drawings.
        let at = slider.value_as_number() as u32;
        let step = step_of(total);
        let target = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => at.saturating_sub(step),
            "ArrowRight" | "ArrowUp" => at.saturating_add(step),
            "PageDown" => at.saturating_sub(step.saturating_mul(PAGE_STEPS)),
            "PageUp" => at.saturating_add(step.saturating_mul(PAGE_STEPS)),
            _ => return,
        };
        event.prevent_default();
        let target = target.min(total);
        slider.set_value(&target.to_string());
        on_go.emit(target);
    })
}

/// Draws how often something has happened, which is also the legend of the marks; unless `all`, only
/// what happens to manual writes.
fn moments_in_words(timeline: &TimelineView, all: bool) -> Html {
    let says = &messages().tablets.timeline;
    let part = |(kind, class, moments): (MomentKind, &'static str, &[u32])| {
        (!moments.is_empty() && (all || kind == MomentKind::Write)).then(|| {
            html! { <span class="moment-count"><i class={class} aria-hidden="true"></i>{(says.count)(kind, moments.len())}</span> }
        })
    };
    let parts = [
        (MomentKind::Split, "moment-split", &timeline.splits[..]),
        (MomentKind::Merge, "moment-merge", &timeline.merges),
        (MomentKind::Compaction, "moment-compaction", &timeline.compactions),
        (MomentKind::Write, "moment-write", &timeline.writes),
    ];
    let has_writes = !timeline.writes.is_empty() || timeline.writes_aside > 0;
    html! {
        // The notes on writes take more than a line.
        <p id="moments" class={classes!("soft", "small", has_writes.then_some("wraps"))}>
            if all {
                if let Some(time) = &timeline.event_time { <span class="event-time">{(says.time)(time)}</span> }
                if timeline.by_event_time { <span>{says.by_event_time}</span> }
            }
            { for parts.into_iter().filter_map(part) }
            if timeline.writes_later > 0 { <strong>{(says.writes_later)(timeline.writes_later.into())}</strong> }
            if timeline.writes_aside > 0 { <strong>{(says.writes_aside)(timeline.writes_aside.into())}</strong> }
            if timeline.writes_refused > 0 { <strong>{(says.writes_refused)(timeline.writes_refused.into())}</strong> }
            if has_writes { <span>{says.writes_last}</span> }
        </p>
    }
}

/// Returns the position that the page shows: the one requested last, or that of the tables.
fn position(state: &PageState) -> u32 {
    state.look.part::<Timeline>().seek.unwrap_or(state.view.events_arrived).min(state.view.events_total)
}
