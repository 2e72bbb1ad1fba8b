//! The hierarchy of key prefixes: for each of the first fields of the template, which buckets begin with which value. The bytes of the
//! fields are those of the template, so nothing is guessed: where a key can be read in more than one way, it has no more levels.

use std::ops::Range;

use tabletop_model::{RowKey, escape};
use tabletop_schema::Part;

use crate::state::StoredKeys;

/// The most levels.
pub const LEVELS_MAX: usize = 3;
/// The most bars of a level. With more, they are too low to be read, unless there are at least `BUCKETS_PER_BAR` buckets for each.
const BARS_MAX: usize = 64;
/// The least mean number of buckets of a bar in a level with many.
const BUCKETS_PER_BAR: usize = 4;

/// Neighbouring buckets whose first keys have the same values up to a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The buckets.
    pub buckets: Range<usize>,
    /// The value of the field.
    pub name: String,
    /// The class of the field's colour.
    pub class: &'static str,
    /// The number of bytes of the keys that are the same in all of them.
    pub prefix: usize,
}

/// Returns the bars of each level, from top to bottom. The first bucket has no first key of its own, so it belongs to no bar.
pub fn hierarchy(keys: &StoredKeys, starts: &[RowKey]) -> Vec<Vec<Bar>> {
    let is_field = |part: usize| !matches!(keys.template.parts()[part], Part::Literal(_));
    let fields: Vec<usize> = (0..keys.template.parts().len()).filter(|part| is_field(*part)).take(LEVELS_MAX).collect();
    let mut levels: Vec<Vec<Bar>> = vec![Vec::new(); fields.len()];
    for (bucket, start) in starts.iter().enumerate() {
        if start.is_empty() {
            continue;
        }
        let spans = keys.template.key_view(start).spans;
        let shown = keys.view(start).spans;
        for (level, field) in fields.iter().enumerate() {
            let Some(at) = spans.iter().position(|span| span.part as usize == *field) else { break };
            let Some(bytes) = start.get(spans[at].start as usize..spans[at].end as usize) else { break };
            let prefix = spans[at].end as usize;
            let bars = &mut levels[level];
            // The values before this one are the same, too: the bar says which keys begin with its bytes.
            let last = bars.last_mut().filter(|bar| {
                bar.buckets.end == bucket
                    && bar.prefix == prefix
                    && starts[bar.buckets.start].get(..prefix) == start.get(..prefix)
            });
            match last {
                Some(bar) => bar.buckets.end = bucket + 1,
                None => {
                    let class = keys.colors.class(Some(shown[at].part as usize));
                    bars.push(Bar { buckets: bucket..bucket + 1, name: escape(bytes), class, prefix });
                }
            }
        }
    }
    // A level in which nearly each bucket has a value of its own, as a time, groups nothing.
    let most = BARS_MAX.max(starts.len() / BUCKETS_PER_BAR);
    let useful = levels.iter().take_while(|bars| (1..=most).contains(&bars.len())).count();
    levels.truncate(useful);
    levels
}

/// Returns a name with at most so many characters, its middle replaced by an ellipsis.
pub fn ellipsized(name: &str, most: usize) -> String {
    let count = name.chars().count();
    if count <= most {
        return name.into();
    }
    let tail = most.saturating_sub(1) / 2;
    let head = most.saturating_sub(1) - tail;
    let start: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(count - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_schema::{Field, FieldKind, Layout, LayoutKind, Template};

    fn bars(template: &str, starts: &[&str]) -> Vec<Vec<(Range<usize>, String)>> {
        let fields = ["app", "user", "kind", "more"].map(|name| Field::new(name, FieldKind::Text));
        let (template, problems) = Template::parse(template, &fields);
        assert!(problems.is_empty(), "{problems:?}");
        let keys = StoredKeys::new(&template, &Layout::new(LayoutKind::Narrow));
        let starts: Vec<RowKey> = starts.iter().map(|start| RowKey::from(*start)).collect();
        let levels = hierarchy(&keys, &starts);
        levels.into_iter().map(|bars| bars.into_iter().map(|bar| (bar.buckets, bar.name)).collect()).collect()
    }

    #[test]
    fn neighbours_with_the_same_prefix_are_one_bar() {
        let levels = bars("{app},{user}", &["", "a,x", "a,x", "a,y", "b,y", "b,z"]);
        let level =
            |bars: &[(Range<usize>, &str)]| bars.iter().map(|(at, name)| (at.clone(), (*name).into())).collect::<Vec<_>>();
        assert_eq!(levels[0], level(&[(1..4, "a"), (4..6, "b")]));
        assert_eq!(levels[1], level(&[(1..3, "x"), (3..4, "y"), (4..5, "y"), (5..6, "z")]), "y of a is not y of b");
    }

    #[test]
    fn there_are_at_most_three_levels_and_none_that_is_guessed() {
        assert_eq!(bars("{app},{user},{kind},{more}", &["", "a,b,c,d"]).len(), 3);
        // A value may contain the separator: the borders before it are open.
        assert_eq!(bars("{app},{user}", &["", "a,b,c"]), Vec::<Vec<_>>::new());
        assert_eq!(bars("{app},{user}", &[]), Vec::<Vec<_>>::new());
        assert_eq!(bars("lit,{app}", &["", "lit,a", "lit,b"])[0].len(), 2, "literals are no level");
    }

    #[test]
    fn a_level_that_groups_nothing_is_left_out() {
        let starts: Vec<String> = (0..300).map(|at| format!("{},{at:03}", at / 100)).collect();
        let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
        assert_eq!(bars("{app},{user}", &starts).len(), 1, "each bucket has another user");
        assert_eq!(bars("{app},{user}", &starts[..BARS_MAX]).len(), 2, "so few can be read");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(ellipsized("abcdef", 6), "abcdef");
        assert_eq!(ellipsized("abcdefgh", 6), "abc…gh");
        assert_eq!(ellipsized("é…ü→ß", 3), "é…ß");
        assert_eq!((ellipsized("abc", 1), ellipsized("abc", 0)), ("…".into(), "…".into()));
    }
}
