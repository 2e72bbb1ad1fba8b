//! The tablets of designs: a strip for each table with its key, its verdict, the sizes of its
//! tablets and first keys, as on the page.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::sheet::{INNER, MARGIN, Sheet, width_of};
use tabletop_advice::{DesignFigures, TableLoad};
use tabletop_keys::{Field, KeyView, Template};
use tabletop_model::{TableView, TabletView, escape};
use tabletop_texts::messages;
use tabletop_texts::numbers::bytes;
use tabletop_workspace::Design;

use super::super::tables::layout_of;
use crate::StoredKeys;
use crate::in_words::strip_name;
use crate::scene::{Paint, Scene, Text};
use crate::tablets::{MARKS_HEIGHT, Measure, Place, Strip, heights, places};

/// The height of the tallest tablet, px.
const STRIP: f64 = 72.0;
/// Space between the ends of first keys, and the minimum space of one, px.
const GAP: f64 = 14.0;
const KEY_MIN: f64 = 48.0;
const KEY_MAX: f64 = 190.0;

/// Draws the tables, one below the other. `fields` are the fields of the events.
pub fn strips(mut sheet: Sheet, tables: &[DesignFigures], fields: &[Field]) -> Scene {
    for figures in tables {
        strip(&mut sheet, figures, fields);
    }
    legend(&mut sheet);
    sheet.finish()
}

fn strip(sheet: &mut Sheet, figures: &DesignFigures, fields: &[Field]) {
    let (design, table) = (&figures.design, &figures.table);
    let (template, _) = Template::parse(&design.template, fields);
    let keys = StoredKeys::new(&template, &design.layout);
    sheet.y += 20.0;
    sheet.text(Text::new((MARGIN, sheet.y), 14.0, &*design.name, Paint::Ink).bold());
    let after_name = (MARGIN + width_of(&design.name, 14.0) + GAP).min(MARGIN + INNER / 2.0);
    sheet.text(Text::new((after_name, sheet.y), 12.0, layout_of(design, fields), Paint::Soft));
    sheet.y += 17.0;
    sheet.key((MARGIN, sheet.y), &template_pieces(design, &template, &keys), INNER);
    sheet.y += 17.0;
    sheet.text(Text::new(
        (MARGIN, sheet.y),
        12.0,
        (messages().advice.headline)(&figures.verdict),
        Paint::Ink,
    ));
    sheet.y += 8.0;
    if table.tablets.is_empty() {
        sheet.y += 10.0;
        return;
    }
    let (load, places) = (TableLoad::of(table), places_within(table));
    let strip = Strip {
        table,
        verdict: &figures.verdict,
        shares: &load.shares,
        heights: &heights(&load.shares),
        // They are written below, in the colours of their fields.
        keys: &[],
        places: &places,
        width: INNER,
        height: STRIP,
        is_skyline: true,
        in_sight: 0..places.len(),
    };
    if !strip.marks().is_empty() {
        sheet.y += MARKS_HEIGHT;
    }
    strip.shapes((MARGIN, sheet.y)).into_iter().for_each(|shape| sheet.push(shape));
    sheet.y += STRIP;
    first_keys(sheet, &table.tablets, &places, &keys);
    let stored = bytes(table.tablets.iter().map(|tablet| tablet.bytes).sum());
    let counts = format!("{} · {stored}", strip_name(figures));
    sheet.y += 16.0;
    sheet.text(Text::new((MARGIN, sheet.y), 12.0, counts, Paint::Soft));
    sheet.y += 18.0;
}

/// Returns the places of the tablets. Many tablets of the minimum width are wider than the sheet, so
/// all become narrower.
fn places_within(table: &TableView) -> Vec<Place> {
    let places = places(table, Measure::Bytes, INNER, 1.0);
    let scale = INNER / places.last().map_or(INNER, |place| place.x + place.width);
    places.iter().map(|place| Place { x: place.x * scale, width: place.width * scale }).collect()
}

/// Writes the first keys of tablets below them, as many as fit, each with a line to its tablet.
fn first_keys(sheet: &mut Sheet, tablets: &[TabletView], places: &[Place], keys: &StoredKeys) {
    let mut free_from = MARGIN;
    let foot = sheet.y;
    for (tablet, place) in tablets.iter().zip(places).filter(|(tablet, _)| !tablet.start.is_empty()) {
        let x = MARGIN + place.x;
        let room = (MARGIN + INNER - x).min(KEY_MAX);
        if x < free_from || room < KEY_MIN {
            continue;
        }
        sheet.line((x, foot), (x, foot + 14.0), Paint::Edge);
        let used = sheet.key((x + 3.0, foot + 13.0), &key_pieces(&keys.view(&tablet.start), keys), room);
        free_from = x + used + GAP;
    }
    sheet.y += 14.0;
}

/// Divides the text of a design's template by its parts.
fn template_pieces(design: &Design, template: &Template, keys: &StoredKeys) -> Vec<(String, &'static str)> {
    let text = &design.template;
    let mut pieces = Vec::new();
    let mut done = 0;
    for (at, chip) in template.chips(&design.layout, None).iter().enumerate() {
        let (start, end) = (chip.span.start as usize, chip.span.end as usize);
        if let (Some(between), Some(part)) = (text.get(done..start), text.get(start..end)) {
            pieces.push((between.to_owned(), keys.colors.class(None)));
            pieces.push((part.to_owned(), keys.colors.class(Some(at))));
            done = end;
        }
    }
    // Text with problems belongs to no part.
    pieces.push((text.get(done..).unwrap_or_default().to_owned(), keys.colors.class(None)));
    pieces.retain(|(text, _)| !text.is_empty());
    pieces
}

/// Divides a key by the parts of its template.
fn key_pieces(view: &KeyView, keys: &StoredKeys) -> Vec<(String, &'static str)> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for span in &view.spans {
        let (start, end) = (span.start as usize, span.end as usize);
        if let (Some(between), Some(bytes)) = (view.key.get(done..start), view.key.get(start..end)) {
            pieces.push((escape(between), keys.colors.class(None)));
            pieces.push((escape(bytes), keys.colors.class(Some(span.part as usize))));
            done = end;
        }
    }
    pieces.push((escape(view.key.get(done..).unwrap_or_default()), keys.colors.class(None)));
    pieces.retain(|(text, _)| !text.is_empty());
    pieces
}

/// Draws the legend of the colours.
fn legend(sheet: &mut Sheet) {
    let says = &messages().tablets;
    sheet.y += 12.0;
    let y = sheet.y;
    sheet.text(Text::new((MARGIN, y), 11.0, says.legend, Paint::Soft));
    let mut x = MARGIN + width_of(says.legend, 11.0) + GAP;
    for (level, name) in says.levels.iter().enumerate() {
        sheet.rect((x, y - 9.0), (10.0, 10.0), Paint::Load(level as u8), Paint::Edge);
        sheet.text(Text::new((x + 15.0, y), 11.0, *name, Paint::Soft));
        x += 15.0 + width_of(name, 11.0) + GAP;
    }
    sheet.y += 4.0;
}

#[cfg(test)]
mod tests {
    use alloc::borrow::Cow;
    use alloc::vec;

    use super::*;
    use crate::scene::LIGHT;
    use tabletop_keys::FieldKind;
    use tabletop_model::TabletId;
    use tabletop_workspace::Workspace;

    fn tablet(id: u64) -> TabletView {
        TabletView {
            id: TabletId(id),
            parent: None,
            start: if id == 0 { Default::default() } else { format!("u{id:03}#a").into() },
            end: Default::default(),
            rows: 1,
            cells: 1,
            exact: true,
            bytes: 100,
            memtable_bytes: 0,
            sstables: 1,
            reads: 0,
            writes: 0,
            reads_per_second: 0.0,
            writes_per_second: 0.0,
        }
    }

    fn svg(tablets: u64, template: &str) -> String {
        svg_of(figures(tablets, template))
    }

    fn svg_of(figures: DesignFigures) -> String {
        let fields = ["user", "app"].map(|name| Field::new(name, FieldKind::Text));
        strips(Sheet::new("title"), &[figures], &fields).file(&LIGHT)
    }

    fn figures(tablets: u64, template: &str) -> DesignFigures {
        let mut design = Workspace::default().designs.swap_remove(0);
        (design.name, design.template) = ("<a> & \"b\"".into(), template.into());
        let table = TableView { tablets: (0..tablets).map(tablet).collect(), ..Default::default() };
        DesignFigures {
            design,
            problems: vec![],
            events_built: 1,
            events_refused: 0,
            events_shared: 0,
            events_total: 1,
            changes: false,
            verdict: Default::default(),
            key_bytes_max: 1,
            logical_bytes: None,
            compressed_bytes: None,
            table,
            indexes: vec![],
        }
    }

    #[test]
    fn a_table_of_the_last_valid_template_says_so_and_an_empty_one_has_no_figures() {
        let mut broken = figures(2, "{user}#{no_field");
        broken.problems = Template::parse("{user}#{no_field", &[]).1;
        assert!(svg_of(broken).contains("With the last valid template: 2 tablets; the hottest takes "));
        let mut empty = figures(1, "{user}");
        empty.table.tablets[0].rows = 0;
        let svg = svg_of(empty);
        assert!(svg.contains("1 tablet without rows") && !svg.contains("hottest"), "{svg}");
    }

    #[test]
    fn a_picture_has_each_tablet_in_its_width_and_names_that_are_not_markup() {
        let svg = svg(300, "{user}#{app}");
        assert!(svg.contains(">&lt;a&gt; &amp; &quot;b&quot;</text>"), "{svg}");
        // The page, the frame, the tablets, the legend.
        assert_eq!(svg.matches("<rect").count(), 1 + 1 + 300 + 5);
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        let right = svg
            .lines()
            .filter_map(|line| line.strip_prefix("<rect x=\"")?.split('"').next()?.parse::<f64>().ok());
        assert!(right.fold(0.0, f64::max) < MARGIN + INNER, "all are in the picture");
    }

    #[test]
    fn keys_and_templates_have_the_colours_of_their_fields_and_tablets_their_size() {
        let svg = svg(4, "{user}#{app}");
        let colored =
            |text: &str, color: Cow<str>| svg.contains(&format!("<tspan fill=\"{color}\">{text}</tspan>"));
        assert!(
            colored("{user}", LIGHT.of(Paint::Part(0))) && colored("{app}", LIGHT.of(Paint::Part(1))),
            "{svg}"
        );
        assert!(
            colored("u001", LIGHT.of(Paint::Part(0)))
                && colored("a", LIGHT.of(Paint::Part(1)))
                && colored("#", LIGHT.of(Paint::Soft)),
            "{svg}"
        );
        assert_eq!(svg.matches(">100 B</text>").count(), 4, "{svg}");
        // A text with problems is one piece.
        assert!(self::svg(1, "{user}#{no_field").contains("{no_field</tspan>"));
    }
}
