//! The row key and the layout: advice on a key, what a layout stores, what GC rules collect.

use tabletop_keys::{
    CellTime, Column, EncodedValues, Encoding, Layout, LayoutKind, Part, Query, RowChoice, Template, edit,
};
use tabletop_model::{Aggregate, GcRule};
use tabletop_protocol::{Ask, Playback};
use tabletop_texts::messages;
use tabletop_views::results::{ValueKind, cell_preview, cell_whole};
use tabletop_workspace::{Decoding, OnBadLine};

use super::{Host, TEMPLATE, built, with_sample};
use crate::host::everything;

/// Returns the rows and cells of the table.
fn size(host: &mut Host) -> (u64, u64) {
    let tablets = host.view(0).table.tablets;
    (tablets.iter().map(|tablet| tablet.rows).sum(), tablets.iter().map(|tablet| tablet.cells).sum())
}

#[test]
fn a_gc_rule_collects_the_older_versions_of_its_families() {
    let mut host = built(TEMPLATE, LayoutKind::RowPerEntity);
    assert_eq!(size(&mut host), (500, 20_000));
    let collect = |host: &mut Host, families: &[&str]| {
        host.design(|design| {
            design.families.clear();
            families.iter().for_each(|family| design.set_gc_rule(family, GcRule::MaxVersions(1)));
        });
        size(host)
    };
    assert_eq!(collect(&mut host, &["click"]), (500, 16_984));
    let clicks = host.rows_of(RowChoice::All, Some("family_name_regex(\"click\")"), 50).rows;
    assert_eq!(clicks.len(), 50);
    for row in clicks {
        assert!(row.cells.is_sorted_by(|one, other| one.qualifier < other.qualifier), "{row:?}");
    }
    let (rows, cells) = collect(&mut host, &["click", "conversion", "view"]);
    assert!(rows == 500 && cells < 16_984, "{cells} cells");
    assert_eq!(collect(&mut host, &[]), (500, 20_000), "the rules are undone");
    let mistake = tabletop_shell::gc_policy("maxversion=1").expect_err("it is refused");
    assert!(mistake.message.contains("Did you mean maxversions?"), "{}", mistake.message);
}

#[test]
fn each_unwise_key_has_a_warning_and_a_fix_that_is_a_template() {
    let mut text = String::new();
    // Fixes are measured, which takes some events.
    for at in 0..260 {
        let (hour, minute, who) = (at / 60, at % 60, at % 40);
        let kind = if at % 2 == 1 { "x" } else { "y" };
        // A number that follows the time would make the padded key grow.
        let n = at * 379 % 1_000;
        text += &format!(
            "{{\"who\":\"u-{who}\",\"n\":{n},\"kind\":\"{kind}\",\"at\":\"2023-11-14T{hour:02}:{minute:02}:00Z\"}}\n"
        );
    }
    let mut host = Host::new();
    host.load(&text, OnBadLine::Skip, 1 << 16);
    let (warning, fix_label) = (messages().advice.warning, messages().advice.fix);
    for (template, word, fix) in [
        ("{at:iso}#{who}", "take the current writes", "Move at"),
        ("{n}#{who}#{at:iso}", "not in numeric order", "Pad to"),
        ("{who}-{at:iso}", "a prefix also matches other values", "Separate with"),
        ("{who}", "already used by an earlier one", "Add at"),
    ] {
        host.design(|design| design.template = template.into());
        let warnings = host.view(0).warnings;
        let found = warnings.iter().find(|each| warning(&each.cause).contains(word));
        let fixes = &found.unwrap_or_else(|| panic!("{template}: {warnings:?}")).fixes;
        let offered = fixes.iter().find(|each| fix_label(&each.kind).contains(fix));
        let patch = offered.unwrap_or_else(|| panic!("{template}: {fixes:?}")).patch.clone();
        host.design(|design| design.apply(&patch));
        let view = host.view(0);
        assert_ne!(host.workspace().designs[0].template, template);
        assert_eq!(view.problems, [], "{template}");
        assert!(!view.warnings.iter().any(|each| warning(&each.cause).contains(word)), "{template}");
    }
}

#[test]
fn a_layout_divides_events_into_rows_and_cells() {
    let counts = |kind| {
        let mut host = built(TEMPLATE, kind);
        let cells = host.rows_of(RowChoice::All, None, 1).rows[0].cells.len();
        (size(&mut host).0, cells)
    };
    let (narrow, wide, entity) =
        (counts(LayoutKind::Narrow), counts(LayoutKind::Wide), counts(LayoutKind::RowPerEntity));
    assert_eq!(narrow.1, 1);
    assert!(wide.0 == narrow.0 && wide.1 > 1, "{wide:?}");
    assert!(entity.0 < narrow.0 / 2, "{entity:?}");
}

#[test]
fn values_in_each_encoding_are_shorter_and_are_shown_as_the_same_json() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let mut stored = |encoding: Encoding| {
        host.design(|design| design.layout.encoding = encoding);
        let cell = host.rows_of(RowChoice::All, None, 1).rows.swap_remove(0).cells.swap_remove(0);
        let layout = Layout { encoding, ..Layout::new(LayoutKind::Narrow) };
        let values = EncodedValues::of(&layout, &host.data().fields);
        let shown = cell_preview(&cell, Decoding::Auto, None, values.as_ref());
        let hex = cell_preview(&cell, Decoding::Hex, None, values.as_ref());
        assert!(hex.0 == ValueKind::Hex && !hex.1.contains("category"), "{hex:?}");
        assert_eq!(cell_whole(&cell, Decoding::Auto, None, values.as_ref()).0, shown.0);
        (cell.value.len(), shown)
    };
    let (bytes, (_, json)) = stored(Encoding::Json);
    for encoding in [Encoding::MessagePack, Encoding::Protobuf, Encoding::CompactList] {
        let (fewer, (kind, text)) = stored(encoding);
        assert!(fewer < bytes, "{encoding:?}: {fewer} of {bytes} bytes");
        assert_eq!(kind, ValueKind::Encoded(encoding));
        assert!(text.starts_with("[[\"category\",\":\","), "{encoding:?}: {text}");
        assert_eq!(text, json, "{encoding:?}");
    }
    // Values that are texts of fields have no encoding.
    assert_eq!(EncodedValues::of(&Layout::new(LayoutKind::Columns), &host.data().fields), None);
}

#[test]
fn a_z_order_that_is_added_and_left_alone_is_the_key() {
    let mut host = with_sample("earthquakes", "{time}");
    let fields = host.data().fields;
    let (template, _) = Template::parse("{time}", &fields);
    let zorder = Template::parse("{zorder(longitude, latitude, as=hex)}", &fields).0;
    let added = edit::append(&template, zorder.parts()[0].clone());
    let at = added.parts().iter().position(|part| matches!(part, Part::Field { .. })).expect("the time");
    let left = edit::remove(&added, at).text();
    assert_eq!(left, "{zorder(longitude, latitude, as=hex)}");
    host.design(|design| design.template = left);
    let key = host.first_key();
    assert!(key.len() == 8 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
}

#[test]
fn a_salt_ends_the_warning_for_good() {
    let mut host = Host::with_steps_of(1_000);
    host.settle();
    let headline = |host: &mut Host| (messages().advice.headline)(&host.view(0).verdict);
    assert!(headline(&mut host).starts_with("All current writes hit 1 of"));
    let warnings = host.view(0).warnings;
    let label = messages().advice.fix;
    let salt = warnings.iter().flat_map(|each| &each.fixes).find(|fix| label(&fix.kind) == "Salt with 8");
    let patch = salt.unwrap_or_else(|| panic!("{warnings:?}")).patch.clone();
    host.design(|design| design.apply(&patch));
    let all = headline(&mut host);
    assert!(all.starts_with("8 tablets, one for each salt, share all writes evenly"), "{all}");
    let said: Vec<String> =
        host.view(0).warnings.iter().map(|each| (messages().advice.warning)(&each.cause)).collect();
    assert!(
        !said.iter().any(|text| text.contains("salt the key") || text.contains("current writes")),
        "{said:?}"
    );
}

#[test]
fn a_layout_of_columns_adds_up_events_in_one_cell() {
    let mut host = built("{app_id}", LayoutKind::Narrow);
    host.design(|design| {
        design.layout.kind = LayoutKind::Columns;
        design.layout.columns = vec![Column {
            family: "count".into(),
            qualifier: "{event_type}".into(),
            value: "1".into(),
            time: CellTime::Zero,
        }];
    });
    assert_eq!(size(&mut host), (3, 9));
    host.design(|design| design.set_aggregate("count", Some(Aggregate::Sum)));
    let sum: u64 = host
        .read_all(0, Query { rows_limit: 0, ..everything() })
        .rows
        .iter()
        .flat_map(|row| &row.cells)
        .map(|cell| u64::from_be_bytes(cell.value[..].try_into().expect("8 bytes")))
        .sum();
    assert_eq!(sum, 20_000, "the sums are the events");
    host.design(|design| design.layout.columns[0].value = "{app_id}".into());
    let refusal = host.view(0).refusal.expect("texts cannot be added up").message;
    assert!(refusal.starts_with("Family count aggregates whole numbers of 64 bits"), "{refusal}");
}

#[test]
fn tablets_split_while_events_arrive_and_the_user_pauses_and_begins_again() {
    let mut host = Host::new();
    let play = |host: &mut Host, playback: Playback| {
        host.ask(Ask::Play(playback));
        host.run_for(8_000);
        let view = host.view(0);
        (view.events_built, view.table.tablets.len())
    };
    let (first, few) = play(&mut host, Playback::Restart);
    let (later, more) = play(&mut host, Playback::Play);
    assert!(first < later && 1 < few && few < more, "{first} {later} {few} {more}");
    let paused = play(&mut host, Playback::Pause).0;
    assert_eq!(play(&mut host, Playback::Pause).0, paused);
    let continued = play(&mut host, Playback::Play).0;
    assert!(continued > paused);
    assert!(play(&mut host, Playback::Restart).0 < paused);
    host.finish();
    assert_eq!(host.view(0).events_built, 20_000);
}
