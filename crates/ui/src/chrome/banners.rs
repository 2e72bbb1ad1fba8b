//! Problems and missing parts, above the panes.

use tabletop_model::Error;
use tabletop_protocol::LoadState;
use tabletop_texts::messages;
use tabletop_workspace::example;
use yew::{Callback, Html, html};

use super::examples::example_note;
use crate::kit::{ButtonKind, Icon, icon, push, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, Apart, EngineState, PageState, Part, SavedAction, WorkspaceWish};
use crate::panes::data::{given_own, interrupted_own, missing_own};
use crate::panes::share::recorded_note;
use crate::panes::storage::storage_banner;
use crate::panes::workspaces::{open_workspaces, wish};

/// The confirmation before starting over.
#[derive(Clone, Default)]
struct StartOver {
    /// The page asks it.
    asks: bool,
}

impl Part for StartOver {}

/// Returns a callback that asks the user to confirm starting over.
pub fn start_over(actions: &Actions) -> Callback<()> {
    actions.part(|look: &mut StartOver| look.asks = true)
}

/// Draws one line for each problem.
pub fn banners(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().banners;
    html! {
        <aside class="banners" aria-label={says.list}>
            if let EngineState::Crashed(reason) = &state.engine { { crash_banner(reason, state, actions) } }
            if !state.is_shared() && !state.look.other_work_read { { apart_banner(state, actions) } }
            if state.unsaved && state.can_undo() { { unsaved_banner(state, actions) } }
            if state.look.part::<StartOver>().asks { { start_over_banner(actions) } }
            { storage_banner(state, actions) }
            if let Some(error) = &state.refusal { { refusal_banner(error, actions) } }
            { example_note(state, actions) }
            if state.own_missing { { missing_own(state, actions) } { recorded_note(state, actions) } }
            if state.data.state == LoadState::Interrupted { { interrupted_own(state, actions) } }
            if state.has_given() { { given_own(state, actions) } }
        </aside>
    }
}

// A first visit does not need the lines below, so each is a function that is fetched later.

/// The line for a workspace that this tab does not save for all tabs.
#[inline(never)]
fn apart_banner(state: &PageState, actions: &Actions) -> Html {
    let (says, act) = (&messages().banners, &actions.act);
    let [what, now] = match &state.apart {
        Some(Apart::Changed(_)) => [says.changed_in_other_tab, says.which_version],
        Some(Apart::Visiting(_)) if example(&state.workspace).is_some() => {
            [says.is_example, says.yours_is_saved]
        }
        Some(Apart::Visiting(_)) => [says.came_with_link, says.yours_is_saved],
        Some(Apart::Lost) | None => [says.lost, says.lost_what_now],
    };
    let take_over = || act.reform(|()| Action::Saved(SavedAction::TakeOver));
    html! {
        <div class="banner" role="status">
            <p><strong>{what}{" "}</strong>{now}</p>
            { match &state.apart {
                Some(Apart::Changed(_)) => html! {
                    <>
                        { push(says.take_over, None, ButtonKind::Plain, take_over()) }
                        { push(says.keep_own, None, ButtonKind::Plain, act.reform(|()| Action::Saved(SavedAction::KeepOwn))) }
                    </>
                },
                Some(Apart::Visiting(_)) => push(says.back_to_yours, None, ButtonKind::Plain, take_over()),
                Some(Apart::Lost) | None => html! {},
            } }
            { push(says.save_as, None, ButtonKind::Plain, wish(actions, WorkspaceWish::SaveAs)) }
            // The choice can wait: another tab's next save, and a reload, ask again.
            { tool(messages().storage.close_note, Icon::Close, actions.look(|look| look.other_work_read = true)) }
        </div>
    }
}

#[inline(never)]
fn unsaved_banner(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().workspaces;
    html! {
        <div class="alert" role="alert">
            {icon(Icon::Warning)}
            <p><strong>{says.unsaved}</strong>{" "}{says.unsaved_what_now}</p>
            { push(messages().top_bar.save, Some(Icon::Download), ButtonKind::Plain, {
                let (workspace, actions) = (state.workspace.clone(), actions.clone());
                Callback::from(move |()| actions.download(&workspace))
            }) }
            { push(messages().top_bar.workspaces, None, ButtonKind::Plain, open_workspaces(actions)) }
        </div>
    }
}

#[inline(never)]
fn crash_banner(reason: &str, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().banners;
    html! {
        <div class="alert" role="alert">
            {icon(Icon::Error)}
            <p>
                <strong>{says.engine_stopped}</strong>{" "}
                {reason.strip_prefix("the worker has stopped: ").unwrap_or(reason).trim_end_matches('.').to_owned()}{". "}
                {says.workspace_is_safe}
            </p>
            { push(says.restart_engine, None, ButtonKind::Primary, actions.restart.clone()) }
            { push(messages().top_bar.save, Some(Icon::Download), ButtonKind::Plain, {
                let (workspace, actions) = (state.workspace.clone(), actions.clone());
                Callback::from(move |()| actions.download(&workspace))
            }) }
        </div>
    }
}

#[inline(never)]
fn start_over_banner(actions: &Actions) -> Html {
    let says = &messages().banners;
    html! {
        <div class="alert" role="alertdialog" aria-label={messages().top_bar.start_over}>
            {icon(Icon::Warning)}
            <p><strong>{says.start_over}</strong>{" "}{says.start_over_about}</p>
            { push(messages().top_bar.start_over, None, ButtonKind::Primary, {
                let (actions, close) = (actions.clone(), actions.part(|look: &mut StartOver| look.asks = false));
                Callback::from(move |()| {
                    close.emit(());
                    actions.reset();
                })
            }) }
            { push(says.cancel, None, ButtonKind::Plain, actions.part(|look: &mut StartOver| look.asks = false)) }
        </div>
    }
}

#[inline(never)]
fn refusal_banner(error: &Error, actions: &Actions) -> Html {
    let says = &messages().banners;
    html! {
        <div class="alert" role="alert">
            {icon(Icon::Error)}
            <p>{error.message.clone()}</p>
            { tool(says.dismiss, Icon::Close, actions.act.reform(|()| Action::Dismiss)) }
        </div>
    }
}
