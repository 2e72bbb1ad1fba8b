//! The points of tables whose key has a Z-order, in the colours of their tablets, and the rectangle
//! of the query.

use alloc::format;
use alloc::vec::Vec;

use super::super::sheet::{INNER, MARGIN, Sheet};
use crate::scene::{Inset, Paint, Scene, Shape, Text};
use crate::tablets::{asked_corners, box_of, dots, is_world};
use tabletop_advice::DesignFigures;
use tabletop_keys::{Field, RowChoice, Template};
use tabletop_model::RowKey;
use tabletop_texts::messages;

/// The height of a map, px. For degrees the width is twice the height.
const HEIGHT: f64 = INNER / 2.0;

/// A table with a map.
pub struct Mapped<'a> {
    /// The figures of the table.
    pub figures: &'a DesignFigures,
    /// Keys of the table, all or a share of them.
    pub keys: &'a [RowKey],
}

/// Draws the maps, one below the other. `land` is the outline of the continents (SVG), for maps of
/// the world.
pub fn maps(
    mut sheet: Sheet,
    tables: &[Mapped],
    fields: &[Field],
    rows: &RowChoice,
    land: Option<&str>,
) -> Scene {
    for table in tables {
        map(&mut sheet, table, fields, rows, land);
    }
    sheet.finish()
}

fn map(sheet: &mut Sheet, table: &Mapped, fields: &[Field], rows: &RowChoice, land: Option<&str>) {
    let design = &table.figures.design;
    let (template, _) = Template::parse(&design.template, fields);
    let stored = template.stored(&design.layout);
    let Some((_, zorder)) = stored.zorder() else { return };
    let tablets = &table.figures.table.tablets;
    let starts: Vec<RowKey> = tablets.iter().map(|tablet| tablet.start.clone()).collect();
    let says = &messages().map;
    sheet.y += 14.0;
    let title = format!("{}: {}", design.name, (says.title)(&zorder.x.field, &zorder.y.field));
    sheet.text(Text::new((MARGIN, sheet.y), 14.0, title, Paint::Ink).bold());
    sheet.y += 17.0;
    let (about, size) = (sheet.y, (INNER, HEIGHT));
    sheet.y += 8.0;
    let at = (MARGIN, sheet.y);
    let dots = dots(&stored, table.keys, &starts, at, size);
    let points = dots.iter().map(|(_, points)| points).sum();
    sheet.text(Text::new((MARGIN, about), 12.0, (says.about)(points, tablets.len() as u64), Paint::Soft));
    sheet.rect(at, size, Paint::None, Paint::Line);
    if let Some(land) = land.filter(|_| is_world(zorder)).and_then(outline) {
        let file = Inset::Elements { svg: land.into(), view_box: "-900 -450 1800 900" };
        sheet.push(Shape::Inset { at, size, file });
    }
    dots.into_iter().filter(|(_, points)| *points > 0).for_each(|(dots, _)| sheet.push(dots));
    if let Some(asked) = asked_corners(zorder, rows) {
        box_of(asked, at, size).into_iter().for_each(|shape| sheet.push(shape));
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
        let land = include_str!("../../../../../www/data/land.svg");
        let inner = outline(land).unwrap_or_default();
        assert!(land.contains("viewBox=\"-900 -450 1800 900\""), "the box of the drawing in the picture");
        assert!(
            inner.starts_with("<path") && inner.ends_with("/>") && !inner.contains("<svg"),
            "{}",
            &inner[..40]
        );
        assert_eq!(outline("nothing"), None);
    }
}
