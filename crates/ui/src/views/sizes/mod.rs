//! How large the rows of the design shown are: a bar for each class of sizes.

mod chart;

use tabletop_texts::messages;
use tabletop_views::sizes::Counted;
use tabletop_workspace::ViewId;
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, SegmentSize, push, segmented};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState, Part};
use crate::views::view::{Frame, Section, View, play_events};
use chart::SizesChart;

/// The view.
pub const VIEW: View = View {
    id: ViewId::Sizes,
    name: || messages().sizes.name,
    frame: Frame::Section(Section { title: || messages().sizes.title, summary, draw }),
    play: play_events,
    place: |_| None,
    has_figures: false,
};

/// What the view keeps for itself.
#[derive(Clone, Debug, Default)]
struct SizesLook {
    counted: Counted,
}

impl Part for SizesLook {}

/// Returns one line on the table.
fn summary(state: &PageState) -> String {
    let tablets = &state.view.table.tablets;
    let rows = tablets.iter().map(|tablet| tablet.rows).sum();
    (messages().sizes.summary)(rows, tablets.iter().map(|tablet| tablet.bytes).sum())
}

/// Draws the content of the view.
fn draw(state: &PageState, actions: &Actions) -> Html {
    if let Some(why) = state.no_table() {
        return html! {
            <>
                <p class="headline">{why.title()}</p>
                <p>{why.advice()}</p>
            </>
        };
    }
    let says = &messages().sizes;
    let counted = state.look.part::<SizesLook>().counted;
    let on_count = actions.part_at(|look: &mut SizesLook, at: usize| look.counted = Counted::ALL[at]);
    let at = Counted::ALL.iter().position(|each| *each == counted);
    html! {
        <>
            <div class="sizes-tools">
                { segmented(says.count, &says.counts, at, SegmentSize::Usual, on_count) }
                <p class="soft">{(says.split)(state.view.tablet_bytes_max)}</p>
                { push(says.halve, None, ButtonKind::Plain, halve(state, actions)) }
            </div>
            <SizesChart table={(state.design, state.view.revision, state.view.events_built)} name={state.design().name.clone()}
                {counted} jobs={actions.jobs.clone()} on_said={actions.act.clone()} />
        </>
    }
}

/// Returns a callback that halves the size at which tablets are split. If the workspace does not
/// set it, the engine has fitted it to the events.
fn halve(state: &PageState, actions: &Actions) -> Callback<()> {
    let (fitted, actions) = (state.view.tablet_bytes_max, actions.clone());
    let halve = Edit::by(&actions.edit, move |workspace, ()| {
        let size = workspace.cluster.tablet_bytes_max.unwrap_or(fitted);
        workspace.cluster.tablet_bytes_max = Some((size / 2).max(1));
    });
    Callback::from(move |()| {
        halve.emit(());
        actions.say_done(messages().sizes.halved);
    })
}
