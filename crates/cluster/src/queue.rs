//! The queue of a node: waiting jobs are served in order, by several cores.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::Nanos;

/// The part of a request that one tablet answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The number of its request.
    pub request: u32,
    /// The tablet, by its index in the cluster's list.
    pub tablet: u32,
    /// The client's time when it sent the request.
    pub sent: Nanos,
    /// The time from which a node can serve it: later than `sent` if its tablet could not be
    /// reached.
    pub ready: Nanos,
    /// The CPU time that it takes.
    pub service: Nanos,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The job.
    pub job: Job,
    /// When it ended.
    pub at: Nanos,
    /// Whether it waited longer than its deadline, so that no core worked on it.
    pub expired: bool,
}

/// Jobs that wait for the cores of a node, and jobs in service. The job that is ready first is
/// served first.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Waiting jobs, by ascending `ready`.
    waiting: VecDeque<Job>,
    cores: Vec<Core>,
    deadline: Nanos,
    /// The time until which it has run.
    now: Nanos,
    /// CPU time of all cores that was spent since the last [`Queue::take_busy`].
    busy: Nanos,
}

#[derive(Clone, Copy, Debug, Default)]
struct Core {
    free_at: Nanos,
    job: Option<Job>,
}

impl Queue {
    /// Creates the queue of an idle node with at least one core.
    pub fn new(cores: u32, deadline: Nanos, now: Nanos) -> Queue {
        let idle = Core { free_at: now, job: None };
        Queue { waiting: VecDeque::new(), cores: vec![idle; cores.max(1) as usize], deadline, now, busy: 0 }
    }

    /// Adds a job. Most jobs arrive in the order of their times; one whose tablet was moved is
    /// inserted where it belongs.
    pub fn push(&mut self, job: Job) {
        if self.waiting.back().is_none_or(|last| last.ready <= job.ready) {
            return self.waiting.push_back(job);
        }
        let at = self.waiting.partition_point(|waiting| waiting.ready <= job.ready);
        self.waiting.insert(at, job);
    }

    /// Serves jobs until a time. Jobs that have ended by then are added to `ended`, in no
    /// particular order.
    pub fn run(&mut self, until: Nanos, ended: &mut Vec<Ended>) {
        for core in &self.cores {
            self.busy += core.free_at.min(until).saturating_sub(self.now);
        }
        self.now = self.now.max(until);
        while let Some(&job) = self.waiting.front() {
            let mut next = 0;
            for at in 1..self.cores.len() {
                if self.cores[at].free_at < self.cores[next].free_at {
                    next = at;
                }
            }
            let core = &mut self.cores[next];
            let begin = core.free_at.max(job.ready);
            if begin >= until {
                break;
            }
            self.waiting.pop_front();
            let last = job.sent.saturating_add(self.deadline);
            if begin > last {
                ended.push(Ended { job, at: last.max(job.ready), expired: true });
                continue;
            }
            if let Some(done) = core.job.take() {
                ended.push(Ended { job: done, at: core.free_at, expired: false });
            }
            *core = Core { free_at: begin + job.service, job: Some(job) };
            self.busy += core.free_at.min(until) - begin;
        }
        for core in &mut self.cores {
            if core.free_at <= until
                && let Some(done) = core.job.take()
            {
                ended.push(Ended { job: done, at: core.free_at, expired: false });
            }
        }
    }

    /// Returns the number of jobs that wait or are in service.
    pub fn len(&self) -> usize {
        self.waiting.len() + self.cores.iter().filter(|core| core.job.is_some()).count()
    }

    /// Returns whether no job waits and none is in service.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the CPU time of all cores that was spent since the last call.
    pub fn take_busy(&mut self) -> Nanos {
        core::mem::take(&mut self.busy)
    }

    /// Removes the waiting jobs of a tablet. A job that is in service is answered.
    pub fn take_waiting(&mut self, tablet: u32) -> Vec<Job> {
        let mut taken = Vec::new();
        self.waiting.retain(|job| {
            let goes = job.tablet == tablet;
            taken.extend(goes.then_some(*job));
            !goes
        });
        taken
    }

    /// Removes all jobs, including those in service, because the node has failed.
    pub fn take_all(&mut self) -> Vec<Job> {
        let mut taken: Vec<Job> = self.cores.iter_mut().filter_map(|core| core.job.take()).collect();
        for core in &mut self.cores {
            core.free_at = self.now;
        }
        taken.extend(self.waiting.drain(..));
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECOND;
    use crate::random::Random;
    use proptest::prelude::*;

    fn job(at: Nanos, service: Nanos) -> Job {
        Job { request: 0, tablet: 0, sent: at, ready: at, service }
    }

    /// Runs a queue in steps of a second, and returns the ended jobs by the time at which they were
    /// sent.
    fn served(cores: u32, deadline: Nanos, jobs: &[Job], end: Nanos) -> Vec<Ended> {
        let (mut queue, mut ended) = (Queue::new(cores, deadline, 0), Vec::new());
        let mut jobs = jobs.iter().peekable();
        let mut now = 0;
        while now < end {
            now += SECOND;
            while let Some(job) = jobs.next_if(|job| job.ready < now) {
                queue.push(*job);
            }
            queue.run(now, &mut ended);
        }
        assert!(queue.is_empty());
        ended.sort_by_key(|ended| (ended.job.sent, ended.job.request));
        ended
    }

    /// Returns arrivals at random times with this mean rate, each with a service time.
    fn arrivals(per_second: f64, count: u32, mut service: impl FnMut(&mut Random) -> f64) -> Vec<Job> {
        let (mut random, mut at) = (Random(7), 0.0);
        (0..count)
            .map(|request| {
                at += random.exponential(1e9 / per_second);
                Job { request, ..job(at as Nanos, service(&mut random) as Nanos) }
            })
            .collect()
    }

    /// Returns the mean time from arrival to end, in units of the mean service time.
    fn mean_time(ended: &[Ended], service: f64) -> f64 {
        ended.iter().map(|ended| (ended.at - ended.job.sent) as f64).sum::<f64>()
            / ended.len() as f64
            / service
    }

    #[test]
    fn one_core_agrees_with_the_formulas_for_random_and_for_equal_service() {
        const SERVICE: f64 = 1e6;
        for load in [0.3, 0.6, 0.8] {
            let per_second = load * 1e9 / SERVICE;
            let end = 1_000_000.0 / per_second * 1e9 + 1e10;
            let random = served(
                1,
                Nanos::MAX,
                &arrivals(per_second, 1_000_000, |random| random.exponential(SERVICE)),
                end as Nanos,
            );
            let equal = served(1, Nanos::MAX, &arrivals(per_second, 1_000_000, |_| SERVICE), end as Nanos);
            // M/M/1 and M/D/1, by Pollaczek and Khinchine.
            for (name, ended, expected) in
                [("M/M/1", random, 1.0 / (1.0 - load)), ("M/D/1", equal, 1.0 + load / (2.0 * (1.0 - load)))]
            {
                let found = mean_time(&ended, SERVICE);
                assert!((found / expected - 1.0).abs() < 0.02, "{name} at {load}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn the_mean_number_of_jobs_is_their_rate_times_their_time() {
        let jobs = arrivals(3_000.0, 300_000, |random| random.exponential(1e6));
        let ended = served(4, Nanos::MAX, &jobs, 110 * SECOND);
        let last = ended.iter().map(|ended| ended.at).max().unwrap();
        // The number of jobs over time, from arrivals and ends.
        let mut changes: Vec<(Nanos, i64)> =
            ended.iter().flat_map(|ended| [(ended.job.sent, 1), (ended.at, -1)]).collect();
        changes.sort_unstable();
        let (mut area, mut number, mut before) = (0.0, 0, 0);
        for (at, change) in changes {
            area += number as f64 * (at - before) as f64;
            (number, before) = (number + change, at);
        }
        let rate = ended.len() as f64 / last as f64;
        let expected = rate * mean_time(&ended, 1.0);
        assert!((area / last as f64 / expected - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_waits_too_long_expires_without_service() {
        let jobs: Vec<Job> = (0..10).map(|n| Job { request: n, ..job(0, 100) }).collect();
        let ended = served(1, 250, &jobs, SECOND);
        let ends: Vec<(Nanos, bool)> = ended.iter().map(|ended| (ended.at, ended.expired)).collect();
        assert_eq!(ends[..4], [(100, false), (200, false), (300, false), (250, true)]);
        assert_eq!(ends.iter().filter(|(_, expired)| *expired).count(), 7);
    }

    #[test]
    fn cores_are_busy_for_the_time_of_what_they_served() {
        let (mut queue, mut ended) = (Queue::new(2, Nanos::MAX, 0), Vec::new());
        [job(0, 150), job(0, 30), job(10, 10)].into_iter().for_each(|job| queue.push(job));
        queue.run(100, &mut ended);
        assert_eq!((queue.take_busy(), queue.len(), ended.len()), (100 + 30 + 10, 1, 2));
        queue.run(200, &mut ended);
        assert_eq!((queue.take_busy(), queue.len(), ended.len()), (50, 0, 3));
        queue.push(job(200, 1_000));
        queue.push(Job { tablet: 1, ..job(210, 1_000) });
        queue.push(Job { tablet: 2, ..job(220, 1_000) });
        queue.run(300, &mut ended);
        assert_eq!(queue.take_waiting(2).len(), 1);
        assert_eq!(queue.take_all().len(), 2);
        assert!(queue.is_empty());
    }

    proptest! {
        /// A queue agrees with a few lines that serve one job after another.
        #[test]
        fn a_queue_agrees_with_a_simple_one(
            cores in 1..5u32, deadline in 0..400u64, steps in prop::collection::vec((0..100u64, 0..300u64), 0..60), slice in 1..500u64,
        ) {
            let mut at = 0;
            let jobs: Vec<Job> = steps
                .iter()
                .enumerate()
                .map(|(request, &(gap, service))| {
                    at += gap;
                    Job { request: request as u32, ..job(at, service) }
                })
                .collect();
            let mut free = vec![0; cores as usize];
            let expected: Vec<(Nanos, bool)> = jobs
                .iter()
                .map(|job| {
                    let core = free.iter_mut().min().unwrap();
                    let begin = (*core).max(job.sent);
                    if begin > job.sent + deadline {
                        return (job.sent + deadline, true);
                    }
                    *core = begin + job.service;
                    (*core, false)
                })
                .collect();
            let (mut queue, mut ended, mut rest) = (Queue::new(cores, deadline, 0), Vec::new(), jobs.as_slice());
            let (mut busy, mut now) = (0, 0);
            while !(rest.is_empty() && queue.is_empty()) {
                now += slice;
                let count = rest.partition_point(|job| job.ready < now);
                rest[..count].iter().for_each(|job| queue.push(*job));
                rest = &rest[count..];
                queue.run(now, &mut ended);
                busy += queue.take_busy();
                prop_assert_eq!(ended.len() + queue.len() + rest.len(), jobs.len());
            }
            ended.sort_by_key(|ended| ended.job.request);
            prop_assert_eq!(ended.iter().map(|ended| (ended.at, ended.expired)).collect::<Vec<_>>(), expected);
            prop_assert_eq!(busy, ended.iter().filter(|ended| !ended.expired).map(|ended| ended.job.service).sum::<u64>());
        }
    }
}
