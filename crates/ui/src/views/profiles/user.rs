//! One user: events that become a profile, and the items of a shop ranked by it.

use tabletop_keys::{facets, time};
use tabletop_protocol::{ProfileEvent, ProfilesChunk, RankedItem, UserProfile};
use tabletop_texts::messages;
use tabletop_texts::numbers::{bytes, thousands};
use yew::{Html, html};

use super::pipelines::user_actions;
use super::{Msg, ProfilesView};
use crate::kit::{Cell, Column, Icon, Label, Link, Row, Table, icon, select};

/// The maximum number of facet values of a profile that are drawn. The others are counted.
const SCORES_MAX: usize = 15;

/// Draws the user.
pub fn user(view: &ProfilesView, chunk: &ProfilesChunk, link: &Link<ProfilesView>) -> Html {
    let says = &messages().profiles.user;
    let names: Vec<String> =
        chunk.busiest.iter().map(|of| (says.option)(&of.app, &of.user, of.events)).collect();
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    let at = chunk
        .busiest
        .iter()
        .position(|of| view.user.as_ref().is_some_and(|(app, user)| (&of.app, &of.user) == (app, user)));
    html! {
        <section class="profiles-user" aria-labelledby="profiles-user-title">
            <div class="traffic-head">
                <h3 id="profiles-user-title">{says.title}</h3>
                { select(Label::Hidden(says.choose), &texts, at, link.callback(Msg::User)) }
            </div>
            { user_actions(view, link) }
            if let Some(gone) = &view.forgotten {
                <p class="good" role="status">{ icon(Icon::Check) }{ (says.forgotten)(gone.event_rows, gone.profile_rows, gone.rows_left) }</p>
            }
            if let Some(user) = &chunk.user { { profile(user) } }
        </section>
    }
}

fn profile(user: &UserProfile) -> Html {
    let says = &messages().profiles.user;
    let most = user.scores.first().map_or(1, |(_, score)| *score).max(1);
    let bar = |(text, score): &(String, u64)| {
        html! {
            <li key={text.clone()}>
                <span class="name" title={text.clone()}>{ text.clone() }</span>
                <meter min="0" max={most.to_string()} value={score.to_string()} aria-label={text.clone()}></meter>
                <span class="num">{ thousands(*score) }</span>
            </li>
        }
    };
    let more = user.scores.len().saturating_sub(SCORES_MAX);
    html! {
        <>
            <div class="profiles-columns">
                <section aria-labelledby="profiles-scores-title">
                    <h4 id="profiles-scores-title">{says.profile}</h4>
                    <p class="small soft mono">{ user.key.to_string() }</p>
                    if user.scores.is_empty() { <p class="small">{says.no_profile}</p> }
                    <ul class="profiles-scores">{ for user.scores.iter().take(SCORES_MAX).map(bar) }</ul>
                    if more > 0 { <p class="small soft">{ (says.more)(more) }</p> }
                    if user.at.is_some() && !user.is_current {
                        <p class="small warning" role="status">{ icon(Icon::Warning) }{says.earlier_strategy}</p>
                    }
                </section>
                <section aria-labelledby="profiles-items-title">
                    <h4 id="profiles-items-title">{says.items}</h4>
                    <p class="small soft">{says.items_about}</p>
                    <ol class="profiles-items">{ for user.items.iter().enumerate().map(item) }</ol>
                </section>
            </div>
            <section aria-labelledby="profiles-events-title">
                <h4 id="profiles-events-title">{says.events}</h4>
                <p class="small">{ (says.read)(user.read.rows_seen, user.read.cells_seen, user.read.cells_returned, &bytes(user.read.bytes_returned)) }</p>
                // The section around it has the same name, so it is not a region of its own.
                <div class="profiles-events" tabindex="0" role="group" aria-labelledby="profiles-events-title">
                    { Table::new(says.event_columns.map(Column::text), user.events.iter().map(event)).draw() }
                </div>
            </section>
        </>
    }
}

fn item((at, item): (usize, &RankedItem)) -> Html {
    let says = &messages().profiles.user;
    let moved = i64::from(item.before) - at as i64;
    let reasons: Vec<String> =
        item.reasons.iter().map(|(text, score)| format!("{text} {}", thousands(*score))).collect();
    html! {
        <li key={item.name.clone()}>
            <span class="name" title={format!("{}: {}", item.name, item.facets)}>{ title_of(item) }</span>
            <span class="num">{ thousands(item.score) }</span>
            <span class="small soft">{ (says.moved)(moved) }</span>
            <span class="small reasons">{ if reasons.is_empty() { says.no_reason.to_string() } else { reasons.join(" + ") } }</span>
        </li>
    }
}

/// Facets by which a user recognises an item, in the order of its title.
const TELLING: [&str; 4] = ["brand", "subcategory", "category", "color"];
/// The maximum number of facets in a title.
const TITLE_FACETS_MAX: usize = 3;

/// Returns the name of an item, or what its facets say if the name is an id.
fn title_of(item: &RankedItem) -> String {
    let is_id =
        item.name.len() >= 16 && item.name.chars().all(|char| char.is_ascii_hexdigit() || char == '-');
    if !is_id {
        return item.name.clone();
    }
    let (mut telling, mut others) = ([const { None }; TELLING.len()], Vec::new());
    facets::parse(&item.facets, |facet| match TELLING.iter().position(|name| *name == facet.name) {
        Some(at) => telling[at] = telling[at].take().or_else(|| Some(facet.value.to_owned())),
        None => others.push(facet.value.to_owned()),
    });
    let values: Vec<String> = telling.into_iter().flatten().chain(others).take(TITLE_FACETS_MAX).collect();
    if values.is_empty() { item.name.clone() } else { values.join(" \u{b7} ") }
}

fn event(event: &ProfileEvent) -> Row {
    let says = &messages().profiles.user;
    let counts = match (event.score, event.in_window) {
        (0, _) => says.no_score.to_string(),
        (_, false) => says.too_old.to_string(),
        (score, true) => score.to_string(),
    };
    let time = event.time.map(|time| time::format(time).replace('T', " ").trim_end_matches('Z').to_owned());
    Row::new([Cell::from(time.unwrap_or_else(|| "–".into())).class("num")])
        .cell(&event.name)
        .cell(Cell::from(counts).class("num"))
        .cell(Cell::from(&event.facets).class("mono facets").title(event.facets.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_with_an_id_for_a_name_is_named_by_its_facets() {
        let title = |name: &str, facets: &str| {
            title_of(&RankedItem {
                name: name.into(),
                facets: facets.into(),
                score: 0,
                before: 0,
                reasons: Vec::new(),
            })
        };
        let id = "8d0cbf5a-c91f-452f-8eaf-89770530e4f4";
        assert_eq!(title(id, "size:L|color:Red|brand:Apple|color:Black"), "Apple \u{b7} Red \u{b7} L");
        assert_eq!(title(id, "stock:yes"), "yes");
        assert_eq!(title(id, ""), id);
        assert_eq!(title("sofa", "brand:IKEA"), "sofa");
    }
}
