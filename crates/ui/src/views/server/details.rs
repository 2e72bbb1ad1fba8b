//! A table in figures: rows per second and latency over time, its tablets, its column families.

use std::ops::Range;

use tabletop_model::{ColumnFamily, GcRule, RowKey, TabletView, escape};
use tabletop_protocol::LiveSecond;
use tabletop_shell::gc_policy_text;
use tabletop_texts::messages;
use tabletop_views::{
    charts::{Curve, Curves, Scale},
    scene::Paint,
    server::SeenTable,
};
use yew::{Html, html};

use crate::kit::{Cell, Row, Table, columns, figure};

/// The maximum number of tablets in the table.
const TABLETS_MAX: usize = 100;

/// Draws both charts for these seconds, up to the current one.
pub fn charts(table: &SeenTable, seconds: Range<u32>, position: u32) -> Html {
    let says = &messages().server;
    let names = &messages().traffic.charts;
    let throughput: [Curve<LiveSecond>; 2] = [
        Curve::new(Paint::Part(1), says.reads, |second| second.reads),
        Curve::new(Paint::Part(3), says.writes, |second| second.writes),
    ];
    let latency: [Curve<LiveSecond>; 3] = [
        Curve::new(Paint::Part(1), names.p50, |second| second.calls.latency_micros[0]),
        Curve::new(Paint::Part(3), names.p95, |second| second.calls.latency_micros[1]),
        Curve::new(Paint::Part(2), names.p99, |second| second.calls.latency_micros[2]),
    ];
    let (history, history_from) = table.history();
    let chart = |title, curves: &[Curve<LiveSecond>], up_to, now| {
        let (seconds, scale) = (seconds.clone(), Scale::Linear);
        figure(&Curves { title, curves, history, history_from, seconds, position, scale }, up_to, now)
    };
    html! {
        <div class="traffic-charts">
            { chart(says.throughput, &throughput, names.up_to_rate, names.up_to_rate) }
            { chart(says.latency, &latency, names.up_to_latency, names.micros) }
        </div>
    }
}

/// Draws the tablets in key order; of very many, the ones with most load.
pub fn tablets(tablets: &[TabletView]) -> Html {
    let says = &messages().server;
    let load = |tablet: &TabletView| tablet.reads_per_second + tablet.writes_per_second;
    let total: f64 = tablets.iter().map(load).sum();
    let mut shown: Vec<&TabletView> = tablets.iter().collect();
    shown.sort_by(|one, other| load(other).total_cmp(&load(one)));
    shown.truncate(TABLETS_MAX);
    shown.sort_by(|one, other| one.start.cmp(&other.start));
    let key = |key: &RowKey, nothing: &'static str| {
        if key.is_empty() {
            html! { <span class="soft">{nothing}</span> }
        } else {
            html! { <span class="mono">{escape(key)}</span> }
        }
    };
    let line = |tablet: &&TabletView| {
        let share = if total > 0.0 { load(tablet) / total } else { 0.0 };
        let percent = (share * 100.0).round();
        let share = html! {
            <>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={percent.to_string()} height="8" class={if share > 0.5 && tablets.len() > 1 { "hot" } else { "" }} />
                </svg>
                {format!("{percent}%")}
            </>
        };
        Row::named(key(&tablet.start, says.first_key))
            .key(tablet.id.0)
            .cell(key(&tablet.end, says.last_key))
            .cells([(says.rows)(tablet.rows, tablet.exact), (says.bytes)(tablet.bytes)])
            .cells([tablet.reads_per_second, tablet.writes_per_second].map(says.per_second))
            .cell(Cell::from(share).class("num server-share"))
    };
    let title = (says.tablets)(tablets.len());
    html! {
        <section>
            <h3>{&title}</h3>
            { Table::new(columns(says.tablet_columns, 2..7), shown.iter().map(line)).class("small").within("server-tablets", title.clone()) }
            if tablets.len() > shown.len() { <p class="soft small">{(says.tablets_left_out)(tablets.len() - shown.len())}</p> }
        </section>
    }
}

/// Draws the column families with their GC rules.
pub fn families(families: &[ColumnFamily]) -> Html {
    let says = &messages().server;
    let rule = |rule: &GcRule| match gc_policy_text(rule) {
        Some(text) if *rule != GcRule::default() => html! { <code class="mono">{text}</code> },
        _ => html! { {says.keeps_all} },
    };
    html! {
        <section aria-label={says.families}>
            <h3>{says.families}</h3>
            if families.is_empty() { <p class="soft">{says.no_families}</p> }
            <dl class="server-families">
                { for families.iter().map(|family| html! { <><dt class="mono">{&family.name}</dt><dd>{rule(&family.gc_rule)}</dd></> }) }
            </dl>
        </section>
    }
}
