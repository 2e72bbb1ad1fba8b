//! The number of nodes that the load calls for. As Google's autoscaler does, it grows at once and
//! shrinks late (<https://cloud.google.com/bigtable/docs/autoscaling>).

use crate::Nanos;
use crate::settings::AutoscaleSettings;

/// The memory of an autoscaler: since when fewer nodes have been enough, and the most that were
/// needed in that time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Autoscaler {
    spare: Option<(Nanos, u32)>,
}

impl Autoscaler {
    /// Returns the number of nodes that there should be, given the mean share of their cores, 0 to
    /// 1, that `nodes` nodes use. A node cannot use more cores than it has, so an overloaded
    /// cluster grows in steps.
    pub fn wanted(&mut self, settings: &AutoscaleSettings, now: Nanos, nodes: u32, cpu: f64) -> u32 {
        let enough = libm::ceil(f64::from(nodes) * cpu / settings.cpu_target - 1e-9) as u32;
        let enough =
            enough.clamp(settings.nodes_min.max(1), settings.nodes_max.max(settings.nodes_min).max(1));
        if enough >= nodes {
            self.spare = None;
            return enough;
        }
        let (since, most) = self.spare.unwrap_or((now, enough));
        let most = most.max(enough);
        if now - since < settings.shrink_after_nanos {
            self.spare = Some((since, most));
            return nodes;
        }
        self.spare = None;
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECOND;

    const SETTINGS: fn() -> AutoscaleSettings = || AutoscaleSettings {
        cpu_target: 0.6,
        nodes_min: 2,
        nodes_max: 8,
        shrink_after_nanos: 600 * SECOND,
    };

    #[test]
    fn it_grows_at_once_and_within_its_limits() {
        let mut autoscaler = Autoscaler::default();
        assert_eq!(autoscaler.wanted(&SETTINGS(), 0, 3, 0.6), 3);
        assert_eq!(autoscaler.wanted(&SETTINGS(), 1, 3, 0.61), 4);
        assert_eq!(autoscaler.wanted(&SETTINGS(), 2, 6, 1.0), 8);
        assert_eq!(autoscaler.wanted(&SETTINGS(), 3, 1, 0.0), 2);
    }

    #[test]
    fn it_shrinks_to_the_most_that_was_needed_for_a_while() {
        let mut autoscaler = Autoscaler::default();
        for minute in 0..10 {
            let cpu = if minute == 4 { 0.4 } else { 0.1 };
            assert_eq!(autoscaler.wanted(&SETTINGS(), minute * 60 * SECOND, 6, cpu), 6, "minute {minute}");
        }
        assert_eq!(autoscaler.wanted(&SETTINGS(), 600 * SECOND, 6, 0.1), 4);
        assert_eq!(autoscaler.wanted(&SETTINGS(), 660 * SECOND, 4, 0.1), 4, "it waits again");
        assert_eq!(autoscaler.wanted(&SETTINGS(), 661 * SECOND, 4, 0.6), 4, "a peak ends the wait");
        assert_eq!(autoscaler.wanted(&SETTINGS(), 1_260 * SECOND, 4, 0.1), 4);
        assert_eq!(autoscaler.wanted(&SETTINGS(), 1_860 * SECOND, 4, 0.1), 2);
    }
}
