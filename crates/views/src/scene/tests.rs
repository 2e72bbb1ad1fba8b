use super::*;

fn scene() -> Scene {
    let dots = Pen { width: 3.5, is_round: true, ..Pen::of(Paint::Part(1)) };
    let key = Text { is_mono: true, ..Text::new((1.0, 2.0), 11.0, "a ", Paint::Part(0)) };
    let pieces = [key.pieces.clone(), vec![("<b>".into(), Paint::Soft)]].concat();
    Scene {
        title: "tablets & \"keys\"".into(),
        size: (120.0, 40.5),
        fit: Fit::Stretch,
        shapes: vec![
            Shape::Rect {
                at: (0.5, 0.0),
                size: (10.0, 1.0 / 3.0),
                radius: 2.0,
                fill: Paint::Load(4),
                edge: Paint::Edge,
            },
            Shape::Line { path: path([(0.0, 1.0), (2.25, -0.001)]), pen: dots },
            Shape::Text(Text { pieces, ..key }),
            Shape::Text(Text { is_upright: true, ..Text::new((4.0, 5.0), 12.0, "up", Paint::Ink).bold() }),
        ],
    }
}

#[test]
fn a_file_has_its_own_colours_and_no_markup_of_its_texts() {
    let expected = "<svg viewBox=\"0 0 120 40.5\" font-family=\"system-ui, sans-serif\" preserveAspectRatio=\"none\" xmlns=\"http://www.w3.org/2000/svg\" \
                    width=\"120\" height=\"40.5\" role=\"img\">
<title>tablets &amp; &quot;keys&quot;</title>
<rect x=\"0\" y=\"0\" width=\"120\" height=\"40.5\" fill=\"#ffffff\"></rect>
<rect x=\"0.5\" y=\"0\" width=\"10\" height=\"0.33\" fill=\"#c93c27\" stroke=\"#868e9c\" rx=\"2\"></rect>
<path d=\"M0 1L2.25 0\" fill=\"none\" stroke=\"#0b6e6e\" vector-effect=\"non-scaling-stroke\" stroke-width=\"3.5\" \
                    stroke-linecap=\"round\"></path>
<text font-size=\"11\" x=\"1\" y=\"2\" font-family=\"ui-monospace, monospace\" xml:space=\"preserve\"><tspan fill=\"#2f54d0\">a \
                    </tspan><tspan fill=\"#545b69\">&lt;b&gt;</tspan></text>
<text font-size=\"12\" transform=\"translate(4 5) rotate(-90)\" font-weight=\"600\" fill=\"#191c23\">up</text></svg>";
    assert_eq!(scene().file(&LIGHT), expected);
}

#[test]
fn the_page_draws_the_same_shapes_in_its_theme() {
    let page = scene().on_page();
    let svg = page.svg();
    assert!(
        svg.contains("var(--load-4)") && !svg.contains('#') && svg.contains("preserveAspectRatio=\"none\""),
        "{svg}"
    );
    assert_eq!(page.children.len(), scene().shapes.len());
    // All but the title, the page and the colours are the same.
    let tags = |element: &Element| element.children.iter().map(|child| child.tag).collect::<Vec<_>>();
    assert_eq!(tags(&page), ["rect", "path", "text", "text"]);
}

#[test]
fn another_file_is_a_part_of_the_picture() {
    let inset = |file| Shape::Inset { at: (1.0, 2.0), size: (30.0, 20.0), file }.element(&LIGHT).svg();
    assert_eq!(
        inset(Inset::Elements { svg: "<path d=\"M0 0\"/>".into(), view_box: "-9 -4 18 9" }),
        "<svg x=\"1\" y=\"2\" width=\"30\" height=\"20\" preserveAspectRatio=\"none\" viewBox=\"-9 -4 18 9\"><path d=\"M0 0\"/></svg>"
    );
    assert!(inset(Inset::Address("data/land.svg")).contains("href=\"data/land.svg\""));
}

#[test]
fn numbers_are_short() {
    assert_eq!([0.0, -0.001, 1.0, 1.5, 100.0, 2.0 / 3.0].map(number), ["0", "0", "1", "1.5", "100", "0.67"]);
}
