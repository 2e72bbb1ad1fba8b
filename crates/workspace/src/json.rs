//! A workspace as JSON: a saved file, a share link.

use alloc::format;
use alloc::string::String;
use core::fmt::Display;

use serde::Deserialize;
use tabletop_model::{Error, Result};

use super::Workspace;
use super::check::check_version;

/// What to do with a file that is no workspace, and probably one of events.
const LOAD_AS_DATA: &str = "If it has events, load it as data.";

/// Checks that a text may be a workspace, which is a JSON object. A JSON parser would call the first letter
/// of a CSV file unexpected, and would expect the name of a field where a file is cut off.
///
/// # Errors
/// `InvalidArgument` if the text does not begin with `{` or end with `}`.
pub fn check_is_object(text: &str) -> Result<()> {
    if text.trim_start().starts_with('{') {
        return if text.trim_end().ends_with('}') {
            Ok(())
        } else {
            Err(Error::invalid("Not a whole Tabletop workspace: the file was cut off. Save it again."))
        };
    }
    let begins = if text.trim().is_empty() { "it is empty" } else { "it does not begin with {" };
    Err(Error::invalid(format!("Not a Tabletop workspace: {begins}. {LOAD_AS_DATA}")))
}

impl Workspace {
    /// Parses and checks a workspace.
    ///
    /// # Errors
    /// `FailedPrecondition` for a workspace of a newer build, otherwise `InvalidArgument` with line
    /// and column, or with the location.
    pub fn from_json(json: &str) -> Result<Workspace> {
        // Windows writes this mark before UTF-8.
        let json = json.strip_prefix('\u{feff}').unwrap_or(json);
        check_is_object(json)?;
        Workspace::read(serde_json::from_str(json), || serde_json::from_str(json))
    }

    /// Checks a workspace that another JSON parser has read. The page uses the browser's parser,
    /// which adds no code.
    ///
    /// # Errors
    /// The errors of [`Workspace::from_json`].
    pub fn read<E: Display>(
        version: core::result::Result<WorkspaceVersion, E>,
        workspace: impl FnOnce() -> core::result::Result<Workspace, E>,
    ) -> Result<Workspace> {
        let wrong = |error: E| Error::invalid(format!("Not a Tabletop workspace: {error}."));
        let no_workspace =
            |error: E| Error::invalid(format!("Not a Tabletop workspace: {error}. {LOAD_AS_DATA}"));
        let Some(version) = version.map_err(no_workspace)?.version else {
            return Err(Error::invalid(format!(
                "Not a Tabletop workspace (no `version` field). {LOAD_AS_DATA}"
            )));
        };
        check_version(version)?;
        let mut workspace = workspace().map_err(wrong)?;
        workspace.shorten_names();
        workspace.check()?;
        Ok(workspace)
    }

    /// Returns the text that [`Workspace::from_json`] reads, on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a workspace is plain data with texts as keys")
    }
}

/// The only field that is read before the rest of a workspace, because the other fields of a newer
/// workspace may have any shape.
#[derive(Debug, Deserialize)]
pub struct WorkspaceVersion {
    version: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, NamedQuery, OnBadLine, OwnData, QueryLimits, Source};
    use alloc::vec;
    use core::ops::Bound;
    use expect_test::expect;
    use tabletop_keys::{AxisSpan, Field, FieldKind, Query, RowChoice};
    use tabletop_model::{RowFilter, RowRange};

    #[test]
    fn the_default_workspace_has_this_json() {
        expect![[r#"{"version":1,"name":"Untitled","source":{"generated":{"seed":1,"events":20000,"apps":3,"users":500,"user_skew":1.0}},"designs":[{"name":"Design 1","template":"{timestamp:iso},{app_id},{user_token}","layout":{"kind":"narrow","family_field":null,"columns":[],"encoding":"json"},"families":[],"index_of":null,"results":null}],"cluster":{"tablet_bytes_max":null,"tablet_load_max":500.0,"events_per_second":200.0},"query":{"rows":"all","filter":null,"rows_limit":100,"reversed":false},"queries":[],"limits":{"hottest_tablet_share_max":null,"key_bytes_max":null,"bytes_per_event_max":null,"events_refused_max":null,"events_overwritten_max":null},"rates":null,"traffic":null,"strategy":null,"arrived":null,"example":null,"roles":[]}"#]].assert_eq(&Workspace::default().to_json());
    }

    #[test]
    fn a_workspace_survives_json() {
        let source = Source::Own(OwnData {
            name: "a \"b\".csv".into(),
            format: Format::Csv,
            fields: vec![Field::new("n", FieldKind::Int)],
            on_bad_line: OnBadLine::Stop,
            reading: Default::default(),
            content: Some(crate::ContentDigest::of(b"n\n1\n")),
        });
        let mut workspace = Workspace { source, ..Workspace::default() };
        let span = |field: &str, from: f64| AxisSpan { field: field.into(), from, to: from + 0.25 };
        workspace.cluster.tablet_bytes_max = Some(u64::MAX);
        workspace.query.filter = Some(RowFilter::ColumnQualifierRegex(b"\xff\\C*".into()));
        for rows in [
            RowChoice::All,
            RowChoice::Keys(vec!["a\u{0}b".into()]),
            RowChoice::Prefix("p".into()),
            RowChoice::Range(RowRange { start: Bound::Excluded("a".into()), end: Bound::Unbounded }),
            RowChoice::Fields {
                equals: vec![("n".into(), "1".into())],
                from: Some("2019-05-28".into()),
                until: None,
            },
            RowChoice::Box { x: span("x", -0.5), y: span("y", 89.75), depth: Some(7) },
        ] {
            workspace.query.rows = rows;
            let limits = QueryLimits { cells_seen_max: Some(u64::MAX), ..QueryLimits::default() };
            workspace.queries.push(NamedQuery {
                name: alloc::format!("\u{e9}{}", workspace.queries.len()),
                query: workspace.query.clone(),
                limits,
                tables: vec!["index".into()],
                reads_per_second: 0.1,
            });
            assert_eq!(Workspace::from_json(&workspace.to_json()), Ok(workspace.clone()));
        }
    }

    #[test]
    fn a_workspace_without_access_patterns_is_read() {
        let now = Workspace::default();
        let (before, _) = now
            .to_json()
            .split_once(",\"queries\"")
            .map(|(a, b)| (alloc::format!("{a}}}"), b))
            .expect("they come last");
        assert_eq!(Workspace::from_json(&before), Ok(now.clone()));
        assert_eq!(Workspace::from_json(&format!("\u{feff}\r\n{before}")), Ok(now.clone()));
        let by_hand = alloc::format!(
            "{},\"queries\":[{{\"name\":\"all\",\"query\":{{\"rows\":\"all\",\"filter\":null,\"rows_limit\":0,\"reversed\":false}},\
             \"limits\":{{\"tablets_max\":1}}}}],\"limits\":{{\"key_bytes_max\":64}}}}",
            &before[..before.len() - 1]
        );
        let read = Workspace::from_json(&by_hand).expect("limits that are omitted are none");
        assert_eq!(read.queries[0].limits, QueryLimits { tablets_max: Some(1), ..QueryLimits::default() });
        assert_eq!(
            read.queries[0].reads_per_second, 1.0,
            "a pattern of an earlier build has the default weight"
        );
        assert_eq!(read.limits.key_bytes_max, Some(64));
    }

    #[test]
    fn omitted_keys_have_their_defaults() {
        let by_hand = r#"{"version": 1, "name": "Shop", "source": {"own": {"name": "orders.csv"}},
            "designs": [{"name": "d", "template": "{a}", "layout": {"kind": "wide"}}],
            "queries": [{"name": "all", "query": {}}, {"name": "one", "query": {"rows": {"fields": {"equals": [["a", "1"]]}}}}]}"#;
        let read = Workspace::from_json(by_hand).expect("it is complete");
        assert_eq!(
            (&read.cluster, &read.query),
            (&Workspace::default().cluster, &Workspace::default().query)
        );
        assert_eq!(
            read.queries[0].query,
            Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false }
        );
        assert_eq!(Workspace::from_json(&read.to_json()), Ok(read));
    }

    #[test]
    fn an_unknown_key_is_refused_at_every_level() {
        let good = Workspace { queries: vec![], ..Workspace::default() }.to_json();
        let pattern = |query: &str, limits: &str| {
            let queries =
                alloc::format!("\"queries\":[{{\"name\":\"q\",\"query\":{query},\"limits\":{limits}}}]");
            good.replace("\"queries\":[]", &queries)
        };
        assert!(Workspace::from_json(&pattern("{}", "{}")).is_ok());
        for wrong in [
            good.replace("\"limits\"", "\"limts\""),
            good.replace("\"key_bytes_max\"", "\"key_byte_max\""),
            good.replace("\"tablet_bytes_max\"", "\"tablet_bytes\""),
            good.replace("\"family_field\"", "\"family\""),
            good.replace("\"apps\":3", "\"apps\":3,\"app\":3"),
            good.replace("\"template\"", "\"key\":1,\"template\""),
            pattern("{}", "{\"rows_max\":3}"),
            pattern("{\"limit\":3}", "{}"),
            pattern("{\"rows\":{\"fields\":{\"equal\":[]}}}", "{}"),
            pattern("{\"filter\":{\"condition\":{\"predicate\":{\"pass_all\":true},\"on_tru\":null}}}", "{}"),
        ] {
            let refused = Workspace::from_json(&wrong).expect_err("one of its keys is unknown").message;
            assert!(
                refused.contains("unknown field") && refused.contains(" at line 1 column "),
                "{wrong}: {refused}"
            );
        }
        expect!["Not a Tabletop workspace: unknown field `rows_max`, expected one of `rows_returned_min`, `rows_seen_per_row_max`, `cells_seen_max`, `bytes_read_max`, `blocks_max`, `tablets_max`, `ranges_max` at line 1 column 534."]
            .assert_eq(&Workspace::from_json(&pattern("{}", "{\"rows_max\":3}")).expect_err("wrong").message);
    }

    #[test]
    fn problems_are_reported_with_their_position() {
        let refused = |json: &str| Workspace::from_json(json).expect_err("it is wrong").message;
        let good = Workspace::default().to_json();
        expect!["Not a Tabletop workspace: it does not begin with {. If it has events, load it as data."]
            .assert_eq(&refused("hello"));
        expect!["Not a Tabletop workspace: it is empty. If it has events, load it as data."]
            .assert_eq(&refused(" "));
        expect!["Not a Tabletop workspace: it does not begin with {. If it has events, load it as data."]
            .assert_eq(&refused("[{\"version\":1}]"));
        expect!["Not a Tabletop workspace (no `version` field). If it has events, load it as data."]
            .assert_eq(&refused("{}"));
        expect![
            "Not a Tabletop workspace: trailing characters at line 2 column 1. If it has events, load it as data."
        ]
        .assert_eq(&refused("{\"user\":1}\n{\"user\":2}\n"));
        expect!["This workspace has version 2, and this Tabletop reads up to 1: update Tabletop (on the page: reload it)."]
            .assert_eq(&refused("{\"version\": 2, \"anything\": []}"));
        expect!["Not a Tabletop workspace: unknown variant `norrow`, expected one of `narrow`, `wide`, `row_per_entity`, `columns` at line 1 column 223."].assert_eq(&refused(&good.replace("\"narrow\"", "\"norrow\"")));
        let other_encoding = refused(&good.replace("\"encoding\":\"json\"", "\"encoding\":\"bson\""));
        assert!(
            other_encoding
                .contains("unknown variant `bson`, expected one of `json`, `protobuf`, `compact_list`, `message_pack` at line 1"),
            "{other_encoding}"
        );
        expect!["source.generated.events is 20; it must be from 1000 to 1000000."]
            .assert_eq(&refused(&good.replace("20000", "20")));
    }
}
