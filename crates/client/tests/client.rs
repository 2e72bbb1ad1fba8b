//! Tests the client against workers that are made for one test each: scripts with a few fixed
//! answers.

mod fake_worker;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use fake_worker::{FakeWorker, begin, chunk, read_of, row, slice, workspace};
use tabletop_advice::{
    Cause, Explanation, Finding, Fix, FixEffect, FixKind, PatternCause, Symptom, Verdict, Warning,
};
use tabletop_client::{Client, JobHost, Start, js, json};
use tabletop_keys::{ChipCost, ChipView};
use tabletop_model::{Bytes, Code, Error, ReadStats, RowFilter, Span};
use tabletop_protocol::{
    Answer, Ask, DataView, DesignView, HeatColumns, JobAsk, JobError, LoadState, ReadQuery, RunId, SetView,
    Simulate, SimulateRequest, SimulationChunk, SimulationMoment, StorageView,
};
use tabletop_texts::messages;
use tabletop_workspace::{
    ContentDigest, DesignPatch, Example, ExampleId, Format, OnBadLine, OwnData, Source, Traffic, Workspace,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Returns a client, and the reasons of its crashes.
fn started(fake_worker: &FakeWorker) -> (Client, Rc<RefCell<Vec<String>>>) {
    let client = Client::start(fake_worker.start());
    let crashes = Rc::new(RefCell::new(Vec::new()));
    let received = crashes.clone();
    client.on_crash(move |reason| received.borrow_mut().push(reason));
    (client, crashes)
}

fn own(name: &str) -> OwnData {
    OwnData {
        name: name.into(),
        format: Format::Detect,
        fields: vec![],
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content: None,
    }
}

async fn run(script: &str) -> Result<JsValue, JsValue> {
    let promise = js_sys::Function::new_no_args(&format!("return (async () => {{ {script} }})()"))
        .call0(&JsValue::NULL)?;
    JsFuture::from(promise.unchecked_into::<js_sys::Promise>()).await
}

#[wasm_bindgen_test]
async fn requests_wait_for_the_worker_and_are_answered_in_order() {
    let data = DataView { events: 7, ..DataView::default() };
    let (client, crashes) =
        started(&FakeWorker::new().on(&Ask::Data, &Answer::Data(data.clone())).ready_after(100));
    let first = client.data();
    assert_eq!(client.ready().await, Ok(vec![]));
    assert_eq!(first.await, Ok(data.clone()));
    assert_eq!(client.data().await, Ok(data));
    assert!(crashes.borrow().is_empty());
}

#[wasm_bindgen_test]
async fn the_worker_that_the_page_has_started_is_used() {
    let start = FakeWorker::new().start();
    let worker = format!("new Worker({:?}, {{ type: 'module' }})", start.url);
    run(&format!("globalThis.tabletopWorker = {{ url: 'gone.js', worker: {worker}, errors: [] }};"))
        .await
        .expect("a worker");
    let client = Client::start(Start { url: "gone.js".into(), ..start });
    assert_eq!(
        client.ready().await,
        Ok(vec![]),
        "nothing is at the address: only the worker of the page can answer"
    );
    assert!(!js_sys::Reflect::has(&js_sys::global(), &"tabletopWorker".into()).expect("an object"));
}

#[wasm_bindgen_test]
async fn a_refusal_fails_only_its_request() {
    let refusal = Error::not_found("there is no design 0");
    let (client, crashes) = started(
        &FakeWorker::new().on(&Ask::View { index: 0, first_look: false }, &Answer::Failed(refusal.clone())),
    );
    assert_eq!(client.view(0).await, Err(refusal));
    assert_eq!(client.ready().await, Ok(vec![]));
    assert!(crashes.borrow().is_empty());
}

#[wasm_bindgen_test]
async fn a_panic_fails_all_pending_requests_and_is_reported_once() {
    let (client, crashes) = started(
        &FakeWorker::new()
            .crash_on(&Ask::View { index: 0, first_look: false }, "index out of bounds, read.rs:7"),
    );
    let (one, other) = (client.view(0), client.view(1));
    let error = one.await.expect_err("it crashed");
    assert_eq!(error.code, Code::Unavailable);
    assert!(error.message.contains("read.rs:7"), "{}", error.message);
    assert_eq!(other.await, Err(error.clone()));
    assert_eq!(client.data().await, Err(error.clone()), "and later requests fail immediately");
    let mut read = client.run::<ReadQuery>(&read_of(&workspace(Source::Sample("x".into())).query));
    assert_eq!(read.next(&()).await, Some(Err(JobError::Failed(error.clone()))));
    assert_eq!(read.next(&()).await, None);
    assert_eq!(*crashes.borrow(), std::slice::from_ref(&error.message));
    let late = Rc::new(Cell::new(false));
    let late_crash = late.clone();
    client.on_crash(move |_| late_crash.set(true));
    assert!(late.get(), "a later callback gets the reason too");
}

#[wasm_bindgen_test]
async fn an_error_without_a_panic_is_a_crash_too() {
    let (client, _) =
        started(&FakeWorker::new().throw_on(&Ask::View { index: 0, first_look: false }, "out of memory"));
    let error = client.view(0).await.expect_err("it crashed");
    assert!(error.message.contains("out of memory"), "{}", error.message);
}

#[wasm_bindgen_test]
async fn a_worker_that_stops_silently_is_reported_as_out_of_memory() {
    let (client, _) =
        started(&FakeWorker::new().throw_on(&Ask::View { index: 0, first_look: false }, "unreachable"));
    let error = client.view(0).await.expect_err("it crashed");
    assert!(error.message.contains("ran out of memory"), "{}", error.message);
}

#[wasm_bindgen_test]
async fn a_worker_that_cannot_be_fetched_is_a_crash() {
    let client = Client::start(Start { url: "no-such-worker.js".into(), first_message: JsValue::UNDEFINED });
    let error = client.ready().await.expect_err("no script");
    assert_eq!(error.code, Code::Unavailable);
}

#[wasm_bindgen_test]
async fn a_restart_restores_the_workspace_and_own_data() {
    let fake_worker = FakeWorker::new()
        .on(&Ask::Storage, &Answer::Storage(StorageView::default()))
        .on(&Ask::Workspace, &Answer::Workspace(workspace(Source::Own(own("mine.csv")))))
        .crash_on(&Ask::View { index: 0, first_look: false }, "a bug");
    let (client, crashes) = started(&fake_worker);
    client.load_text("a,b\n1,2\n".into(), own("mine.csv"), &|_| {}).await.expect("a load");
    client
        .design(1, DesignPatch { name: Some("second".into()), ..DesignPatch::default() })
        .await
        .expect("a design");
    let mut reading = client.run::<ReadQuery>(&read_of(&workspace(Source::Own(own("x"))).query));
    client.view(0).await.expect_err("a crash");
    assert_eq!(crashes.borrow().len(), 1);

    let opened = client.restart().await.expect("another worker");
    assert_eq!(opened.source, Source::Own(own("mine.csv")));
    assert_eq!(opened.designs[1].name, "second");
    assert_eq!(fake_worker::wait_for(&client, fake_worker::OWN_BYTES).await, 8, "the bytes were fed again");
    assert_eq!(reading.next(&()).await, Some(Err(JobError::Gone)), "the run is lost");
    assert_eq!(reading.next(&()).await, None);
}

#[wasm_bindgen_test]
async fn own_data_is_sent_again_when_only_a_part_of_it_is_stored() {
    for (state, fed) in [(LoadState::Loaded, 0), (LoadState::Interrupted, 8)] {
        let name = own("mine.csv");
        let set = SetView {
            set: 1,
            own: name.clone(),
            events: 1,
            bytes: 1,
            state,
            trouble: None,
            shown: true,
            opens: true,
        };
        let workspace = workspace(Source::Own(name.clone()));
        let fake_worker = FakeWorker::new()
            .on(&Ask::Storage, &Answer::Storage(StorageView { sets: vec![set], ..StorageView::default() }))
            .on(&Ask::Workspace, &Answer::Workspace(workspace.clone()));
        let (client, _) = started(&fake_worker);
        client.load_text("a,b\n1,2\n".into(), name.clone(), &|_| {}).await.expect("a load");
        let other_content = OwnData { content: Some(ContentDigest::of(b"a,b\n1,3\n")), ..own("mine.csv") };
        assert!(
            client.has_bytes(&own("mine.csv"))
                && !client.has_bytes(&own("others.csv"))
                && !client.has_bytes(&other_content)
        );
        // The worker counts from the first load.
        client.load_text(String::new(), own("empty.csv"), &|_| {}).await.expect("a load");
        client.open(workspace).await.expect("a workspace");
        if fed > 0 {
            assert_eq!(fake_worker::wait_for(&client, fake_worker::OWN_BYTES).await, fed);
            continue;
        }
        // During this time, nothing must arrive.
        for _ in 0..20 {
            assert_eq!(fake_worker::counted(&client, fake_worker::OWN_BYTES).await, 0);
        }
    }
}

#[wasm_bindgen_test]
async fn only_one_view_of_a_design_is_requested_at_a_time() {
    let (client, _) = started(
        &FakeWorker::new()
            .on(&Ask::View { index: 0, first_look: false }, &Answer::View(DesignView::default())),
    );
    client.ready().await.expect("a worker");
    let mut views: Vec<_> = (0..10).map(|_| Box::pin(client.view(0))).collect();
    // All views are polled once, so that all requests are made before the first answer, which takes
    // a turn of the page's event loop.
    for view in &mut views {
        drop(poll_once(view.as_mut()));
        JsFuture::from(js_sys::Promise::resolve(&JsValue::NULL)).await.expect("kept");
    }
    for view in views {
        assert_eq!(view.await, Ok(DesignView::default()));
    }
    assert_eq!(
        fake_worker::counted(&client, fake_worker::VIEWS).await,
        2,
        "the first, and one for all later calls"
    );
}

fn poll_once<F: Future>(future: std::pin::Pin<&mut F>) -> std::task::Poll<F::Output> {
    future.poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
}

#[wasm_bindgen_test]
async fn dropping_a_run_closes_it() {
    let query = workspace(Source::Sample("x".into())).query;
    let next = Ask::Job(JobAsk::next::<ReadQuery>(RunId(3), &()));
    let fake_worker = FakeWorker::new()
        .on(&begin(&query), &slice::<ReadQuery>(Some(3), &chunk(vec![row("a")], false)))
        .on(&next, &slice::<ReadQuery>(None, &chunk(vec![row("b")], true)));
    let (client, _) = started(&fake_worker);
    let read = || client.run::<ReadQuery>(&read_of(&query));

    let mut whole = read();
    let mut keys = Vec::new();
    while let Some(chunk) = whole.next(&()).await {
        keys.extend(chunk.expect("rows").rows.into_iter().map(|row| row.key.to_string()));
    }
    assert_eq!(keys, ["a", "b"]);
    assert!(!whole.is_open());
    drop(whole);
    assert_eq!(fake_worker::counted(&client, fake_worker::ENDED_RUNS).await, 0);

    let mut part = read();
    part.next(&()).await.expect("a slice").expect("rows");
    assert!(part.is_open());
    drop(part);
    assert_eq!(fake_worker::counted(&client, fake_worker::ENDED_RUNS).await, 1);

    let mut early = read();
    drop(poll_once(Box::pin(early.next(&())).as_mut()));
    drop(early);
    client.ready().await.expect("the slice has come by now");
    assert_eq!(fake_worker::counted(&client, fake_worker::ENDED_RUNS).await, 2);
}

#[wasm_bindgen_test]
async fn the_errors_of_a_run_state_whether_it_can_be_retried() {
    let query = workspace(Source::Sample("x".into())).query;
    let error = |message: &str| Error::invalid(message);
    let failed = |error: JobError| Answer::Job(Err(error));
    let next = Ask::Job(JobAsk::next::<ReadQuery>(RunId(3), &()));
    let reversed = tabletop_keys::Query { reversed: true, ..query.clone() };
    let limited = tabletop_keys::Query { rows_limit: 7, ..query.clone() };
    let fake_worker = FakeWorker::new()
        .on(&begin(&query), &slice::<ReadQuery>(Some(3), &chunk(vec![row("a")], false)))
        .on(&next, &failed(JobError::Failed(error("a slice"))))
        .on(&begin(&reversed), &failed(JobError::NotReady(error("not yet"))))
        .on(&begin(&limited), &failed(JobError::Unfit(error("no such design"))));
    let (client, _) = started(&fake_worker);

    let mut open = client.run::<ReadQuery>(&read_of(&query));
    open.next(&()).await.expect("a slice").expect("rows");
    for _ in 0..2 {
        assert_eq!(
            open.next(&()).await,
            Some(Err(JobError::Failed(error("a slice")))),
            "a run stays open after an error"
        );
    }
    let mut early = client.run::<ReadQuery>(&read_of(&reversed));
    for _ in 0..2 {
        assert_eq!(
            early.next(&()).await,
            Some(Err(JobError::NotReady(error("not yet")))),
            "it can begin later"
        );
    }
    let mut unfit = client.run::<ReadQuery>(&read_of(&limited));
    assert_eq!(unfit.next(&()).await, Some(Err(JobError::Unfit(error("no such design")))));
    assert_eq!(unfit.next(&()).await, None);
}

#[wasm_bindgen_test]
async fn own_data_is_sent_in_slices_and_reports_progress() {
    let (client, _) = started(
        &FakeWorker::new().on(&Ask::Workspace, &Answer::Workspace(workspace(Source::Own(own("mine.csv"))))),
    );
    let text = "x".repeat(600 << 10);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let reported = seen.clone();
    let data = client
        .load_text(text, own("mine.csv"), &move |data| reported.borrow_mut().push(data.state))
        .await
        .expect("a load");
    assert_eq!(data.state, LoadState::Loaded);
    assert_eq!(*seen.borrow(), [LoadState::Loading, LoadState::Loading, LoadState::Loaded]);
}

#[wasm_bindgen_test]
async fn a_later_load_replaces_an_earlier_one() {
    let (client, _) =
        started(&FakeWorker::new().on(&Ask::Workspace, &Answer::Workspace(workspace(Source::Own(own("b"))))));
    let mut first = Box::pin(client.load_text("x".repeat(5 << 20), own("a"), &|_| {}));
    drop(poll_once(first.as_mut()));
    let second = client.load_text("y".into(), own("b"), &|_| {});
    let (second, first) = (second.await, first.await);
    assert_eq!(second.expect("a load").state, LoadState::Loaded);
    assert_eq!(first.expect_err("it was replaced").code, Code::Cancelled);
}

#[wasm_bindgen_test]
async fn a_file_is_identified_by_all_its_bytes() {
    let (client, _) = started(&FakeWorker::new());
    let text = "x".repeat((2 << 20) + 3);
    let blob = |text: &str| {
        web_sys::Blob::new_with_str_sequence(&js_sys::Array::of1(&text.into())).expect("a file in memory")
    };
    for text in [text.as_str(), &text[1..], "", "a"] {
        let identified = client.identify(&blob(text), own("a")).await.expect("a file");
        assert_eq!(identified, OwnData { content: Some(ContentDigest::of(text.as_bytes())), ..own("a") });
    }
    // The file that was chosen last is used.
    let (earlier, later) = (blob(&text), blob("a"));
    let mut first = Box::pin(client.identify(&earlier, own("a")));
    drop(poll_once(first.as_mut()));
    client.identify(&later, own("b")).await.expect("a file");
    assert_eq!(first.await.expect_err("it was replaced").code, Code::Cancelled);
}

#[wasm_bindgen_test]
async fn scripts_receive_javascript_values() {
    let query = workspace(Source::Sample("x".into())).query;
    let stats = ReadStats { rows_seen: 1 << 40, ..ReadStats::default() };
    let all = begin(&tabletop_keys::Query { rows_limit: 5, filter: None, ..query.clone() });
    let rows = tabletop_protocol::QueryChunk { stats, ..chunk(vec![row("k\u{1}")], true) };
    let tree = RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)]);
    let filtered = begin(&tabletop_keys::Query { rows_limit: 5, filter: Some(tree), ..query.clone() });
    let fake_worker = FakeWorker::new()
        .on(&all, &slice::<ReadQuery>(None, &rows))
        .on(&filtered, &slice::<ReadQuery>(None, &chunk(vec![], true)))
        .on(&Ask::Workspace, &Answer::Workspace(workspace(Source::Sample("x".into()))))
        .on(
            &Ask::View { index: 9, first_look: false },
            &Answer::Failed(Error::not_found("there is no design 9")),
        );
    let (client, _) = started(&fake_worker);
    js::install(&client);

    let text = run(r#"
        await tabletop.ready;
        const read = await tabletop.read(0, { rows_limit: 5 });
        const [row] = read.rows;
        const workspace = await tabletop.workspace();
        const refused = await tabletop.tablets(9).catch((error) => error);
        const odd = await tabletop.read(0, { rows_limit: "five" }).catch((error) => error);
        const mistyped = await tabletop.read(0, { row_limit: 5 }).catch((error) => error);
        const wrong = [];
        for (const call of [() => tabletop.read(1.5), () => tabletop.tablets("0"), () => tabletop.load(5), () => tabletop.sample(),
            () => tabletop.read(0, { filter: { pass_all: true, sink: true } })]) {
            wrong.push((await call().catch((error) => error)).code);
        }
        const filter = await tabletop.read(0, { filter: "cells_per_row_limit(" }).catch((error) => error);
        const tree = await tabletop.read(0, { rows_limit: 5, filter: { chain: [{ cells_per_row_limit: 1 }, { strip_value: true }] } });
        return JSON.stringify([
            tabletop.version,
            row.key, [...row.key_bytes], row.cells[0].family, row.cells[0].value_bytes instanceof Uint8Array,
            typeof read.stats.rows_seen, String(read.stats.rows_seen), typeof row.cells[0].timestamp, row.cells[0].label,
            workspace.source, workspace.cluster.tablet_bytes_max,
            refused instanceof Error, refused.code, refused.message,
            odd.code, mistyped.message, new Set(wrong).size, wrong[0], filter.code, tree.rows.length,
        ]);
        "#)
    .await
    .expect("an answer");
    assert_eq!(
        text.as_string().expect("a text"),
        format!(
            concat!(
                r#"["{}","k\\x01",[107,1],"f",true,"bigint","1099511627776","bigint",null,"#,
                r#"{{"sample":"x"}},null,true,"not_found","there is no design 9","invalid_argument","#,
                r#""options: there is no property \"row_limit\". Did you mean rows_limit?",1,"invalid_argument","invalid_argument",0]"#
            ),
            env!("CARGO_PKG_VERSION")
        )
    );
}

#[wasm_bindgen_test]
async fn scripts_receive_judgements_with_their_sentences() {
    let fix = Fix { kind: FixKind::Salt(8), patch: DesignPatch::default(), effect: FixEffect::default() };
    let cause = Cause::Pattern(PatternCause::FewRows { rows: 2, events: 9 });
    let warning = Warning { cause: cause.clone(), part: None, fixes: vec![fix.clone()] };
    let finding =
        Finding::FewRanges { ranges: 3, fields: vec!["app".into(), "type".into()], hottest_share: 0.5 };
    let advice = Some(Explanation::Warning(warning.cause.clone()));
    let verdict = Verdict { finding, advice, fix: Some(fix.clone()), ..Verdict::default() };
    let cost = ChipCost::Literal { bytes: 6 };
    let chip = ChipView {
        span: Span { start: 0, end: 6 },
        input: String::new(),
        output: Bytes::default(),
        cost: cost.clone(),
    };
    let view = DesignView { warnings: vec![warning], verdict, chips: vec![chip], ..DesignView::default() };
    let diagnosis = Symptom::ReadPressure(0.9).diagnosis(true, (0, 1), vec![fix]);
    let moment = SimulationMoment { second: 1, totals: vec![], diagnoses: vec![diagnosis.clone()] };
    let chunk = SimulationChunk {
        seconds: 1,
        seconds_total: 1,
        executed_every: 1,
        streams: vec![],
        history_from: 0,
        history: vec![],
        cluster_events: vec![],
        places: vec![],
        moments: vec![moment],
        heat: HeatColumns::default(),
        totals: vec![],
        diagnoses: vec![diagnosis.clone()],
        refusal: None,
        log: None,
    };
    let traffic = Traffic::default();
    let simulation =
        Ask::Job(JobAsk::begin::<Simulate>(&SimulateRequest { index: 0, traffic: traffic.clone() }));
    let of_traffic = Workspace { traffic: Some(traffic.into()), ..workspace(Source::Sample("x".into())) };
    let fake_worker = FakeWorker::new()
        .on(&Ask::Workspace, &Answer::Workspace(of_traffic))
        .on(&Ask::View { index: 1, first_look: false }, &Answer::View(view))
        .on(&simulation, &slice::<Simulate>(None, &chunk));
    let (client, _) = started(&fake_worker);
    js::install(&client);

    let text = run(r#"
        await tabletop.ready;
        const { warnings: [warning], verdict, chips: [chip] } = await tabletop.design(1, {});
        const { diagnoses: [diagnosis], moments: [moment] } = await tabletop.simulate(0);
        const [fix] = diagnosis.fixes;
        return JSON.stringify([
            warning.kind, warning.message, warning.evidence, warning.cause.pattern, warning.fixes[0].label,
            verdict.advice === warning.message, verdict.fix.label, verdict.finding, chip.cost,
            diagnosis.kind, diagnosis.text, diagnosis.evidence, diagnosis.advice, diagnosis.symptom, fix.label, fix.kind,
            moment.diagnoses[0].text === diagnosis.text,
        ]);
        "#)
    .await
    .expect("an answer");
    let says = messages().advice;
    let written = |text: String| format!("{text:?}");
    let expected = [
        r#""low_cardinality_prefix""#.into(),
        written((says.warning)(&cause)),
        written((says.evidence)(&cause)),
        r#"{"few_rows":{"rows":2,"events":9}},"Salt with 8",true,"Salt with 8""#.into(),
        r#"{"few_ranges":{"ranges":3,"fields":["app","type"],"hottest_share":0.5,"field":"app and type"}}"#
            .into(),
        written((says.chip)(&cost)),
        r#""read_pressure""#.into(),
        written((says.diagnosis)(&diagnosis)),
        written((says.diagnosis_evidence)(&diagnosis)),
        written((says.diagnosis_advice)(&diagnosis)),
        r#"{"read_pressure":0.9},"Salt with 8",{"salt":8},true"#.into(),
    ];
    assert_eq!(text.as_string().expect("a text"), format!("[{}]", expected.join(",")));
}

#[wasm_bindgen_test]
fn a_workspace_is_the_same_json_to_the_browser_as_to_serde() {
    let mut workspace = workspace(Source::Own(own("a \"b\".csv")));
    workspace.cluster.tablet_bytes_max = Some(u64::MAX);
    workspace.query.rows_limit = (1 << 53) + 1;
    workspace.query.filter = Some(RowFilter::ColumnQualifierRegex(b"\xff\\C*".into()));
    let text = json::write(&workspace);
    assert!(text.contains("18446744073709551615") && text.contains("9007199254740993"), "{text}");
    assert_eq!(json::read(&text), Ok(workspace.clone()));
    assert_eq!(Workspace::from_json(&text), Ok(workspace.clone()));
    assert_eq!(json::read(&workspace.to_json()), Ok(workspace));
}

#[wasm_bindgen_test]
fn an_example_of_an_earlier_build_gets_its_id() {
    let opens = Example::NewestFirst.json();
    let earlier = |name: &str| {
        let text = opens.replacen("  \"example\": \"newest_first\",\n", "", 1);
        json::read(&text.replacen("Newest first", name, 1)).expect("it is right").example
    };
    assert_eq!(earlier("Newest first"), Some(ExampleId("newest_first".into())));
    assert_eq!(earlier("Oldest last"), None);
    let named = Workspace { name: "Newest first".into(), ..Workspace::default() };
    assert_eq!(json::read(&json::write(&named)), Ok(named), "a name alone does not make an example");
}

#[wasm_bindgen_test]
fn an_invalid_workspace_is_refused_with_the_reason() {
    let refused = |text: &str| json::read(text).expect_err("it is wrong").message;
    let deep = |depth: usize| {
        let rule =
            format!("{}{}{}", r#"{"union":["#.repeat(depth), r#"{"max_versions":1}"#, "]}".repeat(depth));
        let families = format!(r#""families":[{{"family":"[[a","gc_rule":{rule}}}]"#);
        json::write(&Workspace::default()).replacen(r#""families":[]"#, &families, 1)
    };
    assert!(refused(&deep(1)).contains("\"[[a\" is not a family name"), "{}", refused(&deep(1)));
    for depth in [100, 100_000] {
        assert_eq!(refused(&deep(depth)), "Not a Tabletop workspace: values are nested more than 128 deep.");
    }
    assert_eq!(
        refused("time,user\n1,2"),
        "Not a Tabletop workspace: it does not begin with {. If it has events, load it as data."
    );
    assert!(refused("{\"user\":1}\n{\"user\":2}").ends_with(" If it has events, load it as data."));
    assert!(refused("{}").starts_with("Not a Tabletop workspace (no `version` field). "));
    assert!(refused("{\"version\": 2, \"anything\": []}").starts_with("This workspace has version 2"));
    assert!(
        refused(&json::write(&Workspace::default()).replace("20000", "20"))
            .starts_with("source.generated.events is 20")
    );
}
