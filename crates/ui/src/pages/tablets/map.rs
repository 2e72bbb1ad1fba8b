//! The map of a Z-order: its points on a plane, in the colours of their tablets, and the rectangle
//! of the query. Dragging a rectangle makes it the query. Few designs have a Z-order, so this code
//! is fetched later.

use std::rc::Rc;

use tabletop_model::{RowKey, TabletId, TabletView};
use tabletop_schema::zorder::{LATITUDE, LONGITUDE, ZOrder};
use tabletop_schema::{AxisSpan, BoxDepths, DesignView, Layout, Query, RowChoice, Template, box_depths};
use web_sys::Element;
use yew::{
    Callback, Html, MouseEvent, NodeRef, PointerEvent, Properties, classes, function_component, html, use_effect_with, use_memo,
    use_mut_ref, use_node_ref, use_state,
};

use super::look::StripLook;
use super::point_at_tablet;
use crate::actions::{Actions, KeysRequest};
use crate::messages::messages;
use crate::messages::numbers::thousands;
use crate::state::PageState;
use crate::widgets::{ButtonKind, push};

/// The most points that are drawn.
const POINTS_MAX: u64 = 5_000;
/// With at least this many rows, the points wait until the events have arrived: reading a share of
/// them takes as long as reading all.
const LIVE_ROWS_MAX: u64 = 20_000;
/// Colours of tablets. Neighbours on the curve have different ones.
pub const COLOURS: usize = 6;
/// The side of the drawing, in its own units, so that coordinates are short.
pub const SIDE: f64 = 1_000.0;
/// Pixels below which a drag is a click.
const DRAG_MIN: f64 = 4.0;

/// Draws the map, if the key has a Z-order.
pub fn map(state: &PageState, actions: &Actions) -> Html {
    match &state.shown.right {
        Some(template) if template.zorder().is_some() => drawn(template, state, actions),
        _ => html! {},
    }
}

#[inline(never)]
fn drawn(template: &Rc<Template>, state: &PageState, actions: &Actions) -> Html {
    let shown = state.look.part::<StripLook>().pointed.or(state.tablet);
    let selected = shown.and_then(|id| state.view.table.tablets.iter().position(|tablet| tablet.id == id));
    let on_point = point_at_tablet(actions);
    html! {
        <ZorderMap template={template.clone()} layout={state.design().layout.clone()} design={state.design} view={state.view.clone()}
            query={state.workspace.query.clone()} {selected} {on_point} on_keys={actions.keys.clone()} on_query={actions.query.clone()} />
    }
}

/// Properties of [`ZorderMap`].
#[derive(Properties, PartialEq)]
struct ZorderMapProps {
    template: Rc<Template>,
    layout: Layout,
    /// Index of the design.
    design: usize,
    view: Rc<DesignView>,
    query: Query,
    /// Index of the tablet that is pointed at, or chosen.
    selected: Option<usize>,
    on_point: Callback<Option<TabletId>>,
    on_keys: Callback<KeysRequest>,
    on_query: Callback<Query>,
}

/// The table that keys were read from.
#[derive(Clone, PartialEq)]
struct Revision {
    design: usize,
    template: Rc<Template>,
    events: u32,
    /// Ids of the first and the last tablet: a rebuilt table has different ones.
    tablets: (Option<TabletId>, Option<TabletId>),
    /// The picture of the page, for a table small enough to be read for each picture: a read may
    /// have come before its table was rebuilt.
    picture: Option<*const DesignView>,
}

/// Keys of the table, all or a share of them.
struct Loaded {
    revision: Revision,
    share: f64,
    keys: Rc<Vec<RowKey>>,
}

/// A drag across the map: its start and its current position, in shares of the map's sides.
#[derive(Clone, Copy, PartialEq)]
struct Drag {
    from: (f64, f64),
    to: (f64, f64),
}

#[function_component]
fn ZorderMap(props: &ZorderMapProps) -> Html {
    let ZorderMapProps { template, layout, view, query, selected, .. } = props;
    let loaded = use_state(|| None::<Rc<Loaded>>);
    let busy = use_mut_ref(|| false);
    let drag = use_state(|| None::<Drag>);
    let plane = use_node_ref();
    let stored = use_memo((template.clone(), layout.clone()), |(template, layout)| template.stored(layout));
    let tablets = &view.table.tablets;
    let rows: u64 = tablets.iter().map(|tablet| tablet.rows).sum();
    let id = |tablet: Option<&TabletView>| tablet.map(|tablet| tablet.id);
    let revision = Revision {
        design: props.design,
        template: template.clone(),
        events: view.events_built,
        tablets: (id(tablets.first()), id(tablets.last())),
        picture: (rows <= LIVE_ROWS_MAX).then_some(Rc::as_ptr(view)),
    };
    let waits = view.playing && rows > LIVE_ROWS_MAX;
    use_effect_with((revision.clone(), loaded.as_ref().map(|loaded| loaded.revision.clone()), waits), {
        let (loaded, busy, on_keys) = (loaded.clone(), busy.clone(), props.on_keys.clone());
        move |(revision, shown, waits)| {
            if Some(revision) == shown.as_ref() || *waits || *busy.borrow() {
                return;
            }
            *busy.borrow_mut() = true;
            let share = (POINTS_MAX as f64 / rows.max(1) as f64).min(1.0);
            let revision = revision.clone();
            let then = Callback::from(move |keys: Option<Vec<RowKey>>| {
                *busy.borrow_mut() = false;
                // The table has changed in the meantime: its next picture requests the keys again.
                if let Some(keys) = keys {
                    loaded.set(Some(Rc::new(Loaded { revision: revision.clone(), share, keys: Rc::new(keys) })));
                }
            });
            on_keys.emit(KeysRequest { share, then });
        }
    });
    let keys = loaded.as_ref().map(|loaded| loaded.keys.clone()).unwrap_or_default();
    let starts: Rc<Vec<RowKey>> = Rc::new(tablets.iter().map(|tablet| tablet.start.clone()).collect());
    let paths = use_memo((ById(keys.clone()), starts, stored.clone()), |(keys, starts, stored)| paths(stored, &keys.0, starts));
    let depths =
        use_memo((ById(keys.clone()), query.rows.clone(), template.clone(), layout.clone()), |(keys, rows, template, layout)| {
            box_depths(template, layout, rows, &keys.0).ok()
        });
    let Some((_, zorder)) = stored.zorder() else { return html! {} };
    let says = &messages().map;
    let share = loaded.as_ref().map_or(1.0, |loaded| loaded.share);
    let points: u64 = paths.iter().map(|(_, points)| points).sum();
    let asked = match &*drag {
        Some(drag) => Some(corners(*drag)),
        None => asked_corners(zorder, &query.rows),
    };
    let is_world = is_world(zorder);
    let on_down = {
        let (drag, plane) = (drag.clone(), plane.clone());
        Callback::from(move |event: PointerEvent| {
            let Some((at, element)) = place(&event, &plane).filter(|_| event.button() == 0) else { return };
            // Without the capture, the drag would end at the edge.
            drop(element.set_pointer_capture(event.pointer_id()));
            drag.set(Some(Drag { from: at, to: at }));
        })
    };
    let on_move = {
        let (drag, plane) = (drag.clone(), plane.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some(Drag { from, .. }), Some((to, _))) = (*drag, place(&event, &plane)) {
                drag.set(Some(Drag { from, to }));
            }
        })
    };
    let on_up = {
        let (drag, plane, zorder) = (drag.clone(), plane.clone(), zorder.clone());
        let (query, on_query) = (query.clone(), props.on_query.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(Drag { from, .. }) = *drag else { return };
            drag.set(None);
            let Some((to, element)) = place(&event, &plane) else { return };
            let size = element.get_bounding_client_rect();
            if (to.0 - from.0).abs() * size.width() < DRAG_MIN || (to.1 - from.1).abs() * size.height() < DRAG_MIN {
                return;
            }
            on_query.emit(Query { rows: dragged(&zorder, Drag { from, to }), ..query.clone() });
        })
    };
    let on_cancel = {
        let drag = drag.clone();
        Callback::from(move |_: PointerEvent| drag.set(None))
    };
    let path = |at: usize| {
        let (path, points) = &paths[at];
        let is_other = selected.is_some_and(|selected| selected != at);
        let point = |id: Option<TabletId>| props.on_point.reform(move |_: MouseEvent| id);
        html! {
            <path key={at} class={classes!(format!("map-{}", at % COLOURS), is_other.then_some("faint"))} d={path.clone()}
                onmouseenter={point(id(tablets.get(at)))} onmouseleave={point(None)}>
                <title>{(says.tablet)(at as u64 + 1, *points)}</title>
            </path>
        }
    };
    html! {
        <section class="map" aria-labelledby="map-title">
            <p class="map-head">
                <span id="map-title" class="strong">{(says.title)(&zorder.x.field, &zorder.y.field)}</span>
                <span class="soft small">
                    { if loaded.is_some() { (says.points)(points, rows) } else { says.loading.into() } }
                </span>
            </p>
            <svg ref={plane} class={classes!("map-plane", is_world.then_some("world"))} viewBox={format!("0 0 {SIDE} {SIDE}")} preserveAspectRatio="none" role="img"
                aria-label={(says.about)(points, tablets.len() as u64)}
                onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointercancel={on_cancel}>
                if is_world { <image href="data/land.svg" width={SIDE.to_string()} height={SIDE.to_string()} preserveAspectRatio="none" /> }
                { for (0..paths.len()).map(path) }
                if let Some(((x, y), (right, bottom))) = asked {
                    <rect class="map-box" x={side(x)} y={side(y)} width={side(right - x)} height={side(bottom - y)} />
                }
            </svg>
            <p class="soft small for-pointer"><span>{says.hints[0]}</span><span class="touch">{says.hints[1]}</span></p>
            if let (Some(depths), RowChoice::Box { depth, .. }) = (&*depths, &query.rows) {
                { depth_table(depths, *depth, share, query, &props.on_query) }
            }
        </section>
    }
}

/// Keys are equal only if they come from the same read.
#[derive(Clone)]
struct ById(Rc<Vec<RowKey>>);

impl PartialEq for ById {
    fn eq(&self, other: &ById) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Returns the points of each tablet as a path of dots in a square of [`SIDE`], and their number.
/// `starts` are the first keys of the tablets, `template` is the template of the stored keys.
pub fn paths(template: &Template, keys: &[RowKey], starts: &[RowKey]) -> Vec<(String, u64)> {
    let mut paths: Vec<(String, u64)> = starts.iter().map(|_| (String::new(), 0)).collect();
    let Some((_, zorder)) = template.zorder() else { return paths };
    for key in keys {
        let tablet = starts.partition_point(|start| start <= key).saturating_sub(1);
        if let (Some((x, y)), Some((path, points))) = (template.point(key), paths.get_mut(tablet)) {
            let (x, y) = shares(zorder, x, y);
            path.push_str(&format!("M{} {}h0", side(x), side(y)));
            *points += 1;
        }
    }
    paths
}

/// Returns whether a map shows the world, in degrees.
pub fn is_world(zorder: &ZOrder) -> bool {
    (zorder.x.min, zorder.x.max) == LONGITUDE && (zorder.y.min, zorder.y.max) == LATITUDE
}

/// Returns a point in shares of the map's sides, from its upper left corner.
fn shares(zorder: &ZOrder, x: f64, y: f64) -> (f64, f64) {
    let share = |value: f64, (min, max): (f64, f64)| ((value - min) / (max - min)).clamp(0.0, 1.0);
    (share(x, (zorder.x.min, zorder.x.max)), 1.0 - share(y, (zorder.y.min, zorder.y.max)))
}

/// Returns a share of a side in the units of the drawing.
fn side(share: f64) -> String {
    let tenths = (share * SIDE * 10.0).round();
    (tenths / 10.0).to_string()
}

/// Returns the upper left and the lower right corner.
fn corners(Drag { from, to }: Drag) -> ((f64, f64), (f64, f64)) {
    ((from.0.min(to.0), from.1.min(to.1)), (from.0.max(to.0), from.1.max(to.1)))
}

/// Returns the corners of the rectangle of a query on this map, in shares of its sides.
pub fn asked_corners(zorder: &ZOrder, rows: &RowChoice) -> Option<((f64, f64), (f64, f64))> {
    let RowChoice::Box { x, y, .. } = rows else { return None };
    let names = (&*zorder.x.field, &*zorder.y.field);
    let (x, y) = match (&*x.field, &*y.field) {
        fields if fields == names => (x, y),
        (one, other) if (other, one) == names => (y, x),
        _ => return None,
    };
    let from = shares(zorder, x.from, y.from);
    let to = shares(zorder, x.to, y.to);
    Some(corners(Drag { from, to }))
}

/// Returns the rectangle of a drag as a choice of rows. The depth is reset, because it was chosen
/// for another rectangle.
fn dragged(zorder: &ZOrder, drag: Drag) -> RowChoice {
    let ((left, top), (right, bottom)) = corners(drag);
    let value = |share: f64, (min, max): (f64, f64)| {
        // A pixel is about a thousandth of the axis, so more digits carry no information.
        let digits = 10f64.powi(3 - (max - min).log10().floor() as i32);
        ((min + share * (max - min)) * digits).round() / digits
    };
    let span = |axis: &tabletop_schema::zorder::Axis, from: f64, to: f64| {
        let ends = (axis.min, axis.max);
        AxisSpan { field: axis.field.clone(), from: value(from, ends), to: value(to, ends) }
    };
    RowChoice::Box { x: span(&zorder.x, left, right), y: span(&zorder.y, 1.0 - bottom, 1.0 - top), depth: None }
}

/// Returns the position of the pointer in shares of the map's sides, and the map.
fn place(event: &PointerEvent, plane: &NodeRef) -> Option<((f64, f64), Element)> {
    let element: Element = plane.cast()?;
    let size = element.get_bounding_client_rect();
    let share = |at: f64, from: f64, length: f64| ((at - from) / length.max(1.0)).clamp(0.0, 1.0);
    let at = (share(event.client_x().into(), size.x(), size.width()), share(event.client_y().into(), size.y(), size.height()));
    Some((at, element))
}

/// Draws the cost of the box at each depth. A click chooses the depth.
fn depth_table(depths: &BoxDepths, asked: Option<u8>, share: f64, query: &Query, on_query: &Callback<Query>) -> Html {
    let says = &messages().map;
    if depths.depths.is_empty() {
        return html! {};
    }
    let whole = |rows: u64| (rows as f64 / share).round() as u64;
    let line = |cost: &tabletop_schema::BoxDepth| {
        let take = on_query.reform({
            let (query, depth) = (query.clone(), cost.depth);
            move |()| {
                let mut next = query.clone();
                if let RowChoice::Box { depth: asked, .. } = &mut next.rows {
                    *asked = Some(depth);
                }
                next
            }
        });
        let per_row = match depths.returned {
            0 => "-".into(),
            returned => format!("{:.2}", cost.seen as f64 / returned as f64),
        };
        html! {
            <tr key={cost.depth} aria-current={(asked == Some(cost.depth)).then_some("true")}>
                <th scope="row">{ push(&(says.take)(cost.depth), None, ButtonKind::Quiet, take) }</th>
                <td class="num">{thousands(cost.ranges.into())}</td>
                <td class="num">{thousands(whole(cost.seen))}</td>
                <td class="num">{per_row}</td>
            </tr>
        }
    };
    html! {
        <details class="map-depths">
            <summary>{(says.depths)(whole(depths.returned))}</summary>
            if share < 1.0 { <p class="soft small">{(says.depths_of)(share)}</p> }
            <table class="small">
                <thead><tr>
                    <th scope="col">{says.depth}</th><th scope="col" class="num">{says.ranges}</th>
                    <th scope="col" class="num">{says.seen}</th><th scope="col" class="num">{says.per_row}</th>
                </tr></thead>
                <tbody>{ for depths.depths.iter().map(line) }</tbody>
            </table>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use tabletop_schema::{Field, FieldKind};

    use super::*;

    fn template() -> Template {
        let fields = ["lon", "lat"].map(|name| Field::new(name, FieldKind::Float));
        Template::parse("{zorder(lon, lat, bits=2, as=hex, x=-180..180, y=-90..90)}", &fields).0
    }

    #[test]
    fn points_lie_where_the_map_has_them() {
        let template = template();
        // Steps 0 and 0, in the lower left corner; then 3 and 3.
        let keys = ["0".into(), "f".into()];
        let paths = paths(&template, &keys, &[RowKey::default(), "8".into()]);
        assert_eq!(paths, [("M125 875h0".into(), 1), ("M875 125h0".into(), 1)]);
    }

    #[test]
    fn a_drag_becomes_a_box_and_shows_as_it_was() {
        let template = template();
        let (_, zorder) = template.zorder().expect("a Z-order");
        let drag = Drag { from: (0.75, 0.5), to: (0.25, 0.125) };
        let rows = dragged(zorder, drag);
        let span = |field: &str, from, to| AxisSpan { field: field.into(), from, to };
        assert_eq!(rows, RowChoice::Box { x: span("lon", -90.0, 90.0), y: span("lat", 0.0, 67.5), depth: None });
        assert_eq!(asked_corners(zorder, &rows), Some(((0.25, 0.125), (0.75, 0.5))));
        let swapped = RowChoice::Box { x: span("lat", 0.0, 67.5), y: span("lon", -90.0, 90.0), depth: None };
        assert_eq!(asked_corners(zorder, &swapped), Some(((0.25, 0.125), (0.75, 0.5))));
    }
}
