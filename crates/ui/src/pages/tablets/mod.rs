//! The table's tablets: one sentence, the strip, one of them closely, and how events arrive.

mod geometry;
mod inspector;
mod load;
mod playback;
mod strip;
mod table;

use std::rc::Rc;

use tabletop_model::TabletId;
use tabletop_schema::{ClusterSettings, DesignView, Playback, Template};
use yew::{AttrValue, Callback, Html, Properties, classes, function_component, html, use_memo, use_state};

use crate::pages::design::fixes::{salted, time_behind};
use crate::results::format::{count, thousands};
use crate::state::Edit;
use crate::widgets::{Button, ButtonKind, Icon, IconView, Segmented};
use geometry::Measure;
pub use inspector::Inspector;
pub use load::Load;
use load::Tone;
use playback::PlaybackBar;
use strip::{Picture, Strip};
use table::TabletTable;

/// Over so many tablets a person wants to look closer than the strip can show.
const ZOOM_FROM: usize = 24;

/// Properties of [`TabletsPane`].
#[derive(Properties, PartialEq)]
pub struct TabletsPaneProps {
    /// The design's table.
    pub view: Rc<DesignView>,
    /// The design's key.
    pub template: Rc<Template>,
    /// Thresholds and pace.
    pub cluster: ClusterSettings,
    /// The tablet that the inspector shows.
    pub selected: Option<TabletId>,
    /// Another, or none.
    pub on_select: Callback<Option<TabletId>>,
    /// Another way for events to arrive.
    pub on_play: Callback<Playback>,
    /// A change of the workspace.
    pub on_edit: Callback<Edit>,
}

/// The pane's content.
#[function_component]
pub fn TabletsPane(props: &TabletsPaneProps) -> Html {
    let measure = use_state(|| Measure::Bytes);
    let zoom = use_state(|| 1.0_f64);
    let as_table = use_state(|| false);
    let picture = use_memo(props.view.clone(), |view| Picture::new(view.clone()));
    let table = picture.table();
    let headline = picture.load.headline(table);

    let on_measure = {
        let measure = measure.clone();
        Callback::from(move |value: AttrValue| measure.set(if value == "rows" { Measure::Rows } else { Measure::Bytes }))
    };
    let scale = |by: f64| {
        let zoom = zoom.clone();
        Callback::from(move |()| zoom.set((*zoom * by).clamp(1.0, 64.0)))
    };
    let toggle_table = {
        let as_table = as_table.clone();
        Callback::from(move |()| as_table.set(!*as_table))
    };
    html! {
        <>
            <div class="tablets-head">
                <p class={classes!("headline", tone(headline.tone))}>
                    if headline.tone == Tone::Hot { <IconView icon={Icon::Hot} /> }
                    if headline.tone == Tone::Good { <IconView icon={Icon::Check} /> }
                    {headline.text.clone()}
                </p>
                <div class="tools">
                    if table.tablets.len() >= ZOOM_FROM || *zoom > 1.0 {
                        <Button label="Zoom out" icon={Icon::Minus} icon_only=true kind={ButtonKind::Quiet} disabled={*zoom <= 1.0} on_click={scale(0.5)} />
                        <Button label="Zoom in" icon={Icon::Plus} icon_only=true kind={ButtonKind::Quiet} on_click={scale(2.0)} />
                    }
                    <Segmented
                        label="Width of a tablet"
                        options={vec![("bytes".into(), "Bytes".into()), ("rows".into(), "Rows".into())]}
                        selected={if *measure == Measure::Rows { "rows" } else { "bytes" }}
                        on_select={on_measure}
                        small=true
                    />
                    <Button label="Table" icon={Icon::Table} kind={ButtonKind::Quiet} pressed={*as_table} on_click={toggle_table} />
                </div>
            </div>
            { hint(props, headline.tone) }
            if *as_table {
                <TabletTable picture={picture.clone()} />
            } else {
                <Strip
                    picture={picture.clone()}
                    measure={*measure}
                    zoom={*zoom}
                    selected={props.selected}
                    on_select={props.on_select.clone()}
                />
            }
            <PlaybackBar
                view={props.view.clone()}
                cluster={props.cluster.clone()}
                on_play={props.on_play.clone()}
                on_cluster={props.on_edit.reform(Edit::Cluster)}
            />
            <p class="table-counts soft small num">{counts(&props.view)}</p>
        </>
    }
}

/// What to do about a hot tablet, with one click where it is clear.
fn hint(props: &TabletsPaneProps, tone: Tone) -> Html {
    if tone != Tone::Hot {
        return html! {};
    }
    let (words, fix) = match time_behind(&props.template) {
        Some(fix) => (
            "The key begins with the time, so each new row lands behind the last one: one tablet does all the work, however many there are.",
            Some(fix),
        ),
        None => (
            "New rows land close together. Begin the key with what varies more from event to event, or salt it.",
            salted(&props.template),
        ),
    };
    let button = fix.map(|fix| {
        let on_click = props.on_edit.reform(move |()| Edit::Template(fix.text.clone()));
        html! { <Button label={fix.label} kind={ButtonKind::Primary} {on_click} /> }
    });
    html! { <div class="banner"><p>{words}</p>{button}</div> }
}

/// The table in numbers.
fn counts(view: &DesignView) -> String {
    let table = &view.table;
    let rows = table.tablets.iter().map(|tablet| tablet.rows).sum();
    let cells = table.tablets.iter().map(|tablet| tablet.cells).sum();
    let stored = table.tablets.iter().map(|tablet| tablet.bytes).sum();
    format!(
        "{} · {} · {} · {} · {} · {}",
        count(table.tablets.len() as u64, "tablet"),
        count(rows, "row"),
        count(cells, "cell"),
        crate::results::format::bytes(stored),
        count(table.splits, "split"),
        format_args!("{} compactions", thousands(table.minor_compactions + table.major_compactions)),
    )
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => "good",
        Tone::Hot => "hot",
    }
}
