//! The three steps of a migration, with what each has done, and its buttons.

use tabletop_model::escape;
use tabletop_protocol::migration::{MigrationChunk, MigrationDecision, MigrationStage};
use tabletop_texts::messages;
use yew::{Html, html};

use super::{MigrationView, Msg, is_filling};
use crate::kit::{ButtonKind, Icon, Link, icon, push};

/// Draws the steps.
pub fn steps(view: &MigrationView, chunk: &MigrationChunk, link: &Link<MigrationView>) -> Html {
    let says = &messages().profiles.migration;
    let place = place_of(chunk.stage);
    let step = |at: u32, (title, about): (&'static str, &'static str), content: Html| {
        let class = if at == place { "now" } else { "" };
        html! {
            <li {class} tabindex="-1">
                <h4>{ if at < place { icon(Icon::Check) } else { html! {} } }{title}</h4>
                <p class="soft small">{about}</p>
                {content}
            </li>
        }
    };
    let can_undo = matches!(chunk.stage, Some(stage) if stage.writes_old() && stage.writes_new());
    let undo = can_undo.then(|| decide(link, MigrationDecision::Undo));
    html! {
        <>
            <div class="traffic-head">
                <h4>{says.steps}</h4>
                <span>{(says.stage)(chunk.stage)}</span>
                { push(says.undo, Some(Icon::Undo), ButtonKind::Quiet, undo) }
            </div>
            <ol class="migration-steps" aria-label={says.steps}>
                { step(1, says.dual, dual_writes(chunk, link)) }
                { step(2, says.backfill, backfill(view, chunk, link)) }
                { step(3, says.switch, switch(view, chunk, link)) }
            </ol>
        </>
    }
}

/// Returns the current step, from 1; 4 after the last one.
fn place_of(stage: Option<MigrationStage>) -> u32 {
    match stage {
        None | Some(MigrationStage::Creating | MigrationStage::Undoing | MigrationStage::Undone) => 1,
        Some(
            MigrationStage::DualWrites
            | MigrationStage::Backfilling
            | MigrationStage::Verifying
            | MigrationStage::VerifyingBack,
        ) => 2,
        Some(
            MigrationStage::Ready
            | MigrationStage::Switched
            | MigrationStage::Checking
            | MigrationStage::Dropping,
        ) => 3,
        Some(MigrationStage::Done) => 4,
    }
}

fn decide(link: &Link<MigrationView>, decision: MigrationDecision) -> yew::Callback<()> {
    link.callback(move |()| Msg::Decide(decision))
}

fn work(link: &Link<MigrationView>, on: bool) -> yew::Callback<()> {
    link.callback(move |()| Msg::Work(on))
}

fn dual_writes(chunk: &MigrationChunk, link: &Link<MigrationView>) -> Html {
    let says = &messages().profiles.migration;
    if chunk.stage.is_some() {
        return html! { <p class="small num">{(says.dual_written)(chunk.dual_written)}</p> };
    }
    push(
        says.write_both,
        None,
        ButtonKind::Primary,
        (!is_filling(chunk)).then(|| decide(link, MigrationDecision::DualWrites)),
    )
}

fn backfill(view: &MigrationView, chunk: &MigrationChunk, link: &Link<MigrationView>) -> Html {
    let says = &messages().profiles.migration;
    let Some(stage) = chunk.stage.filter(|stage| stage.writes_new()) else { return html! {} };
    let is_here = place_of(Some(stage)) == 2;
    let button = match (view.plan.is_working, stage) {
        _ if !is_here => html! {},
        (true, _) => push(says.copy_pause, Some(Icon::Pause), ButtonKind::Plain, work(link, false)),
        _ if chunk.difference.is_some() => push(
            says.copy_again,
            Some(Icon::Restart),
            ButtonKind::Primary,
            decide(link, MigrationDecision::CopyAgain),
        ),
        (false, MigrationStage::DualWrites) => {
            push(says.copy, Some(Icon::Play), ButtonKind::Primary, work(link, true))
        }
        (false, _) => push(says.copy_on, Some(Icon::Play), ButtonKind::Primary, work(link, true)),
    };
    html! {
        <>
            {button}
            if is_here && stage != MigrationStage::DualWrites {
                <progress max="1" value={chunk.share.map(|share| share.to_string())} aria-label={says.backfill.1}></progress>
            }
            if stage != MigrationStage::DualWrites { <p class="small num">{(says.copied)(chunk.copied)}</p> }
            if is_here && chunk.compared > 0 { <p class="small num">{(says.compared)(chunk.compared)}</p> }
            if is_here && !chunk.after.is_empty() { <p class="small mono">{(says.not_done)(&escape(&chunk.after))}</p> }
            if !is_here && chunk.difference.is_none() { <p class="small">{(says.equal)(chunk.compared)}</p> }
            if !chunk.new_fields.is_empty() { <p class="small">{(says.new_fields)(&chunk.new_fields.join(", "))}</p> }
            if is_here { { beside_stream(view, stage) } }
            if let Some(difference) = &chunk.difference {
                <p class="problem" role="alert">{icon(Icon::Error)}<span class="mono">{(says.difference)(difference)}</span></p>
            }
        </>
    }
}

/// Explains that a step ends even if rows arrive faster than it advances: where a key begins with
/// the time, new rows are after all others.
fn beside_stream(view: &MigrationView, stage: MigrationStage) -> Html {
    if !(view.plan.is_streaming && view.plan.is_working && goes_through_rows(stage)) {
        return html! {};
    }
    html! { <p class="soft small">{messages().profiles.migration.beside_stream}</p> }
}

/// Whether a stage goes through all rows of a table, including rows that arrive in the meantime.
fn goes_through_rows(stage: MigrationStage) -> bool {
    matches!(
        stage,
        MigrationStage::Backfilling
            | MigrationStage::Verifying
            | MigrationStage::VerifyingBack
            | MigrationStage::Checking
    )
}

fn switch(view: &MigrationView, chunk: &MigrationChunk, link: &Link<MigrationView>) -> Html {
    let says = &messages().profiles.migration;
    let button = |text, kind, decision| push(text, None, kind, decide(link, decision));
    let go_on = || {
        let (text, sign) =
            if view.plan.is_working { (says.pause_step, Icon::Pause) } else { (says.go_on, Icon::Play) };
        push(text, Some(sign), ButtonKind::Plain, work(link, !view.plan.is_working))
    };
    match chunk.stage {
        Some(MigrationStage::Ready) => button(says.read_new, ButtonKind::Primary, MigrationDecision::Switch),
        Some(MigrationStage::Switched) => html! {
            <div class="profiles-actions">
                { button(says.drop, ButtonKind::Primary, MigrationDecision::Drop) }
                { button(says.read_old, ButtonKind::Plain, MigrationDecision::SwitchBack) }
            </div>
        },
        Some(MigrationStage::Checking) if chunk.difference.is_some() => {
            button(says.copy_again, ButtonKind::Primary, MigrationDecision::CopyAgain)
        }
        Some(stage @ (MigrationStage::Checking | MigrationStage::Dropping | MigrationStage::Undoing)) => {
            html! { <>{ go_on() }{ beside_stream(view, stage) }</> }
        }
        Some(MigrationStage::Done) => html! { <p class="small">{(says.stage)(chunk.stage)}</p> },
        _ => html! {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_in_a_step() {
        let steps =
            [None, Some(MigrationStage::DualWrites), Some(MigrationStage::Ready), Some(MigrationStage::Done)];
        assert_eq!(steps.map(place_of), [1, 2, 3, 4]);
        assert_eq!(place_of(Some(MigrationStage::Undoing)), 1, "it begins again");
    }

    #[test]
    fn stages_that_a_stream_can_outrun_are_those_in_which_rows_are_read() {
        assert!(
            goes_through_rows(MigrationStage::VerifyingBack) && goes_through_rows(MigrationStage::Checking)
        );
        assert!(!goes_through_rows(MigrationStage::Ready) && !goes_through_rows(MigrationStage::Dropping));
    }
}
