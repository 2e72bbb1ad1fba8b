//! Counts of an event's facets, and the texts of its values.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::{FieldKind, facets};

/// Where the name of a facet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FacetNames {
    /// In the value: it counts all facets of an event.
    InValue,
    /// In the column: the value counts those of one name.
    InColumn,
}

/// How often an event has a facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCount<'v> {
    /// The name; empty if the column has it.
    pub name: Cow<'v, str>,
    /// `:` `=` `!=` `<` `<=` `>` or `>=`.
    pub operator: Cow<'v, str>,
    /// The value.
    pub value: Cow<'v, str>,
    /// 1 or more.
    pub count: u32,
}

/// The texts of a field of an event: one, or each of its facets.
pub(super) fn texts_of(kind: FieldKind, text: &str) -> Vec<Cow<'_, str>> {
    if kind != FieldKind::Facets {
        return alloc::vec![Cow::Borrowed(text)];
    }
    let mut texts = Vec::new();
    facets::parse(text, |facet| texts.push([facet.name, facet.operator, facet.value].concat().into()));
    texts
}
