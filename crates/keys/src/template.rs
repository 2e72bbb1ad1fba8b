//! Row-key templates: the conversion of the fields of an event into the bytes of its row key.
//!
//! ```text
//! {app_id},{user_token},{timestamp:iso}          fields, literals between them, transforms after a colon
//! {salt(8)}-{timestamp:iso}#{user_token}         a remainder of the hash of the rest of the key
//! {salt(8, user_token)}-{user_token}#{ts:millis} the salt hashes the parts of some fields only
//! {salt(8, from=2019-06-01)}-{user}#{ts:millis}  only events from this time on are salted
//! {timestamp:bucket(1h):iso}                     transforms in a row
//! {zorder(longitude, latitude, bits=20, first=y, as=hex, x=-180..180, y=-90..90)}
//! {user:or(none):hash}                           a text for events without a value
//! {"Order: id":pad(10)}                          a field whose name contains one of : ( ) , { } "
//! {{ and }}                                      braces
//! ```
//!
//! Transforms apply from the left. For an absent or empty value: `or(text)`, which comes first. For a time: `bucket(n s|m|h|d)`, `iso`, `date`, `month`, `hour`,
//! `seconds`, `millis`, `reverse_time`. For a whole number: `pad(digits)`. For any text: `hash`,
//! `hash(digits)`, `reverse`, `upper`, `lower`. For a URL or a host: `reverse_domain`
//! (`com.cnn.www/index.html`). A salt comes first, and includes one punctuation character after it.
//! The rest is the *logical key*: the key of the same template without the salt, which a salt over
//! the whole key hashes.
//!
//! `from` of a salt is its *cut-over*, a time as in the data (`2019-06-01T12:00:00Z`, in quotes or
//! not), UTC without a zone. Events whose time (see `Roles`) is before it have the logical key as
//! their row key, so a table of unsalted keys can be salted from then on without rewriting it. An
//! unsalted key that begins like a salted one would be mistaken for it, so such an event is
//! refused.

mod bind;
mod check;
mod chips;
mod complete;
mod cut_over;
mod decode;
mod domain;
mod key_map;
mod key_view;
mod parse;
mod part;
mod placeholder;
mod print;
mod sides;
mod step;
#[cfg(test)]
mod tests;
mod times;
mod write;

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use tabletop_model::{Problem, Span};

use crate::time::TimeFormat;
use crate::zorder::ZOrder;
use crate::{Field, FieldKind, Layout, LayoutKind};

use bind::Bound;
pub use chips::{ChipCost, ChipView, TransformCost};
pub use complete::complete_template;
pub(crate) use cut_over::Side;
pub use cut_over::{cut_over_text, parse_cut_over};
pub use key_map::KeyMap;
pub use key_view::{KeySpan, KeyView};
use parse::Spans;
pub use part::{Part, Transform, part_fields};
pub use placeholder::Placeholder;
pub(crate) use times::{TextRange, TimeOrder, TimeTexts};

/// A template, bound to the fields of an event set. Two templates are equal if their parts are.
#[derive(Clone)]
pub struct Template {
    // Invariant: spans and bound were made from these parts and fields, one entry per part.
    parts: Vec<Part>,
    fields: Vec<Field>,
    spans: Vec<Span>,
    bound: Bound,
}

impl Template {
    /// Parses a template. Returns it together with the problems of `text`. Half-typed text is
    /// parsed as far as possible.
    ///
    /// ```
    /// use tabletop_keys::{Field, FieldKind, Record, Template};
    ///
    /// let fields = [Field::new("user", FieldKind::Text), Field::new("time", FieldKind::Time)];
    /// let (template, problems) = Template::parse("{user}#{time:date}", &fields);
    /// assert!(problems.is_empty());
    ///
    /// let event = Record { fields: &fields, values: &[Some("ada"), Some("2019-05-28T00:04:34Z")] };
    /// let mut key = Vec::new();
    /// template.write_key(&event, &mut key).unwrap();
    /// assert_eq!(key, b"ada#2019-05-28");
    /// ```
    pub fn parse(text: &str, fields: &[Field]) -> (Template, Vec<Problem>) {
        let (parts, spans, mut problems) = parse::parse(text);
        problems.extend(check::check(&parts, &spans, fields, text.len(), problems.is_empty()));
        let template = Template::from_spans(parts, &spans, fields);
        if template.cut_over().is_some()
            && let Some(message) = template.problem_of_cut_over()
        {
            problems.push(Problem { span: template.spans[0], message });
        }
        (template, Problem::in_order(problems))
    }

    /// Parses a text of a column, with its problems. It is written like a row key, except that it
    /// need not have fields and cannot have a salt.
    pub(crate) fn of_column(text: &str, fields: &[Field]) -> (Template, Vec<Problem>) {
        let (parts, spans, mut problems) = parse::parse(text);
        problems.extend(check::check(&parts, &spans, fields, text.len(), false));
        for (part, spans) in parts.iter().zip(&spans).filter(|(part, _)| matches!(part, Part::Salt { .. })) {
            problems.push(Problem { span: spans.part, message: check::no_salt(part) });
        }
        (Template::from_spans(parts, &spans, fields), Problem::in_order(problems))
    }

    /// Returns the problems of `text` that do not depend on the fields, for events that are not
    /// known yet.
    pub fn problems_of_text(text: &str) -> Vec<Problem> {
        Template::of_text(text).1
    }

    /// Parses a template whose events are not known: its fields are the ones that it names. A field
    /// with a time format is a time, every other field is a text. Also returns its problems.
    pub fn of_text(text: &str) -> (Template, Vec<Problem>) {
        let (parts, ..) = parse::parse(text);
        let of_part = |part: &Part| {
            let is_time = matches!(part, Part::Field { transforms, .. }
                if matches!(transforms.first(), Some(Transform::Time(_) | Transform::Bucket(_))));
            let kind = if is_time { FieldKind::Time } else { FieldKind::Text };
            part_fields(part).into_iter().map(|name| Field::new(name.clone(), kind)).collect::<Vec<_>>()
        };
        let mut fields: Vec<Field> = parts.iter().flat_map(of_part).collect();
        // The field with the time of a cut-over need not be in the key.
        if matches!(parts.first(), Some(Part::Salt { from: Some(_), .. })) {
            fields.push(Field::new("", FieldKind::Time));
        }
        Template::parse(text, &fields)
    }

    /// Creates a template of these parts. Adjacent literals are joined, empty ones are removed. Its
    /// problems are found by parsing its text.
    pub fn new(parts: impl IntoIterator<Item = Part>, fields: &[Field]) -> Template {
        let mut joined: Vec<Part> = Vec::new();
        for part in parts {
            match (joined.last_mut(), part) {
                (_, Part::Literal(text)) if text.is_empty() => {}
                (Some(Part::Literal(before)), Part::Literal(text)) => before.push_str(&text),
                (_, part) => joined.push(part),
            }
        }
        let spans = print::spans(&joined);
        Template::from_spans(joined, &spans, fields)
    }

    fn from_spans(parts: Vec<Part>, spans: &[Spans], fields: &[Field]) -> Template {
        let bound = Bound::new(&parts, fields);
        Template {
            parts,
            fields: fields.to_vec(),
            spans: spans.iter().map(|spans| spans.part).collect(),
            bound,
        }
    }

    /// Returns the first part that is a Z-order, with its index.
    pub fn zorder(&self) -> Option<(usize, &ZOrder)> {
        self.parts.iter().enumerate().find_map(|(at, part)| match part {
            Part::ZOrder(zorder) => Some((at, zorder)),
            _ => None,
        })
    }

    /// Returns the parts, to be shown, moved or edited. [`Template::new`] turns them back into a
    /// template.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the fields to which the template is bound.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the text that [`Template::parse`] parses into the same parts.
    pub fn text(&self) -> String {
        print::text(&self.parts)
    }

    /// Returns where new keys sort among the existing ones, if the key begins with a time: after
    /// all of them, or before all of them if the newest come first. With a salt, this applies to
    /// the keys of each salt.
    pub fn order_of_new_keys(&self) -> Option<Ordering> {
        let is_solid = |part: &&Part| !matches!(part, Part::Literal(_));
        let Some(Part::Field { transforms, .. }) = self.parts.iter().find(is_solid) else { return None };
        let is_time = |transform: &Transform| matches!(transform, Transform::Time(_) | Transform::Bucket(_));
        if transforms.is_empty() || !transforms.iter().all(is_time) {
            return None;
        }
        let is_reverse = transforms.contains(&Transform::Time(TimeFormat::ReverseTime));
        Some(if is_reverse { Ordering::Less } else { Ordering::Greater })
    }

    /// Returns the number of salts; 1 without a salt.
    pub fn salts(&self) -> u32 {
        self.bound.salt.as_ref().map_or(1, |salt| salt.buckets)
    }

    /// Returns the number of reads of a scan: one for each salt, and one more for the keys before a
    /// cut-over.
    pub fn scan_reads(&self) -> u32 {
        self.salts() + u32::from(self.cut_over().is_some())
    }

    /// Returns the template of the row keys that a table of `layout` stores. In a row per entity,
    /// times that name an instant are omitted together with the literal before them (or, at the
    /// beginning, after them), because there they are the cells' timestamps. A template that
    /// consists only of times stays unchanged.
    pub fn stored(&self, layout: &Layout) -> Template {
        let stored = self.stored_parts(layout);
        if stored.len() == self.parts.len() {
            return self.clone();
        }
        let mut parts: Vec<Part> = stored.iter().map(|&at| self.parts[at].clone()).collect();
        let names: Vec<String> = parts.iter().flat_map(part_fields).cloned().collect();
        for part in &mut parts {
            if let Part::Salt { over, .. } = part {
                over.retain(|name| names.contains(name));
            }
        }
        Template::new(parts, &self.fields)
    }

    /// Returns the indices of the parts of [`Template::stored`] among the parts of this template.
    pub fn stored_parts(&self, layout: &Layout) -> Vec<usize> {
        let all = 0..self.parts.len();
        if layout.kind != LayoutKind::RowPerEntity {
            return all.collect();
        }
        let mut stored: Vec<usize> = Vec::new();
        let mut omits_literal = false;
        for at in all.clone() {
            let is_literal = |at: &usize| matches!(self.parts[*at], Part::Literal(_));
            let is_instant = matches!(&self.parts[at], Part::Field { name, transforms } if self.is_instant(name, transforms));
            let follows_salt = stored.len() == 2 && matches!(self.parts[stored[0]], Part::Salt { .. });
            if is_instant && stored.last().is_some_and(is_literal) && !follows_salt {
                stored.pop();
            } else if is_instant {
                omits_literal = true;
            } else if !(core::mem::take(&mut omits_literal) && is_literal(&at)) {
                stored.push(at);
            }
        }
        if stored.iter().all(|&at| part_fields(&self.parts[at]).is_empty()) {
            return all.collect();
        }
        stored
    }

    fn is_instant(&self, name: &str, transforms: &[Transform]) -> bool {
        let is_time = self.fields.iter().any(|field| field.name == name && field.kind == FieldKind::Time);
        match transforms {
            [] => is_time,
            [Transform::Time(format)] => is_time && format.is_instant(),
            _ => false,
        }
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Template) -> bool {
        self.parts == other.parts
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.text()).finish()
    }
}
