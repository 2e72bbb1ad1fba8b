//! The verdict on a design: one value that determines the headline, the advice below it, its button
//! and the tick.
//!
//! It is judged in this order, and the first point that applies decides:
//!
//! | | tone |
//! |---|---|
//! | the events are too few, or have no time | plain: there is no tick |
//! | events are refused, or have no place of their own | caution, or hot: the headline says how many |
//! | an access pattern is answered by other events than a plain filter returns | caution, or hot: the headline says which |
//! | the events of one moment go to 1 to 4 places, by the key itself | hot |
//! | ..., with 2 to 4 salts | caution: more salts are advised |
//! | ..., to 5 to 31 places, by values of a field or by rows | caution: values differ in frequency, and their number is given |
//! | ..., with 5 or more salts that are even and part the events of one moment | good |
//! | ..., to all tablets | by the share of the busiest one: good up to 4 times the mean, hot over one half, plain between |
//!
//! The events of one moment ([`crate::LiveLoad`]) are made of the loaded ones, so this changes neither
//! while the loaded events arrive nor afterwards. The tablets show the writes of the last seconds of
//! the loaded events. A tick needs both: an even live load, and no tablet that the loaded events make
//! busier than others.
//!
//! Shares of fewer than 12 tablets jump with each split. So while events arrive, a spread load of
//! so few tablets is plain; it is good when all events are there, or when there are more tablets.
//!
//! A row that takes much or an uneven salt are a caution in any case. Where the busiest of all tablets
//! is plain and the events show why, as a device that has a third of them, the advice says so.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::TableView;
use tabletop_workspace::Rates;

use super::pattern::{PLACES_TOO_FEW, Pattern, Skew};
use super::{Advice, Explanation, Fix, SaltUse, TableLoad, Warning, WarningKind};
use crate::WrongAnswer;
use crate::evaluate::Losses;

/// A tablet with more than this share of all writes is hot, if there are [`TABLETS_TO_JUDGE`] or
/// more.
const HOT_SHARE: f64 = 0.5;
/// Writes are spread evenly if the busiest tablet takes at most this share, and at most
/// [`EVEN_TIMES`] the mean.
const EVEN_SHARE: f64 = 0.375;
/// The largest share that the busiest tablet takes of an even load, as a multiple of the mean of
/// all tablets.
const EVEN_TIMES: f64 = 4.0;
/// The fewest tablets that can be judged by their shares. With fewer, each has a large share in any
/// case, and after a split the load of each half is an estimate.
const TABLETS_TO_JUDGE: usize = 12;
/// The share of all writes that a few tablets take if the key grows. (Not one tablet: after a
/// split, the older half keeps a part of the load window.)
const CONCENTRATED: f64 = 0.6;
/// Shares of the events to come and of the tablets that differ by less are the same.
const SAME_SHARE: f64 = 0.02;
/// The share of all writes that counts as nearly all of them.
const MOST: f64 = 0.9;

/// The verdict on a design under its load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The tone.
    pub tone: Tone,
    /// The finding.
    pub finding: Finding,
    /// Indices of the tablets that are hot, in key order.
    pub hot: Vec<u32>,
    /// The share of all writes that each tablet would take if the tablets that take writes, at most as
    /// many as can at one time, took the same, 0 to 1.
    pub fair_share: f64,
    /// The writes per second at which the table of a hot design saturates, however many nodes there
    /// are: what one node takes, by the share that one tablet gets of the live writes.
    #[serde(default)]
    pub saturates_at: Option<f64>,
    /// What explains the finding, if anything does.
    pub advice: Option<Explanation>,
    /// The first fix of it.
    pub fix: Option<Fix>,
}

/// The tone of a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Nothing to judge yet.
    #[default]
    Plain,
    /// The design spreads its writes, and no warning contradicts that.
    Good,
    /// The writes are spread now, but a warning names a reason why that may change, or why rows are
    /// lost.
    Caution,
    /// Few tablets take nearly all writes, whatever their number.
    Hot,
}

/// A finding about a design.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The table is empty.
    #[default]
    NoRows,
    /// The table has one tablet, so there is nothing to compare.
    OneTablet,
    /// No tablet took a write during the load window.
    Idle {
        /// The number of all tablets.
        tablets: u32,
    },
    /// The events are too few to judge, or have no time.
    NotJudged {
        /// The number of events.
        events: u32,
    },
    /// Events are not stored, or not in a place of their own.
    Incomplete {
        /// What the design loses.
        losses: Losses,
    },
    /// The answer to an access pattern differs from a plain filter over the events.
    WrongAnswer(WrongAnswer),
    /// The loaded events go to a few tablets at a time, because of the order of their file; live
    /// events will not.
    HotWhileLoading {
        /// The share of the busiest tablet.
        share: f64,
        /// The number of all tablets.
        tablets: u32,
        /// The share of the live events that the busiest tablet will take.
        live_share: f64,
    },
    /// New rows go next to each other.
    Concentrated {
        /// The busiest tablets, which take most writes.
        busy: u32,
        /// The number of all tablets.
        tablets: u32,
        /// The share of all writes that the busy ones take.
        share: f64,
    },
    /// New rows will go next to each other, but the loaded events do not arrive in that order.
    ConcentratedLive {
        /// Tablets that take writes.
        busy: u32,
        /// The number of all tablets.
        tablets: u32,
    },
    /// At any moment the writes go to the ends of a few ranges.
    FewRanges {
        /// The number of ranges.
        ranges: u32,
        /// The fields whose values begin them.
        fields: Vec<String>,
        /// The share of the busiest tablet.
        hottest_share: f64,
    },
    /// Too few rows for the load to be spread.
    FewRows {
        /// Different row keys.
        rows: u32,
    },
    /// A key that grows, spread by its salt.
    Salted {
        /// Salts of the template.
        salts: u32,
        /// The number of all tablets.
        tablets: u32,
        /// Whether each salt has one place where its rows arrive, or several.
        one_place_each: bool,
    },
    /// Salts that are used by few events, or not at all.
    UnevenSalt {
        /// Salts of the template.
        salts: u32,
        /// The salts that are used.
        used: u32,
        /// The share of the salt that is used most.
        share: f64,
    },
    /// One tablet takes far more than its share, although keys are spread.
    Skewed {
        /// The share of all writes.
        share: f64,
        /// The number of all tablets.
        tablets: u32,
    },
    /// The writes are spread, but one row takes much of them.
    LargeRow {
        /// Tablets that take writes.
        busy: u32,
        /// The number of all tablets.
        tablets: u32,
        /// The share of the row.
        share: f64,
    },
    /// The writes go to tablets all over the table.
    Spread {
        /// Tablets that take writes.
        busy: u32,
        /// The number of all tablets.
        tablets: u32,
        /// The share of the busiest tablet.
        hottest_share: f64,
    },
}

/// Whether more events will be written to the table that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// More events will be written.
    Ongoing,
    /// All events are in the table.
    Complete,
}

/// Judges a design by the advice on its events and by the load of its tablets.
pub fn judge(advice: &Advice, table: &TableView, arrival: Arrival) -> Verdict {
    let judged = of_load(advice, table, arrival);
    let heat = advice.load.map(|load| load.heat()).filter(|_| judged.tone == Tone::Hot);
    let saturates_at = heat.map(|heat| Rates::default().node_writes_per_second / heat);
    let judged = Verdict { saturates_at, ..judged };
    let of_kind = |kind| advice.warnings.iter().find(move |warning| warning.kind() == kind);
    match advice.losses {
        Some(losses) if !losses.is_complete() && judged.finding != Finding::NoRows => {
            let absent = of_kind(WarningKind::AbsentValue).filter(|_| losses.refused > 0);
            let warning = absent.or_else(|| of_kind(WarningKind::SharedKey));
            let tone = if judged.tone == Tone::Hot { Tone::Hot } else { Tone::Caution };
            Verdict {
                tone,
                finding: Finding::Incomplete { losses },
                advice: warning.map(|warning| Explanation::Warning(warning.cause.clone())),
                fix: warning.and_then(|warning| warning.fixes.first().cloned()),
                ..judged
            }
        }
        // Two equal lines may be one event that was sent twice, or two coffees: only the user knows.
        Some(losses) if losses.duplicates > 0 && judged.advice.is_none() => {
            let warning = of_kind(WarningKind::SharedKey);
            Verdict { advice: warning.map(|warning| Explanation::Warning(warning.cause.clone())), ..judged }
        }
        // A tick waits until all events are counted.
        None if judged.tone == Tone::Good => Verdict { tone: Tone::Plain, ..judged },
        _ => judged,
    }
}

/// Judges the spread of the writes.
fn of_load(advice: &Advice, table: &TableView, arrival: Arrival) -> Verdict {
    let load = TableLoad::of(table);
    let tablets = table.tablets.len();
    if table.tablets.iter().all(|tablet| tablet.rows == 0) {
        return Verdict::default();
    }
    // A tablet that is full takes no writes any more, as where the key ends with a time.
    let fair_share = 1.0 / places(advice).min(load.busy() as u64).max(1) as f64;
    let verdict = |tone, finding| Verdict { tone, finding, fair_share, ..Verdict::default() };
    let limits = |kind| advice.warnings.iter().find(move |warning| warning.kind() == kind);
    let explained = |verdict: Verdict, warning: Option<&Warning>| Verdict {
        advice: warning.map(|warning| Explanation::Warning(warning.cause.clone())),
        fix: warning.and_then(|warning| warning.fixes.first().cloned()),
        ..verdict
    };
    let tablets_count = tablets as u32;
    if let Pattern::FewRows(rows) = advice.pattern {
        let finding = verdict(Tone::Caution, Finding::FewRows { rows });
        return explained(finding, limits(WarningKind::LowCardinalityPrefix));
    }
    if tablets == 1 {
        return verdict(Tone::Plain, Finding::OneTablet);
    }
    if advice.load.is_none() && !advice.is_first_look {
        return match advice.pattern {
            // A time at the front is hot in any number of events.
            Pattern::Rising if advice.salt.is_none() => {
                let finding = Finding::ConcentratedLive { busy: load.busy() as u32, tablets: tablets_count };
                explained(verdict(Tone::Caution, finding), limits(WarningKind::MonotonicFirstField))
            }
            _ => verdict(Tone::Plain, Finding::NotJudged { events: advice.events }),
        };
    }
    if load.hottest().is_none() {
        return verdict(Tone::Plain, Finding::Idle { tablets: tablets_count });
    }
    let busiest = load.busiest(MOST);
    match (&advice.pattern, advice.salt) {
        (Pattern::Rising, None) => {
            let warning = limits(WarningKind::MonotonicFirstField);
            let judged = if load.share_of_busiest((tablets / 2).clamp(1, 3)) >= CONCENTRATED {
                // Where many tablets are needed for nearly all writes, or all of a small table, the
                // few that take most of them are named.
                let few = busiest.len() as u32 <= PLACES_TOO_FEW && busiest.len() < tablets;
                let busiest = if few { busiest } else { load.busiest(CONCENTRATED) };
                let share = busiest.iter().map(|&at| load.shares[at]).sum();
                let hot = busiest.iter().copied().filter(|&at| load.shares[at] >= 0.1).collect();
                let finding =
                    Finding::Concentrated { busy: busiest.len() as u32, tablets: tablets_count, share };
                verdict(Tone::Hot, finding).with_hot(hot)
            } else {
                verdict(
                    Tone::Hot,
                    Finding::ConcentratedLive { busy: load.busy() as u32, tablets: tablets_count },
                )
            };
            return explained(judged, warning);
        }
        (Pattern::FewRanges { ranges, fields }, None) => {
            let finding = Finding::FewRanges {
                ranges: *ranges,
                fields: fields.clone(),
                // As its fixes, by the events to come: the file may have another order.
                hottest_share: advice.load.map_or_else(|| load.hottest_share(), |live| live.heat()),
            };
            let is_hot = *ranges <= PLACES_TOO_FEW;
            let hot = if is_hot { busiest.into_iter().take(*ranges as usize).collect() } else { Vec::new() };
            let tone = if is_hot { Tone::Hot } else { Tone::Caution };
            return explained(
                verdict(tone, finding).with_hot(hot),
                limits(WarningKind::LowCardinalityPrefix),
            );
        }
        (_, Some(salt)) if salt.is_uneven => {
            let finding =
                Finding::UnevenSalt { salts: salt.salts, used: salt.used, share: salt.largest_share };
            return explained(verdict(Tone::Caution, finding), limits(WarningKind::UnevenSalt));
        }
        _ => {}
    }
    let share = load.hottest_share();
    let Some(live) = advice.load else {
        let busy = load.busy() as u32;
        return verdict(Tone::Plain, Finding::Spread { busy, tablets: tablets_count, hottest_share: share });
    };
    let heat = live.heat();
    // A salt of an hour is the same for all events of that hour, so it spreads none of them.
    let has_parting_salt = |salt: SaltUse| heat <= HOT_SHARE.max(1.5 / f64::from(salt.salts));
    if let (Pattern::Rising | Pattern::FewRanges { .. }, Some(salt)) =
        (&advice.pattern, advice.salt.filter(|salt| has_parting_salt(*salt)))
    {
        let one_place_each = advice.pattern == Pattern::Rising;
        let finding = Finding::Salted { salts: salt.salts, tablets: tablets_count, one_place_each };
        // A sign of caution has a reason, also where the salts are enough.
        return explained(
            verdict(good_unless(advice), finding),
            limits(WarningKind::FewSalts).or(serious(advice)),
        );
    }
    if heat > HOT_SHARE {
        let hot = (0..tablets).filter(|&at| load.shares[at] > HOT_SHARE).collect();
        let found = verdict(Tone::Hot, Finding::Skewed { share: heat, tablets: tablets_count }).with_hot(hot);
        // A salt that parts no events of a moment may have a warning of its own.
        let warning = serious(advice).filter(|_| advice.salt.is_some());
        return if warning.is_some() { explained(found, warning) } else { with_skew(found, advice) };
    }
    if let Some(row) = advice.largest_row {
        let finding = Finding::LargeRow { busy: load.busy() as u32, tablets: tablets_count, share: row };
        return explained(verdict(Tone::Caution, finding), limits(WarningKind::LargeRow));
    }
    // While events arrive, shares of few tablets are no evidence about the design: the next split
    // changes them.
    let is_settled = arrival == Arrival::Complete || tablets >= TABLETS_TO_JUDGE;
    let is_even = share <= EVEN_SHARE.min(EVEN_TIMES / tablets as f64).max(1.3 / tablets as f64);
    let is_even_live = heat <= EVEN_SHARE.min(EVEN_TIMES / f64::from(live.tablets));
    let tone = match good_unless(advice) {
        Tone::Good if !(is_even && is_even_live && is_settled) => Tone::Plain,
        tone => tone,
    };
    if tone == Tone::Plain && is_even_live && tablets >= TABLETS_TO_JUDGE && share > HOT_SHARE {
        let finding = Finding::HotWhileLoading { share, tablets: tablets_count, live_share: heat };
        return verdict(tone, finding);
    }
    let finding = Finding::Spread { busy: load.busy() as u32, tablets: tablets_count, hottest_share: share };
    let found = verdict(tone, finding);
    // One value has enough events for its tablet to limit the table, although it is not hot yet; or a
    // salt would spread what is uneven.
    let is_explained = advice.skew.is_seen() || advice.skew.fix.is_some() && found.is_spread_unevenly();
    if found.tone == Tone::Plain && is_explained && tablets >= TABLETS_TO_JUDGE {
        return with_skew(found, advice).with_kept_promise(share);
    }
    found
}

/// Explains a finding by the load that only the tablets show.
fn with_skew(found: Verdict, advice: &Advice) -> Verdict {
    let Skew { cause, fix } = advice.skew.clone();
    Verdict { advice: Some(Explanation::Skew(cause)), fix, ..found }
}

/// The tone of a spread load: caution if the design has a serious warning.
fn good_unless(advice: &Advice) -> Tone {
    if serious(advice).is_some() { Tone::Caution } else { Tone::Good }
}

/// The first warning for which a design is not rated good.
fn serious(advice: &Advice) -> Option<&Warning> {
    advice.warnings.iter().find(|warning| warning.kind().limits_load())
}

/// The number of places that can take writes at one time, given enough tablets.
fn places(advice: &Advice) -> u64 {
    let salts = advice.salt.map_or(1, |salt| u64::from(salt.used));
    match advice.pattern {
        Pattern::Spread => u64::MAX,
        Pattern::Rising => salts,
        Pattern::FewRanges { ranges, .. } => salts * u64::from(ranges),
        Pattern::FewRows(rows) => rows.into(),
    }
}

impl Verdict {
    fn with_hot(mut self, tablets: Vec<usize>) -> Verdict {
        self.hot = tablets.into_iter().map(|at| at as u32).collect();
        self.hot.sort_unstable();
        self
    }

    /// The verdict while a changed template does not parse: the finding stays, without a judgement.
    pub fn of_last_valid(self) -> Verdict {
        Verdict { tone: Tone::Plain, saturates_at: None, advice: None, fix: None, ..self }
    }

    /// The verdict with a fix that promises only what the tablets bear out, of which the hottest takes
    /// `share`. The fix was measured with the events to come. Where these find the design much hotter
    /// than the tablets do, its promise is left out, and so is the fix if the tablets are as even already
    /// as it would make them.
    fn with_kept_promise(mut self, share: f64) -> Verdict {
        let Some(fix) = &mut self.fix else { return self };
        let Some([before, after]) = fix.effect.heat else { return self };
        if share <= after + SAME_SHARE {
            self.fix = None;
        } else if (before - share).abs() > SAME_SHARE {
            fix.effect.heat = None;
        }
        self
    }

    /// Whether the tablet at this index is hot.
    pub fn is_hot(&self, tablet: usize) -> bool {
        self.hot.contains(&(tablet as u32))
    }

    /// The level of a tablet with this share of the writes, for its fill: 0 (idle), 1 (below half
    /// the fair share), 2 (below twice), 3 (more), 4 (hot).
    pub fn level(&self, tablet: usize, share: f64) -> usize {
        match share / self.fair_share.max(f64::MIN_POSITIVE) {
            _ if self.is_hot(tablet) => 4,
            times if times <= 0.0 => 0,
            times if times < 0.5 => 1,
            times if times < 2.0 => 2,
            _ => 3,
        }
    }

    /// Whether a spread load is uneven enough to be named: the busiest tablet takes many times the
    /// mean.
    pub fn is_spread_unevenly(&self) -> bool {
        let Finding::Spread { tablets, hottest_share, .. } = self.finding else { return false };
        hottest_share > EVEN_SHARE.min(EVEN_TIMES / f64::from(tablets))
            && tablets as usize >= TABLETS_TO_JUDGE
    }
}
