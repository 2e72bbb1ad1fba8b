//! The Key Visualizer: time from left to right, row keys from top to bottom, the metric as colour.
//! The picture is a canvas; only a few elements are next to it and above it, never one per cell.

mod files;
mod list;
mod overlay;
mod paint;
mod pointer;
mod sides;
mod sight;
mod toolbar;
mod tooltip;

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use tabletop_model::RowKey;
use tabletop_protocol::{HeatMetric, TabletPlaced};
use tabletop_texts::{Locale, locale, messages};
pub use tabletop_views::heatmap::Nodes;
use tabletop_views::heatmap::{
    Area, HeatMatrix, Press, Scale, Served, Spot, Step, borders, fitting, hierarchy, in_room, served, step,
};
use web_sys::{Element, HtmlCanvasElement};
use yew::{
    Callback, Html, KeyboardEvent, Properties, UseReducerHandle, function_component, html, use_effect_with,
    use_memo, use_mut_ref, use_node_ref, use_reducer_eq, use_state_eq,
};

use crate::browser;
use crate::kit::callback;
use crate::page::state::StoredKeys;
use list::BusiestList;
use paint::{Painter, Painting};
use pointer::{Fingers, Handlers, Plane};
use sight::Sight;
use tooltip::{Buttons, Figures};

thread_local! {
    /// The number of heatmaps so far: designs compared with each other have one each, and element
    /// ids are unique in a page.
    static HEATMAPS: Cell<u32> = const { Cell::new(0) };
}

fn next_number() -> u32 {
    HEATMAPS.with(|heatmaps| heatmaps.replace(heatmaps.get() + 1))
}

/// Properties of [`Heatmap`].
#[derive(Properties, PartialEq)]
pub struct HeatmapProps {
    /// The cells.
    pub matrix: Rc<HeatMatrix>,
    /// Where tablets are since the start.
    pub places: Rc<Vec<TabletPlaced>>,
    /// The keys of the table, for the hierarchy of prefixes.
    pub keys: Rc<StoredKeys>,
    /// The first second of the picture, as long as it is not zoomed.
    #[prop_or_default]
    pub seconds_from: u32,
    /// The second at which the picture ends, if no column is later: the seconds to be simulated in
    /// total.
    pub seconds_total: u32,
    /// Whether the nodes of tablets are distinguished.
    #[prop_or_default]
    pub nodes: Nodes,
    /// The present second, with its fraction. Columns that begin later are not drawn.
    pub at: f64,
    /// The metric that is chosen. The cells follow when the worker has sent them.
    pub metric: HeatMetric,
    /// Buckets that another part of the page points at, such as a diagnosis.
    #[prop_or_default]
    pub marked: Option<Range<usize>>,
    /// Takes another metric.
    pub on_metric: Callback<HeatMetric>,
    /// Shows the rows from one key up to another, which is empty for the end of the table.
    pub on_show_rows: Callback<(RowKey, RowKey)>,
    /// The second of the cell whose figures are shown; `None` if there is none.
    #[prop_or_default]
    pub on_cursor: Callback<Option<u32>>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the Key Visualizer.
#[function_component]
pub fn Heatmap(props: &HeatmapProps) -> Html {
    let sight = use_reducer_eq(Sight::default);
    let number = *use_state_eq(next_number);
    let painter = use_mut_ref(Painter::default);
    let fingers = use_mut_ref(Fingers::default);
    let (plane, canvas) = (use_node_ref(), use_node_ref());
    let frame = use_node_ref();
    let size = use_state_eq(|| (0.0, 0.0));
    let width = use_state_eq(|| 0.0);
    let said = use_state_eq(String::new);
    use_effect_with((), {
        let (plane, size) = (plane.clone(), size.clone());
        move |()| browser::observe_size(plane.cast(), move |measured| size.set(measured))
    });
    use_effect_with((), {
        let (frame, width) = (frame.clone(), width.clone());
        move |()| browser::observe_size(frame.cast(), move |(measured, _)| width.set(measured))
    });
    let matrix = &props.matrix;
    let until = (props.at.max(0.0).ceil() as u32).min(matrix.seconds());
    let whole = Area::from(props.seconds_from, props.seconds_total.max(matrix.seconds()), matrix.buckets());
    let area = sight.zooms.area(whole);
    let second = sight.told().map_or(until.saturating_sub(1), |spot| spot.second);
    let borders = use_memo(props.places.clone(), |places| borders(places));
    let nodes = props.nodes;
    let tablets = *use_memo(props.places.clone(), move |places| served(places, u32::MAX, nodes).len());
    let has_borders = sight.has_borders(tablets);
    let at_cursor =
        use_memo((props.places.clone(), second), |(places, second)| served(places, *second, nodes));
    let at_end = use_memo((props.places.clone(), until), |(places, until)| {
        served(places, until.saturating_sub(1), nodes)
    });
    let levels =
        use_memo((matrix.starts_shared(), props.keys.clone()), |(starts, keys)| hierarchy(keys, starts));
    let painting = Painting {
        matrix: matrix.clone(),
        shown: sight.shown,
        colors: sight.colors,
        borders: has_borders.then_some(borders),
        area,
        until,
        size: *size,
    };
    use_effect_with(painting.clone(), {
        let (painter, canvas) = (painter.clone(), canvas.clone());
        move |painting: &Painting| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                // A browser without memory for the picture shows none; everything else says the
                // same in words.
                drop(painter.borrow_mut().paint(&canvas, painting));
            }
        }
    });
    use_effect_with(sight.told().map(|spot| spot.second), {
        let on_cursor = props.on_cursor.clone();
        move |second: &Option<u32>| on_cursor.emit(*second)
    });
    use_effect_with(sight.pinned, {
        let frame = frame.clone();
        move |_| {
            // On a phone they are below the picture, which may fill the screen.
            let figures = frame
                .cast::<Element>()
                .and_then(|frame| frame.query_selector(".heat-tip.pinned").ok().flatten());
            if let Some(figures) = figures {
                browser::scroll_to_see(&figures);
            }
        }
    });
    let on_said = callback(&said, move |said, text: String| said.set(text));
    let scale = Scale::new(matrix.metric(), matrix.largest(sight.shown));
    let changes = sight.dispatcher();
    let tools = toolbar::Tools {
        sight: &sight,
        changes: &changes,
        metric: props.metric,
        on_metric: &props.on_metric,
        whole,
        has_borders,
    };
    let at = Plane {
        element: plane.clone(),
        matrix: matrix.clone(),
        whole,
        until: until.into(),
        changes: changes.clone(),
        fingers,
    };
    let Handlers { on_down, on_move, on_up, on_cancel, on_leave, on_wheel } = at.handlers();
    let (plane_id, keys_id) = (format!("heat-plane-{number}"), format!("heat-keys-{number}"));
    let buttons =
        Buttons { changes: &changes, on_said: &on_said, on_show_rows: &props.on_show_rows, plane: &plane_id };
    // A cursor that the area no longer shows has no figures.
    let told = sight
        .told()
        .filter(|spot| sight.drag.is_none() && spot.area(matrix).is_some_and(|cell| cell.touches(area)));
    let figures = told.and_then(|spot| Figures::at(matrix, spot, &at_cursor));
    let says = &messages().heatmap;
    let levels = fitting(&levels, |buckets| sides::height_of(area.buckets, buckets, size.1));
    let shown_levels = in_room(&levels, sides::levels_in(*width));
    html! {
        <section class="heat" ref={frame} aria-label={says.title}>
            { tools.draw() }
            { toolbar::legend(&sight, matrix.metric(), scale) }
            <div class="heat-body">
                <div class="heat-side">{ sides::prefixes(shown_levels, &sight, &changes, whole, (*width, size.1)) }</div>
                <div
                    id={plane_id.clone()}
                    class="heat-plane"
                    ref={plane}
                    role="application"
                    aria-roledescription={says.role}
                    aria-label={(says.about)((says.metrics)(matrix.metric()), until, matrix.buckets())}
                    aria-describedby={keys_id.clone()}
                    tabindex="0"
                    onkeydown={on_key(props, &sight, whole, until, &on_said)}
                    onpointerdown={on_down}
                    onpointermove={on_move}
                    onpointerup={on_up}
                    onpointercancel={on_cancel}
                    onpointerleave={on_leave}
                    onwheel={on_wheel}
                >
                    <canvas ref={canvas.clone()} aria-hidden="true"></canvas>
                    { overlay::overlay(matrix, &sight, area, (props.at, props.marked.as_ref()), *size) }
                    if until == 0 || matrix.is_empty() { <p class="heat-empty">{says.empty}</p> }
                </div>
                <div class="heat-side">if props.nodes == Nodes::Named { { sides::nodes(matrix, &at_cursor, second, area, size.1) } }</div>
                <div class="heat-below">{ sides::times(area, size.0) }</div>
                // One node, empty or not: otherwise the picture would become another element, which
                // loses the pointer and what is painted.
                { figures.map(|figures| figures.draw(&sight, area, scale, &buttons)).unwrap_or_default() }
            </div>
            <p class="visually-hidden" id={keys_id}>{says.keys}</p>
            <p class="visually-hidden" role="status">{(*said).clone()}</p>
            <div class="heat-foot">
                <p class="soft small heat-hint for-pointer"><span>{says.hints[0]}</span><span class="touch">{says.hints[1]}</span></p>
                { tools.pans() }
                { files::files(&painting, &painter, &canvas, &on_said) }
            </div>
            <BusiestList matrix={matrix.clone()} {until} served={at_end} on_show_rows={props.on_show_rows.clone()} />
        </section>
    }
}

/// Returns what the keys of the picture do.
fn on_key(
    props: &HeatmapProps,
    sight: &UseReducerHandle<Sight>,
    whole: Area,
    until: u32,
    on_said: &Callback<String>,
) -> Callback<KeyboardEvent> {
    let (matrix, places, nodes) = (props.matrix.clone(), props.places.clone(), props.nodes);
    let (sight, on_said) = (sight.clone(), on_said.clone());
    Callback::from(move |event: KeyboardEvent| {
        let area = sight.zooms.area(whole);
        let cursor = sight.cursor.and_then(|spot| spot.cell(&matrix));
        let drawn = matrix.columns().partition_point(|column| column.seconds().start < until);
        let key = event.key();
        let press = Press { key: &key, shift: event.shift_key(), ctrl: event.ctrl_key() || event.meta_key() };
        let Some(step) = step(press, cursor, (drawn, matrix.buckets()), area) else { return };
        event.prevent_default();
        let mut next = (*sight).clone();
        apply(&mut next, step, &matrix, whole);
        on_said.emit(spoken(&next, step, &matrix, |second| served(&places, second, nodes), whole));
        sight.dispatch(Box::new(move |sight| *sight = next));
    })
}

/// Applies the effect of a key.
fn apply(sight: &mut Sight, step: Step, matrix: &HeatMatrix, whole: Area) {
    match step {
        Step::To(cell) | Step::Extend(cell) => {
            let before = sight.cursor;
            sight.cursor = Spot::of(matrix, cell);
            sight.corner =
                if matches!(step, Step::Extend(_)) { sight.corner.or(before).or(sight.cursor) } else { None };
            (sight.pinned, sight.hover) = (None, None);
            if let Some(cell) = sight.cursor.and_then(|spot| spot.area(matrix)) {
                let area = sight.zooms.area(whole).showing(whole, cell);
                sight.zooms.slide(area, whole);
            }
        }
        Step::Enter => {
            match sight.corner.take().zip(sight.cursor).and_then(|(one, other)| one.area_to(other, matrix)) {
                Some(area) => sight.zooms.show(area, whole),
                None => sight.pinned = sight.cursor.filter(|cursor| sight.pinned != Some(*cursor)),
            }
        }
        Step::Escape => {
            if sight.corner.take().is_none() && sight.pinned.take().is_none() {
                (sight.cursor, sight.drag) = (None, None);
            }
        }
        Step::ZoomIn => toolbar::zoom(sight, whole, toolbar::STEP),
        Step::ZoomOut => toolbar::zoom(sight, whole, 1.0 / toolbar::STEP),
        Step::Back => sight.zooms.back(),
        Step::Reset => sight.zooms.reset(),
    }
}

/// Returns the result of a key in words.
fn spoken(
    sight: &Sight,
    step: Step,
    matrix: &HeatMatrix,
    served: impl Fn(u32) -> Vec<Served>,
    whole: Area,
) -> String {
    let says = &messages().heatmap;
    match (step, sight.cursor, sight.corner) {
        (Step::Extend(_), Some(cursor), Some(corner)) => match corner.cell(matrix).zip(cursor.cell(matrix)) {
            Some((one, other)) => (says.tooltip.rectangle)(
                one.column.abs_diff(other.column) + 1,
                one.bucket.abs_diff(other.bucket) + 1,
            ),
            None => String::new(),
        },
        (Step::To(_) | Step::Extend(_), Some(cursor), _) => {
            Figures::at(matrix, cursor, &served(cursor.second))
                .map(|figures| figures.spoken())
                .unwrap_or_default()
        }
        (Step::Enter, ..) if sight.pinned.is_some() => says.tooltip.pinned.into(),
        (Step::Enter | Step::ZoomIn | Step::ZoomOut | Step::Back | Step::Reset, ..) => {
            let area = sight.zooms.area(whole);
            let buckets = area.buckets.units(matrix.buckets()).len();
            let clock = |second: f64| (says.clock)(second as u32);
            (says.tooltip.area)(
                &clock(area.seconds.from),
                &clock(area.seconds.until.ceil()),
                buckets,
                matrix.buckets(),
            )
        }
        _ => String::new(),
    }
}
