//! The hierarchy of key prefixes: for each of the first fields of the template, which buckets start
//! with which value. The bytes of the fields come from the template, so nothing is guessed: where a
//! key can be read in more than one way, the hierarchy ends.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::ops::Range;

use tabletop_keys::Part;
use tabletop_model::{RowKey, escape};

use crate::StoredKeys;

/// The maximum number of levels.
pub const LEVELS_MAX: usize = 3;
/// Bars lower than this are merged with their neighbours, px.
const BAR_MIN: f64 = 3.0;
/// Merged bars have about this height, which has room for a name, px.
const MERGED_MIN: f64 = 14.0;

/// The text between the first value of a merged bar and the last.
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
    /// The number of leading bytes that the keys of all of them share.
    pub prefix: usize,
}

/// Returns the bars of each level, from top to bottom; for keys that cannot be divided, one level with
/// whole keys. The first bucket has no first key of its
/// own, so it belongs to no bar.
pub fn hierarchy(keys: &StoredKeys, starts: &[RowKey]) -> Vec<Vec<Bar>> {
    let is_field = |part: usize| !matches!(keys.template.parts()[part], Part::Literal(_));
    let fields: Vec<usize> =
        (0..keys.template.parts().len()).filter(|part| is_field(*part)).take(LEVELS_MAX).collect();
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
            // The values before this one are the same as well: the bar says which keys begin with
            // its bytes.
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
    if levels.is_empty() { whole_keys(keys, starts) } else { levels }
}

/// Returns one level with the first key of each bucket, for keys that cannot be divided.
fn whole_keys(keys: &StoredKeys, starts: &[RowKey]) -> Vec<Vec<Bar>> {
    let class = keys.colors.class(None);
    let bars = starts.iter().enumerate().filter(|(_, start)| !start.is_empty());
    let bars: Vec<Bar> = bars
        .map(|(bucket, start)| Bar { buckets: bucket..bucket + 1, name: escape(start), class, prefix: 0 })
        .collect();
    if bars.is_empty() { Vec::new() } else { vec![bars] }
}

/// Returns the visible bars, as deep as they fit. `height` is the height of some buckets on the
/// screen in px, 0 if out of sight. Neighbours that are too low to be read are merged into one bar,
/// from the first value to the last, unless they belong to different bars of the previous level. A
/// level that divides no bar any further ends the hierarchy, until the user zooms in. A single
/// value in sight tells the user where they are, and does not end the hierarchy.
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
            match shown
                .last_mut()
                .filter(|last| is_open && is_low && height(&last.buckets) < MERGED_MIN && is_inside(last))
            {
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

/// Returns as many neighbouring levels as there is room for, at least 1: the first ones, but never
/// only levels with a single bar if a deeper one has several. Otherwise a user who has zoomed to a
/// bar would see only that bar.
pub fn in_room(levels: &[Vec<Bar>], room: usize) -> &[Vec<Bar>] {
    let divided = levels.iter().position(|bars| bars.len() > 1).map_or(levels.len(), |level| level + 1);
    let end = divided.max(room).min(levels.len());
    &levels[end.saturating_sub(room)..end]
}

/// Returns the characters of the longest value; for a merged bar, of its first value.
pub fn longest(bars: &[Bar]) -> usize {
    bars.iter().map(|bar| first_value(bar).chars().count()).max().unwrap_or(0)
}

/// Returns the names of the bars of one level with at most this many characters. A merged bar shows
/// its first value, and an ellipsis. If a value is too long, all of them leave out the words that
/// they all start with, because these do not distinguish the bars, and whatever does not fit at
/// their ends.
pub fn labels(bars: &[Bar], most: usize) -> Vec<String> {
    let same = if longest(bars) > most { same_words(bars) } else { 0 };
    let label = |bar: &Bar| {
        let value = first_value(bar);
        let rest = value.chars().skip(same);
        let text: String = (same > 0).then_some('…').into_iter().chain(rest).collect();
        let is_more = value.len() < bar.name.len();
        match text.chars().count() + usize::from(is_more) {
            count if count > most => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
            _ if is_more => format!("{text}…"),
            _ => text,
        }
    };
    bars.iter().map(label).collect()
}

fn first_value(bar: &Bar) -> &str {
    bar.name.split(MERGED).next().unwrap_or_default()
}

/// Returns the number of characters that all values start with, without a part of a number or of a
/// word: each value is longer.
fn same_words(bars: &[Bar]) -> usize {
    let [first, others @ ..] = bars else { return 0 };
    let first: Vec<char> = first_value(first).chars().collect();
    let of = |bar: &Bar| {
        let value: Vec<char> = first_value(bar).chars().collect();
        let same = first.iter().zip(&value).take_while(|(one, other)| one == other).count();
        same.min(value.len().saturating_sub(1)).min(first.len().saturating_sub(1))
    };
    let Some(mut same) = others.iter().map(of).min() else { return 0 };
    let is_inside = |at: usize| {
        let both = |is: fn(&char) -> bool| is(&first[at - 1]) && is(&first[at]);
        both(char::is_ascii_digit) || both(|char| char.is_alphabetic())
    };
    while same > 0 && is_inside(same) {
        same -= 1;
    }
    same
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;

    use super::*;
    use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Template};

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
        let level = |bars: &[(Range<usize>, &str)]| {
            bars.iter().map(|(at, name)| (at.clone(), (*name).into())).collect::<Vec<_>>()
        };
        assert_eq!(levels[0], level(&[(1..4, "a"), (4..6, "b")]));
        assert_eq!(
            levels[1],
            level(&[(1..3, "x"), (3..4, "y"), (4..5, "y"), (5..6, "z")]),
            "y of a is not y of b"
        );
    }

    #[test]
    fn there_are_at_most_three_levels_and_none_that_is_guessed() {
        assert_eq!(bars("{app},{user},{kind},{more}", &["", "a,b,c,d"]).len(), 3);
        // A value may contain the separator: the borders before it are open.
        assert_eq!(bars("{app},{user}", &["", "a,b,c"]), [[(1..2, "a,b,c".to_owned())]]);
        assert_eq!(bars("{app},{user}", &[]), Vec::<Vec<_>>::new());
        assert_eq!(bars("lit,{app}", &["", "lit,a", "lit,b"])[0].len(), 2, "literals are no level");
    }

    #[test]
    fn keys_without_fields_are_shown_whole() {
        let keys = StoredKeys::new(&Template::parse("", &[]).0, &Layout::new(LayoutKind::Narrow));
        let starts: Vec<RowKey> =
            (0..1_000).map(|at| RowKey::from(format!("user{at:05}").as_str())).collect();
        let [level] = &fitting(&hierarchy(&keys, &starts), |buckets| buckets.len() as f64)[..] else {
            panic!("there is one level")
        };
        assert_eq!(level[0].name, "user00000 … user00013", "neighbours that are too low are one bar");
        assert_eq!(labels(level, 12)[..2], ["user00000…", "user00014…"]);
    }

    /// 300 users of three apps, with this many px per bucket from bucket 1.
    fn fitted(px: f64, from: usize) -> Vec<Vec<Bar>> {
        let fields = ["app", "user"].map(|name| Field::new(name, FieldKind::Text));
        let (template, _) = Template::parse("{app},{user}", &fields);
        let keys = StoredKeys::new(&template, &Layout::new(LayoutKind::Narrow));
        let starts: Vec<RowKey> =
            (0..300).map(|at| RowKey::from(format!("{},{at:03}", at / 100).as_str())).collect();
        fitting(&hierarchy(&keys, &starts), |buckets| {
            buckets.end.saturating_sub(from.max(buckets.start)) as f64 * px
        })
    }

    #[test]
    fn low_bars_become_one_and_no_level_vanishes() {
        let levels = fitted(1.0, 0);
        let shown = |level: &[Bar]| {
            level.iter().map(|bar| (bar.buckets.clone(), bar.name.clone())).collect::<Vec<_>>()
        };
        assert_eq!(shown(&levels[0]), [(0..100, "0".into()), (100..200, "1".into()), (200..300, "2".into())]);
        assert_eq!(shown(&levels[1])[..2], [(0..14, "000 … 013".into()), (14..28, "014 … 027".into())]);
        assert_eq!(
            shown(&levels[1])[7],
            (98..100, "098 … 099".into()),
            "a bar is inside of one bar of the level before"
        );
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
        let start =
            |at: usize| RowKey::from(format!("app{},user{},kind{}", at / 12, at / 3 % 4, at % 3).as_str());
        let starts: Vec<RowKey> = (0..24).map(start).collect();
        fitting(&hierarchy(&keys, &starts), |buckets| {
            buckets.end.min(sight.end).saturating_sub(buckets.start.max(sight.start)) as f64 * 100.0
        })
    }

    #[test]
    fn who_zooms_to_a_bar_sees_what_divides_it_also_where_one_level_has_room() {
        let names = |sight: Range<usize>, room| -> Vec<Vec<String>> {
            in_room(&in_sight(sight), room)
                .iter()
                .map(|bars| bars.iter().map(|bar| bar.name.clone()).collect())
                .collect()
        };
        let (apps, users, kinds) =
            (["app0", "app1"], ["user0", "user1", "user2", "user3"], ["kind0", "kind1", "kind2"]);
        // All, an app, a user of it, one kind.
        assert_eq!(names(0..24, 1), [apps.to_vec()]);
        assert_eq!(names(12..24, 1), [users.to_vec()]);
        assert_eq!(names(15..18, 1), [kinds.to_vec()]);
        assert_eq!(names(16..17, 1), [["kind1"]], "the deepest, as none has more than one bar");
        // With more room, what they belong to is next to them.
        assert_eq!(names(12..24, 2), [vec!["app1"], users.to_vec()]);
        assert_eq!(names(15..18, 2), [vec!["user1"], kinds.to_vec()]);
        assert_eq!(names(15..18, 3), [vec!["app1"], vec!["user1"], kinds.to_vec()]);
        assert_eq!(names(0..24, 2)[0], apps);
        assert_eq!(names(0..0, 1), Vec::<Vec<String>>::new(), "nothing is in sight");
    }

    fn labels_of(names: &[&str], most: usize) -> Vec<String> {
        let bar = |name: &&str| Bar { buckets: 0..1, name: (*name).into(), class: "", prefix: 0 };
        labels(&names.iter().map(bar).collect::<Vec<Bar>>(), most)
    }

    #[test]
    fn a_label_has_what_distinguishes_its_bar_from_the_others() {
        assert_eq!(labels_of(&["abcdef", "abcxyz"], 6), ["abcdef", "abcxyz"], "they have room");
        assert_eq!(labels_of(&["u000 … u013", "u014"], 7), ["u000…", "u014"], "a bar of several");
        assert_eq!(labels_of(&["u000 … u013"], 4), ["u00…"]);
        let times = ["2019-06-01T20:04:54.495Z", "2019-06-01T22:10:02.113Z … 2019-06-01T23:01:00.000Z"];
        assert_eq!(labels_of(&times, 7), ["…20:04…", "…22:10…"], "no half of the hour is left out");
        assert_eq!(labels_of(&times, 24), ["2019-06-01T20:04:54.495Z", "2019-06-01T22:10:02.113…"]);
        assert_eq!(
            labels_of(&["005e1b86-0760", "0aa12345-3243"], 7),
            ["005e1b…", "0aa123…"],
            "nothing is the same"
        );
        assert_eq!(labels_of(&["customer-1", "customer-1"], 7), ["…1", "…1"], "something is left");
        assert_eq!(labels_of(&["é→ßüö"], 3), ["é→…"]);
        assert_eq!((labels_of(&["abc"], 1), labels_of(&[], 7).len()), (vec!["…".to_owned()], 0));
    }
}
