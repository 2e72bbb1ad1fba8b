//! The cluster that serves a traffic: nodes, time, storage, autoscaling, the load test, and changes
//! while it runs.

use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_workspace::{
    AutoscaleRange, ClusterThresholds, LoadTest, RUN_SECONDS_MAX, StorageMedium, TRAFFIC_PER_SECOND_MAX,
};
use yew::{Html, html};

use super::streams::{Editor, nodes_number, one_of};
use crate::kit::{FormNumber, Icon, Number, Place, checked, form, number, number_field, tool};

/// Numbers of nodes that are offered to the autoscaler.
const RANGES: [(u32, u32); 4] = [(1, 5), (1, 10), (2, 30), (3, 100)];

/// Draws the settings.
pub fn setup(editor: &Editor) -> Html {
    let says = &messages().traffic.cluster;
    let run = &editor.traffic.run;
    let seconds = Number {
        value: run.seconds.into(),
        min: 1.0,
        max: RUN_SECONDS_MAX.into(),
        step: 30.0,
        kind: NumberKind::Whole,
    };
    let cache_hits = Number {
        value: percent(run.cache_hit_ratio),
        min: 0.0,
        max: 100.0,
        step: 10.0,
        kind: NumberKind::Any,
    };
    let storages = vec![(says.ssd.to_owned(), StorageMedium::Ssd), (says.hdd.into(), StorageMedium::Hdd)];
    let mut ranges = vec![(says.autoscale_off.to_owned(), None)];
    let own = run.autoscale.map(|range| (range.nodes_min, range.nodes_max));
    for (nodes_min, nodes_max) in RANGES.into_iter().chain(own.filter(|own| !RANGES.contains(own))) {
        ranges
            .push(((says.autoscale_to)(nodes_min, nodes_max), Some(AutoscaleRange { nodes_min, nodes_max })));
    }
    html! {
        <section class="traffic-setup" aria-labelledby="traffic-setup-title">
            <div class="traffic-head"><h3 id="traffic-setup-title">{says.title}</h3></div>
            <div class="traffic-fields">
                { number_field(says.nodes, nodes_number(run.nodes), editor.with(|traffic, nodes: f64| traffic.run.nodes = nodes as u32)) }
                { number_field(says.seconds, seconds, editor.with(|traffic, seconds: f64| traffic.run.seconds = seconds as u32)) }
                { one_of(says.storage, storages, &run.storage, editor.with(|traffic, storage| traffic.run.storage = storage)) }
                { number_field(says.cache_hits, cache_hits, editor.with(|traffic, percent: f64| traffic.run.cache_hit_ratio = percent / 100.0)) }
                { one_of(says.autoscale, ranges, &run.autoscale, editor.with(|traffic, range| traffic.run.autoscale = range)) }
            </div>
            { load_test(editor) }
            { changes(editor) }
            { thresholds(editor) }
        </section>
    }
}

fn load_test(editor: &Editor) -> Html {
    let says = &messages().traffic.cluster;
    let test = editor.traffic.run.load_test;
    let turn = editor.with(|traffic, is_on: bool| {
        let usual = LoadTest { per_second: 20_000.0, from_seconds: 0, for_seconds: 30 };
        traffic.run.load_test = is_on.then_some(usual);
    });
    let onchange = checked(says.load_test, &turn);
    let seconds = (0.0, RUN_SECONDS_MAX.into());
    let numbers: [FormNumber<LoadTest>; 3] = [
        FormNumber::whole(
            says.load_test_rate,
            (0.0, TRAFFIC_PER_SECOND_MAX),
            (|test| test.per_second, |test, value| test.per_second = value.max(1.0)),
        ),
        FormNumber::whole(says.load_test_from, seconds, number!(from_seconds as u32)),
        FormNumber::whole(says.load_test_for, seconds, number!(for_seconds as u32)),
    ];
    let fields = test.map(|test| {
        let edit = |place: Place<LoadTest>| {
            editor.with(move |traffic, value| {
                if let Some(test) = &mut traffic.run.load_test {
                    place.set(test, value);
                }
            })
        };
        form(numbers, &test, edit).collect::<Html>()
    });
    html! {
        <div class="traffic-fields">
            <label class="check" title={says.load_test_about}>
                <input type="checkbox" checked={test.is_some()} {onchange} />
                <span>{says.load_test}</span>
            </label>
            { for fields }
        </div>
    }
}

/// Returns a share in percent, without the digits that binary fractions add.
fn percent(share: f64) -> f64 {
    (share * 1e5).round() / 1e3
}

/// Draws the thresholds, which are ours.
fn thresholds(editor: &Editor) -> Html {
    let says = &messages().traffic.cluster;
    let numbers: [FormNumber<ClusterThresholds>; 3] = [
        FormNumber::any(
            says.cpu_target,
            (10.0, 95.0),
            (|of| percent(of.cpu_target), |of, percent| of.cpu_target = percent / 100.0),
        ),
        FormNumber::any(
            says.difference,
            (1.0, 100.0),
            (|of| percent(of.difference_max), |of, percent| of.difference_max = percent / 100.0),
        ),
        FormNumber::any(
            says.moved,
            (0.1, 100.0),
            (|of| percent(of.moved_per_minute), |of, percent| of.moved_per_minute = percent / 100.0),
        ),
    ];
    let fields = form(numbers, &editor.traffic.run.thresholds, |place| {
        editor.with(move |traffic, value| place.set(&mut traffic.run.thresholds, value))
    });
    html! {
        <details class="traffic-thresholds">
            <summary>{says.thresholds_title}</summary>
            <p class="soft small">{says.thresholds}</p>
            <div class="traffic-fields">
                { for fields }
            </div>
        </details>
    }
}

fn changes(editor: &Editor) -> Html {
    let says = &messages().traffic.cluster;
    let changes = &editor.traffic.run.changes;
    if changes.is_empty() {
        return html! {};
    }
    let line = |(at, change): (usize, &tabletop_workspace::ClusterChange)| {
        let text = (says.change)(change.at_seconds, &change.what);
        let drawn = change.clone();
        let remove = editor.with(move |traffic, ()| {
            if traffic.run.changes.get(at) == Some(&drawn) {
                traffic.run.changes.remove(at);
            }
        });
        html! { <li><span>{text.clone()}</span>{ tool(&(says.remove_change)(&text), Icon::Close, remove) }</li> }
    };
    html! {
        <div class="traffic-changes" role="group" aria-label={says.changes}>
            <span class="field-label">{says.changes}</span>
            <ul>{ for changes.iter().enumerate().map(line) }</ul>
        </div>
    }
}
