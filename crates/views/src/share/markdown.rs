//! A link in Markdown, with tables of the designs and their measurements.

use alloc::format;
use alloc::string::String;

use tabletop_texts::messages;

use super::contents::{Contents, title};
use super::measured::Part;
use super::tables::layout_of;
use crate::markdown::text;

/// Returns the link to a workspace under its name, a line for each design, and their measurements
/// so far.
pub fn markdown(contents: &Contents) -> String {
    let (says, workspace, link) = (&messages().share, &contents.workspace, &contents.link);
    let title = text(title(workspace));
    let mut out = format!(
        "[{title}]({link})\n\n| {} | {} | {} |\n|---|---|---|\n",
        says.design, says.row_key, says.layout
    );
    for design in &workspace.designs {
        let layout = text(&layout_of(design, &contents.fields));
        out += &format!("| {} | {} | {layout} |\n", text(&design.name), code(&design.template));
    }
    if let Some(note) = &contents.note {
        out += &format!("\n{}\n", text(note));
    }
    for Part { sentences, table, .. } in contents.measured.parts() {
        out += &format!("\n{}\n\n{}", text(&sentences), table.markdown());
    }
    out
}

/// A text as code in a cell of a table, surrounded by more backticks than it contains in a row.
fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let most = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(most + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Scores;
    use crate::share::Known;
    use alloc::rc::Rc;
    use tabletop_workspace::Workspace;

    /// The Markdown of a workspace whose designs are not measured, as if it were complete.
    fn without_figures(workspace: &Workspace, link: &str) -> String {
        let (workspace, fields, preview) = (Rc::new(workspace.clone()), Rc::default(), Rc::default());
        let costs = Scores::default().of(&workspace);
        let known = Known {
            workspace: &workspace,
            fields: &fields,
            preview: &preview,
            figures: &[],
            costs,
            is_loading: false,
            is_over: false,
        };
        markdown(&Contents { note: None, ..Contents::of(&known, link) })
    }

    #[test]
    fn a_link_has_a_title_and_a_table() {
        let mut workspace = Workspace::default();
        let expected = "[Tabletop workspace](https://example.com/#w1.x)\n\n| Design | Row key | Layout |\n|---|---|---|\n\
                        | Design 1 | `{timestamp:iso},{app_id},{user_token}` | Narrow |\n";
        assert_eq!(without_figures(&workspace, "https://example.com/#w1.x"), expected);
        workspace.name = "Orders [of a|b]\n*new*".into();
        workspace.designs[0].name = "a_b".into();
        workspace.designs[0].template = "{a}|`{b}``".into();
        let expected = "[Orders \\[of a\\|b\\] \\*new\\*](L)\n\n| Design | Row key | Layout |\n|---|---|---|\n\
                        | a\\_b | ``` {a}\\|`{b}`` ``` | Narrow |\n";
        assert_eq!(without_figures(&workspace, "L"), expected);
    }
}
