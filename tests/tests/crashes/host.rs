//! The host of an instance: its clock, the background work that its one or several threads do, and
//! the backups that it makes during that work.

use proptest::prelude::*;
use proptest::sample::select;
use tabletop_engine::{Budget, CompactionStep, Instance, LargeWrite};
use tabletop_model::{Request, TableRequest, Timestamp};
use tabletop_tests::faulty::{FaultyStorage, chance};
use tabletop_tests::{Database, Reference};

use super::{COPY, TABLE};

/// The threads of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    One,
    Several,
}

pub fn threads() -> impl Strategy<Value = Threads> {
    select(vec![Threads::One, Threads::Several])
}

/// The host's clock, its threads, and its backups.
pub struct Host {
    pub disk: FaultyStorage,
    pub now: Timestamp,
    pub threads: Threads,
    pub chance: Box<dyn FnMut(u64) -> u64>,
    /// The steps that have been started.
    pub steps: Vec<CompactionStep>,
    /// A large write that has begun, when, and what it writes.
    pub large: Option<(LargeWrite, Timestamp, Request)>,
    /// The backups, and what they must contain.
    pub backups: Vec<(String, Reference)>,
    backups_made: u64,
}

/// The maximum number of steps that threads run at the same time.
const STEPS_MAX: usize = 2;
const SLICE: Budget = Budget { bytes: 4_096 };

impl Host {
    pub fn new(disk: &FaultyStorage, threads: Threads, seed: u64) -> Host {
        let (now, chance) = (1_700_000_000_000_000, Box::new(chance(seed)));
        let disk = disk.clone();
        Host {
            disk,
            now,
            threads,
            chance,
            steps: Vec::new(),
            large: None,
            backups: Vec::new(),
            backups_made: 0,
        }
    }

    /// Does some of the background work. What the storage refuses is retried later.
    pub fn work(&mut self, engine: &mut Instance<FaultyStorage>) {
        if self.threads == Threads::One {
            return;
        }
        for _ in 0..(self.chance)(4) {
            let step = (self.chance)(self.steps.len().max(1) as u64) as usize;
            match (self.chance)(6) {
                0 | 1 => drop(engine.advance_apart(self.now, SLICE)),
                2 | 3 if self.steps.len() < STEPS_MAX => self.steps.extend(engine.take_step(self.now)),
                4 if !self.steps.is_empty() => {
                    let budget = Budget { bytes: 1 + (self.chance)(3_000) };
                    let step = self.steps.remove(step).run(&mut self.disk.clone(), budget);
                    self.steps.push(step);
                }
                5 if !self.steps.is_empty() => drop(engine.put_back(self.now, self.steps.remove(step))),
                _ => {}
            }
        }
    }

    pub fn settle(&mut self, engine: &mut Instance<FaultyStorage>) {
        if self.threads == Threads::One {
            return engine.settle(self.now);
        }
        self.steps.drain(..).for_each(|step| drop(engine.put_back(self.now, step)));
        for rounds in 0.. {
            assert!(rounds < 20_000, "the work never ends");
            let more = engine.advance_apart(self.now, SLICE);
            let step = engine.take_step(self.now).map(|step| step.run(&mut self.disk.clone(), SLICE));
            match step.map(|step| engine.put_back(self.now, step)) {
                Some(Err(_)) => return,
                None if !more => return,
                _ => {}
            }
        }
    }

    /// Creates and deletes backups, and a table that shares their files.
    pub fn manage_backups(&mut self, engine: &mut Instance<FaultyStorage>, table: &Reference) {
        match (self.chance)(12) {
            0 => {
                self.backups_made += 1;
                let name = format!("b{}", self.backups_made);
                if engine.back_up(self.now, TABLE, &name).is_ok() {
                    self.backups.push((name, table.clone()));
                }
            }
            1 if !self.backups.is_empty() => drop(engine.delete_backup(&self.backups.remove(0).0)),
            2 => {
                if let Some((name, _)) = self.backups.last() {
                    let _ = engine.restore_table(self.now, name, COPY);
                }
            }
            3 => drop(engine.delete_table(COPY)),
            4 => drop(engine.handle(self.now, TableRequest::Compact.of(COPY))),
            _ => {}
        }
    }
}
