//! Every chain of advice on the corpus's files, followed to its end: a fix is applied, the new design
//! is judged, and so on, until nothing is offered.

use std::cell::RefCell;

use tabletop_advice::{
    Advice, Arrival, Context, Counted, EventHashes, Fix, LossCount, Losses, Tone, advise, judge,
};
use tabletop_keys::{Field, FieldRole, Layout, LayoutKind, Part, Record, Template, part_fields, time};
use tabletop_model::{TableView, TabletId, TabletView};
use tabletop_workload::Events;
use tabletop_workspace::GivenRole;

use super::default_keys::default_key;
use super::{Entry, File, each, ensure, files, in_parallel};

/// Events of the sample for advice, as the product takes them.
const SAMPLE: usize = 2_000;
/// The most fixes of a chain.
const STEPS_MAX: usize = 4;
/// The fewest files with a time whose chain from a key that begins with it ends in a design that an
/// engineer accepts.
const OF_TIME_MIN: usize = 50;
/// The fewest files of which all chains do.
const ACCEPTED_MIN: usize = 48;
/// A tablet takes at most this share of live events under a tick.
const LIVE_SHARE_MAX: f64 = 0.375;

/// A design under advice.
#[derive(Clone, PartialEq)]
struct Key {
    text: String,
    layout: Layout,
}

/// The events of a file, as the adviser sees them.
struct Advised<'e> {
    events: &'e Events,
    roles: Vec<GivenRole>,
    hashes: EventHashes,
    known: RefCell<Vec<(Key, Losses)>>,
}

/// Returns at most `most` indices, evenly spread over the events.
fn spread(events: &Events, most: usize) -> Vec<usize> {
    let (taken, last) = (events.len().min(most), events.len().saturating_sub(1));
    (0..taken).map(|step| step * last / taken.saturating_sub(1).max(1)).collect()
}

fn values(events: &Events, index: usize) -> Vec<Option<&str>> {
    let mut values = Vec::new();
    events.record(index, &mut values);
    values
}

impl<'e> Advised<'e> {
    fn new(events: &'e Events) -> Advised<'e> {
        let given = events.fields().iter().zip(super::roles::roles(events));
        let roles = given.map(|(field, found)| GivenRole { field: field.name.clone(), role: found.role });
        let mut hashes = EventHashes::default();
        events.for_each(0..events.len() as u32, |_, record| hashes.add(record));
        Advised { events, roles: roles.collect(), hashes, known: RefCell::default() }
    }

    fn losses(&self, template: &Template, layout: &Layout) -> Losses {
        let key = Key { text: template.text(), layout: layout.clone() };
        if let Some((_, losses)) = self.known.borrow().iter().find(|(known, _)| *known == key) {
            return *losses;
        }
        let mut count = LossCount::new(template, layout, &[]);
        self.events.for_each(0..self.events.len() as u32, |_, record| count.add(record));
        let losses = count.losses(&self.hashes);
        self.known.borrow_mut().push((key, losses));
        losses
    }

    fn advice(&self, key: &Key) -> Advice {
        let (template, problems) = Template::parse(&key.text, self.events.fields());
        assert_eq!(problems, [], "{}", key.text);
        let mut count = LossCount::new(&template, &key.layout, &[]);
        self.events.for_each(0..self.events.len() as u32, |_, record| count.add(record));
        let mut sample = spread(self.events, SAMPLE);
        let others = count.shared();
        sample.extend(others.iter().map(|index| *index as usize));
        let sample: Vec<Vec<Option<&str>>> =
            sample.into_iter().map(|index| values(self.events, index)).collect();
        let records = sample.iter().map(|values| Record { fields: self.events.fields(), values });
        let counts = |template: &Template, layout: &Layout| Counted::All(self.losses(template, layout));
        let digits = |name: &str| {
            let at = self.events.fields().iter().position(|field| field.name == name)?;
            let texts = (0..self.events.len()).filter_map(|index| self.events.value(index, at));
            tabletop_keys::edit::digits(texts)
        };
        let context = Context {
            roles: &self.roles,
            others: others.len(),
            queries: &[],
            families: &[],
            digits: &digits,
            holds: &|text| {
                let all = (0..self.events.len()).flat_map(|index| values(self.events, index));
                Some(all.flatten().any(|value| value.contains(text)))
            },
            counts: &counts,
        };
        advise(&template, &key.layout, context, records)
    }
}

/// Returns the fields of a key in their order, and whether it has a salt.
fn fields_of(key: &Key, events: &Events) -> (Vec<String>, bool) {
    let (template, _) = Template::parse(&key.text, events.fields());
    let fields = template.parts().iter().flat_map(part_fields).cloned().collect();
    (fields, template.parts().iter().any(|part| matches!(part, Part::Salt { .. })))
}

fn accepts(entry: &Entry, key: &Key, events: &Events) -> bool {
    let (fields, has_salt) = fields_of(key, events);
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    entry.accepts(&fields, has_salt)
}

/// The keys with which chains begin: the time first, and the page's own.
fn starts(entry: &Entry, events: &Events) -> Vec<Key> {
    let time = entry.time.as_ref().map(|time| {
        let at = events.fields().iter().position(|field| field.name == *time).expect("it has its time");
        let part = tabletop_keys::edit::part_of(&events.fields()[at], None);
        Template::new([part], events.fields()).text()
    });
    let texts = time.into_iter().chain([default_key(events).0.text()]);
    texts.map(|text| Key { text, layout: Layout::new(LayoutKind::Narrow) }).collect()
}

/// Returns the keys to which the fixes of a key lead that begins with the time.
pub(super) fn first_steps(events: &Events, time: &str) -> Vec<String> {
    let at = events.fields().iter().position(|field| field.name == time).expect("it has its time");
    let part = tabletop_keys::edit::part_of(&events.fields()[at], None);
    let text = Template::new([part], events.fields()).text();
    let key = Key { text, layout: Layout::new(LayoutKind::Narrow) };
    fixes(&Advised::new(events).advice(&key)).iter().map(|fix| apply(fix, &key).text).collect()
}

fn apply(fix: &Fix, key: &Key) -> Key {
    Key {
        text: fix.patch.template.clone().unwrap_or_else(|| key.text.clone()),
        layout: fix.patch.layout.clone().unwrap_or_else(|| key.layout.clone()),
    }
}

/// The fixes that the page shows: those of warnings, and that of the verdict.
fn fixes(advice: &Advice) -> Vec<Fix> {
    let verdict = judge(advice, &even_table(), Arrival::Complete);
    let mut fixes: Vec<Fix> = Vec::new();
    for fix in advice.warnings.iter().flat_map(|warning| &warning.fixes).chain(&verdict.fix) {
        if !fixes.iter().any(|known| known.patch == fix.patch) {
            fixes.push(fix.clone());
        }
    }
    fixes
}

/// A table of many tablets that take the same.
fn even_table() -> TableView {
    let tablet = |id| TabletView {
        id: TabletId(id),
        parent: None,
        start: Default::default(),
        end: Default::default(),
        rows: 50,
        cells: 100,
        exact: true,
        bytes: 1_000,
        memtable_bytes: 0,
        sstables: 1,
        reads: 0,
        writes: 50,
        reads_per_second: 0.0,
        writes_per_second: 10.0,
    };
    TableView { tablets: (0..24).map(tablet).collect(), splits: 23, ..TableView::default() }
}

/// Follows all fixes of a design. `path` are the designs so far, with this one at its end.
fn follow(advised: &Advised, path: &mut Vec<Key>) -> Result<(), String> {
    let key = path.last().expect("a design").clone();
    let shown = path.iter().map(|key| key.text.as_str()).collect::<Vec<_>>().join(" -> ");
    ensure(path.len() <= STEPS_MAX + 1, || format!("no end: {shown}"))?;
    let advice = advised.advice(&key);
    if judge(&advice, &even_table(), Arrival::Complete).tone == Tone::Good {
        let share = live_share(advised, &key);
        ensure(share <= LIVE_SHARE_MAX, || format!("a tick at {share:.2} live: {shown}"))?;
        let (template, _) = Template::parse(&key.text, advised.events.fields());
        let losses = advised.losses(&template, &key.layout);
        ensure(losses.is_complete(), || format!("a tick, but {losses:?}: {shown}"))?;
    }
    for fix in fixes(&advice) {
        let next = apply(&fix, &key);
        let step = format!("{shown} => {} ({:?}, {:?})", next.text, fix.kind, fix.effect);
        ensure(!path.contains(&next), || format!("a fix is undone: {step}"))?;
        let (template, problems) = Template::parse(&next.text, advised.events.fields());
        ensure(problems.is_empty(), || format!("{problems:?}: {step}"))?;
        let losses = advised.losses(&template, &next.layout);
        ensure(losses.is_complete(), || format!("{losses:?}: {step}"))?;
        ensure(fix.effect.lost[1] == losses.lost(), || format!("another loss than said: {step}"))?;
        let (fields, _) = fields_of(&next, advised.events);
        let (before, _) = fields_of(&key, advised.events);
        let role = GivenRole::of(&advised.roles, &fields[0]);
        let is_unfit = matches!(
            role,
            Some(FieldRole::Measure | FieldRole::Counter | FieldRole::PartOfTime | FieldRole::FreeText)
        );
        ensure(!is_unfit || fields[0] == before[0], || format!("begins with a {role:?}: {step}"))?;
        if let Some([_, promised]) = fix.effect.heat {
            let found = advised.advice(&next).load.map_or(1.0, |load| load.heat());
            ensure((promised - found).abs() < 0.01, || format!("{found:.2} and not as said: {step}"))?;
        }
        path.push(next);
        follow(advised, path)?;
        path.pop();
    }
    Ok(())
}

/// The share of the busiest of 24 equal parts of the table if the events of one second follow the
/// loaded ones. This is written anew, so that it shares no fault with the adviser: a part of the time
/// is that of the last event, and the time is that of the following ones.
fn live_share(advised: &Advised, key: &Key) -> f64 {
    let (events, roles) = (advised.events, &advised.roles);
    let write = |fields: &[Field], values: &[Option<&str>]| {
        let (template, _) = Template::parse(&key.text, fields);
        let mut bytes = Vec::new();
        let written = template.stored(&key.layout).write_key(&Record { fields, values }, &mut bytes);
        written.ok().map(|()| bytes)
    };
    let loaded = spread(events, 3_000);
    let mut keys: Vec<Vec<u8>> =
        loaded.iter().filter_map(|index| write(events.fields(), &values(events, *index))).collect();
    keys.sort();
    let role = |at: usize| GivenRole::of(roles, &events.fields()[at].name).expect("each field has one");
    let Some(clock) = (0..events.fields().len()).find(|at| role(*at) == FieldRole::EventTime) else {
        return 1.0;
    };
    let micros = |index: &usize| events.fields()[clock].micros(events.value(*index, clock)?);
    let last = (0..events.len()).max_by_key(micros).expect("there are events");
    let mut fields = events.fields().to_vec();
    fields[clock].format = None;
    let mut parts = [0; 24];
    let chosen = spread(events, 300);
    let unit = [86_400_000_000, 60_000_000, 1_000_000]
        .into_iter()
        .find(|unit| (0..events.len()).filter_map(|index| micros(&index)).all(|micros| micros % unit == 0));
    for (at, index) in chosen.iter().enumerate() {
        let mut event = values(events, *index);
        let now = time::format(micros(&last).unwrap_or_default() + (at as i64 + 1) * unit.unwrap_or(1_000));
        for (at, value) in event.iter_mut().enumerate() {
            match role(at) {
                FieldRole::EventTime if at == clock => *value = Some(&now),
                FieldRole::EventTime | FieldRole::PartOfTime => *value = events.value(last, at),
                _ => {}
            }
        }
        let Some(bytes) = write(&fields, &event) else { continue };
        let place = keys.partition_point(|key| *key <= bytes);
        parts[(place * 24 / keys.len()).min(23)] += 1;
    }
    f64::from(*parts.iter().max().expect("24 parts")) / chosen.len() as f64
}

#[test]
fn every_chain_of_advice_keeps_its_promises() {
    each(|File { entry, events, .. }| {
        let advised = Advised::new(events);
        for start in starts(entry, events) {
            follow(&advised, &mut vec![start])?;
        }
        Ok(())
    });
}

#[test]
fn advice_leads_to_designs_that_an_engineer_accepts() {
    let all: Vec<&File> = files().iter().flatten().collect();
    let count = all.len();
    let ends = in_parallel(all, &|File { entry, events, .. }: &File| {
        let advised = Advised::new(events);
        let of_start = |start: Key| {
            let mut chain = vec![start];
            while chain.len() <= STEPS_MAX {
                let last = chain.last().expect("a design");
                let Some(fix) = fixes(&advised.advice(last)).into_iter().next() else { break };
                chain.push(apply(&fix, last));
            }
            let is_accepted = accepts(entry, chain.last().expect("a design"), events);
            let texts: Vec<&str> = chain.iter().map(|key| key.text.as_str()).collect();
            (is_accepted, texts.join(" -> "))
        };
        (entry, starts(entry, events).into_iter().map(of_start).collect::<Vec<_>>())
    });
    let (mut accepted, mut of_time, mut with_time) = (0, 0, 0);
    for (entry, chains) in ends {
        let is_accepted = chains.iter().all(|(is_accepted, _)| *is_accepted);
        accepted += usize::from(is_accepted);
        if entry.time.is_some() {
            with_time += 1;
            of_time += usize::from(chains[0].0);
        }
        if !is_accepted {
            let best: Vec<&Vec<String>> = entry.keys.iter().map(|key| &key.fields).collect();
            println!("{}: accepted are {best:?}", entry.name);
            for (is_accepted, chain) in &chains {
                println!("    {} {chain}", if *is_accepted { "yes" } else { "NO " });
            }
        }
    }
    println!(
        "{of_time} of {with_time} chains that begin with the time end in a design that an engineer accepts"
    );
    println!("{accepted} of {count} files do, both from there and from the page's own key");
    assert!(
        of_time >= OF_TIME_MIN && accepted >= ACCEPTED_MIN,
        "{of_time} of {with_time}, {accepted} of {count}"
    );
}
