use alloc::borrow::ToOwned;
use alloc::string::ToString;
use alloc::vec;
use core::ops::Bound;

use proptest::collection::vec as some;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;
use tabletop_keys::{FamilyRule, Field, FieldKind, Layout, LayoutKind, Query, RowChoice};
use tabletop_model::{Bytes, GcRule, RowFilter, RowRange};

use super::*;
use crate::{
    ClusterSettings, Design, DesignLimits, ExampleId, Format, GeneratorSettings, NamedQuery, OnBadLine,
    OwnData, QueryLimits, Source, Workspace, example_of_earlier_build,
};

/// The lines of the file are a link, and its JSON.
const GOLDEN: &str = include_str!("golden.txt");

fn link(workspace: &Workspace, design: usize) -> String {
    ShareLink { json: workspace.to_json(), design, recorded: String::new() }.write().expect("it is small")
}

fn message(link: &str) -> String {
    ShareLink::read(link).expect_err("it is damaged").message
}

/// A link with these bytes after the checksum.
fn with_deflated(deflated: &[u8]) -> String {
    let mut link = "#w1.".to_owned();
    URL_SAFE_NO_PAD.encode_string([&checksum(deflated)[..], deflated].concat(), &mut link);
    link
}

#[test]
fn every_link_of_the_past_opens() {
    let mut lines = GOLDEN.lines().filter(|line| !line.starts_with("//"));
    let mut opened = 0;
    while let (Some(link), Some(expected)) = (lines.next(), lines.next()) {
        let (design, json) = expected.split_once(' ').expect("the number of the design, and the workspace");
        let read = ShareLink::read(link).expect("a link opens for ever");
        assert_eq!((read.json.as_str(), (read.design + 1).to_string().as_str()), (json, design), "{link}");
        Workspace::from_json(json).expect("so does its workspace");
        opened += 1;
    }
    assert!(opened >= 4);
}

/// Builds before the example's id recognised an example by its name. The links are to the example
/// "Newest first" as it opens, to the same with another key, and to a first workspace with that
/// name.
#[test]
fn a_link_of_the_past_is_an_example_by_its_content_and_not_by_its_name() {
    let (_, links) = GOLDEN.split_once("// Examples of before").expect("their comment");
    let found = links.lines().filter(|line| line.starts_with("#w")).map(|link| {
        let read = |json: &str| Workspace::from_json(json).ok();
        let workspace = read(&ShareLink::read(link).expect("it is right").json).expect("it is right");
        assert_eq!((workspace.name.as_str(), &workspace.example), ("Newest first", &None));
        example_of_earlier_build(&workspace, read)
    });
    assert_eq!(found.collect::<Vec<_>>(), [Some(ExampleId("newest_first".into())), None, None]);
}

/// The first link of the file, and the values that it must always have.
#[test]
fn a_link_of_the_first_version_means_the_same_as_ever() {
    let link = GOLDEN.lines().find(|line| line.starts_with("#w")).expect("the first one");
    let read = Workspace::from_json(&ShareLink::read(link).expect("it is right").json).expect("it is right");
    let expected = Workspace {
        version: 1,
        name: "Untitled".into(),
        source: Source::Generated(GeneratorSettings {
            seed: 1,
            events: 20_000,
            apps: 3,
            users: 500,
            user_skew: 1.0,
        }),
        designs: vec![Design::new(
            "Design 1",
            "{timestamp:iso},{app_id},{user_token}",
            Layout::new(LayoutKind::Narrow),
        )],
        cluster: ClusterSettings { tablet_bytes_max: None, tablet_load_max: 500.0, events_per_second: 200.0 },
        query: Query { rows: RowChoice::All, filter: None, rows_limit: 100, reversed: false },
        queries: vec![],
        limits: DesignLimits::default(),
        rates: None,
        traffic: None,
        strategy: None,
        arrived: None,
        example: None,
        roles: vec![],
    };
    assert_eq!(read, expected);
}

#[test]
fn a_whole_address_is_read_as_its_end() {
    let (one, two) = (link(&Workspace::default(), 0), link(&Workspace::default(), 1));
    assert!(two.starts_with(&one) && two.ends_with(".2"), "{two}");
    for text in [one.clone(), format!("https://example.com/tabletop/?view=compare{one}"), format!("{one}.\n")]
    {
        assert!(ShareLink::is_in(&text));
        assert_eq!(ShareLink::read(&text).map(|link| link.design), Ok(0), "{text}");
    }
    assert_eq!(ShareLink::read(&two).map(|link| link.design), Ok(1));
    for text in ["", "#", "#w", "shop.json", "#words", "a#b"] {
        assert!(!ShareLink::is_in(text), "{text}");
    }
}

#[test]
fn a_damaged_link_says_what_is_wrong() {
    let link = link(&Workspace::default(), 1);
    assert!(message("#w").starts_with("The link has no workspace"));
    assert!(message("#w1").starts_with("The link has no workspace"));
    assert!(message("#wx.abc").starts_with("The link has no workspace"));
    let newer = ShareLink::read("#w12.abc").expect_err("it is newer");
    assert_eq!(newer.code, Code::FailedPrecondition);
    assert!(
        newer.message.starts_with("The link has version 12, and this Tabletop reads up to 2"),
        "{}",
        newer.message
    );
    assert!(message("#w1.").starts_with("The link is incomplete"));
    assert!(message("#w1.AAAA").starts_with("The link is incomplete"));
    assert!(message("#w0.AAAAAAAA").starts_with("The link is incomplete"));
    assert!(message(&link.replace(".2", ".0")).starts_with("The link is incomplete"));
    assert!(message(&link.replace(".2", ".x")).starts_with("The link is incomplete"));
    assert!(
        message(&link.replace(".2", ")"))
            .starts_with("The link has the character \")\", which is never part of a link.")
    );
    assert!(
        message(&link.replace(".2", "\u{e9}.2"))
            .starts_with("The link has the character \"\u{e9}\", which is never part of a link.")
    );
    // A stream that ends early, one that is not deflate, and one that is not text, each with its
    // checksum.
    assert!(message(&with_deflated(&[])).starts_with("The link is incomplete"));
    assert!(message(&with_deflated(&[0xff; 9])).starts_with("The link is incomplete"));
    assert!(
        message(&with_deflated(&compress_to_vec(b"\xff\xfe", LEVEL))).starts_with("The link is incomplete")
    );
}

#[test]
fn a_bomb_is_refused_at_the_limit() {
    let of = |bytes: usize| with_deflated(&compress_to_vec(&vec![b' '; bytes], LEVEL));
    let read = ShareLink::read(&of(LINK_JSON_BYTES_MAX)).expect("as large as allowed");
    assert_eq!(read.json.len(), LINK_JSON_BYTES_MAX);
    for bytes in [LINK_JSON_BYTES_MAX + 1, LINK_JSON_BYTES_MAX + 2, 64 << 20] {
        let refused = ShareLink::read(&of(bytes)).expect_err("too large");
        assert_eq!(refused.code, Code::ResourceExhausted);
        assert_eq!(refused.message, "The link has more than 256 KiB, the maximum that can be opened.");
    }
    let inflated =
        decompress_to_vec_with_limit(&compress_to_vec(&vec![0; 64 << 20], LEVEL), LINK_JSON_BYTES_MAX + 1);
    let error = inflated.expect_err("it is larger");
    assert!(error.output.len() <= LINK_JSON_BYTES_MAX + 1, "no more than the limit is inflated");
    let large = ShareLink { json: " ".repeat(LINK_JSON_BYTES_MAX + 1), design: 0, recorded: String::new() };
    assert_eq!(large.write().map_err(|error| error.code), Err(Code::ResourceExhausted));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["", "a", "{user}#{time:iso}", "\u{e9}\u{1f642}\u{0}\"\\"]).prop_map(String::from),
        ".{0,20}"
    ]
}

fn bytes() -> impl Strategy<Value = Bytes> {
    some(any::<u8>(), 0..12).prop_map(Bytes::from)
}

fn rows() -> impl Strategy<Value = RowChoice> {
    let bound = || {
        prop_oneof![
            Just(Bound::Unbounded),
            bytes().prop_map(Bound::Included),
            bytes().prop_map(Bound::Excluded)
        ]
    };
    prop_oneof![
        Just(RowChoice::All),
        some(bytes(), 0..3).prop_map(RowChoice::Keys),
        bytes().prop_map(RowChoice::Prefix),
        (bound(), bound()).prop_map(|(start, end)| RowChoice::Range(RowRange { start, end })),
        (some((text(), text()), 0..3), proptest::option::of(text()), proptest::option::of(text()))
            .prop_map(|(equals, from, until)| RowChoice::Fields { equals, from, until }),
    ]
}

fn query() -> impl Strategy<Value = Query> {
    let filter = select(vec![
        RowFilter::CellsPerRowLimit(3),
        RowFilter::ColumnQualifierRegex(b"\xff\\C*".into()),
        RowFilter::Chain(vec![RowFilter::StripValue(true), RowFilter::CellsPerColumnLimit(1)]),
    ]);
    (rows(), proptest::option::of(filter), any::<u64>(), any::<bool>())
        .prop_map(|(rows, filter, rows_limit, reversed)| Query { rows, filter, rows_limit, reversed })
}

fn source() -> impl Strategy<Value = Source> {
    let kinds = select(vec![FieldKind::Text, FieldKind::Int, FieldKind::Time, FieldKind::Facets]);
    let fields = some((text(), kinds).prop_map(|(name, kind)| Field::new(name, kind)), 0..4);
    let format = select(vec![Format::Detect, Format::Csv, Format::JsonLines]);
    let on_bad_line = select(vec![OnBadLine::Skip, OnBadLine::Stop]);
    let generated = (any::<u64>(), 1_000..1_000_000u32, 1..9u32, 1..999u32, 0..8u8).prop_map(
        |(seed, events, apps, users, skew)| {
            Source::Generated(GeneratorSettings {
                seed,
                events,
                apps,
                users,
                user_skew: f64::from(skew) / 4.0,
            })
        },
    );
    prop_oneof![
        generated,
        text().prop_map(Source::Sample),
        (text(), format, fields, on_bad_line, proptest::option::of(bytes())).prop_map(
            |(name, format, fields, on_bad_line, content)| Source::Own(OwnData {
                name,
                format,
                fields,
                on_bad_line,
                reading: Default::default(),
                content: content.map(|bytes| crate::ContentDigest::of(&bytes)),
            })
        ),
    ]
}

fn workspace() -> impl Strategy<Value = Workspace> {
    let kind = select(vec![LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity]);
    let rule = select(vec![
        GcRule::MaxVersions(3),
        GcRule::Union(vec![
            GcRule::MaxAge { micros: 1_000 },
            GcRule::Intersection(vec![GcRule::MaxVersions(1)]),
        ]),
    ]);
    let rules = proptest::option::of(("[-_.a-z0-9]{1,64}", rule)).prop_map(|rule| {
        rule.into_iter().map(|(family, gc_rule)| FamilyRule::new(family, gc_rule)).collect()
    });
    let design = (text(), text(), kind, proptest::option::of(text()), rules).prop_map(
        |(name, template, kind, family_field, families)| Design {
            name,
            template,
            layout: Layout { family_field, ..Layout::new(kind) },
            families,
            index_of: None,
            results: None,
        },
    );
    let cluster = (proptest::option::of(1..u64::MAX), 1..9_999u32).prop_map(|(tablet_bytes_max, load)| {
        ClusterSettings {
            tablet_bytes_max,
            tablet_load_max: f64::from(load) / 4.0,
            ..ClusterSettings::default()
        }
    });
    let queries = some((query(), proptest::option::of(any::<u64>())), 0..4).prop_map(|queries| {
        let named = |(at, (query, cells_seen_max)): (usize, (Query, Option<u64>))| -> NamedQuery {
            let limits = QueryLimits { cells_seen_max, ..QueryLimits::default() };
            let json = json!({ "name": format!("\u{e9}{at}"), "query": query, "limits": limits });
            serde_json::from_value(json).expect("what is omitted has a default")
        };
        queries.into_iter().enumerate().map(named).collect()
    });
    (text(), source(), some(design, 1..9), cluster, query(), queries).prop_map(
        |(name, source, designs, cluster, query, queries)| Workspace {
            name,
            source,
            designs,
            cluster,
            query,
            queries,
            ..Workspace::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_workspace_survives_a_link(workspace in workspace(), design in 0..16usize) {
        let link = link(&workspace, design);
        prop_assert!(link.chars().all(|c| c.is_ascii_alphanumeric() || "#.-_".contains(c)), "{}", link);
        let read = ShareLink::read(&link).expect("it is right");
        prop_assert_eq!(read.design, design);
        prop_assert_eq!(Workspace::from_json(&read.json), Ok(workspace));
    }

    #[test]
    fn a_link_that_is_cut_or_changed_is_refused(workspace in workspace(), at in any::<Index>(), by in 1..64u8) {
        let link = link(&workspace, 0);
        let start = "#w1.".len();
        let at = start + at.index(link.len() - start);
        prop_assert!(ShareLink::read(&link[..at]).is_err());
        // Replaces one digit with another.
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut changed = link.clone().into_bytes();
        let digit = digits.iter().position(|digit| *digit == changed[at]).expect("a digit");
        changed[at] = digits[(digit + usize::from(by)) % 64];
        let changed = String::from_utf8(changed).expect("ASCII");
        prop_assert!(ShareLink::read(&changed).is_err(), "{} {}", link, changed);
        // One digit is missing, and one occurs twice.
        prop_assert!(ShareLink::read(&[&link[..at], &link[at + 1..]].concat()).is_err());
        let doubled = [&link[..=at], &link[at..]].concat();
        prop_assert!(ShareLink::read(&doubled).is_err(), "{}", doubled);
    }

    #[test]
    fn no_text_and_no_bytes_are_a_panic(text in ".{0,80}", bytes in some(any::<u8>(), 0..80)) {
        for text in [text.clone(), format!("#w1.{text}"), format!("#w{text}")] {
            let _ = ShareLink::read(&text);
        }
        if let Ok(read) = ShareLink::read(&with_deflated(&bytes)) {
            prop_assert!(read.json.len() <= LINK_JSON_BYTES_MAX);
        }
    }
}

#[test]
fn a_link_has_what_the_sender_measured() {
    let json = Workspace::default().to_json();
    for (design, recorded) in [(0, "2026-11-27\nP\ta\tb"), (2, "\u{e9}")] {
        let link = ShareLink { json: json.clone(), design, recorded: recorded.into() };
        let text = link.write().expect("it is small");
        assert!(text.starts_with("#w2.") && text.matches('.').count() == 3, "{text}");
        assert_eq!(ShareLink::read(&text), Ok(link));
        let cut = &text[..text.len() - 3];
        assert!(message(cut).contains("incomplete or was modified"), "{cut}");
    }
    assert!(link(&Workspace::default(), 0).starts_with("#w1."), "earlier builds open other links");
}
