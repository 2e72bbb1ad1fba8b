use alloc::vec;

use super::*;

/// Counts from a number up to 3, one number per slice.
struct Count;

impl Job for Count {
    const NAME: &'static str = "count";
    const OPEN_MAX: usize = 2;
    type Request = u32;
    type Order = u32;
    type Chunk = u32;
}

/// A host whose data has a version.
struct Host(u32);

struct Counting {
    version: u32,
    at: u32,
}

impl Begin<Host> for Counting {
    fn begin(host: &mut Host, from: u32, _: Clock) -> Result<Counting, JobError> {
        if from > 3 {
            return Err(JobError::Unfit(Error::invalid("too large")));
        }
        Ok(Counting { version: host.0, at: from })
    }
}

impl Run<Host> for Counting {
    type Job = Count;

    fn next(&mut self, _: &mut Host, step: u32, clock: Clock) -> Result<Progress<Count>, JobError> {
        if clock() < 0 {
            return Err(Error::invalid("before the beginning").into());
        }
        self.at += step;
        Ok(Progress::of(self.at, self.at >= 3))
    }

    fn is_current(&self, host: &Host) -> bool {
        self.version == host.0
    }
}

const KINDS: &[Kind<Host>] = &[Kind::of::<Counting>()];

fn begin(jobs: &mut Jobs<Host>, host: &mut Host, from: u32) -> Result<Slice<u32>, JobError> {
    jobs.handle(host, &JobAsk::begin::<Count>(&from), &|| 0)?.decode::<Count>()
}

fn next(jobs: &mut Jobs<Host>, host: &mut Host, run: RunId) -> Result<Slice<u32>, JobError> {
    jobs.handle(host, &JobAsk::next::<Count>(run, &1), &|| 0)?.decode::<Count>()
}

#[test]
fn a_run_has_slices_until_its_last_one() {
    let (mut jobs, mut host) = (Jobs::new(KINDS), Host(0));
    let first = begin(&mut jobs, &mut host, 1).expect("it begins");
    let run = first.run.expect("it is open");
    assert_eq!(first.chunk, 1, "the first slice has the default order");
    assert_eq!(next(&mut jobs, &mut host, run), Ok(Slice { run: Some(run), chunk: 2 }));
    assert_eq!(next(&mut jobs, &mut host, run), Ok(Slice { run: None, chunk: 3 }));
    assert_eq!(next(&mut jobs, &mut host, run), Err(JobError::Gone));
    assert!(!jobs.has_open::<Count>());
}

#[test]
fn a_run_that_its_client_ends_is_gone_and_another_one_stays() {
    let (mut jobs, mut host) = (Jobs::new(KINDS), Host(0));
    let runs =
        [0, 1].map(|from| begin(&mut jobs, &mut host, from).expect("it begins").run.expect("it is open"));
    assert_eq!(
        jobs.handle(&mut host, &JobAsk::End(runs[0]), &|| 0),
        Ok(JobSlice { run: None, chunk: Bytes::default() })
    );
    assert_eq!(next(&mut jobs, &mut host, runs[0]), Err(JobError::Gone));
    assert!(next(&mut jobs, &mut host, runs[1]).is_ok());
}

#[test]
fn one_run_too_many_evicts_the_oldest_also_after_it_has_worked() {
    let (mut jobs, mut host) = (Jobs::new(KINDS), Host(0));
    let mut runs = vec![];
    for from in [0, 0, 0] {
        // The oldest run still works right before it is evicted.
        runs.first().into_iter().for_each(|oldest| assert!(next(&mut jobs, &mut host, *oldest).is_ok()));
        runs.push(begin(&mut jobs, &mut host, from).expect("it begins").run.expect("it is open"));
    }
    let is_open = runs.iter().map(|run| next(&mut jobs, &mut host, *run).is_ok());
    assert_eq!(is_open.collect::<Vec<_>>(), [false, true, true]);
}

#[test]
fn a_change_of_the_data_closes_all_runs_that_were_begun_for_them() {
    let (mut jobs, mut host) = (Jobs::new(KINDS), Host(0));
    let old = begin(&mut jobs, &mut host, 0).expect("it begins").run.expect("it is open");
    host.0 = 1;
    let new = begin(&mut jobs, &mut host, 0).expect("it begins").run.expect("it is open");
    assert_eq!(next(&mut jobs, &mut host, old), Err(JobError::Gone));
    assert!(next(&mut jobs, &mut host, new).is_ok());
    host.0 = 2;
    jobs.drop_outdated(&host);
    assert!(!jobs.has_open::<Count>());
}

#[test]
fn an_error_keeps_a_run_that_its_client_knows() {
    let (mut jobs, mut host) = (Jobs::new(KINDS), Host(0));
    let early = |jobs: &mut Jobs<Host>, host: &mut Host, ask: &JobAsk| jobs.handle(host, ask, &|| -1);
    assert!(matches!(early(&mut jobs, &mut host, &JobAsk::begin::<Count>(&0)), Err(JobError::Failed(_))));
    assert!(!jobs.has_open::<Count>(), "the client could not close it");
    let run = begin(&mut jobs, &mut host, 0).expect("it begins").run.expect("it is open");
    assert!(matches!(early(&mut jobs, &mut host, &JobAsk::next::<Count>(run, &1)), Err(JobError::Failed(_))));
    assert_eq!(next(&mut jobs, &mut host, run).map(|slice| slice.chunk), Ok(1));
}

#[test]
fn requests_that_cannot_be_done_say_why() {
    let (mut jobs, mut host) = (Jobs::new(KINDS), Host(0));
    assert_eq!(begin(&mut jobs, &mut host, 9), Err(JobError::Unfit(Error::invalid("too large"))));
    let other = JobAsk::Begin { job: "other".into(), request: Bytes::default() };
    let Err(JobError::Failed(error)) = jobs.handle(&mut host, &other, &|| 0) else {
        panic!("there is no such job")
    };
    assert!(error.message.contains("\"other\""), "{error}");
    let malformed = JobAsk::Begin { job: "count".into(), request: Bytes::default() };
    assert!(matches!(jobs.handle(&mut host, &malformed, &|| 0), Err(JobError::Failed(_))));
}

#[test]
fn a_run_that_works_on_another_thread_is_not_in_the_registry() {
    let (mut jobs, mut host) = (Jobs::new(KINDS), Host(0));
    let run = begin(&mut jobs, &mut host, 0).expect("it begins").run.expect("it is open");
    let step = jobs.choose(&host, &JobAsk::next::<Count>(run, &1)).expect("it is open");
    assert_eq!(
        next(&mut jobs, &mut host, run),
        Err(JobError::Gone),
        "a second request for the run is refused while it works"
    );
    let done = step.work(&mut host, &|| 0);
    assert!(jobs.install(done).is_ok());
    assert!(next(&mut jobs, &mut host, run).is_ok());
}
