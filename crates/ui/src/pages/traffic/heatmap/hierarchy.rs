//! The hierarchy of key prefixes: for each of the first fields of the template, which buckets begin with which value. The bytes of the
//! fields are those of the template, so nothing is guessed: where a key can be read in more than one way, it has no more levels.

use std::ops::Range;

use tabletop_model::{RowKey, escape};
use tabletop_schema::Part;

use crate::state::StoredKeys;

/// The most levels.
pub const LEVELS_MAX: usize = 3;
/// Bars of a lower height become one with their neighbours, px.
const BAR_MIN: f64 = 3.0;
/// As many of them as make one of this height, which has room for a name, px.
const MERGED_MIN: f64 = 14.0;

/// What stands between the first value of a bar of several and the last.
const MERGED: &str = " … ";

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
    let useful = levels.iter().take_while(|bars| !bars.is_empty()).count();
    levels.truncate(useful);
    levels
}

/// Returns the bars that are in sight, as deep as they fit. `height` is that of some buckets on the screen in px, 0 for those out of sight.
/// Neighbours that are too low to be read become one bar, from the first value to the last, unless they belong to different bars of the level
/// before. A level that divides no bar any further ends the hierarchy, until somebody looks closer. A value that is alone in sight says where
/// they are, and ends nothing.
pub fn fitting(levels: &[Vec<Bar>], height: impl Fn(&Range<usize>) -> f64) -> Vec<Vec<Bar>> {
    let mut fitted: Vec<Vec<Bar>> = Vec::new();
    for (level, bars) in levels.iter().enumerate() {
        let parents = level.checked_sub(1).map_or(&[][..], |before| &levels[before]);
        let mut shown: Vec<Bar> = Vec::new();
        // The last bar may take more low ones.
        let mut is_open = false;
        for bar in bars.iter().filter(|bar| height(&bar.buckets) > 0.0) {
            let parent = parents.partition_point(|parent| parent.buckets.end <= bar.buckets.start);
            let is_inside = |last: &Bar| {
                last.buckets.end == bar.buckets.start
                    && parents.get(parent).is_none_or(|parent| parent.buckets.start <= last.buckets.start)
            };
            let is_low = height(&bar.buckets) < BAR_MIN;
            match shown.last_mut().filter(|last| is_open && is_low && height(&last.buckets) < MERGED_MIN && is_inside(last)) {
                Some(last) => {
                    let first = last.name.split(MERGED).next().unwrap_or_default();
                    last.name = format!("{first}{MERGED}{}", bar.name);
                    last.buckets.end = bar.buckets.end;
                    last.prefix = parents.get(parent).map_or(0, |parent| parent.prefix);
                }
                None => {
                    shown.push(bar.clone());
                    is_open = is_low;
                }
            }
        }
        let before = fitted.last().map_or(1, Vec::len);
        let is_alone = before == 1 && matches!(shown.as_slice(), [bar] if bars.contains(bar));
        if shown.len() <= before && !is_alone {
            break;
        }
        fitted.push(shown);
    }
    fitted
}

/// Returns as many neighbouring levels as there is room for, 1 or more: the first ones, but never only such as have a single bar if a deeper
/// one has several. Else who has zoomed to a bar would see no more than that bar.
pub fn in_room(levels: &[Vec<Bar>], room: usize) -> &[Vec<Bar>] {
    let divided = levels.iter().position(|bars| bars.len() > 1).map_or(levels.len(), |level| level + 1);
    let end = divided.max(room).min(levels.len());
    &levels[end.saturating_sub(room)..end]
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

    /// 300 users of three apps, with so many px for each bucket from one on.
    fn fitted(px: f64, from: usize) -> Vec<Vec<Bar>> {
        let fields = ["app", "user"].map(|name| Field::new(name, FieldKind::Text));
        let (template, _) = Template::parse("{app},{user}", &fields);
        let keys = StoredKeys::new(&template, &Layout::new(LayoutKind::Narrow));
        let starts: Vec<RowKey> = (0..300).map(|at| RowKey::from(format!("{},{at:03}", at / 100).as_str())).collect();
        fitting(&hierarchy(&keys, &starts), |buckets| buckets.end.saturating_sub(from.max(buckets.start)) as f64 * px)
    }

    #[test]
    fn low_bars_become_one_and_no_level_vanishes() {
        let levels = fitted(1.0, 0);
        let shown = |level: &[Bar]| level.iter().map(|bar| (bar.buckets.clone(), bar.name.clone())).collect::<Vec<_>>();
        assert_eq!(shown(&levels[0]), [(0..100, "0".into()), (100..200, "1".into()), (200..300, "2".into())]);
        assert_eq!(shown(&levels[1])[..2], [(0..14, "000 … 013".into()), (14..28, "014 … 027".into())]);
        assert_eq!(shown(&levels[1])[7], (98..100, "098 … 099".into()), "a bar is inside of one bar of the level before");
        let all: usize = levels[1].iter().map(|bar| bar.buckets.len()).sum();
        assert_eq!(all, 300, "each bucket belongs to a bar");
    }

    #[test]
    fn who_looks_closer_sees_each_value_and_who_looks_from_far_fewer_levels() {
        let near = fitted(20.0, 280);
        assert_eq!((near[0].len(), near[1].len()), (1, 20));
        assert_eq!((near[1][0].name.as_str(), near[1][0].prefix), ("280", 5));
        assert_eq!(fitted(0.1, 0).len(), 1, "users would divide no app");
        assert_eq!(fitted(0.01, 0).len(), 0, "all apps would be one bar");
        assert_eq!(fitted(0.0, 0).len(), 0, "nothing is in sight");
    }

    /// Three kinds of four users of two apps, of which the buckets in `sight` are 100 px high.
    fn in_sight(sight: Range<usize>) -> Vec<Vec<Bar>> {
        let fields = ["app", "user", "kind"].map(|name| Field::new(name, FieldKind::Text));
        let (template, _) = Template::parse("{app},{user},{kind}", &fields);
        let keys = StoredKeys::new(&template, &Layout::new(LayoutKind::Narrow));
        let start = |at: usize| RowKey::from(format!("app{},user{},kind{}", at / 12, at / 3 % 4, at % 3).as_str());
        let starts: Vec<RowKey> = (0..24).map(start).collect();
        fitting(&hierarchy(&keys, &starts), |buckets| {
            buckets.end.min(sight.end).saturating_sub(buckets.start.max(sight.start)) as f64 * 100.0
        })
    }

    #[test]
    fn who_zooms_to_a_bar_sees_what_divides_it_also_where_one_level_has_room() {
        let names = |sight: Range<usize>, room| -> Vec<Vec<String>> {
            in_room(&in_sight(sight), room).iter().map(|bars| bars.iter().map(|bar| bar.name.clone()).collect()).collect()
        };
        let (apps, users, kinds) = (["app0", "app1"], ["user0", "user1", "user2", "user3"], ["kind0", "kind1", "kind2"]);
        // All, an app, a user of it, one kind.
        assert_eq!(names(0..24, 1), [apps.to_vec()]);
        assert_eq!(names(12..24, 1), [users.to_vec()]);
        assert_eq!(names(15..18, 1), [kinds.to_vec()]);
        assert_eq!(names(16..17, 1), [["kind1"]], "the deepest, as none has more than one bar");
        // With more room, what they belong to is beside them.
        assert_eq!(names(12..24, 2), [vec!["app1"], users.to_vec()]);
        assert_eq!(names(15..18, 2), [vec!["user1"], kinds.to_vec()]);
        assert_eq!(names(15..18, 3), [vec!["app1"], vec!["user1"], kinds.to_vec()]);
        assert_eq!(names(0..24, 2)[0], apps);
        assert_eq!(names(0..0, 1), Vec::<Vec<String>>::new(), "nothing is in sight");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(ellipsized("abcdef", 6), "abcdef");
        assert_eq!(ellipsized("abcdefgh", 6), "abc…gh");
        assert_eq!(ellipsized("é…ü→ß", 3), "é…ß");
        assert_eq!((ellipsized("abc", 1), ellipsized("abc", 0)), ("…".into(), "…".into()));
    }
}
