//! What the page does besides showing its state.

use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use tabletop_schema::{DesignView, Workspace};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::{AttrValue, Callback, hook, use_effect_with, use_mut_ref, use_state};

use crate::pages::tablets::Load;
use crate::session::Session;
use crate::state::{Engine, State};
use crate::{browser, crash};

/// The name under which the workspace is kept.
const NAME: &str = "workspace";
/// Milliseconds without a change after which the question is asked again.
const ASK_MILLIS: u32 = 120;
/// Rows of an answer that comes without being asked for.
const ASK_ROWS_MAX: u64 = 1_000;
/// Cells that a question for so few rows may look at.
const ASK_CELLS_MAX: u64 = 1_000_000;
/// Cells that a question for any number of rows may look at.
const ASK_ALL_CELLS_MAX: u64 = 60_000;

/// What was on the screen at the last visit, or what everyone sees first.
pub fn first_workspace() -> Workspace {
    // A text that does not read as a workspace is of another build or was changed by hand.
    browser::stored(NAME).and_then(|text| Workspace::from_json(&text).ok()).unwrap_or_default()
}

/// Keeps the workspace, for a reload and for the crash screen.
#[hook]
pub fn use_autosave(workspace: &Rc<Workspace>) {
    use_effect_with(workspace.clone(), |workspace| {
        let text = workspace.to_json();
        crash::keep(&text);
        // A browser that keeps nothing (a private window may not) still works until it is closed.
        browser::store(NAME, &text);
    });
}

/// Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y anywhere, but in a text that is not of the workspace.
#[hook]
pub fn use_history_keys(on_undo: &Callback<()>, on_redo: &Callback<()>) {
    use_effect_with((on_undo.clone(), on_redo.clone()), |(on_undo, on_redo)| {
        let (on_undo, on_redo) = (on_undo.clone(), on_redo.clone());
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&browser::window(), "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            if !(event.ctrl_key() || event.meta_key())
                || event.alt_key()
                || target.is_some_and(|target| target.id() == "own-text")
            {
                return;
            }
            match (event.key().to_ascii_lowercase().as_str(), event.shift_key()) {
                ("z", false) => on_undo.emit(()),
                ("z", true) | ("y", false) => on_redo.emit(()),
                _ => return,
            }
            event.prevent_default();
        });
        move || drop(listener)
    });
}

/// Whether a media query holds, now and later.
#[hook]
pub fn use_media(query: &'static str) -> bool {
    let holds = use_state(|| browser::matches(query));
    use_effect_with((), {
        let holds = holds.clone();
        move |()| {
            let list = browser::window().match_media(query).ok().flatten();
            let listener = list.map(|list| EventListener::new(&list, "change", move |_| holds.set(browser::matches(query))));
            move || drop(listener)
        }
    });
    *holds
}

/// Asks the question again whenever it, the design or the events have changed, as long as the answer is cheap.
#[hook]
pub fn use_first_rows(session: &Rc<Session>, state: &State) {
    let view = &state.view;
    // While events arrive the rows need not follow each of them: once a second of the table's clock will do.
    let arrived = if view.playing { (view.clock_micros / 1_000_000) as u64 } else { view.events_built.into() };
    let moment = (state.workspace.query.clone(), state.design, view.revision, arrived, state.engine == Engine::Running);
    let cheap = is_cheap(state);
    let result = state.result.clone();
    let session = session.clone();
    use_effect_with(moment, move |(query, _, _, arrived, running)| {
        let asks = *running && *arrived > 0 && cheap;
        let query = query.clone();
        let timeout = asks.then(|| Timeout::new(ASK_MILLIS, move || session.ask(query, &result)));
        move || drop(timeout)
    });
}

/// Whether the question may be asked without the person asking for it.
pub fn is_cheap(state: &State) -> bool {
    let few = (1..=ASK_ROWS_MAX).contains(&state.workspace.query.rows_limit);
    let cells: u64 = state.view.table.tablets.iter().map(|tablet| tablet.cells).sum();
    cells <= if few { ASK_CELLS_MAX } else { ASK_ALL_CELLS_MAX }
}

/// Says the headline once after each change of the design: a screen reader is not told of every write.
#[hook]
pub fn use_said_headline(view: &Rc<DesignView>, on_say: &Callback<AttrValue>) {
    let said = use_mut_ref(|| 0);
    use_effect_with((view.clone(), on_say.clone()), move |(view, on_say)| {
        if !view.building && view.events_built > 0 && said.replace(view.revision) != view.revision {
            on_say.emit(Load::of(&view.table).headline(&view.table).text.into());
        }
    });
}
