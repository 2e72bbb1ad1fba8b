//! The reports before and after a load.

use tabletop_keys::thousands;
use tabletop_model::GcRule;
use tabletop_shell::gc_policy_text;

use super::load::BulkLoad;
use super::send::Sent;
use crate::remote::{Missing, Target};

/// The writes per second of a node with SSD, in rows of 1 kB, as published by Google.
const NODE_WRITES_PER_SECOND: f64 = 14_000.0;

/// Formats the report of a dry run, which needs neither a project nor an instance.
pub(super) fn dry_run(
    place: &std::result::Result<Target, Missing>,
    table: &str,
    load: &BulkLoad,
    rate: Option<f64>,
) -> String {
    let host = place.as_ref().ok().and_then(|target| target.emulator.as_deref());
    let server = host.map_or("Google Cloud".into(), |host| format!("the server at {host}"));
    let (rate, why) = match rate {
        Some(rate) => (rate, "as requested"),
        None => (NODE_WRITES_PER_SECOND, "about one node with SSD"),
    };
    let mut out = format!("Dry run: nothing was changed. In {server}:\n");
    let mut line = |name: &str, what: String| out.push_str(&format!("  {name:<10}{what}\n"));
    match place {
        Ok(target) => line("table", target.table_name()),
        Err(Missing(flags)) => {
            line("table", table.into());
            line("missing", format!("{flags}, to push"));
        }
    }
    let names: Vec<&str> = load.families.iter().map(|family| &*family.name).collect();
    line("families", names.join(", "));
    for family in load.families.iter().filter(|family| family.gc_rule != GcRule::KeepAll) {
        line(
            "GC rule",
            gc_policy_text(&family.gc_rule)
                .map_or(String::new(), |rule| format!("{rule}, for {}", family.name)),
        );
    }
    line("splits", thousands(load.splits.len() as u64));
    line("rows", thousands(load.rows));
    line("cells", thousands(load.cells));
    line("bytes", thousands(load.bytes));
    line("requests", thousands(load.requests()));
    if load.refused > 0 {
        line("left out", format!("{} events that have no row", thousands(load.refused)));
    }
    if let Some(overwritten) = &load.overwritten {
        line("replaced", overwritten.text());
    }
    line(
        "time",
        format!(
            "{} at {} rows per second ({why})",
            duration(load.rows as f64 / rate),
            thousands(rate as u64)
        ),
    );
    out
}

/// Formats the report of a load.
pub(super) fn done(target: &Target, sent: &Sent, seconds: f64) -> String {
    let rate = thousands((sent.rows as f64 / seconds.max(0.001)) as u64);
    let retried = match sent.retries {
        0 => String::new(),
        1 => ", 1 of them a retry".into(),
        retries => format!(", {} of them retries", thousands(retries)),
    };
    format!(
        "Wrote {} rows ({} cells) to {} in {}: {rate} rows/s, {} requests{retried}.\n",
        thousands(sent.rows),
        thousands(sent.cells),
        target.table_name(),
        duration(seconds),
        thousands(sent.requests),
    )
}

fn duration(seconds: f64) -> String {
    match seconds.round() as u64 {
        0 => "less than a second".into(),
        1 => "1 second".into(),
        seconds @ 2..120 => format!("{seconds} seconds"),
        seconds @ 120..7200 => format!("{} minutes", (seconds + 30) / 60),
        seconds => format!("{} hours", (seconds + 1800) / 3600),
    }
}
