//! The nodes at the position shown: a card for each with its load and its tablets, which the user
//! can move.

use tabletop_protocol::{NodeSecond, SimulationSecond, node_letters};
use tabletop_texts::messages;
use tabletop_views::traffic::{NODE_COLOURS, Placed, Simulated};
use tabletop_workspace::{AutoscaleRange, ChangeKind, NODES_MAX, TrafficRun};
use web_sys::DragEvent;
use yew::{Callback, Html, classes, html};

use crate::kit::{ButtonKind, Icon, Label, clicked, push, select};

/// The number of seconds over which the autoscaler averages.
const SCALER_SECONDS: usize = 60;
/// Tablets of a node that are shown until the user requests all of them.
const TABLETS_SHOWN: usize = 24;
/// A tablet with a larger share of all work is named as the only cause.
const SHARE_HOT: f32 = 0.5;

/// The user's change of the cluster at the position shown.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeAction {
    /// Changes the cluster from now on.
    Change(ChangeKind),
    /// Selects a tablet, or none.
    Select(Option<u32>),
    /// Shows all tablets of a node, or as many as for the others.
    ShowAll(Option<u32>),
}

/// What an autoscaler looks at.
pub struct Scaler {
    range: AutoscaleRange,
    /// The share of their cores that nodes should use.
    target: f64,
    /// The share that all nodes have used over the last minute.
    cpu: f64,
}

impl Scaler {
    /// Returns the autoscaler of a run at a second; `None` if it has none.
    pub fn at(simulated: &Simulated, second: u32, run: &TrafficRun) -> Option<Scaler> {
        let range = run.autoscale?;
        let until = (second.saturating_sub(simulated.history_from) as usize + 1).min(simulated.history.len());
        let last = &simulated.history[until.saturating_sub(SCALER_SECONDS)..until];
        let cpus = || last.iter().flat_map(|second| &second.nodes).map(|node| f64::from(node.cpu));
        let cpu = cpus().sum::<f64>() / cpus().count().max(1) as f64;
        Some(Scaler { range, target: run.thresholds.cpu_target, cpu })
    }
}

/// The nodes at a second.
pub struct Nodes<'a> {
    /// The second.
    pub second: &'a SimulationSecond,
    /// The autoscaler, if there is one.
    pub scaler: Option<Scaler>,
    /// The tablets at its end.
    pub tablets: &'a [Placed],
    /// The tablet that is selected.
    pub selected: Option<u32>,
    /// The node whose tablets are all shown.
    pub whole: Option<u32>,
    /// Whether there is simulated time after the second, so a change takes effect.
    pub goes_on: bool,
    /// Receives the user's actions.
    pub on_action: &'a Callback<NodeAction>,
}

impl Nodes<'_> {
    /// Draws the cards.
    pub fn draw(&self) -> Html {
        let &Nodes { second, ref scaler, tablets, goes_on, on_action, .. } = self;
        let says = &messages().traffic.nodes;
        let count = second.nodes.len() as u32;
        let resize = |nodes: u32| on_action.reform(move |()| NodeAction::Change(ChangeKind::Nodes(nodes)));
        let busiest = second.nodes.iter().map(|node| f64::from(node.cpu)).fold(0.0, f64::max);
        let hot = second.hottest.filter(|(_, share)| *share > SHARE_HOT && count > 1);
        let hot_node = hot
            .and_then(|(tablet, _)| tablets.iter().find(|placed| placed.tablet == tablet))
            .map(|placed| placed.node);
        html! {
            <section class="traffic-nodes" aria-labelledby="traffic-nodes-title">
                <div class="traffic-head">
                    <h3 id="traffic-nodes-title">{says.title}</h3>
                    { push(says.add, Some(Icon::Plus), ButtonKind::Quiet, (goes_on && count < NODES_MAX).then(|| resize(count + 1))) }
                    { push(says.remove, Some(Icon::Minus), ButtonKind::Quiet, (goes_on && count > 1).then(|| resize(count - 1))) }
                    if goes_on { { self.move_to() } }
                </div>
                if !goes_on { <p class="soft small">{says.over}</p> }
                if let Some(Scaler { range, target, cpu }) = scaler {
                    <p class="soft small">{(says.scaler)(count, (range.nodes_min, range.nodes_max), *cpu, *target, busiest)}</p>
                }
                <ul class="node-cards">
                    { for second.nodes.iter().map(|node| self.card(node)) }
                </ul>
                <p class="soft small">
                    if let Some(node) = hot_node { <strong>{(says.one_tablet)(&node_letters(node))}</strong>{" "} }
                    if goes_on { {says.about} }
                </p>
            </section>
        }
    }

    fn card(&self, node: &NodeSecond) -> Html {
        let &Nodes { tablets, selected, goes_on, on_action, .. } = self;
        let says = &messages().traffic.nodes;
        let letter = node_letters(node.id);
        let percent = (node.cpu * 100.0).round() as u32;
        let level = match percent {
            0..60 => "calm",
            60..85 => "busy",
            _ => "hot",
        };
        let mine: Vec<&Placed> = tablets.iter().filter(|placed| placed.node == node.id).collect();
        let fail = on_action.reform({
            let letter = letter.clone();
            move |()| NodeAction::Change(ChangeKind::Fail(letter.clone()))
        });
        let fail = goes_on.then(|| clicked(&(says.fail)(&letter), &fail));
        let ondragover = Callback::from(|event: DragEvent| event.prevent_default());
        let ondrop = {
            let (on_action, to) = (on_action.clone(), letter.clone());
            let selected =
                selected.and_then(|tablet| tablets.iter().find(|placed| placed.tablet == tablet)).cloned();
            Callback::from(move |event: DragEvent| {
                event.prevent_default();
                if let Some(placed) = selected.as_ref().filter(|_| goes_on) {
                    on_action.emit(moved(placed, to.clone()));
                }
            })
        };
        let is_whole = self.whole == Some(node.id);
        let shown = if is_whole { mine.len() } else { TABLETS_SHOWN };
        let show_all = on_action.reform({
            let node = node.id;
            move |()| NodeAction::ShowAll((!is_whole).then_some(node))
        });
        html! {
            <li key={node.id} class={classes!("node-card", level)} {ondragover} {ondrop}>
                <div class="node-head">
                    <span class={classes!("node-letter", format!("node-{}", node.id % NODE_COLOURS))} aria-hidden="true">{letter.clone()}</span>
                    <span class="visually-hidden">{(says.node)(&letter)}</span>
                    <span class="num">{(says.cpu)(percent)}</span>
                    <button type="button" class="button quiet small" title={(says.fail)(&letter)} aria-label={(says.fail)(&letter)} disabled={!goes_on} onclick={fail}>{says.fail_short}</button>
                </div>
                <svg class="node-cpu" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                    <rect width="100" height="4" class="empty" />
                    <rect width={percent.min(100).to_string()} height="4" class="full" />
                </svg>
                <p class="soft small num">{(says.queue)(node.queue)}{" · "}{(says.tablets)(node.tablets)}</p>
                <div class="node-tablets">
                    { for mine.iter().take(shown).map(|placed| self.chip(placed)) }
                    if mine.len() > TABLETS_SHOWN { { all_button(mine.len() - TABLETS_SHOWN, is_whole, &show_all) } }
                </div>
            </li>
        }
    }

    fn chip(&self, placed: &Placed) -> Html {
        let on_action = self.on_action;
        let tablet = placed.tablet;
        let is_hottest = self.second.hottest.is_some_and(|(hottest, _)| hottest == tablet);
        let is_selected = self.selected == Some(tablet);
        let name = (messages().traffic.nodes.tablet)(&placed.start.to_string());
        let choose =
            clicked(&name, &on_action.reform(move |()| NodeAction::Select((!is_selected).then_some(tablet))));
        let ondragstart = on_action.reform(move |_: DragEvent| NodeAction::Select(Some(tablet)));
        let class = classes!(
            "tablet-chip",
            is_hottest.then_some("hot"),
            format!("node-{}", placed.node % NODE_COLOURS)
        );
        html! {
            <button key={tablet} type="button" {class} draggable={self.goes_on.to_string()} data-tablet={tablet.to_string()} data-node={placed.node.to_string()}
                title={name.clone()} aria-label={name} aria-pressed={if is_selected { "true" } else { "false" }} onclick={choose} {ondragstart}></button>
        }
    }

    /// Draws the choice of a node for the selected tablet.
    fn move_to(&self) -> Html {
        let &Nodes { second, tablets, selected, on_action, .. } = self;
        let says = &messages().traffic.nodes;
        let Some(placed) =
            selected.and_then(|tablet| tablets.iter().find(|placed| placed.tablet == tablet)).cloned()
        else {
            return html! {};
        };
        let letters: Vec<String> = second.nodes.iter().map(|node| node_letters(node.id)).collect();
        let texts: Vec<String> = letters.iter().map(|letter| (says.move_here)(letter)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let at = second.nodes.iter().position(|node| node.id == placed.node);
        let label = (says.move_to)(&placed.start.to_string());
        select(
            Label::Shown(&label),
            &texts,
            at,
            on_action.reform(move |at: usize| moved(&placed, letters[at].clone())),
        )
    }
}

/// Draws the button that shows all tablets of a node, or as many as for the others.
fn all_button(hidden: usize, is_whole: bool, on_click: &Callback<()>) -> Html {
    let says = &messages().traffic.nodes;
    let text = if is_whole { says.fewer.into() } else { (says.more)(hidden) };
    let onclick = clicked(&text, on_click);
    html! { <button type="button" class="button quiet small" aria-expanded={if is_whole { "true" } else { "false" }} {onclick}>{text}</button> }
}

fn moved(placed: &Placed, to: String) -> NodeAction {
    NodeAction::Change(ChangeKind::Move { row: placed.start.to_string(), to })
}
