//! The experiment of Algolia's article: the same batch job on the same events, in several designs
//! and at several sizes.
//!
//! The article compares a narrow with a wide layout, and finds the wide one three times faster.
//! Here the profiles of all users are computed from tables of 1/n, 2/n … n/n of the events, for the
//! first facets of a list, and from the largest table also for 1, 2 … all facets. Each of these
//! runs is repeated, all runs are in random order, and every run begins with an empty block cache.
//! As in the article, profiles are computed but not stored.
//!
//! The experiment is a value that works in slices. It has no clock: the host passes one that counts
//! microseconds. The measurements are from one machine, in one process, without a network: the time
//! in which the engine reads, filters and returns rows ("server"), and the time in which values are
//! decoded and scores added up ("client"). A [`Network`] adds an explicit model of the network
//! between the two.
//!
//! After the runs, the encodings of values are compared: see `encodings.rs`.

mod encodings;
mod findings;
mod report;
mod table;

use tabletop_keys::{FieldKind, Layout, LayoutKind, Roles, facets};
use tabletop_model::{Error, Result, Timestamp};
use tabletop_protocol::experiment::{ExperimentProgress, Network};
use tabletop_workload::Events;
use tabletop_workload::personalization::{EventReader, Profile, UserKeys, UserRoles, Window};
use tabletop_workload::random::Random;
use tabletop_workspace::{Design, EventScore, FacetScore, Strategy};

use crate::personalization::Scan;
use crate::tables::Tables;
use encodings::Encodings;
use table::ExperimentTable;

/// What an experiment measures.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentSettings {
    /// The designs. All others are compared with the first one.
    pub designs: Vec<Design>,
    /// The number of tables of each design, 1 to 10. The last table has all events.
    pub sizes: u32,
    /// How often each run is repeated, 1 to 50.
    pub rounds: u32,
    /// The number of facets requested at all sizes, 1 or more. The strategy's facets come first.
    pub facets: u32,
    /// Determines the random order of the runs.
    pub seed: u64,
    /// The scores of events and facets. Without a strategy, all events and facets of the data
    /// count.
    pub strategy: Option<Strategy>,
    /// A model of the network between server and client; `None` measures without one.
    pub network: Option<Network>,
}

/// Cells of a slice, which takes some milliseconds. Each slice is a request.
const SLICE_CELLS: u64 = 20_000;
/// Events that a step writes.
const STEP_EVENTS: u32 = 2_000;

/// The experiment between two steps.
pub struct Experiment {
    settings: ExperimentSettings,
    /// Types and names of the events.
    scored: Vec<EventScore>,
    /// The facets, in the order in which they are requested.
    facets: Vec<String>,
    sizes: Vec<u32>,
    /// The time of the newest event, for which profiles are computed.
    now: Timestamp,
    designs: Vec<Contender>,
    /// The runs that remain. The last one is next.
    runs: Vec<Planned>,
    running: Option<Running>,
    done: Vec<Measured>,
    /// The comparison of encodings that follows the runs.
    encodings: Encodings,
}

/// A design and its tables, or the reason why it is left out.
struct Contender {
    name: String,
    keys: Result<UserKeys>,
    /// Ordered by size.
    tables: Vec<ExperimentTable>,
}

/// A run of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Planned {
    design: usize,
    size: usize,
    facets: usize,
}

/// A run in progress, between two slices.
struct Running {
    reader: EventReader,
    scan: Scan,
    user: Option<(String, String)>,
    profile: Profile,
    measured: Measured,
}

/// The measurements of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measured {
    pub design: usize,
    pub size: usize,
    pub facets: usize,
    pub rows: u64,
    pub cells: u64,
    pub cells_returned: u64,
    pub bytes_read: u64,
    pub bytes_returned: u64,
    pub requests: u64,
    pub server_micros: u64,
    pub client_micros: u64,
    pub users: u64,
    /// The sum of all scores: the same in all designs.
    pub scores: u64,
}

/// The layouts of the article, and a row for each user.
pub fn article_designs() -> Vec<Design> {
    vec![
        article_design("narrow", Layout::new(LayoutKind::Narrow)),
        article_design("wide", Layout::new(LayoutKind::Wide)),
        article_design("row per entity", Layout::new(LayoutKind::RowPerEntity)),
    ]
}

/// A design with the key of the article.
fn article_design(name: &str, layout: Layout) -> Design {
    Design::new(name, "{app_id},{user_token},{timestamp:iso}", layout)
}

impl Experiment {
    /// Prepares an experiment with these events.
    ///
    /// # Errors
    /// `InvalidArgument` for settings out of range, or a strategy with problems;
    /// `FailedPrecondition` for events that cannot make profiles.
    pub fn new(settings: ExperimentSettings, events: &Events) -> Result<Experiment> {
        check("sizes", settings.sizes, 1..=10)?;
        check("rounds", settings.rounds, 1..=50)?;
        check("designs", settings.designs.len() as u32, 1..=64)?;
        settings.strategy.as_ref().map_or(Ok(()), Strategy::check)?;
        if let Some(network) = settings.network
            && !(network.round_trip_micros >= 0.0
                && network.round_trip_micros.is_finite()
                && network.bytes_per_second > 0.0)
        {
            return Err(Error::invalid("The round trip is 0 or more, and the bandwidth above 0."));
        }
        if events.len() < settings.sizes as usize {
            return Err(Error::invalid(format!(
                "{} events are too few for {} sizes.",
                events.len(),
                settings.sizes
            )));
        }
        let fields = events.fields();
        let roles = UserRoles::of(fields)?;
        // Events and layouts without facets are refused here, with a reason.
        EventReader::new(&Layout::new(LayoutKind::Narrow), fields, &Strategy::new(vec![], vec![]))?;
        let found = Found::of(events);
        let (scored, facets) = found.asked(settings.strategy.as_ref());
        check("facets", settings.facets, 1..=facets.len() as u32)?;
        let all = events.len() as u64;
        let sizes = (1..=settings.sizes)
            .map(|part| (all * u64::from(part) / u64::from(settings.sizes)) as u32)
            .collect();
        let mut experiment = Experiment {
            scored,
            facets,
            sizes,
            now: found.newest,
            designs: Vec::new(),
            runs: Vec::new(),
            running: None,
            done: Vec::new(),
            encodings: Encodings::new(events, roles, settings.rounds, settings.seed),
            settings,
        };
        for design in &experiment.settings.designs {
            let contender = Contender::new(design, fields, roles, &experiment.sizes);
            experiment.designs.push(contender);
        }
        experiment.plan();
        Ok(experiment)
    }

    /// Plans the runs, in random order.
    fn plan(&mut self) {
        let largest = self.sizes.len() - 1;
        for (design, _) in self.designs.iter().enumerate().filter(|(_, contender)| contender.keys.is_ok()) {
            let usual = self.settings.facets as usize;
            let by_size = (0..=largest).map(|size| Planned { design, size, facets: usual });
            let by_facets = (1..=self.facets.len()).filter(|facets| *facets != usual).map(|facets| Planned {
                design,
                size: largest,
                facets,
            });
            let once: Vec<Planned> = by_size.chain(by_facets).collect();
            (0..self.settings.rounds).for_each(|_| self.runs.extend(&once));
        }
        let mut random = Random::new(self.settings.seed);
        for at in (1..self.runs.len()).rev() {
            self.runs.swap(at, random.below(at as u64 + 1) as usize);
        }
    }

    /// Does a slice of work: writes some events, or reads a slice of a run. `clock` returns
    /// microseconds. Returns whether work remains. There is no result before all work is done.
    ///
    /// # Errors
    /// Any error of the engine, for example when a filter for many facets is too long.
    pub fn step(&mut self, events: &Events, clock: &mut dyn FnMut() -> u64) -> Result<bool> {
        for contender in self.designs.iter_mut().filter(|contender| contender.keys.is_ok()) {
            if let Some(table) = contender.tables.iter_mut().find(|table| !table.is_complete()) {
                table.fill(events, STEP_EVENTS)?;
                return Ok(true);
            }
        }
        if self.encodings.fill(events)? {
            return Ok(true);
        }
        if self.running.is_none() {
            let Some(planned) = self.runs.pop() else { return Ok(self.encodings.measure(events, clock)) };
            self.running = Some(self.begin(planned, events)?);
        }
        self.read(clock)?;
        Ok(true)
    }

    /// Returns how much of the experiment is done.
    pub fn progress(&self) -> ExperimentProgress {
        let taking_part = || self.designs.iter().filter(|contender| contender.keys.is_ok());
        let runs = self.done.len() as u64;
        let (encoded, to_encode) = self.encodings.written();
        let (measured, to_measure) = self.encodings.runs();
        ExperimentProgress {
            written: encoded
                + taking_part()
                    .flat_map(|contender| &contender.tables)
                    .map(|table| u64::from(table.written()))
                    .sum::<u64>(),
            to_write: to_encode
                + taking_part().count() as u64 * self.sizes.iter().copied().map(u64::from).sum::<u64>(),
            runs: runs + measured,
            runs_total: runs + self.runs.len() as u64 + u64::from(self.running.is_some()) + to_measure,
        }
    }

    /// Returns the facets, in the order in which they are requested.
    pub fn facets(&self) -> &[String] {
        &self.facets
    }

    fn begin(&mut self, planned: Planned, events: &Events) -> Result<Running> {
        let strategy = self.strategy(planned.facets);
        let design = &self.settings.designs[planned.design];
        let reader = EventReader::new(&design.layout, events.fields(), &strategy)?;
        let table = &mut self.designs[planned.design].tables[planned.size];
        let scan = table.scan(&reader, Window::at(self.now, &strategy))?;
        let measured = Measured {
            design: planned.design,
            size: planned.size,
            facets: planned.facets,
            ..Measured::default()
        };
        Ok(Running { reader, scan, user: None, profile: Profile::default(), measured })
    }

    /// Returns a strategy with only the first `facets` facets.
    fn strategy(&self, facets: usize) -> Strategy {
        let window_days = self.settings.strategy.as_ref().map_or(90, |strategy| strategy.window_days);
        let score = |facet: &String| {
            self.settings.strategy.as_ref().map_or(0, |strategy| strategy.facet_score(facet)).max(1)
        };
        let facets =
            self.facets[..facets].iter().map(|facet| FacetScore::new(facet.clone(), score(facet))).collect();
        Strategy { window_days, ..Strategy::new(self.scored.clone(), facets) }
    }

    /// Reads a slice of the current run. The last slice completes the run.
    fn read(&mut self, clock: &mut dyn FnMut() -> u64) -> Result<()> {
        let Some(mut running) = self.running.take() else { return Ok(()) };
        let Contender { keys: Ok(keys), tables, .. } = &mut self.designs[running.measured.design] else {
            return Ok(());
        };
        // Rows of one user are neighbours, because the keys begin with the app and the user. So a
        // profile is complete when the user changes: for the rows `a,ada,…  a,ada,…  a,bob,…` the
        // third row ends the profile of `ada`.
        let table = &mut tables[running.measured.size];
        let window = Window::at(
            self.now,
            &self.settings.strategy.clone().unwrap_or_else(|| Strategy::new(vec![], vec![])),
        );
        let before = clock();
        let (rows, is_complete) =
            table.ask(|tables: &mut Tables| running.scan.next(tables, table::NAME, SLICE_CELLS))?;
        let returned = clock();
        for row in &rows {
            let Some((app, user)) = keys.split(table.template.logical(&row.key)) else { continue };
            if running.user.as_ref().is_none_or(|(known_app, known)| (&**known_app, &**known) != (app, user))
            {
                running.end_profile();
                running.user = Some((app.into(), user.into()));
            }
            row.cells.iter().for_each(|cell| running.reader.add(window, cell.into(), &mut running.profile));
        }
        if is_complete {
            running.end_profile();
        }
        let decoded = clock();
        running.measured.server_micros += returned.saturating_sub(before);
        running.measured.client_micros += decoded.saturating_sub(returned);
        if !is_complete {
            self.running = Some(running);
            return Ok(());
        }
        let (stats, requests) = running.scan.stats();
        self.done.push(Measured {
            rows: stats.rows_seen,
            cells: stats.cells_seen,
            cells_returned: stats.cells_returned,
            bytes_read: stats.bytes_read,
            bytes_returned: stats.bytes_returned,
            requests,
            ..running.measured
        });
        Ok(())
    }
}

impl Running {
    fn end_profile(&mut self) {
        if self.user.take().is_some() {
            self.measured.users += 1;
            self.measured.scores += self.profile.scores.values().sum::<u64>();
            self.profile = Profile::default();
        }
    }
}

impl Contender {
    fn new(design: &Design, fields: &[tabletop_keys::Field], roles: UserRoles, sizes: &[u32]) -> Contender {
        let prepared = ExperimentTable::prepare(design, fields, roles);
        let (keys, tables) = match prepared {
            Ok((keys, table)) => (Ok(keys), sizes.iter().map(|size| table(*size)).collect()),
            Err(error) => (Err(error), Vec::new()),
        };
        Contender { name: design.name.clone(), keys, tables }
    }
}

/// What a scan of the events has found.
struct Found {
    events: Vec<(String, String)>,
    facets: Vec<String>,
    newest: Timestamp,
}

impl Found {
    fn of(events: &Events) -> Found {
        let mut found = Found { events: Vec::new(), facets: Vec::new(), newest: 0 };
        let fields = events.fields();
        let roles = Roles::of(fields);
        let facet_field = fields.iter().position(|field| field.kind == FieldKind::Facets);
        for index in 0..events.len() {
            if let Some(event) = roles.event {
                let value = |field| events.value(index, field).unwrap_or_default();
                let (of, name) = (value(event.event_type), value(event.event_name));
                if !found.events.iter().any(|known| (&*known.0, &*known.1) == (of, name)) {
                    found.events.push((of.into(), name.into()));
                }
            }
            if let Some(micros) = roles.time.and_then(|at| fields[at].micros(events.value(index, at)?)) {
                found.newest = found.newest.max(micros);
            }
            // All events of a shop have the same facets, so the first thousands show them.
            if index < 20_000
                && let Some(text) = facet_field.and_then(|at| events.value(index, at))
            {
                facets::parse(text, |facet| {
                    if !found.facets.iter().any(|known| known == facet.name) {
                        found.facets.push(facet.name.into());
                    }
                });
            }
        }
        found
    }

    /// Returns the events to score, and the facets in the order in which they are requested: the
    /// strategy's facets come first.
    fn asked(&self, strategy: Option<&Strategy>) -> (Vec<EventScore>, Vec<String>) {
        let limit = tabletop_workspace::EVENT_SCORES_MAX;
        let all = || {
            self.events
                .iter()
                .take(limit)
                .map(|(of, name)| EventScore::new(of.clone(), name.clone(), 10))
                .collect()
        };
        let events = strategy
            .map(|strategy| strategy.events.clone())
            .filter(|events| !events.is_empty())
            .unwrap_or_else(all);
        let mut facets: Vec<String> = strategy
            .map(|strategy| strategy.facets.iter().map(|facet| facet.facet.clone()).collect())
            .unwrap_or_default();
        let others: Vec<String> =
            self.facets.iter().filter(|facet| !facets.contains(facet)).cloned().collect();
        facets.extend(others);
        facets.truncate(tabletop_workspace::FACET_SCORES_MAX);
        (events, facets)
    }
}

fn check(what: &str, value: u32, range: core::ops::RangeInclusive<u32>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(format!("{what} is {value}; it must be from {} to {}.", range.start(), range.end())))
}

#[cfg(test)]
mod tests;
