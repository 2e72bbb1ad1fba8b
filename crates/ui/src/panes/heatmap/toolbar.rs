//! The tools above the picture: what its cells show, how bright, and which part.

use tabletop_protocol::HeatMetric;
use tabletop_texts::messages;
use tabletop_views::heatmap::{Area, BRIGHTNESS, Palette, Scale, Shown};
use web_sys::HtmlInputElement;
use yew::{Callback, Html, InputEvent, TargetCast, html};

use super::sight::{Changes, Sight};
use crate::kit::{ButtonKind, Icon, Label, SegmentSize, Toggle, push, segmented, select, toggle, tool};

/// The factor of a button or a key that zooms.
pub const STEP: f64 = 2.0;
/// The share of the area by which a button moves it.
const PAN: f64 = 0.5;

/// What the tools act on.
pub struct Tools<'a> {
    /// What is seen.
    pub sight: &'a Sight,
    /// Takes changes.
    pub changes: &'a Changes,
    /// The metric that is chosen.
    pub metric: HeatMetric,
    /// Takes another metric.
    pub on_metric: &'a Callback<HeatMetric>,
    /// All of the heatmap.
    pub whole: Area,
    /// Whether the borders of tablets are drawn.
    pub has_borders: bool,
}

impl Tools<'_> {
    /// Draws the tools.
    pub fn draw(&self) -> Html {
        let says = &messages().heatmap;
        let names = HeatMetric::ALL.map(says.metrics);
        let at = HeatMetric::ALL.iter().position(|metric| *metric == self.metric);
        let on_metric = self.on_metric.reform(|at: usize| HeatMetric::ALL[at.min(HeatMetric::ALL.len() - 1)]);
        let shown = [Shown::Mean, Shown::BusiestRow];
        let palettes = [Palette::Inferno, Palette::Cividis];
        let has_borders = self.has_borders;
        let on_shown = self.on(move |sight, at: usize| sight.shown = shown[at]);
        let on_palette = self.on(move |sight, at: usize| sight.colors.palette = palettes[at]);
        html! {
            <div class="heat-tools">
                { select(Label::Shown(says.metric), &names, at, on_metric) }
                { segmented(says.shown, &says.shown_of, shown.iter().position(|it| *it == self.sight.shown), SegmentSize::Small, on_shown) }
                { toggle(Toggle {
                    label: says.look,
                    icon: Icon::More,
                    icon_only: true,
                    pressed: self.sight.has_tools,
                    on_click: self.on(|sight, ()| sight.has_tools = !sight.has_tools),
                }) }
                if self.sight.has_tools {
                    { select(Label::Shown(says.palette), &says.palettes, palettes.iter().position(|it| *it == self.sight.colors.palette), on_palette) }
                    { self.brightness() }
                    <label class="heat-check">
                        <input type="checkbox" checked={has_borders}
                            oninput={self.on(move |sight, _: InputEvent| sight.borders = Some(!has_borders))} />
                        <span>{says.borders}</span>
                    </label>
                }
                { self.zoom() }
            </div>
        }
    }

    fn on<T: 'static>(&self, change: impl Fn(&mut Sight, T) + Clone + 'static) -> Callback<T> {
        let changes = self.changes.clone();
        Callback::from(move |value: T| {
            let change = change.clone();
            changes.dispatch(Box::new(move |sight| change(sight, value)));
        })
    }

    fn brightness(&self) -> Html {
        let says = &messages().heatmap;
        let brightness = self.sight.colors.brightness;
        let changes = self.changes.clone();
        let oninput = Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let chosen = input.value().parse().unwrap_or(0i8).clamp(*BRIGHTNESS.start(), *BRIGHTNESS.end());
            changes.dispatch(Box::new(move |sight| sight.colors.brightness = chosen));
        });
        html! {
            <label class="heat-brightness">
                <span>{says.brightness}</span>
                <input type="range" min={BRIGHTNESS.start().to_string()} max={BRIGHTNESS.end().to_string()} step="1"
                    value={brightness.to_string()} aria-valuetext={(says.brightness_of)(brightness)} {oninput} />
            </label>
        }
    }

    fn zoom(&self) -> Html {
        let says = &messages().heatmap;
        let (whole, zooms) = (self.whole, &self.sight.zooms);
        let is_part = zooms.area(whole) != whole;
        let zoomed = move |factor: f64| self.on(move |sight, ()| zoom(sight, whole, factor));
        html! {
            <div class="heat-zoom" role="group" aria-label={says.zoom}>
                { tool(says.zoom_in, Icon::Plus, Some(zoomed(STEP))) }
                { tool(says.zoom_out, Icon::Minus, is_part.then(|| zoomed(1.0 / STEP))) }
                { tool(says.back, Icon::Undo, zooms.can_go_back().then(|| self.on(|sight, ()| sight.zooms.back()))) }
                { push(says.reset, None, ButtonKind::Quiet, is_part.then(|| self.on(|sight, ()| sight.zooms.reset()))) }
            </div>
        }
    }

    /// Draws the buttons that pan the heatmap. They are below the picture: above it, they would
    /// move it while the user zooms.
    pub fn pans(&self) -> Html {
        let says = &messages().heatmap;
        let whole = self.whole;
        let area = self.sight.zooms.area(whole);
        if area == whole {
            return html! {};
        }
        let moved = |by: (f64, f64)| {
            self.on(move |sight, ()| {
                let area = sight.zooms.area(whole);
                sight.zooms.end_gesture();
                sight.zooms.slide(area.moved(whole, by), whole);
            })
        };
        let pans = [
            (Icon::Back, area.seconds.from > whole.seconds.from, (-PAN, 0.0)),
            (Icon::Forward, area.seconds.until < whole.seconds.until, (PAN, 0.0)),
            (Icon::Up, area.buckets.from > whole.buckets.from, (0.0, -PAN)),
            (Icon::Down, area.buckets.until < whole.buckets.until, (0.0, PAN)),
        ];
        let pan = |((icon, can, by), text): ((Icon, bool, (f64, f64)), &&'static str)| {
            tool(text, icon, can.then(|| moved(by)))
        };
        html! {
            <div class="heat-zoom" role="group" aria-label={says.pans}>{ for pans.into_iter().zip(&says.pan).map(pan) }</div>
        }
    }
}

/// Zooms around the cursor if it is visible, else around the middle.
pub fn zoom(sight: &mut Sight, whole: Area, factor: f64) {
    let area = sight.zooms.area(whole);
    let share = |at: f64| if (0.0..=1.0).contains(&at) { at } else { 0.5 };
    let at = sight.cursor.map_or((0.5, 0.5), |spot| {
        (
            share(area.seconds.share(f64::from(spot.second) + 0.5)),
            share(area.buckets.share(spot.bucket as f64 + 0.5)),
        )
    });
    sight.zooms.show(area.zoomed(whole, at, factor), whole);
}

/// Draws the legend: the colours from the least value to the largest, and what they are compared
/// with.
pub fn legend(sight: &Sight, metric: HeatMetric, scale: Scale) -> Html {
    const STEPS: usize = 32;
    let says = &messages().heatmap;
    let table = sight.colors.table(scale);
    let step = |at: usize| {
        let [red, green, blue, _] = table[at * 255 / (STEPS - 1)];
        html! { <rect key={at} x={at.to_string()} width="1.05" height="1" fill={format!("rgb({red} {green} {blue})")} /> }
    };
    let label = |level: u8| html! { <span class="num">{(says.value)(metric, scale.value(level))}</span> };
    let (text, labels) = match scale {
        Scale::Relative { largest } => ((says.relative)(metric, largest.into()), [1u8, 85, 170, 255]),
        Scale::Absolute => ((says.absolute)(metric), [0, 85, 170, 255]),
    };
    html! {
        <div class="heat-legend">
            <svg class="heat-colors" viewBox={format!("0 0 {STEPS} 1")} preserveAspectRatio="none" aria-hidden="true">
                { for (0..STEPS).map(step) }
            </svg>
            <span class="heat-values small" aria-hidden="true">{ for labels.into_iter().map(label) }</span>
            <span class="soft small">{text}</span>
        </div>
    }
}
