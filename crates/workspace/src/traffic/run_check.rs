//! Checks how a traffic is run: numbers must be in their ranges, and changes must be ordered by
//! time.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::thousands;
use tabletop_model::unescape;

use super::check::{TRAFFIC_PER_SECOND_MAX, TrafficPart, TrafficProblem};
use super::run::{
    CHANGES_MAX, ChangeKind, ClusterChange, ClusterThresholds, LoadTest, NODES_MAX, RUN_SECONDS_MAX,
    TABLETS_MIN_MAX, TrafficRun, UTILIZATIONS,
};

/// The maximum number of letters of a node's name: enough for far more nodes than a cluster ever
/// has.
const NODE_LETTERS_MAX: usize = 5;

impl TrafficRun {
    /// Adds the problems of the run of a traffic. `peak_per_second` is the rate of its streams at
    /// the peaks of their schedules.
    pub(super) fn problems(&self, peak_per_second: f64, problems: &mut Vec<TrafficProblem>) {
        let ClusterThresholds { cpu_target, difference_max, moved_per_minute, tablet_load_max } =
            self.thresholds;
        for (place, share, least, most) in [
            ("cpu_target", cpu_target, UTILIZATIONS[0], UTILIZATIONS[1]),
            ("difference_max", difference_max, 0.01, 1.0),
            ("moved_per_minute", moved_per_minute, 0.001, 1.0),
            ("tablet_load_max", tablet_load_max.unwrap_or(1.0), 1.0, 1e9),
        ] {
            if !(least..=most).contains(&share) {
                let place = format!("traffic.run.thresholds.{place}");
                let why = format!("is {share}; it must be from {least} to {most}");
                problems.push(TrafficProblem { stream: None, part: TrafficPart::Run, place, why });
            }
        }
        let mut report = |place: &str, why: String| {
            problems.push(TrafficProblem {
                stream: None,
                part: TrafficPart::Run,
                place: format!("traffic.run.{place}"),
                why,
            });
        };
        let mut within = |place: &str, number: u32, least: u32, most: u32| {
            if !(least..=most).contains(&number) {
                report(place, format!("is {number}; it must be from {least} to {most}"));
            }
        };
        within("nodes", self.nodes, 1, NODES_MAX);
        within("seconds", self.seconds, 1, RUN_SECONDS_MAX);
        within("tablets_min", self.tablets_min, 0, TABLETS_MIN_MAX);
        if let Some(autoscale) = self.autoscale {
            within("autoscale.nodes_min", autoscale.nodes_min, 1, NODES_MAX);
            within(
                "autoscale.nodes_max",
                autoscale.nodes_max,
                autoscale.nodes_min.clamp(1, NODES_MAX),
                NODES_MAX,
            );
        }
        if let Some(LoadTest { from_seconds, for_seconds, .. }) = self.load_test {
            within("load_test.from_seconds", from_seconds, 0, RUN_SECONDS_MAX);
            within("load_test.for_seconds", for_seconds, 0, RUN_SECONDS_MAX);
        }
        if let Some(LoadTest { per_second, .. }) = self.load_test {
            let both = per_second + peak_per_second;
            if !(per_second > 0.0 && per_second <= TRAFFIC_PER_SECOND_MAX) {
                report(
                    "load_test.per_second",
                    format!("is {per_second}; it must be more than 0 and at most {TRAFFIC_PER_SECOND_MAX}"),
                );
            } else if both > TRAFFIC_PER_SECOND_MAX && peak_per_second <= TRAFFIC_PER_SECOND_MAX {
                let (both, most) = (thousands(both as u64), thousands(TRAFFIC_PER_SECOND_MAX as u64));
                let why = format!(
                    "reaches {both} requests per second with the streams at their peak; at most {most} are allowed"
                );
                report("load_test.per_second", why);
            }
        }
        if !(0.0..=1.0).contains(&self.cache_hit_ratio) {
            report("cache_hit_ratio", format!("is {}; it must be from 0 to 1", self.cache_hit_ratio));
        }
        if self.changes.len() > CHANGES_MAX {
            report(
                "changes",
                format!("has {} entries; at most {CHANGES_MAX} are allowed", self.changes.len()),
            );
        }
        for (index, change) in self.changes.iter().enumerate().take(CHANGES_MAX) {
            let before = index.checked_sub(1).map_or(0, |before| self.changes[before].at_seconds);
            change.problems(before, &mut |place, why| report(&format!("changes[{index}].{place}"), why));
        }
    }
}

impl ClusterChange {
    /// Reports the problems of a change that follows a change at `before` seconds.
    fn problems(&self, before: u32, report: &mut dyn FnMut(&str, String)) {
        if self.at_seconds > RUN_SECONDS_MAX {
            report("at_seconds", format!("is {}; it must be from 0 to {RUN_SECONDS_MAX}", self.at_seconds));
        } else if self.at_seconds < before {
            let why = format!(
                "is {}, and the change before it is at {before}; put them in the order of their times",
                self.at_seconds
            );
            report("at_seconds", why);
        }
        let mut node = |place: &str, letters: &str| {
            if letters.is_empty()
                || letters.len() > NODE_LETTERS_MAX
                || !letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            {
                report(place, format!("is \"{letters}\"; nodes are called A to Z, AA, AB and so on"));
            }
        };
        match &self.what {
            ChangeKind::Nodes(nodes) => {
                if !(1..=NODES_MAX).contains(nodes) {
                    report("what.nodes", format!("is {nodes}; it must be from 1 to {NODES_MAX}"));
                }
            }
            ChangeKind::Fail(letters) => node("what.fail", letters),
            ChangeKind::Move { row, to } => {
                node("what.move.to", to);
                if let Err(at) = unescape(row) {
                    let why = format!(
                        "is \"{row}\", and the backslash at byte {at} does not begin an escape: write \\\\, \\n, \\r, \\t or \\x0f"
                    );
                    report("what.move.row", why);
                }
            }
        }
    }
}
