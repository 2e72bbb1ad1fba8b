//! What is shared of designs that are measured: tables, a report, Markdown and pictures.

use std::rc::Rc;

use serde_json::Value;
use tabletop_advice::{DesignCosts, DesignFigures};
use tabletop_keys::LayoutKind;
use tabletop_protocol::{Answer, Ask, Gather, Playback};
use tabletop_views::{
    compare::Scores,
    scene::{DARK, LIGHT},
    share::{Contents, Known, PictureOf, Progress, markdown, picture, report},
};
use tabletop_workspace::{Design, Example, NamedQuery, Workspace};

use super::{Host, built, open};
use crate::host::{USER_FIRST, shipped};

/// Access patterns that suit the events, as the page offers them.
fn suggested(host: &mut Host) -> Vec<NamedQuery> {
    match host.ask(Ask::Suggest) {
        Answer::Suggested(mut suggestions) => suggestions.look_ups.swap_remove(0).patterns,
        other => panic!("{other:?}"),
    }
}

/// Collects what the page collects for a file.
fn contents(host: &mut Host) -> Contents {
    let workspace: Rc<Workspace> = Rc::new(host.workspace());
    let Answer::Events(preview) = host.ask(Ask::Events { start: 0, count: 50 }) else { panic!() };
    let (measured, _) = host.measure_all(0);
    let costs = Scores::new(workspace.clone(), measured).of(&workspace);
    let costs = DesignCosts::of_designs(&costs, &workspace.queries);
    // Some figures are counted a little with each request.
    let is_final = |figures: &Vec<DesignFigures>| figures.iter().all(|each| !each.changes);
    let figures = (0..10_000).map(|_| host.compare()).find(is_final).expect("the figures are final");
    let (fields, preview) = (Rc::new(host.data().fields), Rc::new(preview));
    let known = Known {
        workspace: &workspace,
        fields: &fields,
        preview: &preview,
        figures: &figures,
        costs,
        is_loading: false,
        is_over: false,
    };
    let progress = Progress::of(&known);
    assert!(
        progress.is_done,
        "{progress:?} {:?}",
        known.figures.iter().map(|each| (each.changes, each.events_built)).collect::<Vec<_>>()
    );
    let mut contents = Contents::of(&known, "https://example.org/#w1.x");
    let mut slice = host.begin::<Gather>(&()).expect("it begins");
    loop {
        contents.gathered.extend(slice.chunk);
        match slice.run {
            None => return contents,
            Some(run) => slice = host.next::<Gather>(run, &()).expect("a slice"),
        }
    }
}

#[test]
fn figures_and_patterns_are_in_the_tables_the_report_and_the_markdown() {
    let mut host = built("{timestamp:iso},{app_id},{user_token}", LayoutKind::Narrow);
    let queries = suggested(&mut host);
    let count = queries.len();
    assert!(count > 2, "{queries:?}");
    host.edit(|workspace| {
        let layout = workspace.designs[0].layout.clone();
        workspace.designs.push(Design::new("=1+1", "{user_token},{timestamp:iso},{app_id}", layout));
        workspace.queries = queries;
    });
    host.finish();
    let contents = contents(&mut host);
    let measured = &contents.measured;
    let patterns = measured.patterns_csv().expect("patterns");
    assert_eq!(patterns.lines().count(), 1 + 2 * count);
    assert!(patterns.contains(",'=1+1,,answered,"), "the name of a design is no formula: {patterns}");
    let figures = measured.figures_csv().expect("figures");
    assert_eq!(figures.lines().count(), 3);
    assert!(figures.starts_with("design,row_key,layout,hottest_tablet_share,"), "{figures}");
    assert!(figures.lines().skip(1).all(|line| line.ends_with(",20000,20000")), "{figures}");
    let json: Value = serde_json::from_str(&measured.json(&contents).expect("data")).expect("JSON");
    assert_eq!(
        (&json["designs"][0]["rows"], &json["designs"][1]["design"]),
        (&20_000.into(), &"=1+1".into())
    );
    assert_eq!(json["incomplete"], Value::Null);
    assert_eq!(json["access_patterns"].as_array().map(Vec::len), Some(2 * count));
    assert!(json["totals"][1]["blocks_per_second"].as_f64() > Some(0.0), "{json}");
    let (report, markdown) = (report(&contents), markdown(&contents));
    for text in [
        "=1+1\u{201d} comes first: it spreads its writes",
        "Stored size",
        "blocks/s",
        "full scan",
        "Access pattern",
    ] {
        assert!(report.contains(text) && markdown.contains(text), "{text}");
    }
    assert!(report.contains("Advice on Design 1") && report.contains("Advice on =1+1"));
    assert!(!report.contains("Incomplete") && !report.contains("waiting"));
}

#[test]
fn what_is_made_while_events_wait_says_so() {
    let mut host = built(USER_FIRST, LayoutKind::Narrow);
    host.ask(Ask::Play(Playback::Seek(3_840)));
    host.settle();
    let incomplete = contents(&mut host);
    let note = "Incomplete: the tables had 3,840 of 20,000 events.";
    assert_eq!(incomplete.note.as_deref(), Some(note));
    assert!(report(&incomplete).contains(note) && markdown(&incomplete).contains(note));
    host.finish();
    let complete = contents(&mut host);
    assert!(complete.note.is_none() && !report(&complete).contains("Incomplete"));
}

/// Checks that elements are closed in their order, and returns their names.
fn elements(svg: &str) -> Vec<&str> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    for tag in svg.split('<').skip(1) {
        let (inner, text) = tag.split_once('>').unwrap_or_else(|| panic!("<{tag} has no end"));
        assert!(!text.contains('>'), "a text contains markup: {tag}");
        let name = inner.split([' ', '/']).find(|name| !name.is_empty()).expect("an element has a name");
        match (inner.strip_prefix('/'), inner.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name), "elements are nested"),
            (None, is_whole) => {
                assert_eq!(inner.matches('"').count() % 2, 0, "attributes are quoted: {inner}");
                all.push(name);
                open.extend((!is_whole).then_some(name));
            }
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "all elements are closed");
    all
}

#[test]
fn pictures_need_no_other_file_on_either_background() {
    let mut host = Host::with_steps_of(1_000);
    open(&mut host, Workspace::from_json(Example::ZOrder.json()).expect("an example"));
    let queries = suggested(&mut host);
    host.edit(|workspace| workspace.queries = queries);
    host.finish();
    let mut contents = contents(&mut host);
    contents.land = String::from_utf8(shipped("data/land.svg")).ok();
    assert!(contents.measured.patterns_csv().is_some_and(|csv| csv.contains(",answered,")));
    for (of, paths, text) in [
        (PictureOf::Map, 3, "one colour per tablet"),
        (PictureOf::Patterns, 2, ">Total</text>"),
        (PictureOf::Tablets, 2, ">idle</text>"),
    ] {
        let scene = picture(of, &contents).unwrap_or_else(|| panic!("no picture of {of:?}"));
        for (colors, background) in [(&LIGHT, "#ffffff"), (&DARK, "#161920")] {
            let svg = scene.file(colors);
            let elements = elements(&svg);
            let count = |name: &str| elements.iter().filter(|each| **each == name).count();
            assert!(
                count("path") > paths && count("image") == 0 && count("use") == 0,
                "{of:?}: {elements:?}"
            );
            assert!(svg.contains(text), "{of:?}: {svg}");
            assert!(!svg.contains("href") && !svg.contains("src="), "{of:?} links to nothing");
            let first =
                svg.split("<rect ").nth(1).and_then(|rect| rect.split('>').next()).expect("a background");
            assert!(first.contains(&format!("fill=\"{background}\"")), "{first}");
        }
    }
}
