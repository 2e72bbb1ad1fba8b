//! What is next to the picture: prefixes of keys to the left, nodes to the right, and the time
//! below.

use std::ops::Range;

use tabletop_protocol::node_letters;
use tabletop_texts::messages;
use tabletop_views::heatmap::{Area, Bar, HeatMatrix, LEVELS_MAX, Served, Span, labels, longest};
use web_sys::HtmlElement;
use yew::{Callback, Html, KeyboardEvent, MouseEvent, TargetCast, classes, html};

use super::sight::{Changes, Sight};

/// The minimum width of a level of prefixes, px. As many levels of this width as fit are shown;
/// fewer levels may be wider.
const LEVEL: f64 = 64.0;
/// The width of the nodes, px.
const NODES: f64 = 28.0;
/// Bars of a lower height have no text, px.
const TEXT_MIN: f64 = 14.0;
/// The padding of a bar next to its text, and the width of a character, px: key fonts have about
/// 0.6 of their size.
const PADDING: f64 = 10.0;
const CHAR: f64 = 7.3;
/// Colours of nodes (heatmap.css).
const NODE_COLORS: u32 = 6;
/// The least distance between two times below the picture, px.
const TICK_MIN: f64 = 64.0;
/// Seconds between two times.
const TICKS: [u32; 14] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200];

/// Returns the number of levels of prefixes next to a picture, if all together have this width, px.
pub fn levels_in(width: f64) -> usize {
    match width {
        0.0..440.0 => 1,
        440.0..720.0 => 2,
        _ => LEVELS_MAX,
    }
}

/// Returns the width of each level, px, if `width` is the width of the picture with everything next
/// to it. `longest` are the characters of the longest name of each level, 0 if its bars are too low
/// for names: where fewer levels have names than there is room for, they are wider.
fn widths(longest: &[usize], width: f64) -> Vec<f64> {
    let named = longest.iter().filter(|chars| **chars > 0).count();
    let room = LEVEL * (levels_in(width).saturating_sub(longest.len() - named) as f64) / named.max(1) as f64;
    longest.iter().map(|chars| (*chars as f64 * CHAR + PADDING).min(room).max(LEVEL).ceil()).collect()
}

/// Returns the height of some buckets, px; 0 out of sight.
pub fn height_of(area: Span, buckets: &Range<usize>, height: f64) -> f64 {
    place(area, buckets, height).map_or(0.0, |(_, length)| length)
}

/// Draws the bars of prefixes, at the given height and width of the picture with everything next to
/// it. One of them is a tab stop; arrow keys move between bars.
pub fn prefixes(
    levels: &[Vec<Bar>],
    sight: &Sight,
    changes: &Changes,
    whole: Area,
    (width, height): (f64, f64),
) -> Html {
    if levels.is_empty() {
        return html! {};
    }
    let area = sight.zooms.area(whole);
    let told = sight.told().map(|spot| spot.bucket);
    let mut is_first = true;
    let mut drawn = Vec::new();
    let has_name = |bar: &Bar| height_of(area.buckets, &bar.buckets, height) >= TEXT_MIN;
    let names = |bars: &Vec<Bar>| if bars.iter().any(has_name) { longest(bars) } else { 0 };
    let widths = widths(&levels.iter().map(names).collect::<Vec<usize>>(), width);
    let mut x = 0.0;
    for (level, (bars, width)) in levels.iter().zip(&widths).enumerate() {
        let labels = labels(bars, ((width - PADDING) / CHAR) as usize);
        for (bar, short) in bars.iter().zip(labels) {
            let Some((y, length)) = place(area.buckets, &bar.buckets, height) else { continue };
            let is_lit = told.is_some_and(|bucket| bar.buckets.contains(&bucket))
                || sight.lit.as_ref() == Some(&bar.buckets);
            let place = Place { level, x, y, width: *width, length };
            drawn.push(prefix(bar, short, place, (is_lit, std::mem::take(&mut is_first)), changes, whole));
        }
        x += width;
    }
    html! {
        <svg class="heat-prefixes" role="toolbar" aria-label={messages().heatmap.prefixes} aria-orientation="vertical"
            width={x.to_string()} height={height.to_string()} onkeydown={Callback::from(move_focus)}>
            { for drawn }
        </svg>
    }
}

/// The position of a bar: its level, and px.
struct Place {
    level: usize,
    x: f64,
    y: f64,
    width: f64,
    length: f64,
}

fn prefix(
    bar: &Bar,
    short: String,
    Place { level, x, y, width, length }: Place,
    (is_lit, is_stop): (bool, bool),
    changes: &Changes,
    whole: Area,
) -> Html {
    let name = (messages().heatmap.prefix)(&bar.name, bar.buckets.len());
    let light = |lit: Option<Range<usize>>| {
        let changes = changes.clone();
        move || {
            let lit = lit.clone();
            changes.dispatch(Box::new(move |sight| sight.lit = lit));
        }
    };
    let (on, off) = (light(Some(bar.buckets.clone())), light(None));
    let (on_focus, off_focus) = (on.clone(), off.clone());
    let drill = {
        let (changes, buckets) = (changes.clone(), bar.buckets.clone());
        move || {
            let buckets = Span { from: buckets.start as f64, until: buckets.end as f64 };
            changes.dispatch(Box::new(move |sight| {
                let seconds = sight.zooms.area(whole).seconds;
                sight.zooms.show(Area { seconds, buckets }, whole);
            }));
        }
    };
    let drill_by_key = drill.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            drill_by_key();
        }
    });
    // The name of a button has the text that is visible on it, and then the full text.
    let label =
        if length >= TEXT_MIN && short != bar.name { format!("{short}, {name}") } else { name.clone() };
    html! {
        <g key={format!("{level} {}", bar.buckets.start)} class={classes!("heat-prefix", bar.class, is_lit.then_some("lit"), (length < TEXT_MIN).then_some("low"))} role="button"
            tabindex={if is_stop { "0" } else { "-1" }} aria-label={label}
            onclick={Callback::from(move |_: MouseEvent| drill())} {onkeydown}
            onmouseenter={Callback::from(move |_: MouseEvent| on())} onmouseleave={Callback::from(move |_: MouseEvent| off())}
            onfocus={Callback::from(move |_| on_focus())} onblur={Callback::from(move |_| off_focus())}>
            <title>{name}</title>
            <rect x={px(x + 0.5)} y={px(y + 0.5)} width={px(width - 2.0)} height={px((length - 1.0).max(1.0))} rx="2" />
            if length >= TEXT_MIN {
                <text x={px(x + 5.0)} y={px(y + (length / 2.0) + 4.0)}>{short}</text>
            }
        </g>
    }
}

/// Moves the focus to the bar before or after the focused one.
fn move_focus(event: KeyboardEvent) {
    let bar: HtmlElement = event.target_unchecked_into();
    let other = match event.key().as_str() {
        "ArrowDown" | "ArrowRight" => bar.next_element_sibling(),
        "ArrowUp" | "ArrowLeft" => bar.previous_element_sibling(),
        "Home" => bar.parent_element().and_then(|all| all.first_element_child()),
        "End" => bar.parent_element().and_then(|all| all.last_element_child()),
        _ => return,
    };
    event.prevent_default();
    if let Some(other) = other {
        // An element of a drawing has the same method. Fails only for one that is not shown.
        drop(wasm_bindgen::JsCast::unchecked_into::<HtmlElement>(other).focus());
    }
}

/// Draws the node of each tablet; neighbours on one node are one bar.
pub fn nodes(matrix: &HeatMatrix, served: &[Served], second: u32, area: Area, height: f64) -> Html {
    let says = &messages().heatmap;
    let mut runs: Vec<(u32, Range<usize>)> = Vec::new();
    let named = |tablet: &Served| tablet.node.unwrap_or_default();
    for (at, tablet) in served.iter().enumerate() {
        let end = served.get(at + 1).map_or(matrix.buckets(), |next| matrix.border(&next.start));
        match runs.last_mut() {
            Some((node, buckets)) if *node == named(tablet) => buckets.end = end,
            _ => runs.push((named(tablet), matrix.border(&tablet.start)..end)),
        }
    }
    let mut distinct: Vec<u32> = served.iter().map(named).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let bar = |(node, buckets): &(u32, Range<usize>)| {
        let (y, length) = place(area.buckets, buckets, height).filter(|(_, length)| *length >= 1.0)?;
        let letters = node_letters(*node);
        Some(html! {
            <g key={buckets.start} class={format!("heat-node-{}", node % NODE_COLORS)}>
                <title>{(says.node)(&letters)}</title>
                <rect x="0.5" y={px(y + 0.5)} width={px(NODES - 1.0)} height={px((length - 1.0).max(0.5))} rx="2" />
                if length >= TEXT_MIN { <text x={px(NODES / 2.0)} y={px(y + length / 2.0 + 4.0)} text-anchor="middle">{letters}</text> }
            </g>
        })
    };
    html! {
        <svg class="heat-nodes" role="img" aria-label={(says.nodes_said)(served.len(), distinct.len(), second)}
            width={NODES.to_string()} height={height.to_string()}>
            <title>{(says.nodes)(second)}</title>
            { for runs.iter().filter_map(bar) }
        </svg>
    }
}

/// Draws the times below the picture.
pub fn times(area: Area, width: f64) -> Html {
    let says = &messages().heatmap;
    let seconds = area.seconds;
    let most = (width / TICK_MIN).max(1.0);
    let last = TICKS[TICKS.len() - 1];
    let step = TICKS.into_iter().find(|step| seconds.length() / f64::from(*step) <= most);
    let step =
        step.unwrap_or_else(|| last * (seconds.length() / f64::from(last) / most).ceil().max(1.0) as u32);
    let first = (seconds.from / f64::from(step)).ceil() as u32;
    let tick = |second: u32| {
        let x = seconds.share(second.into()) * width;
        let anchor = if x < 16.0 {
            "start"
        } else if x > width - 16.0 {
            "end"
        } else {
            "middle"
        };
        html! {
            <g key={second}>
                <path d={format!("M{x:.1} 0v4")} />
                <text x={px(x)} y="15" text-anchor={anchor}>{(says.clock)(second)}</text>
            </g>
        }
    };
    let ticks = (first..)
        .map(|at| at.saturating_mul(step))
        .take_while(|second| f64::from(*second) <= seconds.until)
        .take(most as usize + 2);
    html! { <svg class="heat-times" aria-hidden="true" width={width.to_string()} height="18">{ for ticks.map(tick) }</svg> }
}

/// The position and the length of buckets next to an area, px; `None` if they are not in it.
fn place(area: Span, buckets: &Range<usize>, height: f64) -> Option<(f64, f64)> {
    let at = |bucket: usize| (area.share(bucket as f64) * height).clamp(0.0, height);
    let (from, until) = (at(buckets.start), at(buckets.end));
    (until > from).then_some((from, until - from))
}

/// A length as the text of an attribute.
pub fn px(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_room_of_levels_that_are_not_there_or_have_none() {
        assert_eq!(widths(&[6, 24, 24], 1_000.0), [64.0; 3]);
        assert_eq!(widths(&[24], 1_000.0), [186.0], "all of a time");
        assert_eq!(widths(&[24, 0], 1_000.0), [128.0, 64.0]);
        assert_eq!(widths(&[6, 24], 1_000.0), [64.0, 96.0]);
        assert_eq!((widths(&[6], 1_000.0), widths(&[24], 400.0)), (vec![64.0], vec![64.0]));
        assert_eq!((widths(&[0], 400.0), widths(&[], 400.0)), (vec![64.0], Vec::new()));
    }

    #[test]
    fn a_bar_is_cut_at_the_edges_of_the_area() {
        let area = Span { from: 10.0, until: 20.0 };
        assert_eq!(place(area, &(12..14), 100.0), Some((20.0, 20.0)));
        assert_eq!(place(area, &(0..11), 100.0), Some((0.0, 10.0)));
        assert_eq!((place(area, &(0..10), 100.0), place(area, &(20..30), 100.0)), (None, None));
    }
}
