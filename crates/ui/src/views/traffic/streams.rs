//! The streams of a traffic: a line for each, with its operation, its rate, its keys and its
//! schedule.

use std::rc::Rc;

use tabletop_model::Error;
use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_workspace::{
    EXPONENT_MAX, FACTOR_MAX, KeyChoice, NODES_MAX, STREAM_NAME_CHARS_MAX, STREAMS_MAX, Schedule, Stream,
    StreamKind, TRAFFIC_PER_SECOND_MAX, TraceStreams, Traffic,
};
use web_sys::File;
use yew::{AttrValue, Callback, Event, Html, TargetCast, html};

use super::log;
use crate::browser;
use crate::kit::{
    Icon, Label, MenuButton, Number, checked_text_field, icon, number_field, select, text_field, tool,
};

/// The maximum number of seconds that a schedule can be given in the page.
const SECONDS_MAX: f64 = 86_400.0;
/// A share.
const SHARE_MAX: f64 = 1.0;

/// A change of the traffic.
pub type Change = Rc<dyn Fn(&mut Traffic)>;

/// What the editor needs.
pub struct Editor<'a> {
    /// The traffic that is edited.
    pub traffic: &'a Rc<Traffic>,
    /// The names of fields of the events.
    pub fields: &'a [String],
    /// The names of access patterns.
    pub patterns: &'a [String],
    /// Changes the current traffic: the user can fill in two fields before a drawing.
    pub on_change: &'a Callback<Change>,
}

impl Editor<'_> {
    /// Returns a callback that changes the traffic by the value of a control.
    pub fn with<T: Clone + 'static>(&self, change: impl Fn(&mut Traffic, T) + 'static) -> Callback<T> {
        let change = Rc::new(change);
        self.on_change.reform(move |value: T| {
            let change = change.clone();
            Rc::new(move |traffic: &mut Traffic| change(traffic, value.clone())) as Change
        })
    }

    /// Changes a drawn stream, unless one was removed since: the index may then refer to another
    /// one.
    fn stream<T: Clone + 'static>(
        &self,
        at: usize,
        change: impl Fn(&mut Stream, T) + 'static,
    ) -> Callback<T> {
        let count = self.traffic.streams.len();
        self.with(move |traffic, value| {
            if traffic.streams.len() >= count {
                change(&mut traffic.streams[at], value);
            }
        })
    }

    fn remove_stream(&self, at: usize) -> Callback<()> {
        let count = self.traffic.streams.len();
        self.with(move |traffic, ()| {
            if traffic.streams.len() >= count {
                traffic.streams.remove(at);
            }
        })
    }
}

/// Draws the list of streams. `presets` are the presets that suit the events, as values and names; `trace` is
/// the outcome of the trace that was chosen last, and `replaced` the number of streams that it
/// replaced.
pub fn streams(
    editor: &Editor,
    presets: &[(AttrValue, AttrValue)],
    on_preset: Callback<AttrValue>,
    trace: &Option<Result<TraceStreams, Error>>,
    replaced: usize,
    on_trace: &Callback<File>,
) -> Html {
    let says = &messages().traffic.streams;
    let number = editor.traffic.streams.len() + 1;
    let added = editor.with(move |traffic, ()| {
        if traffic.streams.len() < STREAMS_MAX {
            let (name, what) = (free_name(traffic, number), StreamKind::PointReads);
            traffic.streams.push(Stream {
                name,
                what,
                per_second: 1_000.0,
                keys: KeyChoice::AsEvents,
                when: Schedule::Constant,
            });
        }
    });
    html! {
        <section class="traffic-streams" aria-labelledby="traffic-streams-title">
            <div class="traffic-head">
                <h3 id="traffic-streams-title">{says.title}</h3>
                <MenuButton label={says.preset} items={presets.to_vec()} on_select={on_preset} />
                { trace_button(on_trace.clone()) }
                { tool(says.add, Icon::Plus, (editor.traffic.streams.len() < STREAMS_MAX).then_some(added)) }
            </div>
            { trace_read(trace, replaced) }
            { log::log(editor) }
            <ol>{ for editor.traffic.streams.iter().enumerate().map(|(at, stream)| line(editor, at, stream)) }</ol>
        </section>
    }
}

/// Draws the browser's file field as a button.
fn trace_button(on_trace: Callback<File>) -> Html {
    let says = &messages().traffic.streams;
    let onchange = Callback::from(move |event: Event| {
        browser::take_file(&event.target_unchecked_into(), |file| on_trace.emit(file));
    });
    html! {
        <label class="button quiet file-button" title={says.trace_about}>
            {icon(Icon::File)}
            {says.trace}
            <input type="file" class="visually-hidden" accept=".csv,.tsv,.txt,text/*" {onchange} />
        </label>
    }
}

/// Draws the outcome of a trace.
fn trace_read(trace: &Option<Result<TraceStreams, Error>>, replaced: usize) -> Html {
    let says = &messages().traffic.streams;
    match trace {
        None => html! {},
        Some(Err(error)) => {
            html! { <p class="problem" role="alert">{icon(Icon::Error)}{(says.trace_refused)(&error.message)}</p> }
        }
        Some(Ok(read)) => html! {
            <div class="trace-read" role="status">
                <p class="soft">{(says.trace_read)(read.requests, read.replayed, read.seconds, read.speed)}{" "}{(says.trace_replaced)(replaced)}</p>
                if !read.problems.is_empty() {
                    <details>
                        <summary>{(says.trace_problems)(read.problems.len())}</summary>
                        <ul>{ for read.problems.iter().map(|problem| html! { <li>{(says.trace_problem)(problem.line, &problem.message)}</li> }) }</ul>
                    </details>
                }
            </div>
        },
    }
}

fn free_name(traffic: &Traffic, number: usize) -> String {
    let says = &messages().traffic.streams;
    let is_free = |name: &String| traffic.streams.iter().all(|stream| stream.name != *name);
    (number..).map(says.new_name).find(is_free).unwrap_or_default()
}

/// Returns a function that says why a stream cannot have a name.
fn refuses_name(traffic: &Rc<Traffic>, at: usize) -> Callback<String, Option<String>> {
    let traffic = traffic.clone();
    Callback::from(move |name: String| prevents_name(&traffic, at, &name))
}

fn prevents_name(traffic: &Traffic, at: usize, name: &str) -> Option<String> {
    let says = &messages().traffic.streams;
    let is_taken =
        || traffic.streams.iter().enumerate().any(|(other, stream)| other != at && stream.name == name);
    if name.trim().is_empty() {
        Some(says.no_name.into())
    } else if name.chars().count() > STREAM_NAME_CHARS_MAX {
        Some((messages().scoreboard.long_name)(STREAM_NAME_CHARS_MAX))
    } else {
        is_taken().then(|| says.name_taken.into())
    }
}

fn line(editor: &Editor, at: usize, stream: &Stream) -> Html {
    let says = &messages().traffic.streams;
    let name = &stream.name;
    let rate = Number {
        value: stream.per_second,
        min: 0.0,
        max: TRAFFIC_PER_SECOND_MAX,
        step: 1_000.0,
        kind: NumberKind::Any,
    };
    html! {
        // Another stream has other fields, because a browser keeps what was typed.
        <li key={format!("{at} of {}", editor.traffic.streams.len())}>
            <div class="traffic-stream" role="group" aria-label={(says.of)(name)}>
            { checked_text_field(says.name, name, refuses_name(editor.traffic, at), editor.stream(at, |stream, name: String| stream.name = name)) }
            { what(editor, at, stream) }
            // A trace has its own times and row keys.
            if !matches!(stream.what, StreamKind::Replay(_)) {
                { number_field(says.per_second, rate, editor.stream(at, |stream, rate| stream.per_second = rate)) }
                { keys(editor, at, stream) }
                { when(editor, at, stream) }
            }
            { tool(&(says.remove)(name), Icon::Close, (editor.traffic.streams.len() > 1).then(|| editor.remove_stream(at))) }
            </div>
        </li>
    }
}

fn what(editor: &Editor, at: usize, stream: &Stream) -> Html {
    let says = &messages().traffic.streams;
    let rows = match stream.what {
        StreamKind::Scans { rows } => rows,
        _ => 100,
    };
    let mut kinds = vec![
        (says.write_events.to_owned(), StreamKind::WriteEvents),
        (says.updates.into(), StreamKind::Updates),
        (says.point_reads.into(), StreamKind::PointReads),
        (says.scans.into(), StreamKind::Scans { rows }),
        (says.read_modify_write.into(), StreamKind::ReadModifyWrite),
        (says.deletes.into(), StreamKind::Deletes),
    ];
    if let StreamKind::Replay(replay) = &stream.what {
        kinds.push(((says.replay)(replay.operation, replay.requests.len()), stream.what.clone()));
    }
    kinds
        .extend(editor.patterns.iter().map(|name| ((says.pattern)(name), StreamKind::Pattern(name.clone()))));
    if !kinds.iter().any(|(_, kind)| *kind == stream.what)
        && let StreamKind::Pattern(name) = &stream.what
    {
        kinds.push(((says.pattern)(name), stream.what.clone()));
    }
    let number =
        Number { value: rows.into(), min: 1.0, max: 1_000_000.0, step: 10.0, kind: NumberKind::Whole };
    html! {
        <>
            { one_of(says.what, kinds, &stream.what, editor.stream(at, |stream, kind| stream.what = kind)) }
            if matches!(stream.what, StreamKind::Scans { .. }) {
                { number_field(says.rows, number, editor.stream(at, |stream, rows: f64| stream.what = StreamKind::Scans { rows: rows as u32 })) }
            }
        </>
    }
}

fn keys(editor: &Editor, at: usize, stream: &Stream) -> Html {
    let says = &messages().traffic.streams;
    let exponent = match stream.keys {
        KeyChoice::Zipf { exponent, .. } | KeyChoice::Latest { exponent } => exponent,
        _ => 1.0,
    };
    let (share, value) = match &stream.keys {
        KeyChoice::Hot { share, value, .. } => (*share, value.clone()),
        _ => (0.5, None),
    };
    let mut choices = vec![
        (says.as_events.to_owned(), KeyChoice::AsEvents),
        (says.zipf.into(), KeyChoice::Zipf { field: None, exponent }),
        (says.latest.into(), KeyChoice::Latest { exponent }),
        (says.sequential.into(), KeyChoice::Sequential),
        (says.hot.into(), KeyChoice::Hot { field: None, value: None, share }),
    ];
    let mut fields: Vec<&String> = editor.fields.iter().collect();
    // A field that the events do not have stays selected; the problem is shown below.
    let own = stream.keys.field().map(str::to_owned);
    fields.extend(own.iter().filter(|own| !editor.fields.contains(own)));
    for field in fields {
        let value = if own.as_ref() == Some(field) { value.clone() } else { None };
        choices.push(((says.uniform)(field), KeyChoice::Uniform { field: field.clone() }));
        choices.push(((says.zipf_of)(field), KeyChoice::Zipf { field: Some(field.clone()), exponent }));
        choices.push(((says.hot_of)(field), KeyChoice::Hot { field: Some(field.clone()), value, share }));
    }
    let percent =
        Number { value: tenths(share * 100.0), min: 0.0, max: 100.0, step: 5.0, kind: NumberKind::Any };
    let zipf = Number { value: exponent, min: 0.0, max: EXPONENT_MAX, step: 0.1, kind: NumberKind::Any };
    html! {
        <>
            { one_of(says.keys, choices, &stream.keys, editor.stream(at, |stream, keys| stream.keys = keys)) }
            if matches!(stream.keys, KeyChoice::Zipf { .. } | KeyChoice::Latest { .. }) {
                { number_field(says.exponent, zipf, editor.stream(at, |stream, new| match &mut stream.keys {
                    KeyChoice::Zipf { exponent, .. } | KeyChoice::Latest { exponent } => *exponent = new,
                    _ => {}
                })) }
            }
            if let KeyChoice::Hot { field, .. } = &stream.keys {
                { number_field(says.share, percent, editor.stream(at, |stream, percent: f64| if let KeyChoice::Hot { share, .. } = &mut stream.keys {
                    *share = percent / 100.0;
                })) }
                if field.is_some() {
                    { text_field(says.value, value.as_deref().unwrap_or_default(), editor.stream(at, |stream, text: String| if let KeyChoice::Hot { value, .. } = &mut stream.keys {
                        *value = Some(text);
                    })) }
                }
            }
        </>
    }
}

fn when(editor: &Editor, at: usize, stream: &Stream) -> Html {
    let says = &messages().traffic.streams;
    let kinds = [says.constant, says.ramp, says.sudden, says.periodic];
    let taken = match stream.when {
        Schedule::Constant => 0,
        Schedule::Ramp { .. } => 1,
        Schedule::Sudden { .. } => 2,
        Schedule::Periodic { .. } => 3,
    };
    let on_kind = editor.stream(at, |stream, kind: usize| {
        stream.when = match kind {
            0 => Schedule::Constant,
            1 => Schedule::Ramp { factor: 5.0, from_seconds: 20.0, until_seconds: 60.0 },
            2 => Schedule::Sudden { factor: 5.0, from_seconds: 30.0, for_seconds: 60.0 },
            _ => Schedule::Periodic { period_seconds: 60.0, peak_seconds: 30.0, low: 0.1 },
        };
    });
    let mut shown = stream.when;
    let field = |(index, (label, value, max)): (usize, (&str, &mut f64, f64))| {
        let (value, max) = if max == SHARE_MAX { (tenths(*value * 100.0), 100.0) } else { (*value, max) };
        let bounds = Number { value, min: 0.0, max, step: 1.0, kind: NumberKind::Any };
        number_field(
            label,
            bounds,
            editor.stream(at, move |stream, new| set_number(&mut stream.when, index, new)),
        )
    };
    let fields = schedule_numbers(&mut shown).into_iter().enumerate().map(field);
    html! {
        <>
            { select(Label::Shown(says.when), &kinds, Some(taken), on_kind) }
            { for fields }
        </>
    }
}

/// Returns the numbers of a schedule with their labels and their largest values. The user types
/// those of up to [`SHARE_MAX`] in percent.
fn schedule_numbers(when: &mut Schedule) -> Vec<(&'static str, &mut f64, f64)> {
    let says = &messages().traffic.streams;
    match when {
        Schedule::Constant => Vec::new(),
        Schedule::Ramp { factor, from_seconds: from, until_seconds: until } => {
            vec![
                (says.factor, factor, FACTOR_MAX),
                (says.from, from, SECONDS_MAX),
                (says.until, until, SECONDS_MAX),
            ]
        }
        Schedule::Sudden { factor, from_seconds: from, for_seconds: lasting } => {
            vec![
                (says.factor, factor, FACTOR_MAX),
                (says.from, from, SECONDS_MAX),
                (says.lasting, lasting, SECONDS_MAX),
            ]
        }
        Schedule::Periodic { period_seconds: period, peak_seconds: peak, low } => {
            vec![
                (says.period, period, SECONDS_MAX),
                (says.peak, peak, SECONDS_MAX),
                (says.low, low, SHARE_MAX),
            ]
        }
    }
}

/// Changes one of the [`schedule_numbers`]. A ramp ends at its start or later, and a period has at
/// least a second.
fn set_number(when: &mut Schedule, index: usize, new: f64) {
    if let Some((_, value, max)) = schedule_numbers(when).into_iter().nth(index) {
        *value = if max == SHARE_MAX { new / 100.0 } else { new };
    }
    match when {
        Schedule::Ramp { from_seconds, until_seconds, .. } => {
            *until_seconds = until_seconds.max(*from_seconds);
        }
        Schedule::Periodic { period_seconds, .. } => *period_seconds = period_seconds.max(1.0),
        Schedule::Constant | Schedule::Sudden { .. } => {}
    }
}

/// Draws a choice of values with texts.
pub fn one_of<T: Clone + PartialEq + 'static>(
    label: &str,
    choices: Vec<(String, T)>,
    taken: &T,
    on_choice: Callback<T>,
) -> Html {
    let texts: Vec<&str> = choices.iter().map(|(text, _)| text.as_str()).collect();
    let at = choices.iter().position(|(_, value)| value == taken);
    let values: Vec<T> = choices.iter().map(|(_, value)| value.clone()).collect();
    select(
        Label::Shown(label),
        &texts,
        at,
        Callback::from(move |at: usize| on_choice.emit(values[at].clone())),
    )
}

/// Rounds to a tenth, for a share shown in percent.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The bounds of a number of nodes.
pub fn nodes_number(value: u32) -> Number {
    Number { value: value.into(), min: 1.0, max: NODES_MAX.into(), step: 1.0, kind: NumberKind::Whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_a_short_name_of_its_own() {
        let mut traffic = Traffic::default();
        let stream = |name: &str| Stream {
            name: name.into(),
            what: StreamKind::PointReads,
            per_second: 1.0,
            keys: KeyChoice::AsEvents,
            when: Schedule::Constant,
        };
        traffic.streams = vec![stream("Reads"), stream("Writes")];
        let long = "x".repeat(STREAM_NAME_CHARS_MAX + 1);
        assert_eq!(
            (prevents_name(&traffic, 0, "Reads"), prevents_name(&traffic, 0, &long[1..])),
            (None, None)
        );
        assert_eq!(prevents_name(&traffic, 0, &long).as_deref(), Some("A name has at most 100 characters."));
        assert_eq!(prevents_name(&traffic, 1, "Reads").as_deref(), Some("Another stream has this name."));
        assert_eq!(prevents_name(&traffic, 1, " ").as_deref(), Some("A stream needs a name."));
    }

    #[test]
    fn a_schedule_keeps_its_order_and_shares_are_typed_in_percent() {
        let mut ramp = Schedule::Ramp { factor: 5.0, from_seconds: 20.0, until_seconds: 60.0 };
        set_number(&mut ramp, 1, 70.0);
        assert_eq!(ramp, Schedule::Ramp { factor: 5.0, from_seconds: 70.0, until_seconds: 70.0 });
        set_number(&mut ramp, 2, 30.0);
        assert_eq!(ramp, Schedule::Ramp { factor: 5.0, from_seconds: 70.0, until_seconds: 70.0 });
        let mut wave = Schedule::Periodic { period_seconds: 60.0, peak_seconds: 30.0, low: 0.1 };
        set_number(&mut wave, 0, 0.0);
        set_number(&mut wave, 2, 7.0);
        assert_eq!(wave, Schedule::Periodic { period_seconds: 1.0, peak_seconds: 30.0, low: 0.07 });
    }
}
