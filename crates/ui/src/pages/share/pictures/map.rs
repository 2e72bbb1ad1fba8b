//! The points of tables whose key has a Z-order, in the colours of their tablets, and the rectangle of the query.

use tabletop_model::RowKey;
use tabletop_schema::{DesignFigures, Field, RowChoice, Template};

use super::sheet::{INNER, MARGIN, Picture, Sheet, Text};
use crate::messages::messages;
use crate::pages::tablets::{MAP_COLOURS, MAP_SIDE, asked_corners, is_world, paths};

/// The classes of map.css, in the order of tablets.
const CLASSES: [&str; MAP_COLOURS] = ["part-0", "part-3", "part-1", "part-4", "part-5", "part-2"];
/// The height of a map, px. For degrees the width is twice the height.
const HEIGHT: f64 = INNER / 2.0;

/// A table with a map.
pub struct Mapped<'a> {
    pub figures: &'a DesignFigures,
    /// Keys of the table, all or a share of them.
    pub keys: &'a [RowKey],
}

/// Draws the maps, one below the other. `land` is the outline of the continents (SVG), for maps of the world.
pub fn maps(mut sheet: Sheet, tables: &[Mapped], fields: &[Field], rows: &RowChoice, land: Option<&str>) -> Picture {
    for table in tables {
        map(&mut sheet, table, fields, rows, land);
    }
    sheet.finish()
}

fn map(sheet: &mut Sheet, table: &Mapped, fields: &[Field], rows: &RowChoice, land: Option<&str>) {
    let (colors, design) = (sheet.colors, &table.figures.design);
    let (template, _) = Template::parse(&design.template, fields);
    let stored = template.stored(&design.layout);
    let Some((_, zorder)) = stored.zorder() else { return };
    let tablets = &table.figures.table.tablets;
    let starts: Vec<RowKey> = tablets.iter().map(|tablet| tablet.start.clone()).collect();
    let paths = paths(&stored, table.keys, &starts);
    let (points, says) = (paths.iter().map(|(_, points)| points).sum(), &messages().map);
    sheet.y += 14.0;
    let title = format!("{}: {}", design.name, (says.title)(&zorder.x.field, &zorder.y.field));
    sheet.text(Text { x: MARGIN, y: sheet.y, size: 14.0, color: colors.ink, is_bold: true }, &title);
    sheet.y += 17.0;
    let about = (says.about)(points, tablets.len() as u64);
    sheet.text(Text { x: MARGIN, y: sheet.y, size: 12.0, color: colors.soft, is_bold: false }, &about);
    sheet.y += 8.0;
    sheet.rect((MARGIN, sheet.y), (INNER, HEIGHT), "none", colors.line);
    if let Some(land) = land.filter(|_| is_world(zorder)).and_then(outline) {
        let y = sheet.y;
        sheet.push(format_args!(
            "<svg x=\"{MARGIN}\" y=\"{y:.1}\" width=\"{INNER}\" height=\"{HEIGHT}\" viewBox=\"-900 -450 1800 900\" preserveAspectRatio=\"none\">{land}</svg>"
        ));
    }
    let (across, down, y) = (INNER / MAP_SIDE, HEIGHT / MAP_SIDE, sheet.y);
    for (at, (path, _)) in paths.iter().enumerate().filter(|(_, (_, points))| *points > 0) {
        let color = colors.of_class(CLASSES[at % CLASSES.len()]);
        sheet.push(format_args!(
            "<path transform=\"translate({MARGIN} {y:.1}) scale({across:.4} {down:.4})\" d=\"{path}\" fill=\"none\" stroke=\"{color}\" \
             stroke-width=\"3.5\" stroke-linecap=\"round\" vector-effect=\"non-scaling-stroke\"/>"
        ));
    }
    if let Some(((left, top), (right, bottom))) = asked_corners(zorder, rows) {
        let (x, top) = (MARGIN + left * INNER, y + top * HEIGHT);
        sheet.rect((x, top), ((right - left) * INNER, y + bottom * HEIGHT - top), "none", colors.ink);
    }
    sheet.y += HEIGHT + 16.0;
}

/// Returns the drawing in a file of the outline, without its outer element.
fn outline(file: &str) -> Option<&str> {
    let start = file.find("<path")?;
    let end = file.rfind("</svg>")?;
    file.get(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_of_the_page_is_used() {
        let land = include_str!("../../../../../../www/data/land.svg");
        let inner = outline(land).unwrap_or_default();
        assert!(land.contains("viewBox=\"-900 -450 1800 900\""), "the box of the drawing in the picture");
        assert!(inner.starts_with("<path") && inner.ends_with("/>") && !inner.contains("<svg"), "{}", &inner[..40]);
        assert_eq!(outline("nothing"), None);
    }
}
