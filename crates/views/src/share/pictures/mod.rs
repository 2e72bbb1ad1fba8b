//! Self-contained pictures (SVG) for documents: the tablets of all designs, their maps, and the
//! costs of access patterns.

use alloc::vec::Vec;

mod board;
mod map;
mod strips;

use super::sheet::Sheet;
use tabletop_keys::Template;
use tabletop_texts::messages;
use tabletop_workspace::Design;

use super::contents::{Contents, title};
use crate::scene::{Paint, Scene};
use map::Mapped;

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureOf {
    /// The strip of each table.
    #[default]
    Tablets,
    /// The points of each table whose key has a Z-order.
    Map,
    /// The costs of access patterns.
    Patterns,
}

/// Returns whether the key of a design has a map.
pub fn has_map(design: &Design) -> bool {
    Template::of_text(&design.template).0.zorder().is_some()
}

/// Draws a picture; `None` if there is nothing to draw.
pub fn picture(of: PictureOf, contents: &Contents) -> Option<Scene> {
    let says = &messages().share;
    let mut sheet = Sheet::new(title(&contents.workspace));
    if let Some(note) = &contents.note {
        sheet.paragraph(note, 12.0, Paint::Warn);
    }
    let (measured, fields) = (&contents.measured, &contents.fields[..]);
    match of {
        PictureOf::Tablets => {
            sheet.paragraph(says.report.tablets, 12.0, Paint::Soft);
            let tables = measured.tables();
            tables
                .iter()
                .any(|figures| !figures.table.tablets.is_empty())
                .then(|| strips::strips(sheet, tables, fields))
        }
        PictureOf::Map => {
            let mapped: Vec<Mapped> = measured
                .tables()
                .iter()
                .filter_map(|figures| {
                    let at =
                        contents.workspace.designs.iter().position(|design| *design == figures.design)?;
                    let keys = contents
                        .gathered
                        .get(at)
                        .map(|gathered| &gathered.keys[..])
                        .filter(|keys| !keys.is_empty())?;
                    Some(Mapped { figures, keys })
                })
                .collect();
            let rows = &contents.workspace.query.rows;
            (!mapped.is_empty()).then(|| map::maps(sheet, &mapped, fields, rows, contents.land.as_deref()))
        }
        PictureOf::Patterns => {
            let (queries, costs) = (measured.queries(), measured.costs());
            measured.has_patterns().then(|| board::board(sheet, queries, costs, &measured.board()))
        }
    }
}
