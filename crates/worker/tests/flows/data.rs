//! The user's own text and the generator: what is read, what is reported about it, and the rows.

use tabletop_keys::{
    FieldKind, FieldRole, LayoutKind, RowChoice,
    time::{self, DateFormat},
};
use tabletop_protocol::{Answer, Ask, LoadState, Playback};
use tabletop_texts::messages;
use tabletop_workspace::{NumberReading, OnBadLine, OwnData, Reading, Source, TimeZone};

use super::{Host, built};
use crate::host::{USER_FIRST, file};

const CSV: &str =
    "user,at,amount\nada,2024-01-01T09:00:00Z,10\nbob,2024-01-01T10:00:00Z\neve,2024-01-01T11:00:00Z,12\n";

/// Loads a text as the page does, and returns what the page says about it.
fn load(host: &mut Host, text: &str, on_bad_line: OnBadLine) -> Vec<String> {
    host.load_as(OwnData { name: "a.csv".into(), ..file(text, on_bad_line) }, text, 1 << 16);
    said(host)
}

/// Returns the line below the source, and those about its file.
fn said(host: &mut Host) -> Vec<String> {
    let (says, data) = (&messages().data, host.data());
    let mut lines = vec![(says.summary)(data.events.into(), data.fields.len() as u64)];
    if data.bad_lines > 0 {
        lines.push((says.bad_lines)(data.bad_lines));
    }
    lines.extend(data.problems.iter().map(|each| (says.problem)(each.line, each.column, &each.message)));
    lines
}

/// Uses this template, and returns the keys of all rows.
fn keys(host: &mut Host, template: &str) -> Vec<String> {
    host.design(|design| design.template = template.into());
    assert_eq!(host.view(0).problems, [], "{template}");
    host.rows_of(RowChoice::All, None, 0).rows.iter().map(|row| row.key.to_string()).collect()
}

#[test]
fn a_bad_line_is_named_and_skipped_or_ends_the_load() {
    let mut host = Host::new();
    let lines = load(&mut host, CSV, OnBadLine::Skip);
    assert_eq!(lines[..2], ["2 events · 3 fields", "1 line could not be read"]);
    // The second event has too few fields: the position is the end of the record.
    assert!(lines[2].starts_with("Line 3, column 25: "), "{lines:?}");
    assert_eq!(load(&mut host, CSV, OnBadLine::Stop)[0], "1 event · 3 fields");

    // A note about a type is not a lost line, and disappears when the type is set.
    let lines = load(&mut host, &format!("{CSV}zoe,soon,13\n"), OnBadLine::Skip);
    let note = "at begins with times, but \"soon\" differs from ISO 8601: the field is read as text.";
    assert!(lines.iter().any(|line| line.ends_with(note)), "{lines:?}");
    let mut fields = host.data().fields;
    fields[1].kind = FieldKind::Time;
    host.correct(fields);
    let lines = said(&mut host);
    assert!(lines.contains(&"1 line could not be read".into()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("is read as text")), "{lines:?}");
}

#[test]
fn json_lines_have_a_template_of_their_fields() {
    let text = "{\"who\":\"ada\",\"when\":\"2024-01-01\",\"n\":1}\n{\"who\":\"bob\",\"when\":\"2024-01-02\",\"n\":2}\n";
    let mut host = Host::new();
    assert_eq!(load(&mut host, text, OnBadLine::Skip), ["2 events · 3 fields"]);
    let Answer::Suggested(mut suggestions) = host.ask(Ask::Suggest) else { panic!("it suggests") };
    let template = suggestions.look_ups.swap_remove(0).template;
    assert_eq!(template, "{when:iso}", "two events show no identifier");
    assert_eq!(keys(&mut host, &template).len(), 2);
}

#[test]
fn a_text_without_records_says_so_and_the_next_one_is_read() {
    let mut host = Host::new();
    let lines = load(&mut host, "user,at,amount\n", OnBadLine::Skip);
    assert!(lines[1].ends_with("There is a header line and no record below it."), "{lines:?}");
    // The page then shows the events before again.
    let LoadState::Failed(error) = host.data().state else { panic!("{:?}", host.data().state) };
    assert_eq!(error.message, "There is a header line and no record below it.");
    assert_eq!(load(&mut host, CSV, OnBadLine::Skip)[0], "2 events · 3 fields");
}

#[test]
fn a_corrected_type_changes_how_keys_are_written() {
    let mut host = Host::new();
    load(&mut host, "shop,at\n01234,2024-01-01\n99,2024-01-02\n", OnBadLine::Skip);
    let correct = |host: &mut Host, kind| {
        let mut fields = host.data().fields;
        fields[0].kind = kind;
        host.correct(fields);
    };
    correct(&mut host, FieldKind::Int);
    assert_eq!(keys(&mut host, "{shop:pad(6)}#{at}"), ["000099#2024-01-02", "001234#2024-01-01"]);
    correct(&mut host, FieldKind::Text);
    assert_eq!(keys(&mut host, "{shop}#{at}"), ["01234#2024-01-01", "99#2024-01-02"]);
    match host.workspace().source {
        Source::Own(own) => assert_eq!(own.fields[0].kind, FieldKind::Text),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_date_that_can_be_read_in_two_ways_is_read_as_the_user_says() {
    let mut host = Host::new();
    let both = "can be read as %d/%m/%Y %H:%M and as %m/%d/%Y %H:%M";
    let text = "user,at\nada,03/04/2025 02:02\neve,05/06/2025 14:00\n";
    let is_said = |lines: &[String]| lines.iter().any(|line| line.contains(both));
    assert!(is_said(&load(&mut host, text, OnBadLine::Skip)));
    let field = host.data().fields.swap_remove(1);
    let micros = field.micros("03/04/2025 02:02").expect("a time");
    assert_eq!(
        (messages().data.time_reads_as)("03/04/2025 02:02", &time::format(micros)),
        "03/04/2025 02:02 is 2025-04-03T02:02:00.000Z"
    );
    let first = |host: &mut Host| keys(host, "{at:iso}#{user}").swap_remove(0);
    assert_eq!(first(&mut host), "2025-04-03T02:02:00.000Z#ada", "the day comes first");

    let wrong = DateFormat::new("%m/%d/%Y %q").expect_err("it is refused").message;
    assert!(wrong.contains("%q is not a directive of a time format"), "{wrong}");
    let format = |host: &mut Host, format: Option<&str>| {
        let mut fields = host.data().fields;
        fields[1].format = format.map(|text| DateFormat::new(text).expect("a format"));
        host.correct(fields);
    };
    format(&mut host, Some("%m/%d/%Y %H:%M"));
    assert_eq!(first(&mut host), "2025-03-04T02:02:00.000Z#ada");
    assert!(!is_said(&said(&mut host)), "the user has decided");
    format(&mut host, Some("%d.%m.%Y"));
    host.finish();
    let view = host.view(0);
    assert_eq!((view.events_refused, view.events_built), (2, 2), "no event could be written");
    format(&mut host, None);
    assert_eq!(first(&mut host), "2025-04-03T02:02:00.000Z#ada", "the format is detected again");
    assert!(is_said(&said(&mut host)));
}

#[test]
fn a_file_without_events_has_none_and_says_whether_it_is_empty() {
    for (text, is_empty) in [("", true), ("\u{0}\u{ffff}", false)] {
        let mut host = Host::new();
        host.ask(Ask::BeginOwn(file(text, OnBadLine::Skip)));
        host.ask(Ask::OwnBytes { bytes: text.as_bytes().into(), last: true });
        host.settle();
        let (data, view) = (host.data(), host.view(0));
        assert_eq!((data.events, view.events_built, view.refusal), (0, 0, None), "{text:?}");
        assert_eq!(data.bytes == 0 && data.bad_lines == 0, is_empty, "{data:?}");
        assert!(data.state != LoadState::Loading && data.state != LoadState::Awaited, "{data:?}");
    }
}

#[test]
fn another_seed_has_other_events_and_the_same_one_the_same() {
    let mut host = built(USER_FIRST, LayoutKind::Narrow);
    let mut with_seed = |seed: u64, events: u32| {
        host.edit(|workspace| match &mut workspace.source {
            Source::Generated(settings) => (settings.seed, settings.events) = (seed, events),
            other => panic!("{other:?}"),
        });
        host.finish();
        let view = host.view(0);
        assert_eq!((view.events_built, view.events_total), (events, events));
        host.rows_of(RowChoice::All, None, 3).rows
    };
    let first = with_seed(1, 2_000);
    assert_ne!(with_seed(7, 2_000), first);
    assert_eq!(with_seed(1, 2_000), first);
}

/// Loads a file. Returns the rows that half of its events make, and all events as the page has them.
fn half_of(text: &str) -> (Vec<String>, Vec<Vec<Option<String>>>, Vec<String>) {
    let mut host = Host::new();
    let lines = load(&mut host, text, OnBadLine::Skip);
    keys(&mut host, "{who}#{at:iso}");
    let Answer::Events(all) = host.ask(Ask::Events { start: 0, count: 1_000 }) else {
        panic!("it has events")
    };
    host.ask(Ask::Play(Playback::Seek(300)));
    host.settle();
    let rows = host.rows_of(RowChoice::All, None, 0).rows;
    (rows.iter().map(|row| row.key.to_string()).collect(), all.events, lines)
}

#[test]
fn a_file_of_one_user_after_another_arrives_in_the_order_of_its_times() {
    let line = |who: u32, hour: u32| format!("u{who},2026-01-{:02}T{:02}:00:00Z\n", hour / 24 + 1, hour % 24);
    let by_user: String = (0..6).flat_map(|who| (0..100).map(move |hour| line(who, hour))).collect();
    let by_time: String = (0..100).flat_map(|hour| (0..6).map(move |who| line(who, hour))).collect();
    let (rows, events, lines) = half_of(&format!("who,at\n{by_user}"));
    assert!(lines[1].contains("its events arrive in the order of at"), "{lines:?}");
    assert_eq!(rows.len(), 300);
    let in_order = half_of(&format!("who,at\n{by_time}"));
    assert_eq!((rows, events), (in_order.0, in_order.1));
    assert_eq!(in_order.2, ["600 events · 2 fields"]);
}

#[test]
fn numbers_and_times_are_read_as_the_user_says() {
    let text = "who;at;kg\nada;2026-07-01 09:00;1,234\nbob;2026-07-01 10:00;2,345\n";
    let with = |reading| {
        let mut host = Host::new();
        host.load_as(OwnData { name: "a.csv".into(), reading, ..file(text, OnBadLine::Skip) }, text, 7);
        let lines = said(&mut host);
        let keys = keys(&mut host, "{at:iso}#{kg}");
        (keys[0].clone(), lines)
    };
    let (key, lines) = with(Reading::default());
    assert_eq!(key, "2026-07-01T09:00:00.000Z#1.234");
    assert!(lines[1].contains("\"1,234\" is read as 1.234, and can mean 1234"), "{lines:?}");
    let zone = TimeZone::new("Europe/Berlin").expect("a place");
    let (key, lines) = with(Reading { numbers: NumberReading::Point, zone, ..Reading::default() });
    assert_eq!(key, "2026-07-01T07:00:00.000Z#1234");
    assert!(lines.iter().any(|line| line.contains("times in Europe/Berlin")), "{lines:?}");
}

#[test]
fn roles_are_those_of_the_file_whose_events_arrive_in_another_order() {
    let mut host = Host::new();
    let line = |at: usize| {
        let time = 1_700_000_000 + at % 200 * 600;
        format!("{time},{},{}.{}\n", at / 200 + 1, at * 7_919 % 31, at % 10)
    };
    let text: String = std::iter::once("time,n,x\n".to_owned()).chain((0..600).map(line)).collect();
    let lines = load(&mut host, &text, OnBadLine::Skip);
    assert!(lines.iter().any(|line| line.contains("not in the order of time")), "{lines:?}");
    let Answer::Suggested(suggestions) = host.ask(Ask::Suggest) else { panic!("it suggests") };
    let roles: Vec<FieldRole> = suggestions.roles.iter().map(|found| found.role).collect();
    assert_eq!(roles, [FieldRole::EventTime, FieldRole::SharedIdentifier, FieldRole::Measure]);
    assert_eq!(suggestions.look_ups[0].field.as_deref(), Some("n"));
    assert_eq!(suggestions.rates.map(|rates| rates.per_day as u32), Some(434));
}
