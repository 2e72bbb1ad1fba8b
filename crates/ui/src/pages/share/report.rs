//! A report for a design document: one HTML file that needs nothing else. It has the designs, their tablets, their figures, the costs of
//! their access patterns, one event as each stores it, and the advice on the design on the screen.

use tabletop_model::{AggregateInput, Mutation, escape};
use tabletop_schema::{Design, EventsView, LayoutWriter, Record, Source, Template, Workspace};

use super::measured::{Measured, Part};
use super::picture::{LIGHT, picture, strips};
use super::tables::layout_of;
use super::xml;
use crate::messages::messages;
use crate::state::PageState;

const STYLE: &str = include_str!("report.css");
/// The most bytes of a value that are shown.
const VALUE_BYTES_MAX: usize = 120;

/// Writes the report on the workspace on the screen. `link` opens it again.
pub fn report(state: &PageState, link: &str) -> String {
    let (says, workspace) = (&messages().share.report, &state.workspace);
    let title = xml(title(workspace));
    let measured = Measured::of(state).parts();
    let strips = strips(state);
    // Events of a person stay with them.
    let has_event = !state.preview.events.is_empty() && !matches!(workspace.source, Source::Own(_));
    let parts = [
        section(says.designs, &designs(&workspace.designs)),
        if strips.is_empty() { String::new() } else { section(says.tablets, &picture(&strips, &LIGHT)) },
        measured.iter().map(measured_part).collect(),
        if has_event { section(says.event, &event(&workspace.designs, &state.preview)) } else { String::new() },
        advice(state),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p>{} <a href=\"{}\">{}</a></p>\n{}<p class=\"soft\">{}</p>\n</body>\n</html>\n",
        xml(&source(workspace)),
        xml(link),
        says.open,
        parts.concat(),
        says.thresholds,
    )
}

/// Returns the name of a workspace, or what it is.
pub fn title(workspace: &Workspace) -> &str {
    let is_named = workspace.name != Workspace::UNNAMED && !workspace.name.trim().is_empty();
    if is_named { &workspace.name } else { messages().share.unnamed }
}

fn section(title: &str, body: &str) -> String {
    format!("<section>\n<h2>{title}</h2>\n{body}</section>\n")
}

/// Says where the events come from.
fn source(workspace: &Workspace) -> String {
    let says = &messages().share.report;
    match &workspace.source {
        Source::Generated(settings) => (says.generated)(settings.events.into(), settings.seed),
        Source::Sample(name) => (says.sample)(name),
        Source::Own(own) => (says.own)(&own.name),
    }
}

fn designs(designs: &[Design]) -> String {
    let says = &messages().share;
    let lines: String = designs
        .iter()
        .map(|design| {
            let layout = xml(&layout_of(design));
            format!(
                "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td>{layout}</td></tr>\n",
                xml(&design.name),
                xml(&design.template)
            )
        })
        .collect();
    let head = [says.design, says.row_key, says.layout].map(|name| format!("<th scope=\"col\">{name}</th>")).concat();
    format!("<div class=\"wide\"><table>\n<tr>{head}</tr>\n{lines}</table></div>\n")
}

/// The sentences and the table of what is measured.
fn measured_part(part: &Part) -> String {
    section(part.title, &format!("<p>{}</p>\n{}", xml(&part.sentences), part.table.html()))
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
    Some(format!("<li><code>{}:{} = {added}{}{cut}</code></li>\n", xml(family), xml(&escape(qualifier)), xml(&escape(shown))))
}

/// The warnings on the design on the screen, with their evidence.
fn advice(state: &PageState) -> String {
    let warnings = &state.view.warnings;
    if warnings.is_empty() {
        return String::new();
    }
    let line = |warning: &tabletop_schema::Warning| {
        format!("<li>{}<br><span class=\"soft\">{}</span></li>\n", xml(&warning.message), xml(&warning.evidence))
    };
    let lines: String = warnings.iter().map(line).collect();
    section(&(messages().share.report.advice)(&xml(&state.design().name)), &format!("<ul>\n{lines}</ul>\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use tabletop_schema::{DesignView, Field, FieldKind, OwnData, Warning, WarningKind};

    #[test]
    fn a_report_says_all_and_has_no_markup_of_others() {
        let mut workspace = Workspace { name: "<b>Shop</b>".into(), ..Workspace::default() };
        workspace.designs[0].template = "{a}<i>".into();
        workspace.designs[0].name = "One & only".into();
        let mut state = PageState::new(workspace);
        let warning = Warning {
            kind: WarningKind::LargeRow,
            part: None,
            message: "<u>rows</u>".into(),
            evidence: "\"all\"".into(),
            fixes: vec![],
        };
        state.view = Rc::new(DesignView { warnings: vec![warning], ..DesignView::default() });
        state.preview = Rc::new(EventsView {
            fields: vec![Field::new("a", FieldKind::Text)],
            start: 0,
            events: vec![vec![Some("<s>".into())]],
        });
        let html = report(&state, "https://example.com/?a&b#w1.x");
        for text in [
            "<title>&lt;b&gt;Shop&lt;/b&gt;</title>",
            "<code>{a}&lt;i&gt;</code>",
            "<th scope=\"row\">One &amp; only</th>",
            "&lt;u&gt;rows&lt;/u&gt;",
            "&quot;all&quot;",
            "<p><code>&lt;s&gt;&lt;i&gt;</code></p>",
            "href=\"https://example.com/?a&amp;b#w1.x\"",
        ] {
            assert!(html.contains(text), "{text} is not in {html}");
        }
        assert!(!html.contains("<script") && !html.contains("<s>") && !html.contains("<u>"), "{html}");
        let mut own = (*state.workspace).clone();
        own.source = Source::Own(OwnData {
            name: "a.csv".into(),
            format: Default::default(),
            fields: vec![],
            on_bad_line: Default::default(),
            content: None,
        });
        state.workspace = Rc::new(own);
        assert!(!report(&state, "").contains("&lt;s&gt;"), "events of a person stay with them");
        assert!(!html.contains("src=") && !html.contains("@import"), "it needs no other file: {html}");
    }
}
