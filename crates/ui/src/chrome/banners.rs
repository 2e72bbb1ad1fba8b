//! Problems and missing parts, above the panes.

use tabletop_model::Error;
use tabletop_schema::LoadState;
use yew::{Callback, Html, html};

use crate::actions::Actions;
use crate::messages::messages;
use crate::pages::data::{interrupted_own, missing_own};
use crate::pages::examples::example_note;
use crate::pages::storage::storage_banner;
use crate::state::{Action, EngineState, PageState};
use crate::widgets::{ButtonKind, Icon, icon, push, tool};

/// Draws one line for each of them.
pub fn banners(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().banners;
    html! {
        <aside class="banners" aria-label={says.list}>
            if let EngineState::Crashed(reason) = &state.engine { { crash_banner(reason, state, actions) } }
            if state.other_work.is_some() && !state.look.other_work_read { { other_work_banner(state, actions) } }
            if state.look.starting_over { { start_over_banner(actions) } }
            { storage_banner(state, actions) }
            if let Some(error) = &state.refusal { { refusal_banner(error, actions) } }
            { example_note(state, actions) }
            if state.own_missing { { missing_own(state, actions) } }
            if state.data.state == LoadState::Interrupted { { interrupted_own(state, actions) } }
        </aside>
    }
}

/// The line for a workspace that is saved for all tabs, while this tab has another one.
#[inline(never)]
fn other_work_banner(state: &PageState, actions: &Actions) -> Html {
    let (says, act) = (&messages().banners, &actions.act);
    let [what, which, other, this] = if state.linked {
        [says.came_with_link, says.yours_is_saved, says.back_to_yours, says.keep_link]
    } else {
        [says.changed_in_other_tab, says.which_version, says.take_over, says.keep_own]
    };
    html! {
        <div class="banner" role="status">
            <p><strong>{what}{" "}</strong>{which}</p>
            { push(other, None, ButtonKind::Plain, act.reform(|()| Action::TakeOver)) }
            { push(this, None, ButtonKind::Plain, act.reform(|()| Action::KeepOwn)) }
            // The choice waits: another tab's next save, and a reload, ask again.
            { tool(messages().storage.close_note, Icon::Close, actions.look(|look| look.other_work_read = true)) }
        </div>
    }
}

// No first visit needs the lines below, so each is a function that is fetched later.

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
                let (actions, close) = (actions.clone(), actions.look(|look| look.starting_over = false));
                Callback::from(move |()| {
                    close.emit(());
                    actions.reset();
                })
            }) }
            { push(says.cancel, None, ButtonKind::Plain, actions.look(|look| look.starting_over = false)) }
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
