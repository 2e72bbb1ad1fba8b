//! Both pipelines on their own tables, for a page that shows one user at a time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tabletop_engine::{Budget, Instance};
use tabletop_keys::Roles;
use tabletop_model::{Error, ReadStats, Request, Response, Result, Timestamp};
use tabletop_protocol::{
    ProfileEvent, ProfileRead, ProfilesBatch, ProfilesChunk, ProfilesForgotten, ProfilesWork, RankedItem,
    UserEvents, UserProfile,
};
use tabletop_workload::Events;
use tabletop_workload::personalization::{Item, Profile, Window, digest, items_of, profile_key, rank};
use tabletop_workspace::{Design, Strategy};

use super::{Batch, BatchPhase, PersonalTables, Personalization};
use crate::tables::Tables;

/// Approximate number of cells that a slice of the streaming pipeline reads: some milliseconds of
/// work.
const STREAM_CELLS: u64 = 20_000;
/// Approximate number of cells that a slice of the batch reads.
const BATCH_CELLS: u64 = 10_000;
/// Budget of the compaction between two slices.
const MAINTENANCE: Budget = Budget { bytes: 256 << 10 };
/// Maximum number of users in a list, of events of a user, and of items of the shop.
const BUSIEST_MAX: usize = 50;
const EVENTS_MAX: usize = 20;
const ITEMS: usize = 12;

/// The pipelines of one design.
pub struct ProfilesRun {
    instance: Instance,
    personal: Personalization,
    items: Vec<Item>,
    /// Number of events that have arrived.
    arrived: usize,
    /// The indices of each user's events, by app and user.
    users: BTreeMap<(String, String), Vec<u32>>,
    now: Timestamp,
    refused: u64,
    refusal: String,
    batch: Option<OpenBatch>,
    stream_micros: u64,
    /// What the last slice did, until its duration is known.
    did: Did,
}

/// A batch, which may be interrupted.
struct OpenBatch {
    /// `None` once the batch was interrupted.
    batch: Option<Batch>,
    shown: ProfilesBatch,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Did {
    Nothing,
    Stream,
    Batch,
}

/// Calls `work` with the tables of an instance. Returns its result, and the counts of the reads in
/// between.
fn with_tables<T>(
    instance: &mut Instance,
    now: Timestamp,
    work: impl FnOnce(&mut Tables) -> Result<T>,
) -> Result<(T, ReadStats)> {
    let mut counted = ReadStats::default();
    let mut ask = |request: Request| {
        let response = instance.handle(now, request);
        if let Response::Rows(chunk) = &response
            && chunk.resume.is_none()
        {
            counted.rows_seen += chunk.stats.rows_seen;
            counted.cells_seen += chunk.stats.cells_seen;
            counted.cells_returned += chunk.stats.cells_returned;
            counted.bytes_returned += chunk.stats.bytes_returned;
        }
        response
    };
    let value = work(&mut Tables::new(&mut ask))?;
    Ok((value, counted))
}

impl ProfilesRun {
    /// Prepares the pipelines for a design and these events. No event has arrived.
    ///
    /// # Errors
    /// The errors of [`Personalization::new`].
    pub fn new(design: &Design, events: &Events, strategy: &Strategy) -> Result<ProfilesRun> {
        let names = PersonalTables { events: "events".into(), profiles: "profiles".into() };
        let personal = Personalization::new(design, events.fields(), strategy, names)?;
        let mut instance = Instance::new();
        with_tables(&mut instance, 0, |tables| personal.create_tables(tables))?;
        Ok(ProfilesRun {
            instance,
            personal,
            items: items_of(events, ITEMS),
            arrived: 0,
            users: BTreeMap::new(),
            now: 0,
            refused: 0,
            refusal: String::new(),
            batch: None,
            stream_micros: 0,
            did: Did::Nothing,
        })
    }

    /// Does a slice of work, and returns the state with one user.
    ///
    /// # Errors
    /// The errors of the work. The results of earlier slices stay.
    pub fn go(
        &mut self,
        events: &Events,
        work: &ProfilesWork,
        user: Option<(&str, &str)>,
    ) -> Result<ProfilesChunk> {
        self.did = Did::Nothing;
        let mut forgotten = None;
        match (work, user) {
            (ProfilesWork::Nothing, _) => {}
            (ProfilesWork::Stream(count), _) => self.stream(events, *count as usize)?,
            (ProfilesWork::Strategy(strategy), _) => {
                self.personal.set_strategy(strategy)?;
                self.batch = None;
            }
            (ProfilesWork::Batch, _) => self.batch()?,
            (ProfilesWork::Interrupt, _) => {
                if let Some(open) = &mut self.batch
                    && open.batch.take().is_some()
                {
                    open.shown.is_interrupted = !open.shown.is_done;
                }
            }
            (ProfilesWork::Repeat, Some((app, user))) => self.repeat(events, app, user)?,
            (ProfilesWork::ForgetUser, Some((app, user))) => forgotten = Some(self.forget(app, Some(user))?),
            (ProfilesWork::ForgetApp, Some((app, _))) => forgotten = Some(self.forget(app, None)?),
            (ProfilesWork::Repeat | ProfilesWork::ForgetUser | ProfilesWork::ForgetApp, None) => {
                return Err(Error::invalid("Choose a user first."));
            }
        }
        self.instance.advance(self.now, MAINTENANCE);
        let user = user.map(|(app, user)| self.look(events, app, user)).transpose()?;
        let mut busiest: Vec<_> =
            self.users.iter().map(|((app, user), of)| (of.len() as u32, app, user)).collect();
        busiest.sort_by_key(|(count, app, user)| (Reverse(*count), *app, *user));
        let busiest = busiest.into_iter().take(BUSIEST_MAX);
        Ok(ProfilesChunk {
            events: self.arrived as u64,
            events_total: events.len() as u64,
            refused: self.refused,
            refusal: self.refusal.clone(),
            users: self.users.len() as u64,
            now: self.now,
            stream_micros: self.stream_micros,
            batch: self.batch.as_ref().map(|open| open.shown.clone()),
            forgotten,
            busiest: busiest
                .map(|(events, app, user)| UserEvents { app: app.clone(), user: user.clone(), events })
                .collect(),
            user,
        })
    }

    /// Adds the time of the last slice to its counts.
    pub fn charge(&mut self, micros: u64) {
        match (self.did, &mut self.batch) {
            (Did::Stream, _) => self.stream_micros += micros,
            (Did::Batch, Some(open)) => open.shown.micros += micros,
            _ => {}
        }
    }

    fn stream(&mut self, events: &Events, count: usize) -> Result<()> {
        self.did = Did::Stream;
        let time = Roles::of(events.fields()).time;
        let mut cells = 0;
        let end = events.len().min(self.arrived + count);
        while self.arrived < end && cells < STREAM_CELLS {
            let at = self.arrived as u32;
            self.arrived += 1;
            let micros =
                time.and_then(|field| events.fields()[field].micros(events.value(at as usize, field)?));
            self.now = self.now.max(micros.unwrap_or(self.now));
            cells += self.write(events, at, true)?;
        }
        Ok(())
    }

    /// Lets one event arrive. Returns the number of cells from which its user's profile was
    /// computed. An event that cannot be used for a profile is counted.
    fn write(&mut self, events: &Events, at: u32, is_new: bool) -> Result<u64> {
        let (now, mut cells) = (self.now, 0);
        let (personal, instance, users) = (&mut self.personal, &mut self.instance, &mut self.users);
        let (refused, refusal) = (&mut self.refused, &mut self.refusal);
        events.for_each([at], |at, record| {
            match with_tables(instance, now, |tables| personal.stream(tables, now, record)) {
                Ok((streamed, _)) => {
                    cells = streamed.profile.cells;
                    if is_new {
                        users.entry((streamed.app, streamed.user)).or_default().push(at);
                    }
                }
                Err(error) => {
                    *refused += 1;
                    if refusal.is_empty() {
                        *refusal = error.message;
                    }
                }
            }
        });
        Ok(cells)
    }

    fn repeat(&mut self, events: &Events, app: &str, user: &str) -> Result<()> {
        let last = self.users.get(&(app.to_owned(), user.to_owned())).and_then(|of| of.last().copied());
        let last = last.ok_or_else(|| Error::invalid("No event of this user has arrived."))?;
        self.write(events, last, false).map(drop)
    }

    fn batch(&mut self) -> Result<()> {
        self.did = Did::Batch;
        let (personal, now) = (&self.personal, self.now);
        let running = self.batch.as_mut().and_then(|open| open.batch.take());
        let before =
            self.batch.as_ref().map_or(0, |open| if open.shown.is_done { 0 } else { open.shown.micros });
        let work = |tables: &mut Tables| {
            let mut batch = match running {
                Some(batch) => batch,
                None => Batch::start(tables, personal, None, now)?,
            };
            batch.step(tables, personal, BATCH_CELLS)?;
            Ok(batch)
        };
        let (batch, _) = with_tables(&mut self.instance, now, work)?;
        let progress = batch.progress(0);
        let is_done = progress.phase == BatchPhase::Done;
        let shown = ProfilesBatch {
            is_done,
            is_interrupted: false,
            is_resumed: progress.is_resumed,
            users: progress.users,
            cells: progress.cells,
            removed: progress.removed,
            share: progress.share,
            micros: before,
        };
        self.batch = Some(OpenBatch { batch: (!is_done).then_some(batch), shown });
        Ok(())
    }

    fn forget(&mut self, app: &str, user: Option<&str>) -> Result<ProfilesForgotten> {
        let personal = &self.personal;
        let work = |tables: &mut Tables| match user {
            Some(user) => personal.forget_user(tables, app, user),
            None => personal.forget_app(tables, app),
        };
        let (forgotten, _) = with_tables(&mut self.instance, self.now, work)?;
        self.users.retain(|(of_app, of_user), _| of_app != app || user.is_some_and(|user| user != of_user));
        Ok(ProfilesForgotten {
            event_rows: forgotten.event_rows,
            profile_rows: forgotten.profile_rows,
            rows_left: forgotten.rows_left,
        })
    }

    fn look(&mut self, events: &Events, app: &str, user: &str) -> Result<UserProfile> {
        let (personal, now) = (&self.personal, self.now);
        let (stored, _) = with_tables(&mut self.instance, now, |tables| personal.stored(tables, app, user))?;
        let (_, counted) =
            with_tables(&mut self.instance, now, |tables| personal.compute(tables, now, app, user))?;
        let strategy = personal.strategy();
        let is_current = stored.as_ref().is_some_and(|stored| stored.strategy == digest(strategy));
        let at = stored.as_ref().map(|stored| stored.at);
        let profile = stored.map(|stored| stored.profile).unwrap_or_default();
        let of_user = self.users.get(&(app.to_owned(), user.to_owned())).map_or(&[][..], Vec::as_slice);
        Ok(UserProfile {
            app: app.into(),
            user: user.into(),
            key: profile_key(app, user),
            scores: profile.by_score().into_iter().map(|(text, score)| (text.to_owned(), score)).collect(),
            at,
            is_current,
            events: last_events(events, of_user, strategy, now),
            read: ProfileRead {
                rows_seen: counted.rows_seen,
                cells_seen: counted.cells_seen,
                cells_returned: counted.cells_returned,
                bytes_returned: counted.bytes_returned,
            },
            items: ranked(&self.items, &profile),
        })
    }
}

/// Returns the last events of a user, newest first, with their scores.
fn last_events(events: &Events, of_user: &[u32], strategy: &Strategy, now: Timestamp) -> Vec<ProfileEvent> {
    let fields = events.fields();
    let roles = Roles::of(fields);
    let window = Window::at(now, strategy);
    let one = |at: &u32| {
        let value = |field: Option<usize>| {
            field.and_then(|field| events.value(*at as usize, field)).unwrap_or_default()
        };
        let time = roles.time.and_then(|field| fields[field].micros(value(Some(field))));
        let (kind, name, facets) = match &roles.event {
            Some(event) => {
                (value(Some(event.event_type)), value(Some(event.event_name)), value(Some(event.facets)))
            }
            None => Default::default(),
        };
        ProfileEvent {
            time,
            name: format!("{kind} {name}"),
            facets: facets.into(),
            score: strategy.event_score(kind, name),
            in_window: time.is_some_and(|time| window.contains(time)),
        }
    };
    let mut last: Vec<ProfileEvent> = of_user.iter().rev().take(EVENTS_MAX).map(one).collect();
    last.sort_by_key(|event| Reverse(event.time));
    last
}

/// Returns all items in the order of a profile.
fn ranked(items: &[Item], profile: &Profile) -> Vec<RankedItem> {
    let item = |ranked: tabletop_workload::personalization::Ranked| {
        let item = &items[ranked.item];
        RankedItem {
            name: item.name.clone(),
            facets: item.facets.clone(),
            before: ranked.item as u32,
            score: ranked.score,
            reasons: ranked.reasons,
        }
    };
    rank(items, profile).into_iter().map(item).collect()
}

#[cfg(test)]
mod tests;
