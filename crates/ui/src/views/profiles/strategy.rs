//! The strategy: a slider and a number for each event and facet.

use std::rc::Rc;

use tabletop_advice::StrategyPreset;
use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_workspace::{EventScore, FacetScore, SCORE_MAX, Strategy, WINDOW_DAYS_MAX};
use yew::{Callback, Html, html};

use crate::kit::{Label, Number, SegmentSize, TypedText, number_field, number_field_labelled, segmented};
use crate::page::state::Edit;

/// Changes a strategy by the number of a control.
type Change = Rc<dyn Fn(&mut Strategy, u32)>;

/// Draws the editor. `kinds` are the events and facets in the data: one without a score can get
/// one.
pub fn editor(
    strategy: &Rc<Strategy>,
    presets: &[StrategyPreset],
    kinds: &(Vec<(String, String)>, Vec<String>),
    on_edit: &Callback<Edit>,
) -> Html {
    let says = &messages().profiles;
    let names: Vec<&str> =
        presets.iter().map(|preset| (messages().presets.strategy)(preset.kind).name).collect();
    let taken = presets.iter().position(|preset| preset.strategy == **strategy);
    let on_select = {
        let (strategies, on_edit) =
            (presets.iter().map(|preset| preset.strategy.clone()).collect::<Vec<_>>(), on_edit.clone());
        Callback::from(move |at: usize| {
            if let Some(strategy) = strategies.get(at) {
                on_edit.emit(Edit::Strategy(Box::new(strategy.clone())));
            }
        })
    };
    let with = |change: Change| {
        let drawn = strategy.clone();
        Edit::by(on_edit, move |workspace, score: u32| {
            // Without its own strategy, a workspace has the first preset.
            let strategy: &mut Strategy =
                workspace.strategy.get_or_insert_with(|| Box::new((*drawn).clone()));
            change(strategy, score);
        })
    };
    let mut events: Vec<(String, String)> =
        strategy.events.iter().map(|event| (event.event_type.clone(), event.event_name.clone())).collect();
    events.extend(kinds.0.iter().filter(|kind| strategy.event_score(&kind.0, &kind.1) == 0).cloned());
    let mut facets: Vec<String> = strategy.facets.iter().map(|facet| facet.facet.clone()).collect();
    facets.extend(kinds.1.iter().filter(|name| strategy.facet_score(name) == 0).cloned());
    let event = |(of, name): (String, String)| {
        let score = strategy.event_score(&of, &name);
        let label = format!("{of} {name}");
        let on_score = with(Rc::new(move |strategy, score| set_event(strategy, &of, &name, score)));
        line(&label, score, on_score)
    };
    let facet = |name: String| {
        let (score, label) = (strategy.facet_score(&name), name.clone());
        let on_score = with(Rc::new(move |strategy, score| set_facet(strategy, &name, score)));
        line(&label, score, on_score)
    };
    let days = Number {
        value: strategy.window_days.into(),
        min: 1.0,
        max: WINDOW_DAYS_MAX.into(),
        step: 1.0,
        kind: NumberKind::Whole,
    };
    let on_days = with(Rc::new(|strategy, days| strategy.window_days = days)).reform(|days: f64| days as u32);
    html! {
        <section class="profiles-strategy" aria-labelledby="profiles-strategy-title">
            <div class="traffic-head">
                <h3 id="profiles-strategy-title">{says.strategy}</h3>
            </div>
            { segmented(says.preset, &names, taken, SegmentSize::Usual, on_select) }
            if let Some(taken) = taken { <p class="soft small">{(messages().presets.strategy)(presets[taken].kind).about}</p> }
            <details class="profiles-strategy-scores">
                <summary>{says.scores}</summary>
                <p class="soft small">{says.about}</p>
                <p class="soft small">{says.definition}</p>
                <h4>{says.events}</h4>
                <ul>{ for events.into_iter().map(event) }</ul>
                <h4>{says.facets}</h4>
                <ul>{ for facets.into_iter().map(facet) }</ul>
                { number_field(says.window, days, on_days) }
            </details>
        </section>
    }
}

/// Draws a score. 0 removes the line from the strategy; it stays in the list while the data contain
/// it.
fn line(label: &str, score: u32, on_score: Callback<u32>) -> Html {
    let on_slider = on_score.reform(move |text: String| text.parse().unwrap_or(score));
    let says = &messages().profiles;
    let number =
        Number { value: score.into(), min: 0.0, max: SCORE_MAX.into(), step: 1.0, kind: NumberKind::Whole };
    let on_number = on_score.reform(|score: f64| score as u32);
    html! {
        <li key={label.to_string()} class={if score == 0 { "off" } else { "" }}>
            <span class="name" title={label.to_string()}>{ label.to_string() }</span>
            <TypedText class="" kind="range" max={SCORE_MAX} text={score.to_string()} label={(says.score_of)(label)} on_text={on_slider} />
            { number_field_labelled(Label::Hidden(&(says.score_of_as_number)(label)), number, on_number) }
        </li>
    }
}

fn set_event(strategy: &mut Strategy, of: &str, name: &str, score: u32) {
    let is_it = |event: &EventScore| event.event_type == of && event.event_name == name;
    match (strategy.events.iter_mut().find(|event| is_it(event)), score) {
        (_, 0) => strategy.events.retain(|event| !is_it(event)),
        (Some(event), score) => event.score = score,
        (None, score) => strategy.events.push(EventScore::new(of, name, score)),
    }
}

fn set_facet(strategy: &mut Strategy, name: &str, score: u32) {
    match (strategy.facets.iter_mut().find(|facet| facet.facet == name), score) {
        (_, 0) => strategy.facets.retain(|facet| facet.facet != name),
        (Some(facet), score) => facet.score = score,
        (None, score) => strategy.facets.push(FacetScore::new(name, score)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_of_zero_takes_a_line_out() {
        let mut strategy = Strategy::new(vec![EventScore::new("click", "search", 2)], vec![]);
        set_event(&mut strategy, "click", "search", 7);
        set_event(&mut strategy, "view", "home", 1);
        set_facet(&mut strategy, "brand", 5);
        assert_eq!((strategy.event_score("click", "search"), strategy.event_score("view", "home")), (7, 1));
        set_event(&mut strategy, "click", "search", 0);
        set_facet(&mut strategy, "brand", 0);
        assert_eq!((strategy.events.len(), strategy.facets.len()), (1, 0));
    }
}
