//! The tablets of designs as a picture that stands alone (SVG), for documents: a strip for each design, as on the page.

use std::fmt::Write;

use tabletop_model::TableView;
use tabletop_schema::{TableLoad, Verdict};

use super::xml;
use crate::pages::tablets::places;
use crate::state::{Measure, PageState, View};

/// The width of the picture, px.
const WIDTH: f64 = 1_000.0;
/// Room around the strips, px.
const MARGIN: f64 = 16.0;
/// The height of a design with its texts and the room below it, px.
const DESIGN: f64 = 92.0;
/// The height of a strip, px.
const STRIP: f64 = 32.0;
/// The colours of a picture, as of the page (www/style/tokens.css).
pub struct Colors {
    page: &'static str,
    ink: &'static str,
    edge: &'static str,
    /// The fills of tablets by their load.
    fills: [&'static str; 5],
}

/// The light theme, and that of paper.
pub const LIGHT: Colors =
    Colors { page: "#ffffff", ink: "#191c23", edge: "#868e9c", fills: ["#dfe5f2", "#b9c8f2", "#8aa5ec", "#e59a4f", "#c93c27"] };
/// The dark theme.
pub const DARK: Colors =
    Colors { page: "#161920", ink: "#e8eaf0", edge: "#707a8c", fills: ["#242a38", "#2f4076", "#4360b4", "#c9772b", "#ef5a43"] };

/// A design and its tablets.
pub struct Strip<'a> {
    name: &'a str,
    table: &'a TableView,
    verdict: &'a Verdict,
}

/// Returns the designs on the screen that have tablets: all that are compared, or the one that is shown.
pub fn strips(state: &PageState) -> Vec<Strip<'_>> {
    let designs = &state.workspace.designs;
    let strips: Vec<Strip> = if state.look.view == View::Compare {
        let known = state.compared.iter().filter(|figures| designs.contains(&figures.design));
        known.map(|figures| Strip { name: &figures.design.name, table: &figures.table, verdict: &figures.verdict }).collect()
    } else {
        vec![Strip { name: &state.design().name, table: &state.view.table, verdict: &state.view.verdict }]
    };
    strips.into_iter().filter(|strip| !strip.table.tablets.is_empty()).collect()
}

/// Returns the width and the height of the picture, px.
pub fn size(strips: &[Strip]) -> (f64, f64) {
    (WIDTH + 2.0 * MARGIN, MARGIN + DESIGN * strips.len() as f64)
}

/// Draws the designs, one below the other.
pub fn picture(strips: &[Strip], colors: &Colors) -> String {
    let (width, height) = size(strips);
    let Colors { page, ink, .. } = colors;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\" fill=\"{ink}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"{page}\"/>\n"
    );
    for (at, strip) in strips.iter().enumerate() {
        draw(&mut svg, strip, MARGIN + DESIGN * at as f64, colors);
    }
    svg + "</svg>\n"
}

fn draw(svg: &mut String, strip: &Strip, top: f64, colors: &Colors) {
    let load = TableLoad::of(strip.table);
    let places = places(strip.table, Measure::Bytes, WIDTH, 1.0);
    // Many tablets with the least width are wider than the picture.
    let scale = WIDTH / places.last().map_or(WIDTH, |place| place.x + place.width);
    let (name, headline) = (xml(strip.name), xml(&strip.verdict.headline()));
    let text = format!(
        "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"14\" font-weight=\"600\">{name}</text>\n\
         <text x=\"{MARGIN}\" y=\"{}\" font-size=\"12\">{headline}</text>\n",
        top + 12.0,
        top + 29.0
    );
    svg.push_str(&text);
    for (at, place) in places.iter().enumerate() {
        let (x, width) = (MARGIN + place.x * scale + 0.5, (place.width * scale - 1.0).max(0.5));
        let fill = colors.fills[strip.verdict.level(at, load.shares[at])];
        let (y, edge) = (top + 38.0, colors.edge);
        writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{STRIP}\" rx=\"2\" fill=\"{fill}\" stroke=\"{edge}\"/>"
        )
        .expect("a string takes all");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use tabletop_model::{TabletId, TabletView};
    use tabletop_schema::{DesignView, Workspace};

    #[test]
    fn a_picture_has_each_tablet_and_names_that_are_no_markup() {
        let mut workspace = Workspace::default();
        workspace.designs[0].name = "<a> & \"b\"".into();
        let mut state = PageState::new(workspace);
        assert!(strips(&state).is_empty(), "there is nothing to draw");
        let mut view = DesignView::default();
        let tablet = |id| TabletView {
            id: TabletId(id),
            parent: None,
            start: Default::default(),
            end: Default::default(),
            rows: 1,
            cells: 1,
            exact: true,
            bytes: 1,
            memtable_bytes: 0,
            sstables: 1,
            reads: 0,
            writes: 0,
            reads_per_second: 0.0,
            writes_per_second: 0.0,
        };
        view.table.tablets = (0..300).map(tablet).collect();
        state.view = Rc::new(view);
        let svg = picture(&strips(&state), &LIGHT);
        assert!(svg.contains(">&lt;a&gt; &amp; &quot;b&quot;</text>"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 301);
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        let right = svg.lines().filter_map(|line| line.strip_prefix("<rect x=\"")?.split('"').next()?.parse::<f64>().ok());
        assert!(right.fold(0.0, f64::max) < MARGIN + WIDTH, "all are in the picture");
    }
}
