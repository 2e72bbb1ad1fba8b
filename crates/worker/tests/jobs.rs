//! Runs every job of a session while the data under it changes: events, designs, the workspace, the
//! storage, and the tab.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_advice::strategy_presets;
use tabletop_keys::{Layout, LayoutKind};
use tabletop_model::{Bytes, wire};
use tabletop_protocol::{
    Answer, Ask, ExpiredCount, ExpiredRequest, Gather, Job, JobAnswer, JobAsk, JobError, KeysRequest,
    MeasurePatterns, Playback, Profiles, ProfilesOrder, ProfilesRequest, ProfilesWork, QueryOnDesign,
    ReadOnAllDesigns, ReadQuery, ReadTrace, RunId, SampleKeys, Simulate, SimulateRequest, TouchQuery,
    TraceFile, TraceQuery, TraceRequest,
    experiment::{ExperimentChoice, RunExperiment},
    migration::{Migrate, MigrationChoice, MigrationOrder, MigrationRequest, MigrationStep},
};
use tabletop_worker::{Session, SharedStorage, StorageEvent};
use tabletop_workspace::{
    Design, GeneratorSettings, KeyChoice, NamedQuery, OnBadLine, Schedule, Source, Stream, StreamKind,
    Traffic, TrafficRun, Workspace,
};

use crate::host::{self, Host, STEPS_MAX};
use crate::own_data_store::faulty_files::FaultyFiles;

/// A job with a valid request for the workspace of these tests, and an order for more work.
struct Sample {
    name: &'static str,
    begin: JobAsk,
    next: fn(RunId) -> JobAsk,
}

/// Returns a sample whose slices have the default order.
fn sample<J: Job>(request: &J::Request) -> Sample {
    sample_with::<J>(request, |run| JobAsk::next::<J>(run, &J::Order::default()))
}

fn sample_with<J: Job>(request: &J::Request, next: fn(RunId) -> JobAsk) -> Sample {
    Sample { name: J::NAME, begin: JobAsk::begin::<J>(request), next }
}

/// Returns one sample for each job.
fn samples() -> Vec<Sample> {
    let everything = QueryOnDesign { index: 0, query: host::everything() };
    let stream = Stream {
        name: "reads".into(),
        what: StreamKind::PointReads,
        per_second: 3_000.0,
        keys: KeyChoice::AsEvents,
        when: Schedule::Constant,
    };
    let run = TrafficRun { seconds: 60, ..TrafficRun::default() };
    let traffic = Traffic { streams: vec![stream], seed: 1, run, ..Traffic::default() };
    let strategy = strategy_presets(&[("view", "product")], &["brand"]).swap_remove(0).strategy;
    let choice = MigrationChoice {
        from: design(LayoutKind::Narrow),
        to: design(LayoutKind::Wide),
        retention_days: 36_500,
        replaces_other: true,
    };
    let trace = TraceRequest { index: 0, query: everything.query.clone(), cells: true };
    let experiment = ExperimentChoice { facets: 1, sizes: 2, rounds: 1, network: None };
    let file = TraceFile { name: "trace".into(), design: 0, bytes: "time,operation,key\n0,read,a\n".into() };
    vec![
        sample::<ReadQuery>(&everything),
        sample::<TraceQuery>(&trace),
        sample::<TouchQuery>(&everything),
        sample::<MeasurePatterns>(&()),
        sample::<ReadOnAllDesigns>(&everything.query),
        sample::<ExpiredCount>(&ExpiredRequest { index: 0, row: None }),
        sample::<SampleKeys>(&KeysRequest { index: 0, share: 1.0 }),
        sample::<Gather>(&()),
        sample::<Simulate>(&SimulateRequest { index: 0, traffic }),
        sample::<ReadTrace>(&file),
        sample_with::<Profiles>(&ProfilesRequest { index: 0, strategy }, |run| {
            JobAsk::next::<Profiles>(run, &ProfilesOrder { work: ProfilesWork::Stream(50), user: None })
        }),
        sample::<RunExperiment>(&experiment),
        sample_with::<Migrate>(&MigrationRequest::Begin(choice), |run| {
            let order = MigrationOrder { decision: None, events_per_second: 500, works: true };
            JobAsk::next::<Migrate>(run, &MigrationStep::Work(order))
        }),
    ]
}

fn design(kind: LayoutKind) -> Design {
    Design::new(format!("{kind:?}"), "{app_id},{user_token},{timestamp:iso}", Layout::new(kind))
}

/// A change of the data under a run.
struct Change {
    name: &'static str,
    make: fn(&mut Host),
    /// Whether a run that reads the events or the first design's table must be closed.
    is_of_events: bool,
}

fn load(host: &mut Host, text: &str) {
    host.load(text, OnBadLine::Skip, 1 << 16);
}

/// The first change is the crash for which this test was written: the same file again, with fewer
/// events, while a run reads the first ones.
fn changes() -> Vec<Change> {
    vec![
        Change { name: "own events", make: |host| load(host, "user,at,amount\na,1,2\n"), is_of_events: true },
        Change {
            name: "a load that has only begun",
            make: |host| drop(host.begin_own(OnBadLine::Skip)),
            is_of_events: true,
        },
        Change { name: "no events", make: |host| load(host, ""), is_of_events: true },
        Change {
            name: "other generated events",
            make: |host| done(host.open(workspace(3, 1_000))),
            is_of_events: true,
        },
        Change {
            name: "another template",
            make: |host| drop(host.template("{user_token}")),
            is_of_events: false,
        },
        Change { name: "a broken template", make: |host| drop(host.template("{")), is_of_events: false },
        Change {
            name: "another layout",
            make: |host| {
                done(host.edit(|workspace| {
                    workspace.designs[0].layout = Layout::new(LayoutKind::RowPerEntity);
                }));
            },
            is_of_events: false,
        },
        Change {
            name: "the first design deleted",
            make: |host| done(host.edit(|workspace| drop(workspace.designs.remove(0)))),
            is_of_events: false,
        },
        Change {
            name: "another access pattern",
            make: |host| {
                done(
                    host.edit(|workspace| workspace.queries.push(NamedQuery::new("all", host::everything()))),
                );
            },
            is_of_events: false,
        },
        Change {
            name: "all stored sets deleted",
            make: |host| drop(host.ask(Ask::DeleteSets)),
            is_of_events: false,
        },
        Change {
            name: "another tab has the storage",
            make: |host| host.on_storage_event(StorageEvent::OtherTab),
            is_of_events: false,
        },
        Change {
            name: "back to the first event",
            make: |host| drop(host.ask(Ask::Play(Playback::Seek(1)))),
            is_of_events: false,
        },
    ]
}

/// Checks that a change was really made.
fn done(answer: Answer) {
    assert!(matches!(answer, Answer::Workspace(_)), "{answer:?}");
}

fn workspace(seed: u64, events: u32) -> Workspace {
    let settings = GeneratorSettings { seed, events, apps: 2, users: 50, user_skew: 1.0 };
    Workspace {
        source: Source::Generated(settings),
        designs: vec![design(LayoutKind::Narrow), design(LayoutKind::Wide)],
        queries: vec![NamedQuery::new("everything", host::everything())],
        ..Workspace::default()
    }
}

fn new_host() -> Host {
    let mut host = Host::new();
    let files = Rc::new(RefCell::new(FaultyFiles::default()));
    host.on_storage_event(StorageEvent::Files(SharedStorage(files)));
    host.open(workspace(1, 12_000));
    host.settle();
    host
}

fn step(host: &mut Host, ask: JobAsk) -> JobAnswer {
    match host.ask(Ask::Job(ask)) {
        Answer::Job(answer) => answer,
        other => panic!("{other:?}"),
    }
}

/// Begins a run, once everything that it needs is ready. Returns the run if it stays open.
fn begin(host: &mut Host, sample: &Sample) -> Option<RunId> {
    for _ in 0..10_000 {
        match step(host, sample.begin.clone()) {
            Ok(slice) => return slice.run,
            Err(JobError::NotReady(_)) => drop(host.advance()),
            Err(other) => panic!("{}: {other:?}", sample.name),
        }
    }
    panic!("{} is never ready", sample.name);
}

#[test]
fn each_job_of_a_session_is_tested_here() {
    let tested: Vec<&str> = samples().iter().map(|sample| sample.name).collect();
    assert_eq!(Session::jobs().collect::<Vec<_>>(), tested, "a new job needs a sample in this file");
}

#[test]
fn a_change_under_a_run_never_shows_it_other_data() {
    let mut samples = samples();
    let mut host = new_host();
    samples.retain(|sample| begin(&mut host, sample).is_some());
    assert!(samples.len() >= 5, "most runs end in their first slice");
    for change in changes() {
        let mut host = new_host();
        let open: Vec<(&Sample, RunId)> =
            samples.iter().filter_map(|sample| Some((sample, begin(&mut host, sample)?))).collect();
        for (sample, run) in &open {
            drop(step(&mut host, (sample.next)(*run)));
        }
        (change.make)(&mut host);
        // Requests and background work take turns, as in a worker.
        for turn in 0..40 {
            for (sample, run) in &open {
                let at = format!("{} under {}", change.name, sample.name);
                match step(&mut host, (sample.next)(*run)) {
                    Ok(slice) => {
                        assert!(
                            !change.is_of_events,
                            "{at}: turn {turn} still has the events of before: {slice:?}"
                        );
                    }
                    Err(JobError::Gone) => {}
                    Err(other) => assert!(!change.is_of_events, "{at}: {other:?}"),
                }
            }
            host.advance();
        }
        // Another run begins, or is refused with a reason.
        for (sample, _) in &open {
            match step(&mut host, sample.begin.clone()) {
                Ok(_) | Err(JobError::NotReady(_) | JobError::Unfit(_) | JobError::Failed(_)) => {}
                Err(JobError::Gone) => {
                    panic!("{} under {}: a new run is closed at once", change.name, sample.name)
                }
            }
        }
    }
}

#[test]
fn runs_of_all_jobs_do_not_disturb_each_other() {
    let mut host = new_host();
    let samples = samples();
    let mut open: Vec<(usize, RunId)> = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        open.extend(begin(&mut host, sample).map(|run| (at, run)));
    }
    for _ in 0..30 {
        open.retain(|(at, run)| match step(&mut host, (samples[*at].next)(*run)) {
            Ok(slice) => slice.run.is_some(),
            Err(error) => panic!("{}: {error:?}", samples[*at].name),
        });
        host.advance();
    }
}

#[test]
fn a_simulation_that_waits_for_its_table_gets_it_while_another_job_runs() {
    let mut host = new_host();
    let samples = samples();
    let simulate = samples.iter().find(|sample| sample.name == Simulate::NAME).expect("a sample");
    // The table on the screen has one of the events. The simulation needs one with all of them,
    // which takes many steps.
    host.ask(Ask::Play(Playback::Seek(1)));
    assert!(
        matches!(step(&mut host, simulate.begin.clone()), Err(JobError::NotReady(_))),
        "the simulation does not wait"
    );
    for _ in 0..STEPS_MAX {
        host.measure(0);
        host.advance();
        match step(&mut host, simulate.begin.clone()) {
            Ok(_) => return,
            Err(JobError::NotReady(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    panic!("the simulation waits forever");
}

#[test]
fn malformed_requests_are_refused() {
    let mut host = new_host();
    for sample in samples() {
        for bytes in [vec![], vec![0xff; 3], vec![0xff; 40]] {
            let ask = JobAsk::Begin { job: sample.name.into(), request: Bytes::from(bytes) };
            // Only few bytes are a valid request. Whether it is executed or refused, the session
            // survives.
            drop(step(&mut host, ask));
        }
        if let Some(run) = begin(&mut host, &sample) {
            drop(step(&mut host, JobAsk::Next { run, order: Bytes::from(vec![0xff; 5]) }));
        }
    }
    assert!(!wire::encode(&host.view(0)).is_empty());
}
