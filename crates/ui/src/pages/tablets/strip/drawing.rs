//! The tablets of the strip as SVG: shapes, labels, and the mark of a hot tablet.

use std::ops::Range;

use tabletop_model::{TabletId, TabletView};
use tabletop_texts::messages;
use tabletop_texts::numbers::bytes;
use tabletop_texts::tablets::Precision;
use tabletop_views::tablets::words::{describe, range, rate};
use tabletop_views::tablets::{MARK_WORDS, Mark, Place, marks, text_width};
use yew::{Callback, Html, MouseEvent, classes, html};

use super::first_key::{LINE, PADDING, draw_key, px};
use super::{Picture, StripProps};
use crate::pages::tablets::Asked;
use crate::widgets::{Icon, strokes};

/// The height of the space above the tablets for the mark of a hot one, px.
pub const MARKS_HEIGHT: f64 = 20.0;
/// The minimum height of a tablet, px. It fills the pane.
pub const HEIGHT_MIN: f64 = 48.0;
/// In a strip at least this tall, the height of a tablet shows its share of the load, px.
const SKYLINE_FROM: f64 = 110.0;
/// The values that the strip is drawn from.
pub struct Drawing<'a> {
    /// The marks on the tablets.
    pub props: &'a StripProps,
    /// The table and its load.
    pub picture: &'a Picture,
    /// The place of each tablet.
    pub places: &'a [Place],
    /// The width of all tablets, px.
    pub total: f64,
    /// The height of a tablet, px.
    pub height: f64,
    /// The tablets that are drawn.
    pub in_sight: Range<usize>,
    /// The tablet that the inspector shows.
    pub selected: Option<usize>,
    /// The tablet at the cursor.
    pub cursor: Option<usize>,
}

impl Drawing<'_> {
    /// Draws the tablets as options of the listbox.
    pub fn tablets(&self, on_choose: &Callback<usize>) -> Html {
        self.in_sight.clone().map(|at| self.tablet(at, on_choose)).collect()
    }

    /// Draws the space above the tablets, so that their heights can be compared.
    pub fn sky(&self) -> Html {
        if self.is_skyline() && !self.places.is_empty() {
            html! { <rect class="sky" y={MARKS_HEIGHT.to_string()} width={px(self.total)} height={px(self.height)} rx="2" /> }
        } else {
            html! {}
        }
    }

    fn is_skyline(&self) -> bool {
        self.height >= SKYLINE_FROM
    }

    /// The height of a tablet, px. All have a common base line.
    fn height_of(&self, at: usize) -> f64 {
        if self.is_skyline() { (self.height * self.picture.heights[at]).round() } else { self.height }
    }

    fn tablet(&self, at: usize, on_choose: &Callback<usize>) -> Html {
        let (table, load, verdict) = (self.picture.table(), &self.picture.load, &self.picture.view.verdict);
        let (tablet, place) = (&table.tablets[at], self.places[at]);
        let selected = self.selected == Some(at);
        let (asked, has_event) = (self.props.asked.get(at).copied().flatten(), self.props.event == Some(at));
        let name = self.name(at, asked, has_event);
        let height = self.height_of(at);
        let point = |id: Option<TabletId>| {
            self.props.on_point.as_ref().map(|point| point.reform(move |_: MouseEvent| id))
        };
        let pointed = self.props.pointed == Some(tablet.id);
        html! {
            <g
                key={tablet.id.0}
                id={tablet_id(tablet)}
                transform={format!("translate({} 0)", px(place.x))}
                class={classes!("tablet", selected.then_some("selected"), (self.cursor == Some(at)).then_some("cursor"), pointed.then_some("pointed"))}
                role="option"
                aria-selected={selected.to_string()}
                aria-setsize={table.tablets.len().to_string()}
                aria-posinset={(at + 1).to_string()}
                aria-label={name.clone()}
                onclick={on_choose.reform(move |_: MouseEvent| at)}
                onmouseenter={point(Some(tablet.id))}
                onmouseleave={point(None)}
            >
                <title>{format!("{name}\n{}", range(tablet))}</title>
                <rect
                    class={format!("load-{}", verdict.level(at, load.shares[at]))}
                    x="0.5"
                    y={px(MARKS_HEIGHT + self.height - height)}
                    width={px((place.width - 1.0).max(1.0))}
                    height={px(height)}
                    rx="2"
                />
                if asked.is_some() || has_event { { self.marks_on(place, asked, has_event) } }
            </g>
        }
    }

    /// Returns a tablet in words, with its marks.
    fn name(&self, at: usize, asked: Option<Asked>, has_event: bool) -> String {
        let says = &messages().tablets;
        let mut name = describe(&self.picture.view, at);
        name.push_str(match asked {
            None => "",
            Some(Asked::Whole) => says.asked_whole,
            Some(Asked::Part) => says.asked_part,
        });
        if has_event {
            name.push_str(says.has_event);
        }
        name
    }

    /// Draws the bar at the foot of a tablet that the query reads, dashed if it reads only some of
    /// its keys, and the line of the chosen event.
    #[inline(never)]
    fn marks_on(&self, place: Place, asked: Option<Asked>, has_event: bool) -> Html {
        let (foot, end, middle) =
            (px(MARKS_HEIGHT + self.height - 3.0), px((place.width - 0.5).max(1.5)), px(place.width / 2.0));
        html! {
            <>
                { for asked.map(|asked| html! {
                    <line class={if asked == Asked::Part { "asked part" } else { "asked" }} x1="0.5" x2={end} y1={foot.clone()} y2={foot} />
                }) }
                if has_event {
                    <line class="event-mark" x1={middle.clone()} x2={middle} y1={px(MARKS_HEIGHT)} y2={px(MARKS_HEIGHT + self.height)} />
                }
            </>
        }
    }

    /// Draws the labels in a layer that screen readers skip: the names of the options have the same
    /// content.
    pub fn labels(&self) -> Html {
        let marks = self.marks();
        let mark_of = |at: usize| marks.iter().find(|mark| mark.at == at);
        html! { <g class="labels" aria-hidden="true">{ for self.in_sight.clone().map(|at| self.label(at, mark_of(at))) }</g> }
    }

    /// The marks of the hot tablets that are drawn.
    fn marks(&self) -> Vec<Mark> {
        let shares = &self.picture.load.shares;
        let mut hot: Vec<usize> =
            self.in_sight.clone().filter(|at| self.picture.view.verdict.is_hot(*at)).collect();
        hot.sort_by(|one, other| shares[*other].total_cmp(&shares[*one]));
        let hot: Vec<(usize, f64)> =
            hot.into_iter().map(|at| (at, text_width(&hot_words(shares[at])))).collect();
        marks(self.places, &hot, self.total)
    }

    fn label(&self, at: usize, mark: Option<&Mark>) -> Html {
        let (table, verdict) = (self.picture.table(), &self.picture.view.verdict);
        let (tablet, share, place) = (&table.tablets[at], self.picture.load.shares[at], self.places[at]);
        let height = self.height_of(at);
        let lines = figures(tablet, share, place.width, height);
        let below = lines.len() as f64 * LINE;
        let first = if self.is_skyline() { LINE } else { (height - below) / 2.0 + 12.0 };
        let x = px(place.width / 2.0);
        let line = |(at, (class, text)): (usize, (&'static str, String))| {
            html! { <text {class} x={x.clone()} y={px(first + at as f64 * LINE)} text-anchor="middle">{text}</text> }
        };
        html! {
            // The key changes with each split: a new label stays hidden until the tablets are in
            // position.
            <g
                key={format!("{} {}", tablet.id.0, table.splits + table.merges)}
                class={classes!("label", format!("on-load-{}", verdict.level(at, share)))}
                transform={format!("translate({} 0)", px(place.x))}
            >
                <g class="label-lines" transform={format!("translate(0 {})", px(MARKS_HEIGHT + self.height - height))}>
                    { for lines.into_iter().enumerate().map(line) }
                    if self.is_skyline() { { draw_key(&self.picture.keys[at], place.width, height, height - below - LINE) } }
                </g>
                { for mark.map(|mark| hot_mark(mark, share, place)) }
            </g>
        }
    }
}

/// Returns the id of a tablet's element.
pub fn tablet_id(tablet: &TabletView) -> String {
    format!("tablet-{}", tablet.id.0)
}

/// Returns the figures of a tablet with their classes, as far as they fit.
fn figures(tablet: &TabletView, share: f64, width: f64, height: f64) -> Vec<(&'static str, String)> {
    let fits = |text: &String| text_width(text) + 2.0 * PADDING <= width;
    let mut lines = Vec::new();
    if share >= 0.005 {
        let text = format!("{:.0}%", share * 100.0);
        if !fits(&text) {
            // One of the other figures would be mistaken for the share.
            return lines;
        }
        lines.push(("rate", text));
    }
    if tablet.writes_per_second > 0.0 {
        lines.push(("held", (messages().tablets.writes_short)(&rate(tablet.writes_per_second))));
    }
    lines.push(("held", bytes(tablet.bytes)));
    let precision = if tablet.exact { Precision::Exact } else { Precision::AtMost };
    lines.push(("held", (messages().tablets.rows_short)(tablet.rows, precision)));
    lines.retain(|(_, text)| fits(text));
    lines.truncate(((height - LINE) / LINE) as usize);
    lines
}

fn hot_words(share: f64) -> String {
    (messages().tablets.hot_share)(share * 100.0)
}

/// The icon above a hot tablet, and the words where they fit.
fn hot_mark(mark: &Mark, share: f64, place: Place) -> Html {
    html! {
        <g class="hot-mark" aria-hidden="true" transform={format!("translate({} 1)", px(mark.x - place.x))}>
            <svg class="icon" viewBox="0 0 16 16" width="16" height="16"><path d={strokes(Icon::Hot)} /></svg>
            if mark.has_words { <text x={px(MARK_WORDS)} y="12">{hot_words(share)}</text> }
        </g>
    }
}
