//! A simulation of a minute of heavy traffic, and the repaint of its heatmap.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tabletop_protocol::{Ask, HeatMetric, JobAsk, Simulate, SimulateRequest};
use tabletop_tests::browser::Result;
use tabletop_workspace::{KeyChoice, Schedule, Stream, StreamKind, Traffic, TrafficRun};

use crate::figures::Figures;
use crate::first_load::median;
use crate::native::Host;
use crate::page::{number, open_generated, page};

/// Events of the table.
const EVENTS: u32 = 100_000;
const PER_SECOND: f64 = 100_000.0;
const SECONDS: u32 = 60;
const NODES: u32 = 10;
/// Maximum milliseconds for simulating a minute of this traffic.
const BUDGET: f64 = 1_000.0;
/// Number of simulations. The median is reported.
const TIMES: usize = 5;
/// Maximum milliseconds of a repaint of the heatmap.
const REPAINT_BUDGET: f64 = 8.0;

/// Reads of any event, a fifth of them for one row, and writes of new events.
fn traffic() -> Traffic {
    let stream = |name: &str, what, share: f64, keys| Stream {
        name: name.into(),
        what,
        per_second: PER_SECOND * share,
        keys,
        when: Schedule::Constant,
    };
    let hot = KeyChoice::Hot { field: None, value: None, share: 0.2 };
    let streams = vec![
        stream("reads", StreamKind::PointReads, 0.8, hot),
        stream("writes", StreamKind::WriteEvents, 0.2, KeyChoice::AsEvents),
    ];
    let run = TrafficRun { nodes: NODES, seconds: SECONDS, ..TrafficRun::default() };
    Traffic { streams, seed: 1, run, ..Traffic::default() }
}

fn add(figures: &mut Figures, group: &'static str, millis: f64, requests: f64) {
    figures.add(group, "a minute of 100,000 requests/s on 10 nodes", millis, "ms", Some(BUDGET));
    figures.add(group, "simulated requests a second", requests / millis * 1e3, "1/s", None);
}

/// Measures a simulation in the worker, from a script of the page.
pub fn simulation(dist: &Path, figures: &mut Figures) -> Result<()> {
    let (_server, browser) = page(dist, "")?;
    open_generated(&browser, EVENTS)?;
    let (mut times, mut requests) = (Vec::new(), 0.0);
    for _ in 0..TIMES {
        let measured = browser.run(SIMULATE, json!([traffic()]))?;
        times.push(number(&measured[0], "time of a simulation")?);
        requests = number(&measured[1], "simulated requests")?;
    }
    add(figures, "Traffic in the worker", median(times), requests);
    Ok(())
}

/// Measures the repaint of the whole heatmap, when the moment on the screen changes.
pub fn repaint(dist: &Path, figures: &mut Figures) -> Result<()> {
    let (_server, browser) = page(dist, "")?;
    browser.run(OPEN, json!([traffic()]))?;
    let mut times = Vec::new();
    for turn in 0..2 * TIMES {
        times.push(number(&browser.run(REPAINT, json!([turn % 2]))?, "time of a repaint")?);
    }
    figures.add("Traffic on the page", "repaint of the heatmap", median(times), "ms", Some(REPAINT_BUDGET));
    Ok(())
}

/// Measures the same simulation without a browser.
pub fn simulation_native(figures: &mut Figures) -> Result<()> {
    let mut host = Host::of(EVENTS)?;
    let (mut times, mut requests) = (Vec::new(), 0.0);
    for _ in 0..TIMES {
        let start = Instant::now();
        let begun = host.begin::<Simulate>(&SimulateRequest { index: 0, traffic: traffic() })?;
        let (run, mut all) = (begun.run.ok_or("the simulation has ended")?, begun.chunk);
        while !all.is_complete() {
            all.extend(host.next::<Simulate>(run, &all.have(HeatMetric::Requests))?.chunk);
        }
        requests = all.totals.first().map_or(0.0, |all| all.arrived as f64);
        times.push(start.elapsed().as_secs_f64() * 1e3);
        host.ask(Ask::Job(JobAsk::End(run)))?;
    }
    add(figures, "Traffic, native", median(times), requests);
    Ok(())
}

const SIMULATE: &str = r#"
const start = performance.now();
const result = await tabletop.simulate(0, arguments[0]);
return [performance.now() - start, Number(result.totals[0].arrived)];
"#;

/// Opens the view with the traffic, and waits until all of it is simulated and played.
const OPEN: &str = r#"
const workspace = await tabletop.workspace();
workspace.traffic = arguments[0];
await tabletop.open(workspace);
document.querySelector('a[href*="traffic"]').click();
for (let turn = 0; !document.body.innerText.includes("is executed"); turn++) {
  if (turn > 600) throw new Error("the simulation has no end");
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const slider = document.querySelector(".traffic-player input[type=range]");
slider.value = slider.max;
slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
await new Promise((resolve) => setTimeout(resolve, 500));
"#;

/// Moves to another second, and returns the milliseconds of the repaint, which the canvas reports.
const REPAINT: &str = r#"
const canvas = document.querySelector(".heat-plane canvas");
const slider = document.querySelector(".traffic-player input[type=range]");
canvas.removeAttribute("data-paint-millis");
slider.value = Number(slider.max) - 1 - arguments[0];
slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
for (let turn = 0; ; turn++) {
  const millis = canvas.getAttribute("data-paint-millis");
  if (millis !== null) return Number(millis);
  if (turn > 5000) throw new Error("the heatmap is not painted again");
  await new Promise((resolve) => setTimeout(resolve, 1));
}
"#;
