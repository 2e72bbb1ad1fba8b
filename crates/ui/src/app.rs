//! The page as a whole: its state, its changes, and its layout.

mod layout;
mod listen;
mod react;

use std::rc::Rc;

use gloo::events::EventListener;
use tabletop_keys::{FamilyRule, RowChoice};
use tabletop_model::{Error, Timestamp};
use tabletop_texts::messages;
use tabletop_workspace::ViewId;
use yew::{Component, Context, Html, html};

use crate::browser;
use crate::chrome::{
    KeysDialog, PaletteLook, all_actions_dialog, banners, keys_dialog, place_shower, section, top_bar,
};
use crate::page::actions::{self, Actions, EventsRequest};
use crate::page::engine_link::EngineLink;
use crate::page::saving::{saved, workspaces};
use crate::page::state::{Action, PageState, Pane, StorageLook, WorkspacesLook};
use crate::panes::data::{data_pane, summary};
use crate::panes::export::export_dialog;
use crate::panes::keys::keys_pane;
use crate::panes::query::{QueryLook, QueryPanel, named_queries, query_as_code};
use crate::panes::results::ResultGrid;
use crate::panes::shell::{Commands, as_commands, shell_pane};
use crate::panes::storage::storage_dialog;
use crate::panes::tablets::{docked_advice, inspector, tablets_above, tablets_pane};
use crate::panes::workspaces::workspaces_dialog;
use crate::views::design::design_pane;
use crate::views::{self, Frame, Section};
use react::{Reactions, is_cheap};
use tabletop_views::{query::plan_text, results::AskedFor};

/// The page. Its panes are functions of its state. Parts with a state of their own, such as an open
/// menu or a scrolled grid, are components in the panes.
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
        let actions = Actions::new(act.clone(), &link, place_shower(act));
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
                if state.look.server.is_some() { { whole_views(state, actions) } }
                if state.look.dropping {
                    <div class="drop-overlay">
                        <div>
                            <p class="drop-title">{messages().panes.drop}</p>
                            <p>{messages().panes.drop_formats}</p>
                        </div>
                    </div>
                }
                if state.look.part::<StorageLook>().open { { storage_dialog(state, actions) } }
                if state.look.part::<WorkspacesLook>().open { { workspaces_dialog(state, actions) } }
                if state.look.part::<PaletteLook>().open { { all_actions_dialog(state, actions) } }
                if state.look.part::<KeysDialog>().open { { keys_dialog(actions) } }
                { export_dialog(state, actions) }
                <p class="visually-hidden" role="status">{state.status.clone()}</p>
                // A key for each text restarts the animation.
                if !state.toast.is_empty() { <p key={state.toast.as_str()} class="toast" aria-hidden="true">{state.toast.clone()}</p> }
            </>
        }
    }
}

/// Draws the view of the address.
fn view(state: &PageState, actions: &Actions) -> Html {
    let shown = views::view(state.look.view);
    let centre = match (&shown.frame, state.look.narrow) {
        // It always exists, so it keeps its state.
        (Frame::Whole { .. }, _) => return html! {},
        (Frame::Section(of), true) => {
            let below = of.side.map(|draw| draw(state, actions)).unwrap_or_default();
            return layout::narrow_view(view_section(shown.id, of, state, actions, below));
        }
        (Frame::Panes, true) => return layout::narrow(state, actions, pane(state.look.pane, state, actions)),
        (Frame::Section(of), false) => {
            layout::view_centre(view_section(shown.id, of, state, actions, html! {}))
        }
        (Frame::Panes, false) => {
            let [upper, lower, shell] = panes([Pane::Tablets, Pane::Results, Pane::Shell], state, actions);
            let inspector = state.tablet.map(|tablet| inspector(tablet, state, actions));
            layout::design_centre(state, actions, layout::DesignPanes { upper, inspector, lower, shell })
        }
    };
    let [data, design] = panes([Pane::Data, Pane::Design], state, actions);
    let side = match &shown.frame {
        Frame::Section(Section { side: Some(draw), .. }) => [data, own_side(draw(state, actions)), design],
        _ => [data, design, pane(Pane::Query, state, actions)],
    };
    layout::wide(state, actions, layout::Panes { side, centre })
}

fn panes<const N: usize>(all: [Pane; N], state: &PageState, actions: &Actions) -> [Html; N] {
    all.map(|each| pane(each, state, actions))
}

/// Draws a view's own part of the left column.
#[inline(never)]
fn own_side(content: Html) -> Html {
    html! { <div key="own" class="pane own-side">{content}</div> }
}

/// Draws a view that is one section, and what is below it. Both always exist, so that the view keeps
/// its state when the page becomes narrow or wide.
#[inline(never)]
fn view_section(id: ViewId, of: &Section, state: &PageState, actions: &Actions, below: Html) -> Html {
    let content = (of.draw)(state, actions);
    html! {
        <>
            { section(id.name(), (of.title)(), &(of.summary)(state), None, state, content) }
            <div key="below" class="view-below">{below}</div>
        </>
    }
}

/// Draws the views that take the whole page, with the shell below them. Hidden views keep their
/// state.
#[inline(never)]
fn whole_views(state: &PageState, actions: &Actions) -> Html {
    let whole = views::offered(&state.look).filter_map(|view| {
        let Frame::Whole { title, draw } = view.frame else { return None };
        let is_shown = state.look.view == view.id;
        let body = draw(state, is_shown, actions);
        let shell = if is_shown {
            layout::shell_below(state, actions, pane(Pane::Shell, state, actions))
        } else {
            html! {}
        };
        Some(layout::whole(is_shown, section(view.id.name(), title(), "", None, state, body), shell))
    });
    html! { <>{ for whole }</> }
}

/// Draws a pane with its heading.
pub fn pane(pane: Pane, state: &PageState, actions: &Actions) -> Html {
    let panes = &messages().panes;
    match pane {
        Pane::Data => {
            section("data", panes.data, &summary(state), Some(actions), state, data_pane(state, actions))
        }
        Pane::Design if state.look.narrow => html! {
            <>
                { tablets_above(state, actions) }
                { section("design", panes.design, "", None, state, design_pane(state, actions)) }
            </>
        },
        Pane::Design => {
            section("design", panes.design, "", Some(actions), state, design_pane(state, actions))
        }
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
            let patterns =
                state.workspace.query.filter.as_ref().is_some_and(|filter| filter.text().contains("_regex("));
            let strips = state
                .workspace
                .query
                .filter
                .as_ref()
                .is_some_and(|filter| filter.text().contains("strip_value"));
            let (rules, gc_time) = fates(state);
            let (commands, on_action) = (Commands::of(state), actions.shell.clone());
            let asked_for = AskedFor::of(state.asked_rows());
            let grid = html! { <ResultGrid {result} {no_table} {asked_for} keys={state.shown.stored.clone()} {patterns} {commands} {on_action} traces={Some((actions.jobs.clone(), state.design))}
            {rules} {gc_time} {strips} on_write={actions.write.clone()} hand_note={messages().results.details.by_hand} on_expired={Some(actions.expired.clone())}
            columns={state.design().results.clone()} on_edit={actions.edit.clone()} on_mark={Some(actions.mark.clone())} complete={state.look.is_complete}
            on_row={actions.events.reform(EventsRequest::OfRow)} /> };
            section("results", panes.results, &plan, None, state, grid)
        }
        Pane::Shell => shell_pane(state, actions),
    }
}

/// Returns the GC rules of the rows shown, and the time that they use as now. A read that leaves
/// out cells cannot tell how many newer versions there are.
fn fates(state: &PageState) -> (Vec<FamilyRule>, Option<Timestamp>) {
    let leaves_out =
        state.workspace.query.filter.is_some() || matches!(state.asked_rows(), RowChoice::Fields { .. });
    match &state.design().families {
        rules if rules.is_empty() || leaves_out => (Vec::new(), None),
        rules => (rules.clone(), state.view.gc_time),
    }
}

/// Returns how the rows of the query are found, to be shown next to the rows. The query of a first
/// visit needs no explanation.
fn plan_in_words(state: &PageState) -> String {
    if state.workspace.query.rows == RowChoice::All && state.look.part::<QueryLook>().named.is_none() {
        return String::new();
    }
    plan_text(&state.shown.template, &state.design().readable_layout(), &state.workspace.query.rows)
}

/// Returns whether the query has changed but runs only when the user runs it.
fn waits(state: &PageState) -> bool {
    state.answer_is_old() && !state.result.running() && !is_cheap(state)
}

/// Returns the error of the query, as long as that query is shown.
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
        { as_commands("query", messages().shell.as_commands.query, state, actions, &|commands| commands.query(state)) }
        { query_as_code(state, actions) }
        </>
    }
}
