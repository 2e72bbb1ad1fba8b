//! The page as a whole: its state, its changes, and its layout.

mod layout;
mod listen;
mod react;
mod saved;
mod workspaces;

use std::rc::Rc;

use gloo_events::EventListener;
use tabletop_model::{Error, Timestamp};
use tabletop_schema::{FamilyRule, RowChoice};
use tabletop_texts::messages;
use yew::{Component, Context, Html, html};

use crate::actions::{self, Actions, EventsRequest};
use crate::browser;
use crate::chrome::{all_actions_dialog, banners, keys_dialog, section, top_bar};
use crate::engine_link::EngineLink;
use crate::pages::compare::{compare_pane, compare_summary};
use crate::pages::data::{data_pane, summary};
use crate::pages::design::design_pane;
use crate::pages::export::export_dialog;
use crate::pages::keys::keys_pane;
use crate::pages::profiles::{profiles_pane, profiles_summary};
use crate::pages::server::server_pane;
use crate::pages::storage::storage_dialog;
use crate::pages::tablet::{tablet_pane, tablet_summary};
use crate::pages::tablets::{docked_advice, inspector, tablets_above, tablets_pane};
use crate::pages::traffic::{traffic_pane, traffic_summary};
use crate::pages::workspaces::workspaces_dialog;
use crate::query::{QueryPanel, named_queries, plan_text, query_as_code};
use crate::results::{AskedFor, ResultGrid};
use crate::shell::{Commands, Offer, as_commands, shell_pane};
use crate::state::{Action, PageState, Pane, View};
use react::{Reactions, is_cheap};

/// The page. Its panes are functions of its state. Parts with a state of their own, such as an open menu or a scrolled grid, are
/// components in the panes.
pub struct App {
    state: PageState,
    link: EngineLink,
    actions: Actions,
    reactions: Reactions,
    _listeners: Vec<EventListener>,
}

impl Component for App {
    type Message = Action;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let mut state = saved::first_state();
        actions::restore(&mut state.look);
        state.look.narrow = browser::matches(listen::NARROW);
        state.look.server = actions::server_token();
        state.look.view = actions::offered(actions::view_of_address(), &state.look);
        let act = ctx.link().callback(|action| action);
        let writes = saved::writes(&state);
        state.hand_writes.kept = writes.clone().unwrap_or_default().into();
        let link = EngineLink::start(act.clone(), state.workspace.clone(), writes);
        let actions = Actions::new(act, &link);
        let mut _listeners = listen::listen(&actions, &link);
        _listeners.push(saved::listen(actions.act.clone()));
        App { state, link, actions, reactions: Reactions::default(), _listeners }
    }

    fn update(&mut self, _: &Context<Self>, action: Action) -> bool {
        match action {
            Action::Wish(wish) => workspaces::fulfil(&self.state, wish, &self.actions.act),
            action => self.state.apply(action),
        }
        self.reactions.react(&self.state, &self.link, &self.actions.act);
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let (state, actions) = (&self.state, &self.actions);
        html! {
            <>
                { top_bar(state, actions) }
                { banners(state, actions) }
                { view(state, actions) }
                if let Some(token) = &state.look.server { { server_main(token, state, actions) } }
                if state.look.dropping {
                    <div class="drop-overlay">
                        <div>
                            <p class="drop-title">{messages().panes.drop}</p>
                            <p>{messages().panes.drop_formats}</p>
                        </div>
                    </div>
                }
                if state.look.storage { { storage_dialog(state, actions) } }
                if state.look.workspaces.open { { workspaces_dialog(state, actions) } }
                if state.look.palette { { all_actions_dialog(state, actions) } }
                if state.look.keys_dialog { { keys_dialog(actions) } }
                { export_dialog(state, actions) }
                <p class="visually-hidden" role="status">{state.status.clone()}</p>
            </>
        }
    }
}

/// Draws the view of the address.
fn view(state: &PageState, actions: &Actions) -> Html {
    let panes = |all: [Pane; 3]| all.map(|each| pane(each, state, actions));
    match (state.look.view, state.look.narrow) {
        // It is there all the time: what has been seen of a server stays.
        (View::Server, _) => html! {},
        (View::Compare, true) => layout::narrow_view(compare_section(state, actions)),
        (View::Tablet, true) => layout::narrow_view(tablet_section(state, actions)),
        (View::Traffic, true) => layout::narrow_view(traffic_section(state, actions)),
        (View::Profiles, true) => layout::narrow_view(profiles_section(state, actions)),
        (View::Design, true) => layout::narrow(state, actions, pane(state.look.pane, state, actions)),
        (view, false) => {
            let side = panes([Pane::Data, Pane::Design, Pane::Query]);
            let centre = match view {
                View::Compare => layout::view_centre(compare_section(state, actions)),
                View::Tablet => layout::view_centre(tablet_section(state, actions)),
                View::Traffic => layout::view_centre(traffic_section(state, actions)),
                View::Profiles => layout::view_centre(profiles_section(state, actions)),
                View::Design | View::Server => {
                    let [upper, lower, shell] = panes([Pane::Tablets, Pane::Results, Pane::Shell]);
                    let inspector = state.tablet.map(|tablet| inspector(tablet, state, actions));
                    layout::design_centre(state, actions, layout::DesignPanes { upper, inspector, lower, shell })
                }
            };
            layout::wide(state, actions, layout::Panes { side, centre })
        }
    }
}

/// Draws the view that compares all designs.
fn compare_section(state: &PageState, actions: &Actions) -> Html {
    section("compare", messages().compare.title, &compare_summary(state), None, state, compare_pane(state, actions))
}

/// Draws the view of one tablet from inside.
fn tablet_section(state: &PageState, actions: &Actions) -> Html {
    section("tablet", messages().inside.title, &tablet_summary(state), None, state, tablet_pane(state, actions))
}

/// Draws the view of profiles.
fn profiles_section(state: &PageState, actions: &Actions) -> Html {
    section("profiles", messages().profiles.title, &profiles_summary(state), None, state, profiles_pane(state, actions))
}

/// Draws the view that puts traffic on a design.
fn traffic_section(state: &PageState, actions: &Actions) -> Html {
    section("traffic", messages().traffic.title, &traffic_summary(state), None, state, traffic_pane(state, actions))
}

/// Draws the view of the running server that serves the page, with the shell below it. Hidden, it keeps what it has seen.
#[inline(never)]
fn server_main(token: &Rc<str>, state: &PageState, actions: &Actions) -> Html {
    let is_shown = state.look.view == View::Server;
    let body = server_pane(token, is_shown, state, actions);
    let shell = if is_shown {
        layout::shell_below(state, actions, pane(Pane::Shell, state, actions))
    } else {
        html! {}
    };
    layout::server(is_shown, section("server", messages().server.title, "", None, state, body), shell)
}

/// Draws a pane with its heading.
fn pane(pane: Pane, state: &PageState, actions: &Actions) -> Html {
    let panes = &messages().panes;
    match pane {
        Pane::Data => section("data", panes.data, &summary(state), Some(actions), state, data_pane(state, actions)),
        Pane::Design if state.look.narrow => html! {
            <>
                { tablets_above(state, actions) }
                { section("design", panes.design, "", None, state, design_pane(state, actions)) }
            </>
        },
        Pane::Design => section("design", panes.design, "", Some(actions), state, design_pane(state, actions)),
        Pane::Tablets => html! {
            <>
                { section("tablets", panes.tablets, "", None, state, tablets_pane(state, actions)) }
                if let (Some(tablet), true) = (state.tablet, state.look.narrow) { { inspector(tablet, state, actions) } }
                { section("keys", panes.keys, "", None, state, keys_pane(state, actions)) }
                if state.look.narrow { { docked_advice(state, actions) } }
            </>
        },
        Pane::Query => section("query", panes.query, "", Some(actions), state, query_pane(state, actions)),
        Pane::Results => {
            let plan = if waits(state) { panes.results_old.into() } else { plan_in_words(state) };
            let no_table = state.no_table();
            let is_over = state.result.error().is_some() && (refusal(state).is_none() || no_table.is_some());
            let result = if is_over { Rc::default() } else { state.result.clone() };
            let patterns = state.workspace.query.filter.as_ref().is_some_and(|filter| filter.text().contains("_regex("));
            let strips = state.workspace.query.filter.as_ref().is_some_and(|filter| filter.text().contains("strip_value"));
            let (rules, gc_time) = fates(state);
            let (commands, on_action) = (Commands::of(state), actions.shell.clone());
            let asked_for = AskedFor::of(state.asked_rows());
            let grid = html! { <ResultGrid {result} {no_table} {asked_for} keys={state.shown.stored.clone()} {patterns} {commands} {on_action} on_trace={Some(actions.trace.clone())}
            {rules} {gc_time} {strips} on_write={actions.write.clone()} hand_note={messages().results.details.by_hand} on_expired={Some(actions.expired.clone())}
            columns={state.design().results.clone()} on_edit={actions.edit.clone()} on_mark={Some(actions.mark.clone())} complete={state.look.is_complete}
            on_row={actions.events.reform(EventsRequest::OfRow)} /> };
            section("results", panes.results, &plan, None, state, grid)
        }
        Pane::Shell => shell_pane(state, actions),
    }
}

/// Returns the GC rules of the rows on the screen, and the time that they take for the present. A read that leaves out cells cannot
/// tell how many newer versions there are.
fn fates(state: &PageState) -> (Vec<FamilyRule>, Option<Timestamp>) {
    let leaves_out = state.workspace.query.filter.is_some() || matches!(state.asked_rows(), RowChoice::Fields { .. });
    match &state.design().families {
        rules if rules.is_empty() || leaves_out => (Vec::new(), None),
        rules => (rules.clone(), state.view.gc_time),
    }
}

/// Returns how the rows of the query are found, beside the rows. The query of a first visit needs no such words.
fn plan_in_words(state: &PageState) -> String {
    if state.workspace.query.rows == RowChoice::All && state.look.named.is_none() {
        return String::new();
    }
    plan_text(&state.shown.template, &state.design().readable_layout(), &state.workspace.query.rows)
}

/// Returns whether the query has changed and runs only when the person runs it.
fn waits(state: &PageState) -> bool {
    state.answer_is_old() && !state.result.running() && !is_cheap(state)
}

/// Returns the error of the query, as long as the query is the one on the screen.
fn refusal(state: &PageState) -> Option<&Error> {
    state.result.error().filter(|_| !waits(state))
}

fn query_pane(state: &PageState, actions: &Actions) -> Html {
    let shown = &state.shown;
    html! {
        <>
            { named_queries(state, actions) }
        <QueryPanel
            query={state.workspace.query.clone()}
            fields={shown.fields.clone()}
            families={shown.families.clone()}
            columns={shown.columns.clone()}
            template={shown.template.clone()}
            layout={state.design().readable_layout().into_owned()}
            running={state.result.running()}
            refusal={refusal(state).cloned()}
            counts={state.counts.clone()}
            suggestions={shown.values.clone()}
            on_change={actions.query.clone()}
            on_run={actions.run.clone()}
            on_cancel={actions.stop.clone()}
        />
        { as_commands("query", messages().shell.as_commands.query, state, actions, Offer::CopyAndRun, &|commands| commands.query(state)) }
        { query_as_code(state, actions) }
        </>
    }
}
