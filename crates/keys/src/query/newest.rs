//! The order in which the newest rows of a query are read.
//!
//! A query by fields, in descending order and with a limit, asks for the newest rows: the last ten of
//! a device, for example. Descending keys are the newest rows first only where the time follows the
//! fields that the query names. If it counts down there, the newest rows are the first. Otherwise
//! rows are in the order of another field, and no limit finds the newest.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use tabletop_model::RowFilter;

use super::{Query, RowChoice};
use crate::roles::Roles;
use crate::template::{Part, TimeOrder, part_fields};
use crate::{Layout, Template};

/// The order and the number of rows that the reads of a query request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOrder {
    /// Whether keys are read in descending order.
    pub reversed: bool,
    /// The maximum number of rows; 0 for all.
    pub rows_limit: u64,
    /// How the newest rows are found; `None` if the query does not ask for them.
    pub newest: Option<Newest>,
}

/// How a query finds the newest rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Newest {
    /// They sort first, or all events are in one row.
    First,
    /// They sort last: a reverse scan reads them, which some clients do not have.
    Last,
    /// They are anywhere: all rows are read, and the application keeps the newest.
    Anywhere,
}

impl Query {
    /// Returns the number of rows if the query asks for the newest ones.
    pub fn newest_rows(&self) -> Option<u64> {
        let by_fields = matches!(self.rows, RowChoice::Fields { .. });
        (by_fields && self.reversed && self.rows_limit > 0).then_some(self.rows_limit)
    }

    /// Returns whether the query keeps only the latest cells of a row or column.
    pub fn keeps_latest(&self) -> bool {
        fn is_limited(filter: &RowFilter) -> bool {
            match filter {
                RowFilter::CellsPerRowLimit(_) | RowFilter::CellsPerColumnLimit(_) => true,
                RowFilter::Chain(filters) => filters.iter().any(is_limited),
                _ => false,
            }
        }
        self.filter.as_ref().is_some_and(is_limited)
    }

    /// Returns whether the query asks for the latest of each entity.
    pub fn is_latest_of_each(&self) -> bool {
        self.rows == RowChoice::All && self.rows_limit == 0 && self.keeps_latest()
    }
}

impl Template {
    /// Returns how the rows of a query are read in a table with `layout`.
    pub fn row_order(&self, query: &Query, layout: &Layout) -> RowOrder {
        let Query { reversed, rows_limit, .. } = *query;
        let as_asked = RowOrder { reversed, rows_limit, newest: None };
        let (RowChoice::Fields { equals, .. }, Some(_)) = (&query.rows, query.newest_rows()) else {
            return as_asked;
        };
        let Some(time) = Roles::of(self.fields()).time else { return as_asked };
        let newest = self.stored(layout).newest(equals, &self.fields()[time].name);
        match newest {
            Newest::First => RowOrder { reversed: false, newest: Some(newest), ..as_asked },
            Newest::Last => RowOrder { newest: Some(newest), ..as_asked },
            Newest::Anywhere => RowOrder { rows_limit: 0, newest: Some(newest), ..as_asked },
        }
    }

    /// Returns the beginning of a stored key before the time, without the salt: what the events of one
    /// entity have in common. All of the key if it has no time; `None` if it begins with the time, or
    /// can be split in several ways.
    pub fn before_time<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        let time = Roles::of(self.fields()).time.map(|at| &self.fields()[at].name);
        let is_time = |part: &Part| time.is_some_and(|time| part_fields(part).contains(&time));
        let logical = self.logical(key);
        let Some(part) = self.parts().iter().position(is_time) else { return Some(logical) };
        let salt = key.len() - logical.len();
        let end = self.key_view(key).spans.iter().find(|span| span.part == part as u32)?.start as usize;
        key.get(salt..end).filter(|before| !before.is_empty())
    }

    /// Returns where the newest rows are among those with these values. `self` is the template of the
    /// stored keys.
    fn newest(&self, equals: &[(String, String)], time: &str) -> Newest {
        let is_known = |field: &String| equals.iter().any(|(name, _)| name == field);
        let mut found = None;
        for (at, part) in self.parts().iter().enumerate() {
            let is_same_in_all = part_fields(part).into_iter().all(is_known);
            if is_same_in_all || matches!(part, Part::Literal(_) | Part::Salt { .. }) {
                continue;
            }
            let Some(TimeOrder { descends, is_exact }) = self.time_order(at, time) else {
                return Newest::Anywhere;
            };
            let newest = if descends { Newest::First } else { Newest::Last };
            if found.is_some_and(|before| before != newest) {
                return Newest::Anywhere;
            }
            // What follows an exact time orders only the events of one moment.
            if is_exact {
                return newest;
            }
            found = Some(newest);
        }
        found.unwrap_or(Newest::First)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;
    use alloc::vec::Vec;

    use proptest::prelude::{Strategy, any, proptest};

    use super::*;
    use crate::query::tests::event_fields;
    use crate::{LayoutKind, LayoutWriter, Record, time};

    fn last(rows: u64, equals: &[(&str, &str)]) -> Query {
        let equals = equals.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        let rows_of = RowChoice::Fields { equals, from: None, until: None };
        Query { rows: rows_of, filter: None, rows_limit: rows, reversed: true }
    }

    fn order(text: &str, kind: LayoutKind, query: &Query) -> RowOrder {
        let (template, problems) = Template::parse(text, &event_fields());
        assert_eq!(problems, [], "{text}");
        template.row_order(query, &Layout::new(kind))
    }

    #[test]
    fn the_newest_rows_are_where_the_time_puts_them() {
        use LayoutKind::{Narrow, RowPerEntity};
        use Newest::{Anywhere, First, Last};
        let user = last(10, &[("app", "a"), ("user", "u")]);
        for (text, kind, newest) in [
            ("{app},{user},{timestamp:iso}", Narrow, Last),
            ("{salt(8)}-{app},{user},{timestamp:millis}", Narrow, Last),
            ("{user},{timestamp:reverse_time},{app}", Narrow, First),
            ("{user},{timestamp:date},{timestamp:iso}", Narrow, Last),
            ("{user},{timestamp:date}", Narrow, Last),
            ("{timestamp:iso},{user}", Narrow, Last),
            ("{user},{app},{timestamp:iso}", RowPerEntity, First),
            ("{user},{event_type},{timestamp:iso}", Narrow, Anywhere),
            ("{user},{timestamp:date},{event_type}", Narrow, Anywhere),
            ("{user},{timestamp:date},{timestamp:reverse_time}", Narrow, Anywhere),
            ("{user},{timestamp:iso:reverse}", Narrow, Anywhere),
            ("{user},{event_type},{timestamp:iso}", RowPerEntity, Anywhere),
        ] {
            let found = order(text, kind, &user);
            assert_eq!(found.newest, Some(newest), "{text} {kind:?}");
            assert_eq!(found.rows_limit, if newest == Anywhere { 0 } else { 10 }, "{text}");
            assert_eq!(found.reversed, newest != First, "{text}");
        }
    }

    #[test]
    fn the_events_of_an_entity_have_the_same_beginning() {
        let before = |text: &str, key: &str| {
            let (template, problems) = Template::parse(text, &event_fields());
            assert_eq!(problems, [], "{text}");
            template.before_time(key.as_bytes()).map(|before| String::from_utf8_lossy(before).to_string())
        };
        let time = "2019-05-28T00:00:00.000Z";
        let key = |head: &str| alloc::format!("{head}{time}");
        assert_eq!(before("{user},{timestamp:iso}", &key("u,")).as_deref(), Some("u,"));
        assert_eq!(before("{salt(8)}-{user},{timestamp:iso}", &key("3-u,")).as_deref(), Some("u,"));
        assert_eq!(before("{app},{user}", "a,u").as_deref(), Some("a,u"));
        assert_eq!(before("{timestamp:iso},{user}", &alloc::format!("{time},u")), None);
    }

    #[test]
    fn any_other_query_is_read_as_it_says() {
        let text = "{user},{timestamp:reverse_time}";
        let whole = Query { rows: RowChoice::All, ..last(10, &[]) };
        let all = last(0, &[("user", "u")]);
        let first = Query { reversed: false, ..last(10, &[("user", "u")]) };
        for query in [whole, all, first] {
            let Query { reversed, rows_limit, .. } = query;
            let expected = RowOrder { reversed, rows_limit, newest: None };
            assert_eq!(order(text, LayoutKind::Narrow, &query), expected, "{query:?}");
        }
    }

    proptest! {
        /// A limit keeps the newest rows, whatever the key.
        #[test]
        fn a_limited_read_returns_the_newest(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "{app}", "{user}", "{event_type}", "{timestamp:iso}", "{timestamp:date}", "{timestamp:millis}",
                    "{timestamp:reverse_time}", "{timestamp:seconds}", "{event_type:hash(4)}", "{timestamp:bucket(2d)}",
                ]), 1..5),
            events in proptest::collection::vec((0..2_u8, 0..3_u8, 0..300_000_000_i64), 1..40),
            limit in 1..5_u64,
            sparse in any::<bool>().prop_map(|sparse| if sparse { 1 } else { 86_400_000 }),
        ) {
            let fields = event_fields();
            let (template, problems) = Template::parse(&parts.join(","), &fields);
            proptest::prop_assume!(problems.is_empty());
            let layout = Layout::new(LayoutKind::Narrow);
            let query = last(limit, &[("user", "u1")]);
            let found = template.row_order(&query, &layout);
            proptest::prop_assume!(found.newest != Some(Newest::Anywhere));
            let writer = LayoutWriter::new(&layout, &fields, &template);
            let mut rows: Vec<(Vec<u8>, i64)> = Vec::new();
            for (user, kind, at) in events {
                let millis = 1_560_000_000_000 + at * sparse % 9_000_000_000;
                let (user, kind) = (alloc::format!("u{user}"), alloc::format!("t{kind}"));
                let text = time::format(millis * 1_000);
                let values: Vec<Option<&str>> = fields
                    .iter()
                    .map(|field| Some(match field.name.as_str() {
                        "user" => user.as_str(),
                        "event_type" => kind.as_str(),
                        "timestamp" => text.as_str(),
                        _ => "a",
                    }))
                    .collect();
                let row = writer.write(&Record { fields: &fields, values: &values }, 0).expect("a row");
                if user == "u1" {
                    rows.push((row.key.0.clone(), millis));
                }
            }
            rows.sort();
            if found.reversed {
                rows.reverse();
            }
            // Events with the same key share a row.
            let mut keys: Vec<&Vec<u8>> = rows.iter().map(|(key, _)| key).collect();
            keys.dedup();
            keys.truncate(limit as usize);
            let kept = |(key, _): &&(Vec<u8>, i64)| keys.contains(&key);
            let mut returned: Vec<i64> = rows.iter().filter(kept).map(|(_, millis)| *millis).collect();
            let mut newest: Vec<i64> = rows.iter().map(|(_, millis)| *millis).collect();
            newest.sort_unstable_by(|one, other| other.cmp(one));
            newest.truncate(limit as usize);
            returned.sort_unstable_by(|one, other| other.cmp(one));
            returned.truncate(limit as usize);
            proptest::prop_assert_eq!(returned, newest, "{}", parts.join(","));
        }
    }
}
