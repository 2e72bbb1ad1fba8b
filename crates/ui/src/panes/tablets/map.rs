//! The map of a Z-order: its points on a plane, in the colours of their tablets, and the rectangle
//! of the query. Dragging a rectangle makes it the query. Few designs have a Z-order, so this code
//! is fetched later.

use std::rc::Rc;

use tabletop_keys::{BoxDepths, Layout, Query, RowChoice, Template, box_depths};
use tabletop_model::{RowKey, TabletId, TabletView};
use tabletop_protocol::DesignView;
use tabletop_texts::numbers::thousands;
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::{
    scene::{Inset, Point, Shape, number},
    tablets::{Drag, asked_corners, box_of, dots, is_world},
};
use web_sys::Element;
use yew::{
    Callback, Html, MouseEvent, NodeRef, PointerEvent, Properties, classes, function_component, html,
    use_effect_with, use_memo, use_mut_ref, use_node_ref, use_state,
};

use super::look::StripLook;
use super::point_at_tablet;
use crate::kit::{ButtonKind, Row, Table, callback, columns, push, shape};
use crate::page::actions::{Actions, KeysRequest};
use crate::page::state::PageState;

/// The maximum number of points that are drawn.
const POINTS_MAX: u64 = 5_000;
/// With at least this many rows, the points wait until the events have arrived: reading a share of
/// them takes as long as reading all.
const LIVE_ROWS_MAX: u64 = 20_000;
/// Pixels below which a drag is a click.
const DRAG_MIN: f64 = 4.0;
/// The box of the drawing, in its own units, so that coordinates are short.
const SIZE: Point = (1_000.0, 1_000.0);

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
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
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
                    loaded.set(Some(Rc::new(Loaded {
                        revision: revision.clone(),
                        share,
                        keys: Rc::new(keys),
                    })));
                }
            });
            on_keys.emit(KeysRequest { share, then });
        }
    });
    let keys = loaded.as_ref().map(|loaded| loaded.keys.clone()).unwrap_or_default();
    let starts: Rc<Vec<RowKey>> = Rc::new(tablets.iter().map(|tablet| tablet.start.clone()).collect());
    let dots = use_memo((ById(keys.clone()), starts, stored.clone()), |(keys, starts, stored)| {
        dots(stored, &keys.0, starts, (0.0, 0.0), SIZE)
    });
    let depths = use_memo(
        (ById(keys.clone()), query.rows.clone(), template.clone(), layout.clone()),
        |(keys, rows, template, layout)| box_depths(template, layout, rows, &keys.0).ok(),
    );
    let Some((_, zorder)) = stored.zorder() else { return html! {} };
    let says = &messages().map;
    let share = loaded.as_ref().map_or(1.0, |loaded| loaded.share);
    let points: u64 = dots.iter().map(|(_, points)| points).sum();
    let asked = match &*drag {
        Some(drag) => Some(drag.corners()),
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
            if (to.0 - from.0).abs() * size.width() < DRAG_MIN
                || (to.1 - from.1).abs() * size.height() < DRAG_MIN
            {
                return;
            }
            on_query.emit(Query { rows: Drag { from, to }.rows(&zorder), ..query.clone() });
        })
    };
    let on_cancel = callback(&drag, move |drag, _: PointerEvent| drag.set(None));
    let tablet = |at: usize| {
        let (dots, points) = &dots[at];
        let is_other = selected.is_some_and(|selected| selected != at);
        let point = |id: Option<TabletId>| props.on_point.reform(move |_: MouseEvent| id);
        html! {
            <g key={at} class={classes!("map-tablet", is_other.then_some("faint"))}
                onmouseenter={point(id(tablets.get(at)))} onmouseleave={point(None)}>
                <title>{(says.tablet)(at as u64 + 1, *points)}</title>
                { shape(dots) }
            </g>
        }
    };
    let land = Shape::Inset { at: (0.0, 0.0), size: SIZE, file: Inset::Address("data/land.svg") };
    html! {
        <section class="map" aria-labelledby="map-title">
            <p class="map-head">
                <span id="map-title" class="strong">{(says.title)(&zorder.x.field, &zorder.y.field)}</span>
                <span class="soft small">
                    { if loaded.is_some() { (says.points)(points, rows) } else { says.loading.into() } }
                </span>
            </p>
            <svg ref={plane} class={classes!("map-plane", is_world.then_some("world"))} viewBox={format!("0 0 {} {}", number(SIZE.0), number(SIZE.1))} preserveAspectRatio="none" role="img"
                aria-label={(says.about)(points, tablets.len() as u64)}
                onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointercancel={on_cancel}>
                if is_world { { shape(&land) } }
                { for (0..dots.len()).map(tablet) }
                if let Some(asked) = asked { <g class="map-box">{ for box_of(asked, (0.0, 0.0), SIZE).iter().map(shape) }</g> }
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

/// Returns the position of the pointer in shares of the map's sides, and the map.
fn place(event: &PointerEvent, plane: &NodeRef) -> Option<((f64, f64), Element)> {
    let element: Element = plane.cast()?;
    let size = element.get_bounding_client_rect();
    let share = |at: f64, from: f64, length: f64| ((at - from) / length.max(1.0)).clamp(0.0, 1.0);
    let at = (
        share(event.client_x().into(), size.x(), size.width()),
        share(event.client_y().into(), size.y(), size.height()),
    );
    Some((at, element))
}

/// Draws the cost of the box at each depth. A click chooses the depth.
fn depth_table(
    depths: &BoxDepths,
    asked: Option<u8>,
    share: f64,
    query: &Query,
    on_query: &Callback<Query>,
) -> Html {
    let says = &messages().map;
    if depths.depths.is_empty() {
        return html! {};
    }
    let whole = |rows: u64| (rows as f64 / share).round() as u64;
    let line = |cost: &tabletop_keys::BoxDepth| {
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
        Row::named(push(&(says.take)(cost.depth), None, ButtonKind::Quiet, take))
            .key(cost.depth)
            .current(asked == Some(cost.depth))
            .cells([thousands(cost.ranges.into()), thousands(whole(cost.seen)), per_row])
    };
    let columns = columns([says.depth, says.ranges, says.seen, says.per_row], 1..4);
    html! {
        <details class="map-depths">
            <summary>{(says.depths)(whole(depths.returned))}</summary>
            if share < 1.0 { <p class="soft small">{(says.depths_of)(share)}</p> }
            { Table::new(columns, depths.depths.iter().map(line)).class("small").draw() }
        </details>
    }
}
