//! The layout of the panes: a column and two rows with movable lines between them, or one pane at a
//! time.

use tabletop_texts::messages;
use tabletop_workspace::ViewId;
use yew::{Callback, Html, html};

use crate::chrome::{PANEL_ID, tab_id, tabs};
use crate::kit::{Direction, Icon, Separator, tool};
use crate::page::actions::{Actions, SHELL_HEIGHT, SIDE_WIDTH, UPPER_HEIGHT, fold_side, resize, usual_side};
use crate::page::state::{Action, Look, PageState};

/// The panes of a wide page by their places.
pub struct Panes {
    /// The column at the left.
    pub side: [Html; 3],
    /// The rest of the page.
    pub centre: Html,
}

/// The panes of the view of one design, to the right of the column.
pub struct DesignPanes {
    /// The row above.
    pub upper: Html,
    /// To the right of the upper row.
    pub inspector: Option<Html>,
    /// The row below.
    pub lower: Html,
    /// The row at the bottom.
    pub shell: Html,
}

/// Draws the column and what is to the right of it.
pub fn wide(state: &PageState, actions: &Actions, panes: Panes) -> Html {
    let on_side = on_resize(actions, "side", |look, size| look.side = size);
    let look = &state.look;
    let view = look.view;
    if look.side_folded.contains(&view) {
        return without_side(view, actions, panes.centre);
    }
    let fold = actions.look(move |look| fold_side(look, view, true));
    html! {
        <main class="workbench">
            <div class="side">
                <div class="side-fold">{ tool(messages().panes.fold_side, Icon::Back, fold) }</div>
                { for panes.side }
            </div>
            <Separator label={messages().panes.side_width} direction={Direction::Vertical} value={look.side} usual={usual_side()}
                min={*SIDE_WIDTH.start()} max={*SIDE_WIDTH.end()} on_change={on_side} />
            {panes.centre}
        </main>
    }
}

/// Draws what is to the right of the folded column, and the button that shows the column.
#[inline(never)]
fn without_side(view: ViewId, actions: &Actions, centre: Html) -> Html {
    let show = actions.look(move |look| fold_side(look, view, false));
    html! {
        <main class="workbench folded">
            <div class="side-rail">{ tool(messages().panes.show_side, Icon::Forward, show) }</div>
            {centre}
        </main>
    }
}

/// Draws the view of one design: an upper row with the inspector, a lower row, and the shell at the
/// bottom.
pub fn design_centre(state: &PageState, actions: &Actions, panes: DesignPanes) -> Html {
    let DesignPanes { upper, inspector, lower, shell } = panes;
    let (look, usual, panes_text) = (&state.look, Look::default(), &messages().panes);
    let on_upper = on_resize(actions, "upper", |look, size| look.upper = size);
    html! {
        <div class="centre" tabindex="-1">
            <div class="upper"><div class="upper-main">{upper}</div>if let Some(inspector) = inspector { {inspector} }</div>
            <Separator label={panes_text.tablets_height} direction={Direction::Horizontal} value={look.upper} usual={usual.upper}
                min={*UPPER_HEIGHT.start()} max={*UPPER_HEIGHT.end()} on_change={on_upper} />
            {lower}
            { shell_below(state, actions, shell) }
        </div>
    }
}

/// Draws the shell at the bottom, with a movable line above it while it is open.
pub fn shell_below(state: &PageState, actions: &Actions, shell: Html) -> Html {
    let look = &state.look;
    let on_shell = on_resize(actions, "shell", |look, size| look.shell = size);
    html! {
        <>
            if look.shell_open && !look.narrow {
                <Separator label={messages().panes.shell_height} direction={Direction::Horizontal} value={look.shell} usual={Look::default().shell} from_end=true
                    min={*SHELL_HEIGHT.start()} max={*SHELL_HEIGHT.end()} on_change={on_shell} />
            }
            <div class={if look.shell_open { "bottom open" } else { "bottom" }}>{shell}</div>
        </>
    }
}

/// Draws a view that takes the whole page: the column of a design does not belong to it.
pub fn whole(is_shown: bool, view: Html, shell: Html) -> Html {
    html! {
        <main class="server-main" hidden={!is_shown}>
            <div class="server-scroll" tabindex="-1">{view}</div>
            {shell}
        </main>
    }
}

/// Draws one pane below the tabs.
pub fn narrow(state: &PageState, actions: &Actions, pane: Html) -> Html {
    html! {
        <main class="single">
            { tabs(state.look.pane, actions) }
            <div class="single-scroll" tabindex="-1">
                <div id={PANEL_ID} class="single-pane" role="tabpanel" aria-labelledby={tab_id(state.look.pane)}>{pane}</div>
            </div>
        </main>
    }
}

/// Draws a view that needs no panes, to the right of the column.
pub fn view_centre(view: Html) -> Html {
    html! { <div class="centre view" tabindex="-1">{view}</div> }
}

/// Draws the view on a narrow page. The view is the last of several nodes, as on a wide page, so it
/// keeps its state when the page becomes narrow or wide. (Yew compares lists from their ends, and
/// replaces a list by a single node.)
pub fn narrow_view(view: Html) -> Html {
    html! {
        <main class="single">
            <></>
            <div class="single-scroll" tabindex="-1">{view}</div>
        </main>
    }
}

fn on_resize(actions: &Actions, name: &'static str, change: fn(&mut Look, f64)) -> Callback<f64> {
    actions.act.reform(move |size: f64| {
        resize(name, size);
        Action::Look(Box::new(move |look| change(look, size)))
    })
}
