//! Authorized views: the part of a table that a client may read and change, given by row key
//! prefixes and subsets of columns.
//!
//! A read through a view returns the view's cells, as if the table had nothing else. A write
//! outside the view is rejected with `PERMISSION_DENIED`.

use std::ops::Bound;

use tabletop_engine::divide_rows;
use tabletop_model::pattern::literal;
use tabletop_model::{
    Bytes, CheckAndMutateRow, Mutation, Qualifier, ReadModifyWriteRow, ReadRows, RowFilter, RowKey,
    RowMutation, RowRange, RowSet, escape,
};
use tonic::Status;

use super::admin::proto::authorized_view::SubsetView;
use super::convert::key_of;
use super::status::invalid;

/// The part of a table that a view includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The full name.
    name: String,
    /// Prefixes, none of which begins with another one. Without prefixes, the view has no rows.
    row_prefixes: Vec<RowKey>,
    /// Families and their columns, sorted by name. The view does not have other families.
    families: Vec<(String, Columns)>,
}

/// The columns of one family that a view includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Columns {
    qualifiers: Vec<Qualifier>,
    /// Prefixes, none of which begins with another one. Every qualifier begins with the empty
    /// prefix.
    prefixes: Vec<Qualifier>,
}

/// Restricts a read to the view. A filter that makes the read invalid is kept, so that the read is
/// rejected.
///
/// # Errors
/// `InvalidArgument` for an empty row key and for a range that starts after its end.
pub fn restrict_read(view: &View, read: &mut ReadRows) -> tabletop_model::Result<()> {
    read.rows = view.restrict_rows(&read.rows)?;
    read.filter = Some(view.restrict_filter(read.filter.take()));
    Ok(())
}

/// Checks that a mutation of a row stays within the view.
///
/// # Errors
/// `PERMISSION_DENIED`, with what is outside the view.
fn check_mutation(view: &View, key: &RowKey, mutation: &Mutation) -> Result<(), Status> {
    check_row(view, key)?;
    match mutation {
        Mutation::SetCell { family, qualifier, .. }
        | Mutation::AddToCell { family, qualifier, .. }
        | Mutation::MergeToCell { family, qualifier, .. }
        | Mutation::DeleteFromColumn { family, qualifier, .. } => check_column(view, family, qualifier),
        Mutation::DeleteFromFamily { family } if view.sees_family(family) => Ok(()),
        Mutation::DeleteFromFamily { family } => Err(denied(
            view,
            format!("family \"{family}\" as a whole: delete the columns that the view has, or use the table"),
        )),
        Mutation::DeleteFromRow => Err(denied(
            view,
            format!(
                "all of row \"{key}\", which may have other columns: delete the families or columns that the view has, or use the \
                 table"
            ),
        )),
    }
}

/// Checks that all mutations of a row stay within the view.
///
/// # Errors
/// `PERMISSION_DENIED`, with what is outside the view.
pub fn check_row_mutation(view: &View, row: &RowMutation) -> Result<(), Status> {
    check_row(view, &row.key)?;
    row.mutations.iter().try_for_each(|mutation| check_mutation(view, &row.key, mutation))
}

/// Checks that the row and both lists of mutations are within the view, and restricts the predicate
/// to the view.
///
/// # Errors
/// `PERMISSION_DENIED`, with what is outside the view.
pub fn restrict_check(view: &View, check: &mut CheckAndMutateRow) -> Result<(), Status> {
    check_row(view, &check.key)?;
    let mut mutations = check.on_match.iter().chain(&check.otherwise);
    mutations.try_for_each(|mutation| check_mutation(view, &check.key, mutation))?;
    check.predicate = Some(view.restrict_filter(check.predicate.take()));
    Ok(())
}

/// Checks that the cells that are read and written are within the view.
///
/// # Errors
/// `PERMISSION_DENIED`, with what is outside the view.
pub fn check_read_modify_write(view: &View, row: &ReadModifyWriteRow) -> Result<(), Status> {
    check_row(view, &row.key)?;
    row.rules.iter().try_for_each(|rule| check_column(view, &rule.family, &rule.qualifier))
}

impl View {
    /// Makes a view from Google's message and its full name.
    pub fn new(name: &str, subset: &SubsetView) -> View {
        let families = subset.family_subsets.iter().map(|(name, subset)| {
            let qualifiers = subset.qualifiers.iter().map(|qualifier| Bytes(qualifier.clone())).collect();
            (name.clone(), Columns { qualifiers, prefixes: shortest(&subset.qualifier_prefixes) })
        });
        let mut families: Vec<(String, Columns)> = families.collect();
        families.sort_by(|a, b| a.0.cmp(&b.0));
        View { name: name.into(), row_prefixes: shortest(&subset.row_prefixes), families }
    }

    /// Rejects a view whose filter is too large: every read goes through it, and the limit of
    /// filters applies.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for such a view.
    pub fn check(&self) -> Result<(), Status> {
        self.restrict_filter(None).validate().map_err(|error| {
            invalid(format!(
                "Error in field 'subset_view' : the filter of its columns, which every read goes through, is not valid; name fewer \
                 columns, or prefixes: {}",
                error.message
            ))
        })
    }

    /// Returns whether the view has rows with this key. Samples of row keys are restricted by it.
    pub fn sees_row(&self, key: &[u8]) -> bool {
        self.row_prefixes.iter().any(|prefix| key.starts_with(prefix))
    }

    fn sees_column(&self, family: &str, qualifier: &[u8]) -> bool {
        self.columns(family).is_some_and(|columns| columns.has(qualifier))
    }

    /// Returns whether the view has all possible columns of a family.
    fn sees_family(&self, family: &str) -> bool {
        self.columns(family).is_some_and(Columns::is_all)
    }

    fn columns(&self, family: &str) -> Option<&Columns> {
        self.families.iter().find(|(name, _)| name == family).map(|(_, columns)| columns)
    }

    fn restrict_rows(&self, rows: &RowSet) -> tabletop_model::Result<RowSet> {
        // Ranges that overlap would be multiplied by the prefixes.
        let asked = divide_rows(rows, usize::MAX)?.pop().unwrap_or_default();
        let mut seen = RowSet::default();
        seen.keys.extend(asked.keys.into_iter().filter(|key| self.sees_row(key)));
        for range in &asked.ranges {
            let parts = self
                .row_prefixes
                .iter()
                .filter_map(|prefix| intersection(range, &RowRange::prefix(prefix.clone())));
            seen.ranges.extend(parts);
        }
        if seen.is_all() {
            // An empty set would mean all rows.
            seen.ranges.push(RowRange::closed_open("0", "0"));
        }
        Ok(seen)
    }

    /// Puts the view's columns first, so that limits count the view's cells.
    fn restrict_filter(&self, filter: Option<RowFilter>) -> RowFilter {
        let mut chain = self.filter();
        match filter {
            None => {}
            Some(RowFilter::Chain(filters)) if filters.len() > 1 => chain.extend(filters),
            Some(filter) => chain.push(filter),
        }
        match chain.len() {
            0 => RowFilter::PassAll(true),
            1 => chain.remove(0),
            _ => RowFilter::Chain(chain),
        }
    }

    /// Returns the filter of the view's columns, as links of a chain.
    fn filter(&self) -> Vec<RowFilter> {
        let (whole, parts): (Vec<_>, Vec<_>) =
            self.families.iter().partition(|(_, columns)| columns.is_all());
        let mut branches = Vec::new();
        if !whole.is_empty() {
            let names: Vec<String> = whole.iter().map(|(name, _)| literal(name.as_bytes())).collect();
            branches.push(vec![RowFilter::FamilyNameRegex(names.join("|"))]);
        }
        for (name, columns) in parts {
            let Some(pattern) = columns.pattern() else { continue };
            branches.push(vec![
                RowFilter::FamilyNameRegex(literal(name.as_bytes())),
                RowFilter::ColumnQualifierRegex(pattern.into()),
            ]);
        }
        match branches.len() {
            0 => vec![RowFilter::BlockAll(true)],
            1 => branches.remove(0),
            // No column passes two branches, so no cell is returned twice.
            _ => {
                let joined = branches.into_iter().map(|mut links| match links.len() {
                    1 => links.remove(0),
                    _ => RowFilter::Chain(links),
                });
                vec![RowFilter::Interleave(joined.collect())]
            }
        }
    }
}

impl Columns {
    fn is_all(&self) -> bool {
        self.prefixes.iter().any(|prefix| prefix.is_empty())
    }

    fn has(&self, qualifier: &[u8]) -> bool {
        let is_named = self.qualifiers.iter().any(|known| known.as_slice() == qualifier);
        is_named || self.prefixes.iter().any(|prefix| qualifier.starts_with(prefix))
    }

    /// Returns the RE2 pattern of all qualifiers that the view includes, or `None` if it includes
    /// none.
    fn pattern(&self) -> Option<String> {
        let exact = self.qualifiers.iter().map(|qualifier| literal(qualifier));
        let begun = self.prefixes.iter().map(|prefix| format!("{}\\C*", literal(prefix)));
        let all: Vec<String> = exact.chain(begun).collect();
        if all.is_empty() { None } else { Some(all.join("|")) }
    }
}

fn check_row(view: &View, key: &RowKey) -> Result<(), Status> {
    if view.sees_row(key) { Ok(()) } else { Err(denied(view, format!("row \"{key}\""))) }
}

fn check_column(view: &View, family: &str, qualifier: &Qualifier) -> Result<(), Status> {
    if view.sees_column(family, qualifier) {
        return Ok(());
    }
    Err(denied(view, format!("column \"{family}:{}\"", escape(qualifier))))
}

/// The first sentence is production's.
fn denied(View { name, .. }: &View, what: String) -> Status {
    Status::permission_denied(format!(
        "Cannot mutate from {name} because the mutation contains cells outside the Authorized View. It does not have {what}"
    ))
}

/// Returns the sorted prefixes without those that begin with another one.
fn shortest(prefixes: &[Vec<u8>]) -> Vec<Bytes> {
    let mut sorted: Vec<&Vec<u8>> = prefixes.iter().collect();
    sorted.sort();
    let mut kept: Vec<Bytes> = Vec::new();
    for prefix in sorted {
        // Prefixes that begin with another one directly follow it.
        if !kept.last().is_some_and(|last| prefix.starts_with(last)) {
            kept.push(Bytes(prefix.clone()));
        }
    }
    kept
}

/// Returns whether a range does not end before it begins.
fn is_possible(range: &RowRange) -> bool {
    match (&range.start, &range.end) {
        (Bound::Included(start) | Bound::Excluded(start), Bound::Included(end) | Bound::Excluded(end)) => {
            start <= end
        }
        _ => true,
    }
}

fn intersection(a: &RowRange, b: &RowRange) -> Option<RowRange> {
    let start = later(&a.start, &b.start);
    let end = earlier(&a.end, &b.end);
    let both = RowRange { start, end };
    is_possible(&both).then_some(both)
}

fn later(a: &Bound<RowKey>, b: &Bound<RowKey>) -> Bound<RowKey> {
    let (Some(x), Some(y)) = (key_of(a), key_of(b)) else {
        return if key_of(a).is_none() { b.clone() } else { a.clone() };
    };
    let is_a = x > y || x == y && matches!(a, Bound::Excluded(_));
    if is_a { a.clone() } else { b.clone() }
}

fn earlier(a: &Bound<RowKey>, b: &Bound<RowKey>) -> Bound<RowKey> {
    let (Some(x), Some(y)) = (key_of(a), key_of(b)) else {
        return if key_of(a).is_none() { b.clone() } else { a.clone() };
    };
    let is_a = x < y || x == y && matches!(a, Bound::Excluded(_));
    if is_a { a.clone() } else { b.clone() }
}

#[cfg(test)]
mod tests;
