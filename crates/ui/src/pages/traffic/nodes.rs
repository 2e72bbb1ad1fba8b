//! The nodes at the moment: a card for each with its load and its tablets, which a person moves.

use tabletop_schema::{ChangeKind, NodeSecond, SimulationSecond};
use web_sys::DragEvent;
use yew::{Callback, Html, MouseEvent, classes, html};

use super::simulated::{NODE_COLOURS, Placed, letters};
use crate::messages::messages;
use crate::widgets::{ButtonKind, Icon, Label, push, select};

/// Tablets of a node that are shown; the others are counted.
const TABLETS_SHOWN: usize = 24;
/// A tablet with a larger share of all work is alone to blame.
const SHARE_HOT: f32 = 0.5;

/// What a person does with the cluster at the moment that is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeAction {
    /// Changes the cluster from now on.
    Change(ChangeKind),
    /// Selects a tablet, or none.
    Select(Option<u32>),
}

/// Draws the cards. `selected` is a tablet.
pub fn nodes(second: &SimulationSecond, tablets: &[Placed], selected: Option<u32>, on_action: &Callback<NodeAction>) -> Html {
    let says = &messages().traffic.nodes;
    let count = second.nodes.len() as u32;
    let resize = |nodes: u32| on_action.reform(move |()| NodeAction::Change(ChangeKind::Nodes(nodes)));
    let hot = second.hottest.filter(|(_, share)| *share > SHARE_HOT && count > 1);
    let hot_node = hot.and_then(|(tablet, _)| tablets.iter().find(|placed| placed.tablet == tablet)).map(|placed| placed.node);
    html! {
        <section class="traffic-nodes" aria-labelledby="traffic-nodes-title">
            <div class="traffic-head">
                <h3 id="traffic-nodes-title">{says.title}</h3>
                { push(says.add, Some(Icon::Plus), ButtonKind::Quiet, (count < tabletop_schema::NODES_MAX).then(|| resize(count + 1))) }
                { push(says.remove, Some(Icon::Minus), ButtonKind::Quiet, (count > 1).then(|| resize(count - 1))) }
                { move_to(second, tablets, selected, on_action) }
            </div>
            <ul class="node-cards">
                { for second.nodes.iter().map(|node| card(node, second, tablets, selected, on_action)) }
            </ul>
            <p class="soft small">
                if let Some(node) = hot_node { <strong>{(says.one_tablet)(&letters(node))}</strong>{" "} }
                {says.about}
            </p>
        </section>
    }
}

fn card(
    node: &NodeSecond,
    second: &SimulationSecond,
    tablets: &[Placed],
    selected: Option<u32>,
    on_action: &Callback<NodeAction>,
) -> Html {
    let says = &messages().traffic.nodes;
    let letter = letters(node.id);
    let percent = (node.cpu * 100.0).round() as u32;
    let level = match percent {
        0..60 => "calm",
        60..85 => "busy",
        _ => "hot",
    };
    let mine: Vec<&Placed> = tablets.iter().filter(|placed| placed.node == node.id).collect();
    let fail = on_action.reform({
        let letter = letter.clone();
        move |_: MouseEvent| NodeAction::Change(ChangeKind::Fail(letter.clone()))
    });
    let ondragover = Callback::from(|event: DragEvent| event.prevent_default());
    let ondrop = {
        let (on_action, to) = (on_action.clone(), letter.clone());
        let selected = selected.and_then(|tablet| tablets.iter().find(|placed| placed.tablet == tablet)).cloned();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            if let Some(placed) = &selected {
                on_action.emit(moved(placed, to.clone()));
            }
        })
    };
    let hottest = second.hottest.map(|(tablet, _)| tablet);
    html! {
        <li key={node.id} class={classes!("node-card", level)} {ondragover} {ondrop}>
            <div class="node-head">
                <span class={classes!("node-letter", format!("node-{}", node.id % NODE_COLOURS))} aria-hidden="true">{letter.clone()}</span>
                <span class="visually-hidden">{(says.node)(&letter)}</span>
                <span class="num">{(says.cpu)(percent)}</span>
                <button type="button" class="button quiet small" title={(says.fail)(&letter)} aria-label={(says.fail)(&letter)} onclick={fail}>{says.fail_short}</button>
            </div>
            <svg class="node-cpu" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect width="100" height="4" class="empty" />
                <rect width={percent.min(100).to_string()} height="4" class="full" />
            </svg>
            <p class="soft small num">{(says.queue)(node.queue)}{" · "}{(says.tablets)(node.tablets)}</p>
            <div class="node-tablets">
                { for mine.iter().take(TABLETS_SHOWN).map(|placed| chip(placed, hottest, selected, on_action)) }
                if mine.len() > TABLETS_SHOWN { <span class="soft small">{(says.more)(mine.len() - TABLETS_SHOWN)}</span> }
            </div>
        </li>
    }
}

fn chip(placed: &Placed, hottest: Option<u32>, selected: Option<u32>, on_action: &Callback<NodeAction>) -> Html {
    let tablet = placed.tablet;
    let is_selected = selected == Some(tablet);
    let name = (messages().traffic.nodes.tablet)(&placed.start.to_string());
    let choose = on_action.reform(move |_: MouseEvent| NodeAction::Select((!is_selected).then_some(tablet)));
    let ondragstart = on_action.reform(move |_: DragEvent| NodeAction::Select(Some(tablet)));
    let class =
        classes!("tablet-chip", (hottest == Some(tablet)).then_some("hot"), format!("node-{}", placed.node % NODE_COLOURS));
    html! {
        <button key={tablet} type="button" {class} draggable="true" data-tablet={tablet.to_string()} data-node={placed.node.to_string()}
            title={name.clone()} aria-label={name} aria-pressed={if is_selected { "true" } else { "false" }} onclick={choose} {ondragstart}></button>
    }
}

/// Draws the choice of a node for the selected tablet.
fn move_to(second: &SimulationSecond, tablets: &[Placed], selected: Option<u32>, on_action: &Callback<NodeAction>) -> Html {
    let says = &messages().traffic.nodes;
    let Some(placed) = selected.and_then(|tablet| tablets.iter().find(|placed| placed.tablet == tablet)).cloned() else {
        return html! {};
    };
    let letters: Vec<String> = second.nodes.iter().map(|node| letters(node.id)).collect();
    let texts: Vec<String> = letters.iter().map(|letter| (says.move_here)(letter)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let at = second.nodes.iter().position(|node| node.id == placed.node);
    let label = (says.move_to)(&placed.start.to_string());
    select(Label::Shown(&label), &texts, at, on_action.reform(move |at: usize| moved(&placed, letters[at].clone())))
}

fn moved(placed: &Placed, to: String) -> NodeAction {
    NodeAction::Change(ChangeKind::Move { row: placed.start.to_string(), to })
}
