//! Both pipelines of profiles with a million events: in the view Profiles, which must not freeze
//! during it, and natively.
//!
//! Each event streams in with the profile of its user; then the batch computes all profiles again.
//! Rates are per second of waiting time, which in the page includes all messages and repaints. How
//! old a profile is, how much memory the batch takes, and the same job in other stores are figures
//! of `cargo xtask bench engine`.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tabletop_keys::{Layout, LayoutKind};
use tabletop_protocol::{Profiles, ProfilesOrder, ProfilesRequest, ProfilesWork};
use tabletop_tests::browser::{Browser, Result};
use tabletop_workspace::{EventScore, FacetScore, GeneratorSettings, Source, Strategy, Workspace};

use crate::figures::Figures;
use crate::native::Host;
use crate::page::{EVENTS, WATCH, number, page};

/// With this number of users, each has fifty events on average. A few have thousands, and their
/// profiles take longest.
const USERS: u32 = 20_000;
const USER_SKEW: f64 = 0.5;
/// With this key, a user's events are one range of keys.
const TEMPLATE: &str = "{app_id},{user_token},{timestamp:iso}";
/// Maximum number of events that one request lets arrive, as in the view.
const STREAMED: u32 = 400;
/// Maximum milliseconds of a task of the main thread. The user notices longer ones.
const TASK_BUDGET: f64 = 50.0;
const LOOK: Duration = Duration::from_millis(500);
/// Longer than even a slow machine needs.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// The names of the figures.
const STREAM: &str = "events a second that stream in, each with its profile";
const STREAM_TASK: &str = "longest task of the page's main thread, streaming";
const BATCH: &str = "events a second of the batch, all profiles again";
const BATCH_TASK: &str = "longest task of the page's main thread, batch";

/// The workspace of both measurements: one narrow design, in which each event is one cell.
fn workspace() -> Workspace {
    let generated =
        GeneratorSettings { seed: 1, events: EVENTS, apps: 3, users: USERS, user_skew: USER_SKEW };
    let (source, strategy) = (Source::Generated(generated), Some(Box::new(strategy())));
    let mut workspace = Workspace { source, strategy, ..Workspace::default() };
    workspace.designs.truncate(1);
    for design in &mut workspace.designs {
        design.template = TEMPLATE.into();
        design.layout = Layout::new(LayoutKind::Narrow);
    }
    workspace
}

fn strategy() -> Strategy {
    let events = [
        ("click", "search", 40),
        ("click", "category", 40),
        ("conversion", "checkout", 100),
        ("conversion", "product page", 100),
        ("view", "search", 10),
        ("view", "product page", 10),
    ];
    let facets = [("brand", 100), ("color", 60), ("category", 40)];
    Strategy::new(
        events.map(|(kind, name, score)| EventScore::new(kind, name, score)).into(),
        facets.map(|(facet, score)| FacetScore::new(facet, score)).into(),
    )
}

/// Measures both pipelines in the view Profiles.
pub fn pipelines(dist: &Path, figures: &mut Figures) -> Result<()> {
    let group = "Profiles in the page";
    let (_server, browser) = page(dist, "?view=profiles")?;
    browser.run(WATCH, json!([]))?;
    let Workspace { source, designs, strategy, .. } = workspace();
    browser.run(OPEN, json!([{ "source": source, "designs": designs, "strategy": strategy }]))?;
    let (first, begun) = progress(&browser, START)?;
    let (last, ended) = all_streamed(&browser)?;
    figures.add(group, STREAM, (last - first) / (ended - begun) * 1e3, "events/s", None);
    let task = number(&browser.run("return longest", json!([]))?, "longest task")?;
    figures.add(group, STREAM_TASK, task, "ms", Some(TASK_BUDGET));
    browser.run(BEGIN_BATCH, json!([]))?;
    let millis = batch_millis(&browser)?;
    figures.add(group, BATCH, last / millis * 1e3, "events/s", None);
    let task = number(&browser.run("return longest", json!([]))?, "longest task")?;
    figures.add(group, BATCH_TASK, task, "ms", Some(TASK_BUDGET));
    Ok(())
}

/// Returns the events so far and the time in milliseconds, from one of the scripts.
fn progress(browser: &Browser, script: &str) -> Result<(f64, f64)> {
    let answer = browser.run(script, json!([EVENTS]))?;
    Ok((number(&answer[0], "events that have streamed in")?, number(&answer[1], "a time")?))
}

/// Waits until all events have streamed in. Returns their number and the time.
fn all_streamed(browser: &Browser) -> Result<(f64, f64)> {
    let start = Instant::now();
    loop {
        let (events, time) = progress(browser, STREAMED_SO_FAR)?;
        if events >= f64::from(EVENTS) {
            return Ok((events, time));
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("after {} s, {events} events have streamed in", PATIENCE.as_secs()));
        }
        thread::sleep(LOOK);
    }
}

/// Waits until the batch is complete. Returns its milliseconds, as noted by the page.
fn batch_millis(browser: &Browser) -> Result<f64> {
    let start = Instant::now();
    loop {
        if let Some(millis) = browser.run("return window.batchMillis ?? null", json!([]))?.as_f64() {
            return Ok(millis);
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("after {} s, the batch is not done", PATIENCE.as_secs()));
        }
        thread::sleep(LOOK);
    }
}

/// Measures the same requests without a browser.
pub fn pipelines_native(figures: &mut Figures) -> Result<()> {
    let group = "Profiles, native";
    let mut host = Host::with(workspace())?;
    let begun = host.begin::<Profiles>(&ProfilesRequest { index: 0, strategy: strategy() })?;
    let (run, mut chunk) = (begun.run.ok_or("the pipelines have ended")?, begun.chunk);
    let mut go =
        |work| host.next::<Profiles>(run, &ProfilesOrder { work, user: None }).map(|slice| slice.chunk);
    let start = Instant::now();
    while chunk.events < chunk.events_total {
        chunk = go(ProfilesWork::Stream(STREAMED))?;
    }
    figures.add(group, STREAM, chunk.events as f64 / start.elapsed().as_secs_f64(), "events/s", None);
    if chunk.events != u64::from(EVENTS) || chunk.refused > 0 {
        return Err(format!(
            "{} events have streamed in, {} of them refused: {}",
            chunk.events, chunk.refused, chunk.refusal
        ));
    }
    let start = Instant::now();
    while !chunk.batch.as_ref().is_some_and(|batch| batch.is_done) {
        chunk = go(ProfilesWork::Batch)?;
    }
    figures.add(group, BATCH, chunk.events as f64 / start.elapsed().as_secs_f64(), "events/s", None);
    Ok(())
}

/// Opens a workspace, and waits until all events are in its table.
const OPEN: &str = r#"
const workspace = await tabletop.workspace();
await tabletop.open(Object.assign(workspace, arguments[0]));
"#;

/// Waits until the view has all events, lets them arrive if they do not arrive by themselves, and
/// discards earlier tasks. Returns the events so far and the time.
const START: &str = r#"
const start = performance.now();
const bar = () => document.querySelector(".profiles-pipeline progress");
while (bar()?.max !== arguments[0]) {
  const problem = document.querySelector(".profiles > .problem");
  if (problem) throw new Error(problem.textContent);
  if (performance.now() - start > 60000) throw new Error("the view Profiles does not have all events");
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const play = [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Play events");
if (play && bar().value < bar().max) play.click();
window.longest = 0;
return [bar().value, performance.now()];
"#;

const STREAMED_SO_FAR: &str = r#"
const problem = document.querySelector(".profiles > .problem");
if (problem) throw new Error(problem.textContent);
return [document.querySelector(".profiles-pipeline progress").value, performance.now()];
"#;

/// Begins the batch, and notes its time when the view says that it is done.
const BEGIN_BATCH: &str = r#"
const named = () => [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Recompute all");
const begun = performance.now();
while (!named() || named().disabled) {
  if (performance.now() - begun > 20000) throw new Error("the batch cannot begin");
  await new Promise((resolve) => setTimeout(resolve, 20));
}
window.longest = 0;
const start = performance.now();
named().click();
const look = setInterval(() => {
  const figures = document.querySelectorAll(".profiles-pipeline")[1]?.querySelectorAll("dd") ?? [];
  if (![...figures].some((figure) => figure.textContent === "done")) return;
  window.batchMillis = performance.now() - start;
  clearInterval(look);
}, 20);
"#;
