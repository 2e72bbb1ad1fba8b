//! One line on how a choice of rows is read, before it is read.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_keys::{Layout, RowChoice, Template, time};
use tabletop_model::Bytes;
use tabletop_texts::messages;
use tabletop_texts::query::Merged;

/// One line on how a choice of rows is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The engine reads only ranges and keys of the choice.
    Fits(String),
    /// The engine reads more than the choice.
    Scans(String),
    /// The choice is incomplete, or this table cannot answer it.
    Wrong(String),
}

/// Returns the line as a text.
#[inline(never)]
pub fn plan_text(template: &Template, layout: &Layout, rows: &RowChoice) -> String {
    let (Hint::Fits(text) | Hint::Scans(text) | Hint::Wrong(text)) = hint(template, layout, rows);
    text
}

/// Returns how `rows` are read in a table of this template and layout.
pub fn hint(template: &Template, layout: &Layout, rows: &RowChoice) -> Hint {
    let says = &messages().query;
    if matches!(rows, RowChoice::Keys(keys) if keys.is_empty()) {
        return Hint::Wrong(says.no_keys.into());
    }
    if let RowChoice::Fields { from: Some(from), until: Some(until), .. } = rows
        && let (Some(from), Some(until)) = (time::parse(from), time::parse(until))
        && from > until
    {
        return Hint::Wrong(says.swapped.into());
    }
    if let RowChoice::Box { x, y, .. } = rows
        && (x.from > x.to || y.from > y.to)
    {
        return Hint::Wrong(says.boxes.swapped.into());
    }
    let plan = match template.plan(rows, layout) {
        Ok(plan) => plan,
        Err(error) => return Hint::Wrong(error.message),
    };
    let keys = plan.parts.iter().map(|part| part.keys.len() as u64).sum();
    let ranges = u64::from(plan.ranges()) - keys;
    match plan.parts.as_slice() {
        [] => Hint::Fits(says.nothing_read.into()),
        [only] if only.is_all() && plan.scans_more => Hint::Scans(says.all_scanned.into()),
        [only] if only.is_all() => Hint::Fits(says.full_scan.into()),
        parts => {
            let merged = if parts.len() > 1 { Merged::InKeyOrder } else { Merged::No };
            if plan.scans_more {
                Hint::Scans((says.becomes_more)(keys, ranges, merged))
            } else if let Some((salted, logical)) = with_salt(template, rows) {
                let becomes = (says.becomes)(keys, ranges, merged);
                Hint::Scans((says.without_salt)(&becomes, &logical.to_string(), &salted.to_string()))
            } else {
                Hint::Fits((says.becomes)(keys, ranges, merged))
            }
        }
    }
}

/// Returns a key of the choice that begins with a salt of the design, and the key without the salt.
/// Queries have logical keys: a salt changes the position of a row, but not the query for it.
fn with_salt(template: &Template, rows: &RowChoice) -> Option<(Bytes, Bytes)> {
    let keys: Vec<&Bytes> = match rows {
        RowChoice::Keys(keys) => keys.iter().collect(),
        RowChoice::Prefix(prefix) => vec![prefix],
        RowChoice::Range(range) => [&range.start, &range.end]
            .into_iter()
            .filter_map(|bound| match bound {
                Bound::Included(key) | Bound::Excluded(key) => Some(key),
                Bound::Unbounded => None,
            })
            .collect(),
        RowChoice::All | RowChoice::Fields { .. } | RowChoice::Box { .. } => Vec::new(),
    };
    let salted = keys.into_iter().find(|key| template.salt_of_stored(key).is_some())?;
    Some((salted.clone(), Bytes(template.logical(salted).to_vec())))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use tabletop_keys::{Field, FieldKind, LayoutKind};

    use super::*;

    fn said(template: &str, rows: RowChoice) -> String {
        let field = |name: &str, kind| Field::new(name, kind);
        let fields =
            [field("app", FieldKind::Text), field("user", FieldKind::Text), field("time", FieldKind::Time)];
        let (template, problems) = Template::parse(template, &fields);
        assert_eq!(problems, []);
        let layout = Layout::new(LayoutKind::Narrow);
        match hint(&template, &layout, &rows) {
            Hint::Fits(text) => format!("fits: {text}"),
            Hint::Scans(text) => format!("scans: {text}"),
            Hint::Wrong(text) => format!("wrong: {text}"),
        }
    }

    fn of_user(from: Option<&str>) -> RowChoice {
        RowChoice::Fields {
            equals: vec![("user".into(), "7".into())],
            from: from.map(Into::into),
            until: None,
        }
    }

    #[test]
    fn a_cut_over_adds_a_range() {
        let cut_over = "{salt(8, from=2019-06-01)}-{user},{time:iso}";
        assert_eq!(said(cut_over, RowChoice::All), "fits: Becomes 9 ranges, merged in key order.");
        assert_eq!(said(cut_over, of_user(None)), "fits: Becomes 9 ranges, merged in key order.");
        assert_eq!(
            said(cut_over, of_user(Some("2019-06-01"))),
            "fits: Becomes 8 ranges, merged in key order."
        );
    }

    #[test]
    fn it_says_how_many_ranges_a_question_becomes() {
        let plain = "{user},{time:iso}";
        assert_eq!(said(plain, RowChoice::All), "fits: Becomes a scan of the whole table.");
        assert_eq!(said(plain, RowChoice::Prefix("7".into())), "fits: Becomes 1 range.");
        assert_eq!(said(plain, RowChoice::Keys(vec!["a".into(), "b".into()])), "fits: Becomes 2 keys.");
        assert_eq!(said(plain, of_user(Some("2019-05-28"))), "fits: Becomes 1 range.");
        let salted = "{salt(16)}-{user},{time:iso}";
        assert_eq!(
            said(salted, RowChoice::Prefix("7".into())),
            "fits: Becomes 16 ranges, merged in key order."
        );
    }

    #[test]
    fn it_says_when_a_key_is_written_with_its_salt() {
        let salted = "{salt(8)}-{user},{time:iso}";
        let said = |prefix: &str| said(salted, RowChoice::Prefix(prefix.into()));
        let plain = "fits: Becomes 8 ranges, merged in key order.";
        assert_eq!(
            said("3-dev-00001"),
            "scans: Becomes 8 ranges, merged in key order. Enter keys without the salt: dev-00001, not 3-dev-00001."
        );
        assert_eq!(
            [said("dev-00001"), said("9-dev"), said("3-"), said("33-dev")],
            [plain, plain, plain, plain]
        );
    }

    #[test]
    fn it_says_when_ranges_do_not_help() {
        let scan = "scans: The row key cannot serve this by ranges: every row is scanned and filtered.";
        assert_eq!(said("{time:iso},{user}", of_user(None)), scan);
        assert!(said("{user},{time:iso}", of_user(Some("soon"))).starts_with("wrong: "));
        let from_until = |from: &str, until: &str| RowChoice::Fields {
            equals: vec![("user".into(), "7".into())],
            from: Some(from.into()),
            until: Some(until.into()),
        };
        let swapped = said("{user},{time:iso}", from_until("2019-05-29", "2019-05-28T10:00"));
        assert_eq!(swapped, "wrong: The time range starts after it ends. Swap the two.");
        assert!(said("{user},{time:iso}", from_until("2019-05-28", "2019-05-29")).starts_with("fits: "));
        let hour = said("{user},{time:hour}", from_until("2019-05-28T10:30", "2019-05-28T10:40"));
        assert!(hour.starts_with("scans: Becomes 1 key. It contains more than"), "{hour}");
        assert_eq!(said("{user}", RowChoice::Keys(vec![])), "wrong: Enter at least one key.");
    }
}
