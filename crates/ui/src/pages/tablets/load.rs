//! Who takes the writes: read off one picture of a table, so that the same picture always says the same.

use tabletop_model::order::sorted;
use tabletop_model::{TableSettings, TableView, TabletView};

use crate::messages::numbers::{bytes, count as counted, thousands};

/// A tablet with so many times the mean load is hot, unless so few tablets there are that a share says it better.
const HOT_TIMES_MEAN: f64 = 4.0;
/// A tablet with this share of all load is hot, if there are others.
const HOT_SHARE: f64 = 0.75;
/// So large a part of the load, taken by less than [`FEW`] of the tablets, is worth a headline.
const MOST: f64 = 0.9;
/// A part of all tablets.
const FEW: f64 = 0.25;
/// Below this many writes a second nothing is worth a word.
const QUIET_PER_SECOND: f64 = 0.05;

/// The load of the last seconds, tablet by tablet.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Writes a second, all tablets.
    pub writes_per_second: f64,
    /// Tablets that took any.
    pub busy: usize,
    /// The one that took most, if any did.
    pub hottest: Option<usize>,
    /// Writes of the hottest over those of the median tablet; nothing if the median tablet took none.
    pub times_median: Option<f64>,
    /// For each tablet, its share of all writes, 0 to 1.
    pub shares: Vec<f64>,
    /// For each tablet, whether it takes far more than the others.
    pub hot: Vec<bool>,
}

/// What the strip shows, in one sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// The sentence.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

/// How a headline is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing to judge.
    Plain,
    /// The load is spread.
    Good,
    /// Few tablets take nearly all.
    Hot,
}

impl Load {
    /// Reads the load off a table.
    pub fn of(table: &TableView) -> Load {
        let rates: Vec<f64> = table.tablets.iter().map(|tablet| tablet.writes_per_second).collect();
        let total: f64 = rates.iter().sum();
        let quiet = total < QUIET_PER_SECOND;
        let mean = total / rates.len().max(1) as f64;
        let median = sorted(rates.clone(), f64::total_cmp).get(rates.len() / 2).copied().unwrap_or(0.0);
        let hottest = (0..rates.len()).max_by(|&a, &b| rates[a].total_cmp(&rates[b])).filter(|_| !quiet);
        let is_hot = |rate: f64| rates.len() > 1 && !quiet && (rate >= HOT_TIMES_MEAN * mean || rate >= HOT_SHARE * total);
        Load {
            writes_per_second: if quiet { 0.0 } else { total },
            busy: rates.iter().filter(|&&rate| rate > 0.0).count(),
            hottest,
            times_median: hottest.filter(|_| median > 0.0).map(|hottest| rates[hottest] / median),
            shares: rates.iter().map(|rate| if quiet { 0.0 } else { rate / total }).collect(),
            hot: rates.iter().map(|&rate| is_hot(rate)).collect(),
        }
    }

    /// 0 (idle) to 4 (hot): the fill of a tablet.
    pub fn level(&self, tablet: usize) -> usize {
        let times_mean = self.shares[tablet] * self.shares.len() as f64;
        match times_mean {
            _ if self.hot[tablet] => 4,
            t if t <= 0.0 => 0,
            t if t < 0.5 => 1,
            t if t < 2.0 => 2,
            _ => 3,
        }
    }

    /// How many tablets, the busiest first, take [`MOST`] of all writes, and what they take together.
    fn fewest_with_most(&self) -> (usize, f64) {
        let shares = sorted(self.shares.clone(), |a, b| b.total_cmp(a));
        let mut together = 0.0;
        for (at, share) in shares.iter().enumerate() {
            together += share;
            if together >= MOST {
                return (at + 1, together);
            }
        }
        (shares.len(), together)
    }

    /// What the picture says.
    pub fn headline(&self, table: &TableView) -> Headline {
        let count = thousands(table.tablets.len() as u64);
        let seconds = TableSettings::default().load_window_seconds;
        let say = |tone, text| Headline { text, tone };
        if table.tablets.iter().all(|tablet| tablet.rows == 0) {
            return say(Tone::Plain, "No rows yet".into());
        }
        if table.tablets.len() == 1 {
            return say(Tone::Plain, "All rows still fit into one tablet".into());
        }
        let Some(hottest) = self.hottest else {
            return say(Tone::Plain, format!("No writes in the last {seconds} s: {count} tablets are idle"));
        };
        let (few, together) = self.fewest_with_most();
        let is_few = few == 1 || (few as f64) < FEW * table.tablets.len() as f64;
        if is_few || self.hot[hottest] {
            let (few, share) = if is_few { (few, together) } else { (1, self.shares[hottest]) };
            let part = if share > 0.995 { "All".to_owned() } else { format!("{:.0} % of the", share * 100.0) };
            return say(Tone::Hot, format!("{part} writes of the last {seconds} s fall into {few} of {count} tablets"));
        }
        let spread = format!("Writes are spread over {} of {count} tablets", self.busy);
        match self.times_median {
            Some(times) => say(Tone::Good, format!("{spread}; the hottest takes {times:.1}× the median")),
            None => say(Tone::Plain, format!("{spread}; more than half of them take none")),
        }
    }
}

/// One tablet in words, for who cannot see its colour.
pub fn describe(tablet: &TabletView, at: usize, count: usize, hot: bool) -> String {
    format!(
        "Tablet {} of {count}{}: {}, {}, {} writes per second",
        at + 1,
        if hot { ", hot" } else { "" },
        counted(tablet.rows, "row", "rows"),
        bytes(tablet.bytes),
        rate(tablet.writes_per_second),
    )
}

/// A count that may be one too many for each row that lies in several places.
pub fn about(count: u64, exact: bool) -> String {
    let about = if exact { "" } else { "≈ " };
    format!("{about}{}", thousands(count))
}

/// A rate with as many digits as it is worth.
pub fn rate(per_second: f64) -> String {
    if per_second > 0.0 && per_second < 9.95 { format!("{per_second:.1}") } else { thousands(per_second.round() as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::TabletId;

    /// A table with one tablet for each rate.
    pub fn table(rates: &[f64]) -> TableView {
        let tablet = |(at, &writes_per_second): (usize, &f64)| TabletView {
            exact: true,
            id: TabletId(at as u64),
            parent: None,
            start: Default::default(),
            end: Default::default(),
            rows: 10,
            cells: 10,
            bytes: 1_000,
            memtable_bytes: 0,
            sstables: 1,
            reads: 0,
            writes: 10,
            reads_per_second: 0.0,
            writes_per_second,
        };
        TableView { tablets: rates.iter().enumerate().map(tablet).collect(), ..TableView::default() }
    }

    fn says(rates: &[f64]) -> String {
        let table = table(rates);
        let headline = Load::of(&table).headline(&table);
        format!("{:?}: {}", headline.tone, headline.text)
    }

    #[test]
    fn one_tablet_takes_all() {
        assert_eq!(says(&[0.0, 0.0, 0.0, 500.0]), "Hot: All writes of the last 10 s fall into 1 of 4 tablets");
    }

    #[test]
    fn one_tablet_takes_nearly_all() {
        assert_eq!(says(&[1.0, 1.0, 2.0, 46.0]), "Hot: 92 % of the writes of the last 10 s fall into 1 of 4 tablets");
    }

    #[test]
    fn two_of_many_take_all() {
        let mut rates = [0.0; 12];
        (rates[3], rates[11]) = (40.0, 60.0);
        assert_eq!(says(&rates), "Hot: All writes of the last 10 s fall into 2 of 12 tablets");
    }

    #[test]
    fn one_stands_out_among_busy_ones() {
        let rates = [10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 80.0, 10.0, 10.0];
        assert_eq!(says(&rates), "Hot: 47 % of the writes of the last 10 s fall into 1 of 10 tablets");
    }

    #[test]
    fn two_tablets_at_an_equal_load_are_not_hot() {
        let spread = "Good: Writes are spread over 2 of 2 tablets; the hottest takes 1.0× the median";
        assert_eq!(says(&[50.0, 50.0]), spread);
    }

    #[test]
    fn load_that_is_spread_is_good() {
        let spread = "Good: Writes are spread over 5 of 5 tablets; the hottest takes 1.4× the median";
        assert_eq!(says(&[10.0, 9.0, 14.0, 10.0, 11.0]), spread);
    }

    #[test]
    fn silence_is_not_judged() {
        assert_eq!(says(&[0.0, 0.0]), "Plain: No writes in the last 10 s: 2 tablets are idle");
        assert_eq!(says(&[3.0]), "Plain: All rows still fit into one tablet");
        assert_eq!(says(&[]), "Plain: No rows yet");
    }

    #[test]
    fn levels_rise_with_load() {
        let load = Load::of(&table(&[0.0, 2.0, 10.0, 25.0, 10.0, 10.0, 10.0, 10.0, 10.0, 90.0]));
        let levels: Vec<usize> = (0..10).map(|at| load.level(at)).collect();
        assert_eq!(levels, [0, 1, 2, 2, 2, 2, 2, 2, 2, 4]);
        assert_eq!(Load::of(&table(&[10.0, 10.0, 25.0, 10.0])).level(2), 2);
        assert_eq!(Load::of(&table(&[5.0, 5.0, 30.0, 5.0, 5.0])).level(2), 3);
    }
}
