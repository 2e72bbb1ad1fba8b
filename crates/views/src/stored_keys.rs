//! The keys of a table, divided by the parts of its template, and the encoding of its values.

use alloc::vec::Vec;

use tabletop_keys::{EncodedValues, Encoding, KeyView, Layout, Template};

use super::PartColors;

/// The keys of a table, and what reads its values. A layout can omit parts of the template.
#[derive(PartialEq)]
pub struct StoredKeys {
    /// The template of the keys as they are stored.
    pub template: Template,
    /// The indices of its parts in the written template.
    parts: Vec<usize>,
    /// The colours of the parts of the written template.
    pub colors: PartColors,
    /// The encoding of the values, if it does not describe itself.
    pub values: Option<EncodedValues>,
}

impl StoredKeys {
    /// Describes the keys of `template` in rows of `layout`.
    pub fn new(template: &Template, layout: &Layout) -> StoredKeys {
        let is_shown = layout.encoding == Encoding::Json;
        StoredKeys {
            template: template.stored(layout),
            parts: template.stored_parts(layout),
            colors: PartColors::new(template),
            values: if is_shown { None } else { EncodedValues::of(layout, template.fields()) },
        }
    }

    /// Divides a key by the parts of the written template, so that a part has the same colour
    /// everywhere.
    pub fn view(&self, key: &[u8]) -> KeyView {
        let mut view = self.template.key_view(key);
        for span in &mut view.spans {
            span.part = self.parts[span.part as usize] as u32;
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use tabletop_keys::{Field, FieldKind, LayoutKind};

    use super::*;

    #[test]
    fn a_part_has_the_colour_of_its_chip_in_every_layout() {
        let field = |name: &str, kind| Field::new(name, kind);
        let fields = [field("at", FieldKind::Time), field("id", FieldKind::Int)];
        let (template, _) = Template::parse("{at:iso},{id:pad(3)}", &fields);
        let parts = |kind, key: &[u8]| {
            let view = StoredKeys::new(&template, &Layout::new(kind)).view(key);
            view.spans.iter().map(|span| span.part).collect::<Vec<_>>()
        };
        assert_eq!(parts(LayoutKind::Narrow, b"2024-01-01T09:00:00.000Z,007"), [0, 1, 2]);
        assert_eq!(parts(LayoutKind::RowPerEntity, b"007"), [2]);
    }
}
