//! The strip: the tablets of the table from left to right, in key order.

mod drawing;
mod motion;

use std::ops::Range;
use std::rc::Rc;

use tabletop_advice::TableLoad;
use tabletop_model::{TableView, TabletId};
use tabletop_protocol::DesignView;
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::tablets::{Asked, MARKS_HEIGHT, Place, Step, Strip as Scene, first_keys, heights, step};
use web_sys::Element;
use yew::{
    Callback, Event, Html, KeyboardEvent, NodeRef, Properties, TargetCast, UseStateHandle, classes,
    function_component, html, use_effect_with, use_node_ref, use_state, use_state_eq,
};

use super::inspector::place_of;
use crate::browser;
use crate::page::state::Measure;
use drawing::{Drawing, HEIGHT_MIN, SKYLINE_FROM, tablet_id};
use motion::use_motion;

/// The maximum number of tablets that are all drawn and animated. With more, positions change
/// without motion, and only visible tablets are drawn.
const MOVING_MAX: usize = 200;
/// The width that is drawn beyond the visible part on either side, px. The drawing follows the
/// scroll position in steps of it.
const MARGIN: f64 = 256.0;

/// Properties of [`Strip`].
#[derive(Properties, PartialEq)]
pub struct StripProps {
    /// The table and its load.
    pub picture: Rc<Picture>,
    /// The figure that the width of a tablet shows.
    pub measure: Measure,
    /// The zoom; 1 fits all tablets into the pane, if possible.
    pub zoom: f64,
    /// The tablet that the inspector shows.
    pub selected: Option<TabletId>,
    /// What the current query reads of each tablet; nothing if it reads the whole table.
    pub asked: Vec<Option<Asked>>,
    /// The tablet that contains the row of the event that the user chose.
    pub event: Option<usize>,
    /// The tablet whose points are pointed at on the map.
    pub pointed: Option<TabletId>,
    /// Chooses a tablet, or none.
    pub on_select: Callback<Option<TabletId>>,
    /// Points at a tablet, or at none, if something else shows it.
    pub on_point: Option<Callback<Option<TabletId>>>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// A picture with its load, which is computed once.
#[derive(PartialEq)]
pub struct Picture {
    /// The picture.
    pub view: Rc<DesignView>,
    /// The load of its tablets.
    pub load: TableLoad,
    /// The share of the strip's height that each tablet has by its load.
    pub heights: Vec<f64>,
    /// The first key of each tablet, without what all of them have in common.
    pub keys: Vec<String>,
}

impl Picture {
    /// Computes the load of a picture.
    pub fn new(view: Rc<DesignView>) -> Picture {
        let load = TableLoad::of(&view.table);
        Picture { heights: heights(&load.shares), keys: first_keys(&view.table.tablets), load, view }
    }

    /// Returns the tablets.
    pub fn table(&self) -> &TableView {
        &self.view.table
    }
}

/// Draws a listbox with one tab stop: arrow keys, Home and End move, Enter and Space choose a
/// tablet, Escape none.
#[function_component]
pub fn Strip(props: &StripProps) -> Html {
    let root = use_node_ref();
    let size = use_state_eq(|| (600.0, MARKS_HEIGHT + HEIGHT_MIN));
    let cursor = use_state(|| None::<TabletId>);
    let scrolled = use_state_eq(|| 0.0);
    use_effect_with((), {
        let (root, size) = (root.clone(), size.clone());
        move |()| browser::observe_size(root.cast(), move |measured| size.set(measured))
    });

    let table = props.picture.table();
    let (width, height) = (size.0, (size.1 - MARKS_HEIGHT - 1.0).max(HEIGHT_MIN));
    let motion = use_motion(props, width, &root);
    let total = motion.targets.last().map_or(0.0, |place| place.x + place.width);
    let selected = props.selected.and_then(|id| place_of(table, id));
    let at_cursor = place_of_cursor(table, *cursor, props.selected);
    let count = table.tablets.len();
    let in_sight = if count > MOVING_MAX { in_sight(&motion.shown, *scrolled, width) } else { 0..count };
    let on_key = on_key(props, &cursor, &root, &motion.targets);
    let on_choose = on_choose(props, &cursor, selected);
    let onscroll = Callback::from(move |event: Event| {
        let strip: Element = event.target_unchecked_into();
        scrolled.set((f64::from(strip.scroll_left()) / MARGIN).floor() * MARGIN);
    });
    let Picture { view, load, heights, keys } = &*props.picture;
    let strip = Scene {
        table,
        verdict: &view.verdict,
        shares: &load.shares,
        heights,
        keys,
        places: &motion.shown,
        width: total,
        height,
        is_skyline: height >= SKYLINE_FROM,
        in_sight,
    };
    let drawing = Drawing { props, strip, selected, cursor: at_cursor };
    html! {
        <>
        <div
            class="strip"
            ref={root}
            role="listbox"
            tabindex="0"
            aria-label={messages().tablets.strip}
            aria-orientation="horizontal"
            aria-activedescendant={at_cursor.map(|at| tablet_id(&table.tablets[at]))}
            onkeydown={on_key}
            {onscroll}
        >
            <svg
                class={classes!((!motion.moves).then_some("still"))}
                role="presentation"
                width={total.to_string()}
                height={(MARKS_HEIGHT + height).to_string()}
            >
                { drawing.sky() }
                { drawing.tablets(&on_choose) }
                { drawing.labels() }
            </svg>
        </div>
        if total > width + 1.0 {
            <p class="soft small scroll-hint">{(messages().tablets.scroll_hint)(count as u64)}</p>
        }
        </>
    }
}

/// Returns the position of the cursor, which begins at the selected tablet.
fn place_of_cursor(table: &TableView, cursor: Option<TabletId>, selected: Option<TabletId>) -> Option<usize> {
    let at_cursor = cursor.and_then(|id| table.tablets.iter().position(|tablet| tablet.id == id));
    at_cursor.or_else(|| place_of(table, selected?))
}

/// Returns a callback that moves the cursor and scrolls to it.
fn on_key(
    props: &StripProps,
    cursor: &UseStateHandle<Option<TabletId>>,
    root: &NodeRef,
    targets: &Rc<Vec<Place>>,
) -> Callback<KeyboardEvent> {
    let (picture, on_select, selected) = (props.picture.clone(), props.on_select.clone(), props.selected);
    let (cursor, root, targets) = (cursor.clone(), root.clone(), targets.clone());
    Callback::from(move |event: KeyboardEvent| {
        let tablets = &picture.table().tablets;
        // A handle gives the current cursor, not the drawn one: keys can come faster than drawings.
        let at = place_of_cursor(picture.table(), *cursor, selected);
        match step(&event.key(), at, tablets.len()) {
            None => {}
            Some(Step::LetGo) => on_select.emit(None),
            Some(Step::Choose(at)) => {
                event.prevent_default();
                let id = tablets[at].id;
                on_select.emit((selected != Some(id)).then_some(id));
            }
            Some(Step::To(at)) => {
                event.prevent_default();
                cursor.set(Some(tablets[at].id));
                if let Some(element) = root.cast::<Element>() {
                    scroll_to(&element, targets[at]);
                }
            }
        }
    })
}

/// Returns a callback that chooses the tablet at a position, or none if it is already chosen.
fn on_choose(
    props: &StripProps,
    cursor: &UseStateHandle<Option<TabletId>>,
    selected: Option<usize>,
) -> Callback<usize> {
    let (picture, on_select, cursor) = (props.picture.clone(), props.on_select.clone(), cursor.clone());
    Callback::from(move |at: usize| {
        let id = picture.table().tablets[at].id;
        cursor.set(Some(id));
        on_select.emit((selected != Some(at)).then_some(id));
    })
}

/// Returns the tablets in the visible part of the strip and in a margin around it.
fn in_sight(places: &[Place], scrolled: f64, width: f64) -> Range<usize> {
    let start = places.partition_point(|place| place.x + place.width < scrolled - MARGIN);
    let end = places.partition_point(|place| place.x < scrolled + width + 2.0 * MARGIN);
    start..end
}

/// Scrolls the strip until a tablet is visible.
fn scroll_to(strip: &Element, place: Place) {
    let (left, width) = (f64::from(strip.scroll_left()), f64::from(strip.client_width()));
    if place.x < left {
        strip.set_scroll_left(place.x as i32);
    } else if place.x + place.width > left + width {
        strip.set_scroll_left((place.x + place.width - width).ceil() as i32);
    }
}
