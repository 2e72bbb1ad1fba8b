//! One tablet's internals: its memtable and SSTables, what the last read touches, and an SSTable
//! down to its bytes.

mod bytes;
mod follow;
mod parts;
mod read;
mod sstable;
mod work;

use std::rc::Rc;

use crate::kit::{ButtonKind, Icon, callback, push};
use crate::page::actions::{Actions, InsideAction};
use crate::page::state::{Action, InsideLook, PageState};
use crate::panes::tablets::{legend, playback_bar, strip};
use crate::views::view::{Frame, Section, View, play_events};
use follow::Follow;
use parts::parts;
use read::last_read;
use sstable::open_sstable;
use tabletop_model::{TabletInside, TabletView};
use tabletop_texts::messages;
use tabletop_views::tablets::words::{count, range};
use tabletop_workspace::ViewId;
use work::amplification;
use yew::{Html, html};

/// The view.
pub const VIEW: View = View {
    id: ViewId::Tablet,
    name: || messages().top_bar.tablet,
    frame: Frame::Section(Section { title: || messages().inside.title, summary, draw, side: None }),
    play: play_events,
    place: |_| None,
    has_figures: false,
};

/// Returns one line on the tablet.
fn summary(state: &PageState) -> String {
    let Some((at, tablet)) = shown(state) else { return String::new() };
    let of = state.view.table.tablets.len();
    (messages().inside.summary)(at + 1, of, &count(tablet, tablet.rows), tablet.bytes)
}

/// Draws the content of the view.
fn draw(state: &PageState, actions: &Actions) -> Html {
    let follow =
        html! { <Follow tablet={state.tablet} on_choose={actions.inside.reform(InsideAction::Choose)} /> };
    if let Some(why) = state.no_table() {
        return html! {
            <div class="inside-empty">
                {follow}
                <p class="headline">{why.title()}</p>
                <p>{why.advice()}</p>
            </div>
        };
    }
    let inside = state.look.part::<InsideLook>().tablet.clone();
    let on_select = callback(actions, move |actions, tablet| {
        // A second press would close the inspector of the other view. Here one tablet is always
        // open.
        if let Some(tablet) = tablet {
            actions.act.emit(Action::SelectTablet(Some(tablet)));
        }
    });
    html! {
        <>
            {follow}
            <div class="inside-strip">
                { strip(state, actions, inside.as_ref().map(|inside| inside.tablet), 1.0, on_select) }
                { legend(|_| true) }
            </div>
            { playback_bar(state, actions) }
            { match (inside, shown(state)) {
                (Some(inside), Some((_, tablet))) => tablet_inside(&inside, tablet, state, actions),
                _ => html! { <p class="soft">{messages().inside.comes}</p> },
            } }
        </>
    }
}

fn tablet_inside(
    inside: &Rc<TabletInside>,
    tablet: &TabletView,
    state: &PageState,
    actions: &Actions,
) -> Html {
    html! {
        <>
            <div class="inside-head">
                <p class="mono inside-range">{range(tablet)}</p>
                { tools(inside, state, actions) }
            </div>
            { parts(inside, state, actions) }
            { last_read(inside, state, actions) }
            { open_sstable(inside, state, actions) }
            { amplification(state) }
        </>
    }
}

/// Draws the buttons, and why one of them does nothing.
fn tools(inside: &TabletInside, state: &PageState, actions: &Actions) -> Html {
    let (says, tablet) = (&messages().inside, inside.tablet);
    let has_rows = inside.memtables.iter().any(|memtable| memtable.rows > 0);
    let act = |is_possible: bool, action: InsideAction| {
        is_possible.then(|| actions.inside.reform(move |()| action))
    };
    // GC rules may collect from a single SSTable, too.
    let have_rules = !state.design().families.is_empty();
    let can_compact = has_rows || have_rules || inside.runs.iter().any(|run| run.depth > 0);
    let why = match (has_rows, can_compact) {
        (_, false) => says.compact_why_not,
        (false, true) => says.flush_why_not,
        (true, true) => "",
    };
    html! {
        <div class="inside-tools">
            { push(says.flush, Some(Icon::Down), ButtonKind::Plain, act(has_rows, InsideAction::Flush(tablet))) }
            { push(says.compact, Some(Icon::Minus), ButtonKind::Plain, act(can_compact, InsideAction::Compact(tablet))) }
            <span class="soft small">{why}</span>
        </div>
    }
}

/// Returns the index and the figures of the tablet.
fn shown(state: &PageState) -> Option<(usize, &TabletView)> {
    let id = state.look.part::<InsideLook>().tablet.as_ref()?.tablet;
    state.view.table.tablets.iter().enumerate().find(|(_, tablet)| tablet.id == id)
}
