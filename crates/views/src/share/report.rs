//! A report for a design document: one self-contained HTML file. It begins with the verdict, and has
//! the designs, their tablets, their figures, the costs of their access patterns, one event as each
//! stores it, and the advice on each.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_advice::Warning;
use tabletop_keys::{Field, LayoutWriter, Record, Template};
use tabletop_model::{AggregateInput, Mutation, escape};
use tabletop_protocol::EventsView;
use tabletop_texts::messages;
use tabletop_workspace::{Design, Source, Workspace};

use super::contents::{Contents, title};
use super::measured::Part;
use super::pictures::{PictureOf, picture};
use super::tables::layout_of;
use crate::scene::{Colors, DARK, LIGHT, xml};

const STYLE: &str = include_str!("report.css");
/// The maximum number of bytes of a value that are shown.
const VALUE_BYTES_MAX: usize = 120;

/// Writes the report.
pub fn report(contents: &Contents) -> String {
    let (says, workspace) = (&messages().share.report, &contents.workspace);
    let title = xml(title(workspace));
    let measured = contents.measured.parts();
    // The user's own events are left out.
    let has_event = !contents.preview.events.is_empty() && !matches!(workspace.source, Source::Own(_));
    let note =
        contents.note.as_ref().map_or(String::new(), |note| format!("<p class=\"note\">{}</p>\n", xml(note)));
    let verdict = measured
        .first()
        .map_or(String::new(), |part| format!("<p class=\"verdict\">{}</p>\n", xml(&part.sentences)));
    let parts = [
        verdict,
        note,
        section(says.designs, &designs(&workspace.designs, &contents.fields)),
        drawn(says.tablets, PictureOf::Tablets, contents),
        drawn(says.maps, PictureOf::Map, contents),
        measured.iter().enumerate().map(measured_part).collect(),
        if has_event {
            section(says.event, &event(&workspace.designs, &contents.preview))
        } else {
            String::new()
        },
        contents
            .gathered
            .iter()
            .zip(&workspace.designs)
            .map(|(gathered, design)| advice(design, &gathered.view.warnings))
            .collect(),
    ];
    let link = xml(&contents.link);
    let open = if link.is_empty() { String::new() } else { format!(" <a href=\"{link}\">{}</a>", says.open) };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p>{}{open}</p>\n{}<p class=\"soft\">{}</p>\n</body>\n</html>\n",
        xml(&source(workspace)),
        parts.concat(),
        says.thresholds,
    )
}

/// A picture in the colours of both themes; the reader sees one of them.
fn drawn(title: &str, of: PictureOf, contents: &Contents) -> String {
    let Some(picture) = picture(of, contents) else { return String::new() };
    let one =
        |(class, colors): (&str, &Colors)| format!("<div class=\"{class}\">{}</div>\n", picture.file(colors));
    section(title, &[("light", &LIGHT), ("dark", &DARK)].map(one).concat())
}

fn section(title: &str, body: &str) -> String {
    format!("<section>\n<h2>{title}</h2>\n{body}</section>\n")
}

/// Returns where the events come from.
fn source(workspace: &Workspace) -> String {
    let says = &messages().share.report;
    match &workspace.source {
        Source::Generated(settings) => (says.generated)(settings.events.into(), settings.seed),
        Source::Sample(name) => (says.sample)(name),
        Source::Own(own) => (says.own)(&own.name),
    }
}

fn designs(designs: &[Design], fields: &[Field]) -> String {
    let says = &messages().share;
    let lines: String = designs
        .iter()
        .map(|design| {
            let layout = xml(&layout_of(design, fields));
            format!(
                "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td>{layout}</td></tr>\n",
                xml(&design.name),
                xml(&design.template)
            )
        })
        .collect();
    let head = [says.design, says.row_key, says.layout]
        .map(|name| format!("<th scope=\"col\">{name}</th>"))
        .concat();
    format!("<div class=\"wide\"><table>\n<tr>{head}</tr>\n{lines}</table></div>\n")
}

/// The sentences and the table of what is measured. The report begins with the first sentences.
fn measured_part((at, part): (usize, &Part)) -> String {
    let sentences = if at == 0 { String::new() } else { format!("<p>{}</p>\n", xml(&part.sentences)) };
    section(part.title, &format!("{sentences}{}", part.table.html()))
}

/// The first event as each design stores it.
fn event(designs: &[Design], events: &EventsView) -> String {
    let values: Vec<Option<&str>> = events.events[0].iter().map(Option::as_deref).collect();
    let record = Record { fields: &events.fields, values: &values };
    let stored = |design: &Design| {
        let (template, problems) = Template::parse(&design.template, record.fields);
        let row = LayoutWriter::new(&design.layout, record.fields, &template)
            .with_families(&design.families)
            .write(&record, events.start.into());
        let cells = match row {
            Ok(row) if problems.is_empty() => {
                let cells: String = row.mutations.iter().filter_map(cell).collect();
                format!("<p><code>{}</code></p>\n<ul>\n{cells}</ul>\n", xml(&escape(&row.key)))
            }
            _ => format!("<p>{}</p>\n", messages().compare.template_invalid),
        };
        format!("<h3>{}</h3>\n{cells}", xml(&design.name))
    };
    designs.iter().map(stored).collect()
}

fn cell(mutation: &Mutation) -> Option<String> {
    let (family, qualifier, value, added) = match mutation {
        Mutation::SetCell { family, qualifier, value, .. } => (family, qualifier, value.clone(), ""),
        Mutation::AddToCell { family, qualifier, input: AggregateInput::Int(number), .. } => {
            (family, qualifier, number.to_string().into(), "+ ")
        }
        Mutation::AddToCell { family, qualifier, input: AggregateInput::Bytes(bytes), .. } => {
            (family, qualifier, bytes.clone(), "+ ")
        }
        _ => return None,
    };
    let shown = &value[..value.len().min(VALUE_BYTES_MAX)];
    let cut = if shown.len() < value.len() { "…" } else { "" };
    Some(format!(
        "<li><code>{}:{} = {added}{}{cut}</code></li>\n",
        xml(family),
        xml(&escape(qualifier)),
        xml(&escape(shown))
    ))
}

/// The warnings on a design with their evidence, and the fixes.
fn advice(design: &Design, warnings: &[Warning]) -> String {
    let (says, advice) = (&messages().share.report, messages().advice);
    let line = |warning: &Warning| {
        let fixes: Vec<String> = warning.fixes.iter().map(|fix| xml(&(advice.fix)(&fix.kind))).collect();
        let fixes = if fixes.is_empty() {
            String::new()
        } else {
            format!("<br>{} {}", says.remedies, fixes.join(" · "))
        };
        format!(
            "<li>{}<br><span class=\"soft\">{}</span>{fixes}</li>\n",
            xml(&(advice.warning)(&warning.cause)),
            xml(&(advice.evidence)(&warning.cause))
        )
    };
    let body = match warnings {
        [] => format!("<p>{}</p>\n", says.no_advice),
        _ => format!("<ul>\n{}</ul>\n", warnings.iter().map(line).collect::<String>()),
    };
    section(&(says.advice)(&xml(&design.name)), &body)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::compare::Scores;
    use crate::share::Known;
    use alloc::rc::Rc;
    use tabletop_advice::{Cause, LayoutCause};
    use tabletop_keys::FieldKind;
    use tabletop_protocol::{DesignView, GatheredTable};
    use tabletop_workspace::OwnData;

    #[test]
    fn a_report_says_all_and_has_no_markup_of_others() {
        let mut workspace = Workspace { name: "<b>Shop</b>".into(), ..Workspace::default() };
        workspace.designs[0].template = "{a}<i>".into();
        workspace.designs[0].name = "One & only".into();
        let warning = Warning {
            cause: Cause::Layout(LayoutCause::ChangedFamily { family: "<u>rows</u>".into() }),
            part: None,
            fixes: vec![],
        };
        let view = DesignView { warnings: vec![warning], ..DesignView::default() };
        let fields = Rc::default();
        let preview = Rc::new(EventsView {
            fields: vec![Field::new("a", FieldKind::Text)],
            start: 0,
            events: vec![vec![Some("<s>".into())]],
        });
        let of = |workspace: &Workspace, link: &str| {
            let gathered = vec![GatheredTable { view: view.clone(), keys: vec![] }];
            let (workspace, costs) = (&Rc::new(workspace.clone()), Scores::default().of(workspace));
            let (fields, preview) = (&fields, &preview);
            let known =
                Known { workspace, fields, preview, figures: &[], costs, is_loading: false, is_over: false };
            report(&Contents { gathered, ..Contents::of(&known, link) })
        };
        let html = of(&workspace, "https://example.com/?a&b#w1.x");
        for text in [
            "<title>&lt;b&gt;Shop&lt;/b&gt;</title>",
            "<code>{a}&lt;i&gt;</code>",
            "<th scope=\"row\">One &amp; only</th>",
            "Advice on One &amp; only",
            "&lt;u&gt;rows&lt;/u&gt;",
            "<p class=\"note\">Incomplete:",
            "&quot;&lt;u&gt;rows&lt;/u&gt;&quot;",
            "<p><code>&lt;s&gt;&lt;i&gt;</code></p>",
            "href=\"https://example.com/?a&amp;b#w1.x\"",
        ] {
            assert!(html.contains(text), "{text} is not in {html}");
        }
        assert!(!html.contains("<script") && !html.contains("<s>") && !html.contains("<u>"), "{html}");
        workspace.source = Source::Own(OwnData {
            name: "a.csv".into(),
            format: Default::default(),
            fields: vec![],
            on_bad_line: Default::default(),
            reading: Default::default(),
            content: None,
        });
        assert!(!of(&workspace, "").contains("&lt;s&gt;"), "the user's events stay with the user");
        assert!(!html.contains("src=") && !html.contains("@import"), "it needs no other file: {html}");
    }
}
