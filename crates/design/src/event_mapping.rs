//! Maps the events of a workspace to the rows of a design.

use tabletop_keys::{FamilyRule, Field, KeyView, Layout, LayoutKind, LayoutWriter, Template};
use tabletop_model::{Code, Error, Problem, Span};
use tabletop_workspace::Design;

/// Maps events to rows.
pub(crate) struct EventMapping {
    pub(crate) writer: LayoutWriter,
    /// The template as the user wrote it. The writer's template may omit fields that the layout
    /// stores elsewhere.
    pub(crate) written: Template,
    /// For each part of the writer's template, its index in `written`.
    pub(crate) parts: Vec<usize>,
    pub(crate) layout: Layout,
    /// The layout with the template as written, which queries by fields use.
    pub(crate) readable: Layout,
    /// The GC rules of families.
    pub(crate) families: Vec<FamilyRule>,
}

impl EventMapping {
    /// Creates the mapping of a template and a layout. Reuses the writer of the previous mapping if
    /// its cells are the same.
    pub(crate) fn new(
        before: Option<EventMapping>,
        written: Template,
        layout: &Layout,
        fields: &[Field],
        families: &[FamilyRule],
    ) -> EventMapping {
        let writer = match before {
            Some(before) if before.has_cells_of(layout, fields) => {
                before.writer.with_keys_of(layout, &written)
            }
            _ => LayoutWriter::new(layout, fields, &written),
        };
        let writer = writer.with_families(families);
        let (parts, layout) = (written.stored_parts(layout), layout.clone());
        let readable = layout.readable(families).into_owned();
        EventMapping { writer, parts, layout, readable, families: families.to_vec(), written }
    }

    /// Returns whether this mapping writes the same cells as a mapping with this layout.
    pub(crate) fn has_cells_of(&self, layout: &Layout, fields: &[Field]) -> bool {
        self.layout == *layout && self.written.fields() == fields
    }

    /// Returns the key with its bytes split into the parts of the template as written.
    pub(crate) fn key_view(&self, key: &[u8]) -> KeyView {
        let mut view = self.writer.template().key_view(key);
        for span in &mut view.spans {
            span.part = self.parts[span.part as usize] as u32;
        }
        view
    }
}

/// Parses the template of a design. The problems of its layout's columns have no position in the
/// template, and follow the template's problems.
pub(crate) fn parse(design: &Design, fields: &[Field]) -> (Template, Vec<Problem>) {
    let (template, problems) = Template::parse(&design.template, fields);
    if design.layout.kind == LayoutKind::Columns {
        (template, with_columns(design, fields, problems))
    } else {
        (template, problems)
    }
}

#[inline(never)]
fn with_columns(design: &Design, fields: &[Field], mut problems: Vec<Problem>) -> Vec<Problem> {
    let end = design.template.len() as u32;
    let of_columns = design.layout.problems(fields).into_iter();
    problems
        .extend(of_columns.map(|found| Problem { span: Span { start: end, end }, message: found.text() }));
    problems
}

/// The error for a design whose template has never been free of problems.
#[cold]
pub(crate) fn no_table() -> Error {
    Error::new(Code::FailedPrecondition, "the design has no table yet: correct its template first")
}
