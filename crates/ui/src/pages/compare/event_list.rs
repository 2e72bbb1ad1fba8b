//! The events, some at a time, of which one is chosen: each strip marks the tablet that has its row.

use tabletop_schema::EventsView;
use yew::{Callback, Html, KeyboardEvent, MouseEvent, html};

use crate::actions::{Actions, EventsRequest};
use crate::browser;
use crate::messages::common::NumberKind;
use crate::messages::messages;
use crate::messages::numbers::thousands;
use crate::state::PageState;
use crate::widgets::{Icon, Number, number_field, tool};

/// Draws the list with its tools, near the strips.
pub fn event_list(state: &PageState, actions: &Actions) -> Html {
    let (says, events, total) = (&messages().compare, state.listed_events(), state.data.events);
    if events.events.is_empty() {
        return html! {};
    }
    let chosen = state.look.event.min(events.events.len() - 1);
    let (first, number) = (events.start, events.start + chosen as u32 + 1);
    let end = first + events.events.len() as u32;
    let to = |index: Option<u32>| index.map(|index| actions.events.reform(move |()| EventsRequest::Number(index)));
    let field = Number { value: number.into(), min: 1.0, max: total.max(1).into(), step: 1.0, kind: NumberKind::Whole };
    let on_number = actions.events.reform(|number: f64| EventsRequest::Number(number as u32 - 1));
    html! {
        <section class="events" aria-labelledby="events-title">
            <div class="events-head">
                <h3 id="events-title">{says.anatomy}</h3>
                { number_field(says.event_number, field, on_number) }
                { tool(says.earlier_events, Icon::Up, to(first.checked_sub(events.events.len().max(1) as u32).or((first > 0).then_some(0)))) }
                { tool(says.later_events, Icon::Down, to((end < total).then_some(end))) }
                <span class="soft small">{(says.choose_event)(first + 1, end, total)}</span>
            </div>
            { list(events, chosen, actions) }
        </section>
    }
}

/// Draws the events, of which one is chosen by a click or by the arrow keys.
fn list(events: &EventsView, chosen: usize, actions: &Actions) -> Html {
    let count = events.events.len();
    let on_choose = actions.look_at(|look, event| (look.event, look.pointed_event, look.event_chosen) = (event, None, true));
    let on_point = actions.look_at(|look, event| look.pointed_event = event);
    let on_key = {
        let on_choose = on_choose.clone();
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowUp" => chosen.saturating_sub(1),
                "ArrowDown" => (chosen + 1).min(count - 1),
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            on_choose.emit(to);
            browser::scroll_in_list(&event_id(to));
        })
    };
    let line = |(at, values): (usize, &Vec<Option<String>>)| {
        let number = u64::from(events.start) + at as u64 + 1;
        html! {
            <li id={event_id(at)} role="option" aria-selected={(at == chosen).to_string()}
                onclick={on_choose.reform(move |_: MouseEvent| at)}
                onmouseenter={on_point.reform(move |_: MouseEvent| Some(at))}>
                <span class="num soft">{thousands(number)}</span>
                { for values.iter().map(|value| html! { <span class="mono">{value.clone().unwrap_or_default()}</span> }) }
            </li>
        }
    };
    html! {
        <ul class="event-list small" role="listbox" tabindex="0" aria-labelledby="events-title" aria-activedescendant={event_id(chosen)}
            onkeydown={on_key} onmouseleave={on_point.reform(|_: MouseEvent| None)}>
            { for events.events.iter().enumerate().map(line) }
        </ul>
    }
}

fn event_id(at: usize) -> String {
    format!("event-{at}")
}
