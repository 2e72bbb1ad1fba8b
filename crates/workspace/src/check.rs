//! Checks whether a workspace from outside can be opened.

use alloc::format;
use alloc::string::String;

use tabletop_keys::{
    AxisSpan, BOX_DEPTH_MAX, BUCKET_SECONDS_MAX, COLUMNS_MAX, CellTime, FamilyRule, Query, RowChoice,
};
use tabletop_model::{Code, Error, GcRule, Result, is_family_name};

use super::designs::TABLES_MAX;
use super::refused::{refuse, within};
use super::{Design, Rates, Source, WORKSPACE_VERSION, Workspace};
use crate::{Strategy, Traffic};

/// The maximum number of families for which a design has rules. A table should have about 100.
const FAMILIES_MAX: usize = 1_000;
/// The maximum number of access patterns in a workspace.
pub const QUERIES_MAX: usize = 200;
/// The maximum number of reads of an access pattern per second.
pub const READS_PER_SECOND_MAX: f64 = 1e9;
/// The maximum length of an access pattern's name, in characters.
pub const QUERY_NAME_CHARS_MAX: usize = 100;

impl Workspace {
    /// Checks what types cannot express: version, counts, ranges of numbers, the filter. A template
    /// with problems is accepted, because the user may still be typing it.
    ///
    /// # Errors
    /// `FailedPrecondition` for a workspace of a newer build, otherwise `InvalidArgument`; the
    /// message names the location as in the JSON.
    pub fn check(&self) -> Result<()> {
        check_version(self.version)?;
        if self.designs.is_empty() || self.designs.len() > TABLES_MAX {
            return refuse(
                "designs",
                format!("has {} entries; 1 to {TABLES_MAX} are allowed", self.designs.len()),
            );
        }
        for (index, design) in self.designs.iter().enumerate() {
            if design.index_of.is_some() || !(design.families.is_empty() && design.layout.columns.is_empty())
            {
                let before = index.checked_sub(1).map(|before| &self.designs[before]);
                check_design(&format!("designs[{index}]"), design, before)?;
            }
            if let Some(results) = &design.results {
                results.check(&format!("designs[{index}].results"))?;
            }
        }
        if let Source::Generated(settings) = &self.source {
            within("source.generated.events", f64::from(settings.events), 1_000.0..=1_000_000.0)?;
            within("source.generated.apps", f64::from(settings.apps), 1.0..=100_000.0)?;
            within("source.generated.users", f64::from(settings.users), 1.0..=10_000_000.0)?;
            within("source.generated.user_skew", settings.user_skew, 0.0..=2.0)?;
        }
        if let Some(bytes) = self.cluster.tablet_bytes_max {
            // Any u64 is valid except 0, which would split every row from every other.
            within("cluster.tablet_bytes_max", bytes as f64, 1.0..=f64::MAX)?;
        }
        within("cluster.tablet_load_max", self.cluster.tablet_load_max, f64::MIN_POSITIVE..=1e12)?;
        within("cluster.events_per_second", self.cluster.events_per_second, 1e-6..=1e9)?;
        check_query("query", &self.query)?;
        self.check_queries()?;
        for (limit, ratio, most) in self.limits.ratios() {
            within(&format!("limits.{limit}"), ratio.unwrap_or(0.0), 0.0..=most)?;
        }
        self.rates.as_deref().map_or(Ok(()), check_rates)?;
        self.traffic.as_deref().map_or(Ok(()), Traffic::check)?;
        self.strategy.as_deref().map_or(Ok(()), Strategy::check)
    }

    fn check_queries(&self) -> Result<()> {
        if self.queries.len() > QUERIES_MAX {
            return refuse(
                "queries",
                format!("has {} entries; at most {QUERIES_MAX} are allowed", self.queries.len()),
            );
        }
        for (index, named) in self.queries.iter().enumerate() {
            let place = format!("queries[{index}]");
            let name = named.name.as_str();
            if name.trim().is_empty() {
                return refuse(
                    &format!("{place}.name"),
                    String::from("is empty; each access pattern needs a name"),
                );
            }
            if name.chars().count() > QUERY_NAME_CHARS_MAX {
                return refuse(
                    &format!("{place}.name"),
                    format!("is longer than {QUERY_NAME_CHARS_MAX} characters"),
                );
            }
            if let Some(other) = self.queries[..index].iter().position(|other| other.name == name) {
                return refuse(
                    &format!("{place}.name"),
                    format!("is \"{name}\", as in queries[{other}]; names must be unique"),
                );
            }
            check_query(&format!("{place}.query"), &named.query)?;
            within(&format!("{place}.reads_per_second"), named.reads_per_second, 0.0..=READS_PER_SECOND_MAX)?;
            for (limit, ratio, most) in named.limits.ratios() {
                within(&format!("{place}.limits.{limit}"), ratio.unwrap_or(0.0), 0.0..=most)?;
            }
        }
        Ok(())
    }
}

#[inline(never)]
fn check_design(place: &str, design: &Design, before: Option<&Design>) -> Result<()> {
    if let Some(of) = &design.index_of
        && !before.is_some_and(|before| before.is_table_of(of))
    {
        let why = format!("is \"{of}\", which is not the design before it; index tables follow their design");
        return refuse(&format!("{place}.index_of"), why);
    }
    let columns = &design.layout.columns;
    if columns.len() > COLUMNS_MAX {
        let why = format!("has {} entries; at most {COLUMNS_MAX} are allowed", columns.len());
        return refuse(&format!("{place}.layout.columns"), why);
    }
    for (at, column) in columns.iter().enumerate() {
        if let CellTime::Bucket(seconds) = column.time {
            let place = format!("{place}.layout.columns[{at}].time.bucket");
            within(&place, seconds.into(), 1.0..=BUCKET_SECONDS_MAX.into())?;
        }
    }
    check_families(&format!("{place}.families"), &design.families)
}

#[inline(never)]
fn check_families(place: &str, rules: &[FamilyRule]) -> Result<()> {
    if rules.len() > FAMILIES_MAX {
        return refuse(place, format!("has {} entries; at most {FAMILIES_MAX} are allowed", rules.len()));
    }
    for (at, rule) in rules.iter().enumerate() {
        if !is_family_name(&rule.family) {
            let why = "is not a family name; 1 to 64 letters, digits and characters of \"-_.\" are allowed";
            return refuse(&format!("{place}[{at}].family"), format!("\"{}\" {why}", rule.family));
        }
        if let Some(other) = rules[..at].iter().position(|other| other.family == rule.family) {
            return refuse(
                &format!("{place}[{at}].family"),
                format!("is \"{}\", as in {place}[{other}]", rule.family),
            );
        }
        if !is_in_millis(&rule.gc_rule) {
            return refuse(
                &format!("{place}[{at}].gc_rule"),
                "has an age that is not a whole number of milliseconds".into(),
            );
        }
        rule.gc_rule
            .validate()
            .map_err(|error| Error::new(error.code, format!("{place}[{at}]: {}", error.message)))?;
    }
    Ok(())
}

/// Returns whether all ages are whole milliseconds, because the notation of rules does not have a
/// smaller unit.
fn is_in_millis(rule: &GcRule) -> bool {
    match rule {
        GcRule::KeepAll | GcRule::MaxVersions(_) => true,
        GcRule::MaxAge { micros } => micros % 1_000 == 0,
        GcRule::Union(rules) | GcRule::Intersection(rules) => rules.iter().all(is_in_millis),
    }
}

#[inline(never)]
fn check_box(place: &str, x: &AxisSpan, y: &AxisSpan, depth: Option<u8>) -> Result<()> {
    for (axis, AxisSpan { from, to, .. }) in [("x", x), ("y", y)] {
        if !(from.is_finite() && to.is_finite()) {
            let problem = format!("goes from {from} to {to}: these are not numbers");
            return refuse(&format!("{place}.rows.box.{axis}"), problem);
        }
    }
    within(&format!("{place}.rows.box.depth"), depth.unwrap_or(0).into(), 0.0..=BOX_DEPTH_MAX.into())
}

#[inline(never)]
fn check_rates(rates: &Rates) -> Result<()> {
    for (rate, value, least, most) in rates.all() {
        within(&format!("rates.{rate}"), value.unwrap_or(least), least..=most)?;
    }
    Ok(())
}

fn check_query(place: &str, query: &Query) -> Result<()> {
    if let RowChoice::Box { x, y, depth } = &query.rows {
        check_box(place, x, y, *depth)?;
    }
    match &query.filter {
        Some(filter) => filter
            .validate()
            .map_err(|error| Error::new(error.code, format!("{place}.filter: {}", error.message))),
        None => Ok(()),
    }
}

/// Refuses the version of a newer build.
pub(super) fn check_version(version: u32) -> Result<()> {
    match version {
        0 => refuse("version", String::from("is 0; versions start at 1: this is not a Tabletop workspace")),
        1..=WORKSPACE_VERSION => Ok(()),
        newer => Err(Error::new(
            Code::FailedPrecondition,
            format!(
                "This workspace has version {newer}, and this Tabletop reads up to {WORKSPACE_VERSION}: update Tabletop (on the page: reload it)."
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Design;
    use super::*;
    use crate::{NamedQuery, QueryLimits};
    use alloc::vec;
    use alloc::vec::Vec;
    use tabletop_model::{GcRule, RowFilter};

    fn refused(change: impl FnOnce(&mut Workspace)) -> String {
        let mut workspace = Workspace::default();
        change(&mut workspace);
        workspace.check().expect_err("it is wrong").message
    }

    #[test]
    fn each_invalid_number_is_reported_with_its_position() {
        assert_eq!(Workspace::default().check(), Ok(()));
        assert_eq!(refused(|w| w.designs.clear()), "designs has 0 entries; 1 to 16 are allowed.");
        assert_eq!(
            refused(|w| w.version = 9),
            "This workspace has version 9, and this Tabletop reads up to 1: update Tabletop (on the page: reload it)."
        );
        assert!(
            refused(|w| w.cluster.events_per_second = f64::NAN)
                .starts_with("cluster.events_per_second is NaN;")
        );
        assert!(refused(|w| w.cluster.tablet_load_max = 0.0).starts_with("cluster.tablet_load_max is 0;"));
        assert!(
            refused(|w| w.cluster.tablet_bytes_max = Some(0)).starts_with("cluster.tablet_bytes_max is 0;")
        );
        assert!(refused(|w| w.query.filter = Some(RowFilter::Chain(vec![]))).starts_with("query.filter: "));
        let skewed = |w: &mut Workspace| {
            if let Source::Generated(settings) = &mut w.source {
                settings.user_skew = 3.0;
            }
        };
        assert_eq!(refused(skewed), "source.generated.user_skew is 3; it must be from 0 to 2.");
    }

    #[test]
    fn gc_rules_have_families_with_names_of_their_own() {
        let rule = |family: &str, gc_rule| FamilyRule::new(family, gc_rule);
        let keeps_two = || GcRule::MaxVersions(2);
        let mut workspace = Workspace::default();
        workspace.designs[0].families = vec![rule("a", keeps_two()), rule("b-_.1", GcRule::KeepAll)];
        assert_eq!(workspace.check(), Ok(()));
        let with = |rules: Vec<FamilyRule>| refused(|w| w.designs[0].families = rules);
        assert_eq!(
            with(vec![rule("a b", keeps_two())]),
            "designs[0].families[0].family \"a b\" is not a family name; 1 to 64 letters, digits and characters of \"-_.\" are allowed."
        );
        assert_eq!(
            with(vec![rule("a", keeps_two()), rule("a", keeps_two())]),
            "designs[0].families[1].family is \"a\", as in designs[0].families[0]."
        );
        assert!(
            with(vec![rule("a", GcRule::MaxVersions(0))])
                .starts_with("designs[0].families[0]: Error in field 'gc_rule' :")
        );
        assert_eq!(
            with(vec![rule("a", GcRule::Union(vec![keeps_two(), GcRule::MaxAge { micros: 1_500 }]))]),
            "designs[0].families[0].gc_rule has an age that is not a whole number of milliseconds."
        );
        let many = (0..=FAMILIES_MAX).map(|at| rule(&format!("f{at}"), keeps_two())).collect();
        assert_eq!(with(many), "designs[0].families has 1001 entries; at most 1000 are allowed.");
    }

    #[test]
    fn designs_with_other_names_have_the_same_table() {
        let design = Workspace::default().designs.swap_remove(0);
        let changed = |change: fn(&mut Design)| {
            let mut other = design.clone();
            change(&mut other);
            design.has_same_table(&other)
        };
        assert!(changed(|other| other.name = "another".into()));
        assert!(!changed(|other| other.template.push('#')));
        assert!(!changed(|other| other.layout.family_field = Some("type".into())));
        assert!(!changed(|other| other.set_gc_rule("e", GcRule::MaxVersions(1))));
    }

    #[test]
    fn access_patterns_have_unique_names_and_numeric_limits() {
        let named = |name: &str| NamedQuery {
            limits: QueryLimits { rows_seen_per_row_max: Some(1.0), ..QueryLimits::default() },
            ..NamedQuery::new(name, Workspace::default().query)
        };
        let mut workspace = Workspace { queries: vec![named("a"), named("b")], ..Workspace::default() };
        workspace.limits.hottest_tablet_share_max = Some(1.0);
        assert_eq!(workspace.check(), Ok(()));
        assert_eq!(
            refused(|w| w.queries = vec![named("a"), named(" ")]),
            "queries[1].name is empty; each access pattern needs a name."
        );
        assert_eq!(
            refused(|w| w.queries = vec![named("a"), named("b"), named("a")]),
            "queries[2].name is \"a\", as in queries[0]; names must be unique."
        );
        assert_eq!(
            refused(|w| w.queries = vec![named(&"x".repeat(101))]),
            "queries[0].name is longer than 100 characters."
        );
        assert!(refused(|w| w.queries = vec![named("a"); 201]).starts_with("queries has 201 entries;"));
        let bad_filter = |w: &mut Workspace| {
            w.queries = vec![named("a")];
            w.queries[0].query.filter = Some(RowFilter::Chain(vec![]));
        };
        assert!(refused(bad_filter).starts_with("queries[0].query.filter: "));
        let bad_limit = |w: &mut Workspace| {
            w.queries = vec![named("a")];
            w.queries[0].limits.rows_seen_per_row_max = Some(-1.0);
        };
        assert!(
            refused(bad_limit)
                .starts_with("queries[0].limits.rows_seen_per_row_max is -1; it must be from 0 to ")
        );
        for (rate, shown) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf"), (2e9, "2000000000")] {
            let bad_rate =
                |w: &mut Workspace| w.queries = vec![NamedQuery { reads_per_second: rate, ..named("a") }];
            assert_eq!(
                refused(bad_rate),
                format!("queries[0].reads_per_second is {shown}; it must be from 0 to 1000000000.")
            );
        }
        let share = |w: &mut Workspace| w.limits.hottest_tablet_share_max = Some(1.5);
        assert_eq!(refused(share), "limits.hottest_tablet_share_max is 1.5; it must be from 0 to 1.");
    }
}
