//! The events, a page at a time, of which one is chosen: each strip marks the tablet that contains
//! its row.

use tabletop_protocol::EventsView;
use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_texts::numbers::thousands;
use yew::{Callback, Html, KeyboardEvent, MouseEvent, html};

use crate::browser;
use crate::kit::{Icon, Number, number_field, tool};
use crate::page::actions::{Actions, EventsRequest};
use crate::page::state::{Action, ChosenEvent, PageState};

/// Draws the list with its tools, near the strips.
pub fn event_list(state: &PageState, actions: &Actions) -> Html {
    let (says, events, total) = (&messages().compare, state.listed_events(), state.data.events);
    if events.events.is_empty() {
        return html! {};
    }
    let chosen = state.look.part::<ChosenEvent>().at.min(events.events.len() - 1);
    let (first, number) = (events.start, events.start + chosen as u32 + 1);
    let end = first + events.events.len() as u32;
    let to =
        |index: Option<u32>| index.map(|index| actions.events.reform(move |()| EventsRequest::Number(index)));
    let field = Number {
        value: number.into(),
        min: 1.0,
        max: total.max(1).into(),
        step: 1.0,
        kind: NumberKind::Whole,
    };
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
    let last = events.events.len().saturating_sub(1);
    let on_choose = actions.part_at(ChosenEvent::choose);
    let on_point = actions.part_at(|chosen: &mut ChosenEvent, event| chosen.pointed = event);
    let on_key = {
        let act = actions.act.clone();
        Callback::from(move |event: KeyboardEvent| {
            let key = event.key();
            if moved(&key, chosen, last).is_none() {
                return;
            }
            event.prevent_default();
            // It moves from the currently chosen event, not from the drawn one: keys can come
            // faster than drawings.
            act.emit(Action::part(move |chosen: &mut ChosenEvent| {
                if let Some(to) = moved(&key, chosen.at, last) {
                    chosen.choose(to);
                    browser::scroll_in_list(&event_id(to));
                }
            }));
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

/// Returns the event that a key chooses from another one; `None` for keys that the browser handles.
fn moved(key: &str, from: usize, last: usize) -> Option<usize> {
    Some(match key {
        "ArrowUp" => from.min(last).saturating_sub(1),
        "ArrowDown" => from.saturating_add(1).min(last),
        "Home" => 0,
        "End" => last,
        _ => return None,
    })
}

fn event_id(at: usize) -> String {
    format!("event-{at}")
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn keys_choose_within_the_list() {
        let from = |at: usize| ["ArrowUp", "ArrowDown", "Home", "End", "a"].map(|key| moved(key, at, 3));
        assert_eq!(from(0), [Some(0), Some(1), Some(0), Some(3), None]);
        assert_eq!(from(2), [Some(1), Some(3), Some(0), Some(3), None]);
        assert_eq!(from(9), [Some(2), Some(3), Some(0), Some(3), None], "the list was longer before");
    }
}
