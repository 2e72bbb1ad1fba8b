//! The page's own reactions to a change of its state.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use tabletop_keys::{Query, RowChoice};
use tabletop_protocol::Playback;
use tabletop_texts::messages;
use tabletop_workspace::{Source, Workspace};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::browser;
use crate::page::engine_link::{EngineLink, OnScreen};
use crate::page::saving::saved;
use crate::page::state::{Action, EngineState, PageState, Pane, SavedAction};
use crate::panes::share::Sharing;
use crate::views::{Frame, view};

/// Milliseconds without a change after which the query runs again.
const ASK_MILLIS: u32 = 120;
/// The largest limit of rows of a query that runs automatically.
const ASK_ROWS_MAX: u64 = 1_000;
/// The maximum number of cells of a table on which such a query runs automatically.
const ASK_CELLS_MAX: u64 = 1_000_000;
/// The maximum number of cells of a table on which a query without a row limit runs automatically.
const ASK_ALL_CELLS_MAX: u64 = 60_000;

/// Returns whether the query is cheap enough to run automatically.
pub fn is_cheap(state: &PageState) -> bool {
    let few = (1..=ASK_ROWS_MAX).contains(&state.workspace.query.rows_limit);
    let cells: u64 = state.view.table.tablets.iter().map(|tablet| tablet.cells).sum();
    cells <= if few { ASK_CELLS_MAX } else { ASK_ALL_CELLS_MAX }
}

/// Returns whether the page has the first picture that the still shows, or has left it because of
/// an error or an edit.
fn is_ready(state: &PageState) -> bool {
    let (view, result) = (&state.view, &state.result);
    let is_complete =
        view.events_built > 0 && !view.building && !state.preview.events.is_empty() && result.complete();
    is_complete
        // A page served by `tabletop serve` does not wait for local tables.
        || state.look.view.needs_server()
        || result.error().is_some()
        || matches!(state.engine, EngineState::Crashed(_))
        || state.refusal.is_some()
        || state.can_undo()
}

/// The values to which the page has already reacted.
#[derive(Default)]
pub struct Reactions {
    seen: Option<(Rc<Workspace>, OnScreen)>,
    /// The workspace that was saved, and whether it was saved for all tabs.
    saved: Option<(Rc<Workspace>, bool)>,
    /// The number of workspaces that were opened.
    opened: u32,
    asked: Option<Moment>,
    asking: Option<Timeout>,
    /// The page has drawn what the still shows.
    is_ready: Rc<Cell<bool>>,
    /// The manual writes that the engine has undone.
    taken_back: Rc<[u32]>,
    /// The design and events that the requested manual writes belong to.
    writes: Option<(u32, Rc<[u32]>, Rc<Workspace>)>,
    /// The text of the manual writes that were saved last.
    writes_saved: Rc<str>,
    said: u64,
    /// Whether designs were proposed since the view that compares them was opened.
    has_proposed: bool,
    /// The name of the workspace in the tab's title.
    titled: String,
}

/// The query, design and events of one answer.
#[derive(PartialEq)]
struct Moment {
    query: Query,
    design: usize,
    revision: u64,
    arrived: u64,
}

impl Reactions {
    /// Reacts to what has changed.
    pub fn react(&mut self, state: &PageState, link: &EngineLink, act: &Callback<Action>) {
        if self.opened != 0 && self.opened != state.opened {
            self.writes_saved = saved::writes(state).unwrap_or_default().into();
            link.restore_writes(&self.writes_saved);
            act.emit(Action::WritesKept(self.writes_saved.clone()));
        }
        let seen = self.seen.as_ref();
        let compares = view(state.look.view).has_figures || state.look.part::<Sharing>().dialog.is_some();
        let suggests = if state.look.narrow {
            state.look.pane == Pane::Data
        } else {
            !state.look.folded.contains(&"data")
        };
        // A first visit has generated events, and needs no question.
        let suggests = suggests || matches!(state.workspace.source, Source::Own(_));
        let on_screen = OnScreen { design: state.design as u32, view: state.look.view, compares, suggests };
        if seen.is_none_or(|(workspace, before)| {
            !Rc::ptr_eq(workspace, &state.workspace) || *before != on_screen
        }) {
            self.seen = Some((state.workspace.clone(), on_screen));
            link.set_desired(state.workspace.clone(), on_screen);
        }
        if std::mem::replace(&mut self.opened, state.opened) != state.opened
            && let Some(events) = state.workspace.arrived
        {
            link.play(Playback::Seek(events));
        }
        if self.taken_back != state.hand_writes.taken_back {
            self.taken_back = state.hand_writes.taken_back.clone();
            link.take_back(&self.taken_back);
        }
        self.keep_writes(state, link, act);
        self.name_tab(&state.workspace.name);
        let is_shared = state.is_shared();
        let saved = self.saved.as_ref();
        if saved.is_none_or(|(workspace, shared)| {
            !Rc::ptr_eq(workspace, &state.workspace) || *shared != is_shared
        }) {
            let was_shared = saved.is_some_and(|(_, was_shared)| *was_shared);
            self.saved = Some((state.workspace.clone(), is_shared));
            if was_shared
                && is_shared
                && let Some(elsewhere) = saved::changed_elsewhere(state)
            {
                // The event of the other tab's save has not come yet.
                act.emit(Action::Saved(elsewhere));
            } else {
                let refused = !saved::save(state);
                if refused != state.unsaved {
                    act.emit(Action::Saved(SavedAction::Refused(refused)));
                }
            }
        }
        if browser::still().is_some() {
            self.is_ready.set(is_ready(state));
            if self.is_ready.get() {
                let is_ready = self.is_ready.clone();
                let has_rows = !state.look.narrow
                    && matches!(view(state.look.view).frame, Frame::Panes)
                    && state.result.rows() > 0;
                spawn_local(async move {
                    // The grid measures itself in this frame. On a slow machine, the framework
                    // draws a large change in several tasks.
                    browser::next_frame().await;
                    if has_rows {
                        browser::drawn("#app .grid [data-line]").await;
                    }
                    // The query may run again in the meantime.
                    if is_ready.get() {
                        browser::uncover();
                    }
                });
            }
        }
        self.ask_again(state, link);
        self.propose_once(state, link);
        self.say_headline(state, act);
    }

    /// Proposes designs when a view that compares designs is opened with a single one, which has
    /// nothing to be compared with.
    fn propose_once(&mut self, state: &PageState, link: &EngineLink) {
        if !view(state.look.view).has_figures {
            self.has_proposed = false;
            return;
        }
        if !self.has_proposed && state.view.events_built > 0 && !state.preview.events.is_empty() {
            self.has_proposed = true;
            let has_patterns = state
                .workspace
                .queries
                .iter()
                .any(|named| matches!(named.query.rows, RowChoice::Fields { .. }));
            if has_patterns && state.workspace.designs.len() == 1 && state.proposals.is_none() {
                link.propose_designs();
            }
        }
    }

    /// Puts the name of the workspace before that of the page in the tab's title.
    fn name_tab(&mut self, name: &str) {
        if self.titled != name && (name != Workspace::UNNAMED || !self.titled.is_empty()) {
            self.titled = name.to_owned();
            let page = messages().top_bar.name;
            let title = if name == Workspace::UNNAMED { page.to_owned() } else { format!("{name} - {page}") };
            browser::document().set_title(&title);
        }
    }

    /// Saves the manual writes in the browser. An edit may assign them to another design.
    fn keep_writes(&mut self, state: &PageState, link: &EngineLink, act: &Callback<Action>) {
        let Some((newest, taken_back)) = state.hand_writes.kept_of() else { return };
        let of = Some((newest, taken_back, state.workspace.clone()));
        let is_same = |before: &(u32, Rc<[u32]>, Rc<Workspace>), now: &(u32, Rc<[u32]>, Rc<Workspace>)| {
            before.0 == now.0 && before.1 == now.1 && Rc::ptr_eq(&before.2, &now.2)
        };
        if !self.writes.as_ref().zip(of.as_ref()).is_some_and(|(before, now)| is_same(before, now)) {
            self.writes = of;
            link.keep_writes();
        }
        if self.writes_saved != state.hand_writes.kept {
            self.writes_saved = state.hand_writes.kept.clone();
            if !saved::save_writes(state) && !state.unsaved {
                act.emit(Action::Saved(SavedAction::Refused(true)));
            }
        }
    }

    /// Runs the query after a change of the query, the design or the events, if it is cheap.
    fn ask_again(&mut self, state: &PageState, link: &EngineLink) {
        let view = &state.view;
        // While events arrive, the rows follow once per second of the table's clock.
        let arrived =
            if view.playing { (view.clock_micros / 1_000_000) as u64 } else { view.events_built.into() };
        let moment = Moment {
            query: state.workspace.query.clone(),
            design: state.design,
            revision: view.revision,
            arrived,
        };
        if state.engine != EngineState::Running {
            // A restarted engine counts from zero.
            self.asked = None;
        }
        // The static first paint is removed once rows are shown, so wait for them no longer than
        // needed.
        let is_covered = browser::still().is_some();
        if is_covered && view.building {
            return;
        }
        if arrived == 0 || state.engine != EngineState::Running || self.asked.as_ref() == Some(&moment) {
            return;
        }
        self.asked = Some(moment);
        let link = link.clone();
        self.asking = is_cheap(state)
            .then(|| Timeout::new(if is_covered { 0 } else { ASK_MILLIS }, move || link.ask()));
    }

    /// Announces the headline once after each change of the design, not after each write.
    fn say_headline(&mut self, state: &PageState, act: &Callback<Action>) {
        let view = &state.view;
        if !view.building && view.events_built > 0 && self.said != view.revision {
            self.said = view.revision;
            act.emit(Action::Say((messages().advice.headline)(&view.verdict).into()));
        }
    }
}
