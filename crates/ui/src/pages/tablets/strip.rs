//! The key space from left to right, a tablet after the other.

use std::ops::Range;
use std::rc::Rc;

use tabletop_model::{SortedMap, TableView, TabletId, TabletView};
use tabletop_schema::{DesignView, Load};
use web_sys::Element;
use yew::{
    Callback, Event, Html, KeyboardEvent, Properties, TargetCast, classes, function_component, html, use_effect_with,
    use_force_update, use_mut_ref, use_node_ref, use_state, use_state_eq,
};

use super::geometry::{Place, beginnings, places};
use super::inspector::place_of;
use super::words::{at_most, describe, range, rate};
use crate::browser;
use crate::messages::messages;
use crate::messages::numbers::bytes;
use crate::state::Measure;
use crate::widgets::{Icon, strokes};

/// Height of the lane above the tablets, where a hot one has its mark, px.
const LANE: f64 = 20.0;
/// Least height of a tablet, px; it takes what the pane has.
const HEIGHT_MIN: f64 = 48.0;
/// Height of a line of text in a tablet, px.
const LINE: f64 = 16.0;
/// Over so many tablets, places change at once (moving them all costs more than it tells), and only those near the part of the
/// strip that is in sight are drawn.
const MOVING_MAX: usize = 200;
/// What is drawn beyond the part in sight on either side, px; also the step in which the drawing follows the scrolling.
const MARGIN: f64 = 256.0;
/// Of a character in a tablet, in the widest of usual fonts, px.
const CHARACTER_WIDTH: f64 = 6.8;

/// Properties of [`Strip`].
#[derive(Properties, PartialEq)]
pub struct StripProps {
    /// The table and what it says.
    pub picture: Rc<Picture>,
    /// What a width says.
    pub measure: Measure,
    /// 1 fits all into the pane, as far as they go.
    pub zoom: f64,
    /// The one that the inspector shows.
    pub selected: Option<TabletId>,
    /// Another was chosen, or none.
    pub on_select: Callback<Option<TabletId>>,
}

/// A picture and what it says, computed once.
#[derive(PartialEq)]
pub struct Picture {
    /// The picture.
    pub view: Rc<DesignView>,
    /// What it says.
    pub load: Load,
}

impl Picture {
    /// Reads a picture.
    pub fn new(view: Rc<DesignView>) -> Picture {
        Picture { load: Load::of(&view.table), view }
    }

    /// The tablets.
    pub fn table(&self) -> &TableView {
        &self.view.table
    }
}

/// A listbox with one tab stop: arrow keys, Home and End move, Enter and Space choose, Escape lets go.
#[function_component]
pub fn Strip(props: &StripProps) -> Html {
    let (table, load, verdict) = (props.picture.table(), &props.picture.load, &props.picture.view.verdict);
    let root = use_node_ref();
    let size = use_state_eq(|| (600.0, LANE + HEIGHT_MIN));
    let cursor = use_state(|| None::<TabletId>);
    let scrolled = use_state_eq(|| 0.0);
    let drawn = use_mut_ref(SortedMap::<TabletId, Place>::new);
    let drawn_width = use_mut_ref(|| 0.0);
    let force_update = use_force_update();

    use_effect_with((), {
        let (root, size) = (root.clone(), size.clone());
        move |()| browser::observe_size(root.cast(), move |measured| size.set(measured))
    });

    let (width, height) = (size.0, (size.1 - LANE - 1.0).max(HEIGHT_MIN));
    let count = table.tablets.len();
    let targets = places(table, props.measure, width, props.zoom);
    // A strip that has just been given another width is drawn without moving.
    let resized = drawn_width.replace(width) != width;
    // A table that is built again at full speed is no play to watch: to move its tablets takes a second layout a picture.
    let built_again = props.picture.view.building && !props.picture.view.playing;
    let moving = count <= MOVING_MAX && !drawn.borrow().is_empty() && !resized && !built_again;
    let fresh = moving && table.tablets.iter().any(|tablet| !drawn.borrow().contains_key(&tablet.id));
    let shown = if fresh { beginnings(table, &targets, &drawn.borrow()) } else { targets.clone() };
    drawn.borrow_mut().clear();
    drawn.borrow_mut().extend(table.tablets.iter().map(|tablet| tablet.id).zip(targets.iter().copied()));

    // New tablets were drawn where they come from: once the browser has seen them there, they may go where they belong.
    use_effect_with((fresh, table.splits, table.merges), {
        let root = root.clone();
        move |_| {
            if fresh {
                if let Some(element) = root.cast::<Element>() {
                    element.get_bounding_client_rect();
                }
                force_update.force_update();
            }
        }
    });

    let at = |id: Option<TabletId>| id.and_then(|id| table.tablets.iter().position(|tablet| tablet.id == id));
    let selected_at = props.selected.and_then(|id| place_of(table, id));
    let cursor_at = at(*cursor).or(selected_at);
    let on_key = {
        let (picture, cursor, on_select, selected) =
            (props.picture.clone(), cursor.clone(), props.on_select.clone(), props.selected);
        let root = root.clone();
        let targets = targets.clone();
        Callback::from(move |event: KeyboardEvent| {
            let tablets = &picture.table().tablets;
            if tablets.is_empty() {
                return;
            }
            let last = tablets.len() - 1;
            let to = match (event.key().as_str(), cursor_at) {
                ("ArrowRight" | "ArrowDown", at) => at.map_or(0, |at| (at + 1).min(last)),
                ("ArrowLeft" | "ArrowUp", at) => at.map_or(last, |at| at.saturating_sub(1)),
                ("PageDown", at) => (at.unwrap_or(0) + 10).min(last),
                ("PageUp", at) => at.unwrap_or(0).saturating_sub(10),
                ("Home", _) => 0,
                ("End", _) => last,
                ("Enter" | " ", Some(at)) => {
                    event.prevent_default();
                    let id = tablets[at].id;
                    on_select.emit((selected != Some(id)).then_some(id));
                    return;
                }
                ("Escape", _) => return on_select.emit(None),
                _ => return,
            };
            event.prevent_default();
            cursor.set(Some(tablets[to].id));
            if let Some(element) = root.cast::<Element>() {
                scroll_to(&element, targets[to]);
            }
        })
    };

    let drawn_range = if count > MOVING_MAX { in_sight(&shown, *scrolled, width) } else { 0..count };
    let onscroll = Callback::from(move |event: Event| {
        let strip: Element = event.target_unchecked_into();
        scrolled.set((f64::from(strip.scroll_left()) / MARGIN).floor() * MARGIN);
    });
    let total = targets.last().map_or(0.0, |place| place.x + place.width);
    let option_id = |at: usize| format!("tablet-{}", table.tablets[at].id.0);
    let is_cut = total > width + 1.0;
    html! {
        <>
        <div
            class="strip"
            ref={root}
            role="listbox"
            tabindex="0"
            aria-label={messages().tablets.strip}
            aria-orientation="horizontal"
            aria-activedescendant={cursor_at.map(option_id)}
            onkeydown={on_key}
            {onscroll}
        >
            <svg
                class={classes!((!moving).then_some("still"))}
                role="presentation"
                width={total.to_string()}
                height={(LANE + height).to_string()}
            >
                { for drawn_range.clone().map(|at| {
                    let tablet = &table.tablets[at];
                    let id = tablet.id;
                    let selected = selected_at == Some(at);
                    let on_select = props.on_select.clone();
                    let cursor = cursor.clone();
                    let onclick = Callback::from(move |_: yew::MouseEvent| {
                        cursor.set(Some(id));
                        on_select.emit((!selected).then_some(id));
                    });
                    let name = describe(tablet, at, count, verdict.is_hot(at));
                    let place = shown[at];
                    html! {
                        <g
                            key={id.0}
                            id={option_id(at)}
                            transform={format!("translate({} 0)", px(place.x))}
                            class={classes!("tablet", selected.then_some("selected"), (cursor_at == Some(at)).then_some("cursor"))}
                            role="option"
                            aria-selected={selected.to_string()}
                            aria-setsize={count.to_string()}
                            aria-posinset={(at + 1).to_string()}
                            aria-label={name.clone()}
                            {onclick}
                        >
                            <title>{format!("{name}\n{}", range(tablet))}</title>
                            <rect
                                class={format!("load-{}", verdict.level(at, load.shares[at]))}
                                x="0.5"
                                y={LANE.to_string()}
                                width={px((place.width - 1.0).max(1.0))}
                                height={px(height)}
                                rx="2"
                            />
                        </g>
                    }
                }) }
                // In a layer of their own: the names of the tablets say it in words.
                <g class="labels" aria-hidden="true">
                    { for drawn_range.map(|at| html! {
                        // Another name after each split: a label that is made new stays hidden until the tablets are in place.
                        <g
                            key={format!("{} {}", table.tablets[at].id.0, table.splits + table.merges)}
                            class={classes!("label", format!("on-load-{}", verdict.level(at, load.shares[at])))}
                            transform={format!("translate({} 0)", px(shown[at].x))}
                        >
                            { labels(&table.tablets[at], load.shares[at], shown[at].width, height) }
                            if verdict.is_hot(at) { { hot_mark(load.shares[at], shown[at], total) } }
                        </g>
                    }) }
                </g>
            </svg>
        </div>
        if is_cut {
            <p class="soft small scroll-hint">{(messages().tablets.scroll_hint)(count as u64)}</p>
        }
        </>
    }
}

/// Which of the places lie within a margin of the part of the strip that is in sight.
fn in_sight(places: &[Place], scrolled: f64, width: f64) -> Range<usize> {
    let start = places.partition_point(|place| place.x + place.width < scrolled - MARGIN);
    let end = places.partition_point(|place| place.x < scrolled + width + 2.0 * MARGIN);
    start..end
}

/// What a tablet does and holds, as far as there is room for it.
fn labels(tablet: &TabletView, share: f64, width: f64, height: f64) -> Html {
    let mut lines = Vec::new();
    if share >= 0.005 {
        lines.push(("rate", format!("{:.0} %", share * 100.0)));
    }
    if tablet.writes_per_second > 0.0 {
        lines.push(("held", (messages().tablets.writes_short)(&rate(tablet.writes_per_second))));
    }
    lines.push(("held", bytes(tablet.bytes)));
    lines.push(("held", (messages().tablets.rows_short)(&at_most(tablet.rows, tablet.exact))));
    lines.retain(|(_, text)| text.chars().count() as f64 * CHARACTER_WIDTH <= width);
    lines.truncate(((height - LINE) / LINE) as usize);
    let x = px(width / 2.0);
    let top = LANE + (height - lines.len() as f64 * LINE) / 2.0 + 12.0;
    let line = |(at, (class, text)): (usize, (&'static str, String))| {
        html! { <text {class} x={x.clone()} y={px(top + at as f64 * LINE)} text-anchor="middle">{text}</text> }
    };
    html! { <>{ for lines.into_iter().enumerate().map(line) }</> }
}

/// Icon and words above a hot tablet.
fn hot_mark(share: f64, place: Place, total: f64) -> Html {
    // Enough for "hot 100 %" in the widest of usual fonts.
    const WIDTH: f64 = 100.0;
    let x = (place.x + place.width / 2.0 - WIDTH / 2.0).clamp(0.0, (total - WIDTH).max(0.0)) - place.x;
    html! {
        <g class="hot-mark" aria-hidden="true" transform={format!("translate({} 1)", px(x))}>
            <svg class="icon" viewBox="0 0 16 16" width="16" height="16"><path d={strokes(Icon::Hot)} /></svg>
            <text x="20" y="12">{(messages().tablets.hot_share)(share * 100.0)}</text>
        </g>
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// Brings a tablet into view, if the strip is wider than its pane.
fn scroll_to(strip: &Element, place: Place) {
    let (left, width) = (f64::from(strip.scroll_left()), f64::from(strip.client_width()));
    if place.x < left {
        strip.set_scroll_left(place.x as i32);
    } else if place.x + place.width > left + width {
        strip.set_scroll_left((place.x + place.width - width).ceil() as i32);
    }
}
