//! What it costs to judge a design without building its table, as the adviser does for each change
//! that it considers.

use std::time::Instant;

use tabletop_advice::{EventHashes, LiveEvents, LossCount, ROLES_EVENTS, field_roles, live_load};
use tabletop_keys::{FieldRole, Layout, LayoutKind, Record, Template};
use tabletop_tests::browser::Result;
use tabletop_workload::{Events, Generator};
use tabletop_workspace::GeneratorSettings;

use crate::figures::Figures;

const EVENTS: u32 = 10_000;
/// The longest time that one design may take.
const MILLIS_MAX: f64 = 5.0;
/// Measurements of a design, of which the median counts.
const ROUNDS: usize = 15;
const DESIGNS: [(&str, LayoutKind); 4] = [
    ("{timestamp:iso},{app_id},{user_token}", LayoutKind::Narrow),
    ("{app_id},{user_token},{timestamp:iso}", LayoutKind::Wide),
    ("{salt(16)}-{user_token},{timestamp:reverse_time}", LayoutKind::Narrow),
    ("{user_token}", LayoutKind::RowPerEntity),
];

/// Measures the losses and the live load of designs with ten thousand events. What is the same for
/// all designs of these events is not counted: their roles, their hashes and the live events.
pub fn designs(figures: &mut Figures) -> Result<()> {
    let settings = GeneratorSettings { seed: 1, events: EVENTS, apps: 3, users: 500, user_skew: 1.0 };
    let mut generator = Generator::new(&settings);
    let mut events = Events::new(generator.fields());
    generator.fill(&mut events, EVENTS).map_err(|error| error.to_string())?;
    let values: Vec<Vec<Option<&str>>> = (0..events.len())
        .map(|event| (0..events.fields().len()).map(|field| events.value(event, field)).collect())
        .collect();
    let records: Vec<Record> =
        values.iter().map(|values| Record { fields: events.fields(), values }).collect();
    let sample =
        values.iter().step_by(values.len().div_ceil(ROLES_EVENTS as usize)).cloned().collect::<Vec<_>>();
    let roles: Vec<FieldRole> =
        field_roles(events.fields(), &sample).into_iter().map(|found| found.role).collect();
    let live = LiveEvents::of(&records, &roles).ok_or("the events have no time")?;
    let mut hashes = EventHashes::default();
    records.iter().for_each(|record| hashes.add(record));
    for (template, kind) in DESIGNS {
        let layout = Layout::new(kind);
        let (parsed, _) = Template::parse(template, events.fields());
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                let mut count = LossCount::new(&parsed, &layout, &[]);
                records.iter().for_each(|record| count.add(record));
                let losses = count.losses(&hashes);
                let load = live_load(&parsed.stored(&layout), &records, &live, false);
                assert!(losses.events == EVENTS && load.is_some(), "{template}: {losses:?}");
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let name = format!("{template} {kind:?}");
        figures.add("Evaluator, native", name, times[ROUNDS / 2], "ms", Some(MILLIS_MAX));
    }
    Ok(())
}
