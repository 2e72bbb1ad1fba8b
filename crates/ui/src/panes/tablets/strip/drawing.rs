//! The strip as SVG: tablets that move and can be chosen, their labels, and the marks of hot ones.

use tabletop_model::{TabletId, TabletView};
use tabletop_views::tablets::words::range;
use tabletop_views::tablets::{Asked, Figure, MARK_WORDS, MARKS_HEIGHT, Mark, Place, Strip, WrittenKey};
use yew::{Callback, Html, MouseEvent, classes, html};

use super::StripProps;
use crate::kit::{Icon, strokes};

/// The minimum height of a tablet, px. It fills the pane.
pub const HEIGHT_MIN: f64 = 48.0;
/// In a strip at least this tall, the height of a tablet shows its share of the load, px.
pub const SKYLINE_FROM: f64 = 110.0;

/// The values that the strip is drawn from.
pub struct Drawing<'a> {
    /// The marks on the tablets.
    pub props: &'a StripProps,
    /// The tablets.
    pub strip: Strip<'a>,
    /// The tablet that the inspector shows.
    pub selected: Option<usize>,
    /// The tablet at the cursor.
    pub cursor: Option<usize>,
}

impl Drawing<'_> {
    /// Draws the tablets as options of the listbox.
    pub fn tablets(&self, on_choose: &Callback<usize>) -> Html {
        self.strip.in_sight.clone().map(|at| self.tablet(at, on_choose)).collect()
    }

    /// Draws the space above the tablets, so that their heights can be compared.
    pub fn sky(&self) -> Html {
        let Strip { is_skyline, places, width, height, .. } = &self.strip;
        if *is_skyline && !places.is_empty() {
            html! { <rect class="sky" y={MARKS_HEIGHT.to_string()} width={px(*width)} height={px(*height)} rx="2" /> }
        } else {
            html! {}
        }
    }

    fn tablet(&self, at: usize, on_choose: &Callback<usize>) -> Html {
        let (strip, tablets) = (&self.strip, &self.strip.table.tablets);
        let (tablet, body, height) = (&tablets[at], strip.body(at), self.height_of(at));
        let selected = self.selected == Some(at);
        let (asked, has_event) = (self.props.asked.get(at).copied().flatten(), self.props.event == Some(at));
        let name = strip.name(at, asked, has_event);
        let point = |id: Option<TabletId>| {
            self.props.on_point.as_ref().map(|point| point.reform(move |_: MouseEvent| id))
        };
        let pointed = self.props.pointed == Some(tablet.id);
        html! {
            <g
                key={tablet.id.0}
                id={tablet_id(tablet)}
                transform={across(strip.places[at].x)}
                class={classes!("tablet", selected.then_some("selected"), (self.cursor == Some(at)).then_some("cursor"), pointed.then_some("pointed"))}
                role="option"
                aria-selected={selected.to_string()}
                aria-setsize={tablets.len().to_string()}
                aria-posinset={(at + 1).to_string()}
                aria-label={name.clone()}
                onclick={on_choose.reform(move |_: MouseEvent| at)}
                onmouseenter={point(Some(tablet.id))}
                onmouseleave={point(None)}
            >
                <title>{format!("{name}\n{}", range(tablet))}</title>
                <rect
                    class={format!("load-{}", body.level)}
                    x="0.5"
                    y={px(MARKS_HEIGHT + strip.height - height)}
                    width={px(body.width)}
                    height={px(height)}
                    rx="2"
                />
                if asked.is_some() || has_event { { self.marks_on(strip.places[at], asked, has_event) } }
            </g>
        }
    }

    /// The height of a tablet, in whole pixels.
    fn height_of(&self, at: usize) -> f64 {
        let height = self.strip.body(at).height;
        if self.strip.is_skyline { height.round() } else { height }
    }

    /// Draws the bar at the foot of a tablet that the query reads, dashed if it reads only some of
    /// its keys, and the line of the chosen event.
    #[inline(never)]
    fn marks_on(&self, place: Place, asked: Option<Asked>, has_event: bool) -> Html {
        let bottom = MARKS_HEIGHT + self.strip.height;
        let (foot, end, middle) = (px(bottom - 3.0), px((place.width - 0.5).max(1.5)), px(place.width / 2.0));
        html! {
            <>
                { for asked.map(|asked| html! {
                    <line class={if asked == Asked::Part { "asked part" } else { "asked" }} x1="0.5" x2={end} y1={foot.clone()} y2={foot} />
                }) }
                if has_event {
                    <line class="event-mark" x1={middle.clone()} x2={middle} y1={px(MARKS_HEIGHT)} y2={px(bottom)} />
                }
            </>
        }
    }

    /// Draws the labels in a layer that screen readers skip: the names of the options have the same
    /// content.
    pub fn labels(&self) -> Html {
        let marks = self.strip.marks();
        let label = |at: usize| self.label(at, marks.iter().find(|mark| mark.at == at));
        html! { <g class="labels" aria-hidden="true">{ for self.strip.in_sight.clone().map(label) }</g> }
    }

    fn label(&self, at: usize, mark: Option<&Mark>) -> Html {
        let (strip, height, place) = (&self.strip, self.height_of(at), self.strip.places[at]);
        let (figures, written) = strip.texts(at, height);
        let x = px(place.width / 2.0);
        let line = |Figure { text, y, is_share }: Figure| {
            let class = if is_share { "rate" } else { "held" };
            html! { <text {class} x={x.clone()} y={px(y)} text-anchor="middle">{text}</text> }
        };
        html! {
            // The key changes with each split: a new label stays hidden until the tablets are in
            // position.
            <g
                key={format!("{} {}", strip.table.tablets[at].id.0, strip.table.splits + strip.table.merges)}
                class={format!("label on-load-{}", strip.level(at))}
                transform={across(place.x)}
            >
                <g class="label-lines" transform={format!("translate(0 {})", px(MARKS_HEIGHT + strip.height - height))}>
                    { for figures.into_iter().map(line) }
                    { for written.map(first_key) }
                </g>
                { for mark.map(|mark| self.hot_mark(mark, place)) }
            </g>
        }
    }

    /// The icon above a hot tablet, and the words where they fit.
    fn hot_mark(&self, mark: &Mark, place: Place) -> Html {
        html! {
            <g class="hot-mark" aria-hidden="true" transform={format!("translate({} 1)", px(mark.x - place.x))}>
                <svg class="icon" viewBox="0 0 16 16" width="16" height="16"><path d={strokes(Icon::Hot)} /></svg>
                if mark.has_words { <text x={px(MARK_WORDS)} y="12">{self.strip.words_of_mark(mark.at)}</text> }
            </g>
        }
    }
}

fn first_key(WrittenKey { text, at, is_upright }: WrittenKey) -> Html {
    let turn = if is_upright { " rotate(-90)" } else { "" };
    html! { <text class="key mono" transform={format!("translate({} {}){turn}", px(at.0), px(at.1))}>{text}</text> }
}

/// Returns the id of a tablet's element.
pub fn tablet_id(tablet: &TabletView) -> String {
    format!("tablet-{}", tablet.id.0)
}

fn across(x: f64) -> String {
    format!("translate({} 0)", px(x))
}

/// Returns a length as the text of an attribute.
fn px(value: f64) -> String {
    format!("{value:.1}")
}
