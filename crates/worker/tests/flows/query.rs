//! Queries: the rows, and what they cost, in the tables of several keys.

use tabletop_keys::{LayoutKind, Query, RowChoice};
use tabletop_model::{ReadStats, RowFilter, TracedRow};
use tabletop_protocol::{TraceQuery, TraceRequest};
use tabletop_views::query::{Hint, Notation, filter::KINDS, hint};
use tabletop_views::results::node_names;

use super::{Host, TEMPLATE, built};
use crate::host::{everything, logical_rows};

fn fields(equals: &[(&str, &str)], from: Option<&str>, until: Option<&str>) -> RowChoice {
    let equals = equals.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    RowChoice::Fields { equals, from: from.map(Into::into), until: until.map(Into::into) }
}

/// Returns how the page says that a choice of rows is read.
fn said(host: &mut Host, rows: &RowChoice) -> Hint {
    let (template, layout) = host.parsed();
    hint(&template, &layout, rows)
}

#[test]
fn fields_of_the_start_of_the_key_and_a_time_read_nothing_else() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let last =
        host.read_all(0, Query { rows_limit: 1, reversed: true, ..everything() }).rows[0].key.to_string();
    let parts: Vec<&str> = last.splitn(3, ',').collect();
    let equals = [("app_id", parts[0]), ("user_token", parts[1])];
    let prefix = format!("{},{},", parts[0], parts[1]);
    let of_user = host.rows_of(RowChoice::Prefix(prefix.as_str().into()), None, 0);
    let by_fields = host.rows_of(fields(&equals, None, None), None, 0);
    assert_eq!(by_fields.rows, of_user.rows);
    assert_eq!(by_fields.stats.rows_seen, by_fields.stats.rows_returned);
    assert!(!by_fields.scans_more && by_fields.rows.len() > 1);
    let newest = host.rows_of(fields(&equals, Some(parts[2]), None), None, 0);
    assert_eq!(newest.rows.iter().map(|row| row.key.to_string()).collect::<Vec<_>>(), [last.as_str()]);
}

#[test]
fn a_field_after_the_start_of_the_key_scans_more_and_the_page_says_so() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let user = host.first_key().split(',').nth(1).expect("a user").to_owned();
    let rows = fields(&[("user_token", &user)], None, None);
    assert!(matches!(said(&mut host, &rows), Hint::Scans(_)));
    let read = host.rows_of(rows, None, 0);
    let ReadStats { rows_seen, rows_returned, .. } = read.stats;
    assert!(read.scans_more && rows_returned > 0 && rows_seen > rows_returned, "{read:?}");
}

/// With its initial values, each block reads a table of the usual shape.
#[test]
fn every_block_of_a_filter_is_accepted_as_it_is_added() {
    let mut host = built(TEMPLATE, LayoutKind::Wide);
    let family = host.view(0).families[0].clone();
    for kind in &KINDS {
        let filter = (kind.make)(&family);
        let text = filter.text();
        assert!(text.starts_with(kind.name) && !kind.title().is_empty(), "{text}");
        assert_eq!(Notation::Filter.canonical(&text).as_deref(), Ok(text.as_str()));
        assert_eq!(RowFilter::parse(&text).0, Some(filter), "{text}");
        let read = host.rows_of(RowChoice::All, Some(&text), 100);
        let cells: usize = read.rows.iter().map(|row| row.cells.len()).sum();
        assert_eq!(read.stats.cells_returned, cells as u64, "{text}");
        assert_eq!(cells == 0, ["block_all", "value_bitmask"].contains(&kind.name), "{text}: {cells} cells");
    }
}

#[test]
fn a_refused_filter_has_the_message_of_production() {
    for (filter, text) in [
        ("chain(pass_all)", "Error in field 'chain' : Chain must contain at least two filters"),
        ("cells_per_row_limit(0)", "Error in field 'cells_per_row_limit_filter' : argument must be positive"),
        ("condition(pass_all, then=sink)", "sink must not be used within a Condition filter"),
        ("pass_all(false)", "Error in field 'pass_all_filter' : must be true"),
    ] {
        let problems = Notation::Filter.canonical(filter).expect_err("it is refused");
        assert!(problems.iter().any(|problem| problem.message.contains(text)), "{filter}: {problems:?}");
    }
    // Only the engine parses patterns.
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let pattern = RowFilter::ValueRegex("(".into());
    assert!(Notation::Filter.canonical(&pattern.text()).is_ok());
    let refused = host.begin::<tabletop_protocol::ReadQuery>(&tabletop_protocol::QueryOnDesign {
        index: 0,
        query: Query { filter: Some(pattern), ..everything() },
    });
    let error = refused.expect_err("it is refused").into_error();
    assert!(error.message.contains("value_regex_filter"), "{error}");
}

#[test]
fn an_interleave_of_two_facets_returns_their_cells_alone() {
    let mut host = built(TEMPLATE, LayoutKind::Wide);
    let of = |facet: &str| format!("column_qualifier_regex(\"[^,]*,[^,]*,{facet}\")");
    let filter = format!("interleave({}, {})", of("brand"), of("color"));
    let read = host.rows_of(RowChoice::All, Some(&filter), 0);
    let mut counts = [0, 0];
    for cell in read.rows.iter().flat_map(|row| &row.cells) {
        let qualifier = cell.qualifier.to_string();
        let at = ["brand", "color"].iter().position(|facet| qualifier.ends_with(&format!(",{facet}")));
        counts[at.unwrap_or_else(|| panic!("another facet: {qualifier}"))] += 1;
    }
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    assert!(read.stats.cells_seen > read.stats.cells_returned);
}

#[test]
fn a_salt_changes_the_ranges_of_a_query_and_not_its_rows() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let user = host.first_key().rsplit_once(',').expect("a key of three parts").0.to_owned();
    let prefix = RowChoice::Prefix(user.as_str().into());
    let before = host.rows_of(prefix.clone(), None, 0);
    assert_eq!(before.ranges, 1);
    host.design(|design| design.template = format!("{{salt(8)}}-{TEMPLATE}"));
    assert_eq!(host.view(0).problems, []);
    let first = host.first_key();
    assert!(first.as_bytes()[0].is_ascii_digit() && first.as_bytes()[1] == b'-', "{first}");
    let salted = host.rows_of(prefix.clone(), None, 0);
    assert_eq!(logical_rows(&salted.rows, "0-"), logical_rows(&before.rows, ""));
    assert_eq!(salted.ranges, 8);
    // A query has logical keys.
    let with_salt = RowChoice::Prefix(format!("3-{user}").as_str().into());
    let Hint::Scans(text) = said(&mut host, &with_salt) else { panic!("it is not noticed") };
    assert!(text.ends_with(&format!("Enter keys without the salt: {user}, not 3-{user}.")), "{text}");

    // A salt of new events only.
    let cut_over = "2019-05-28T03:00:00Z";
    let (template, _) = host.parsed();
    let micros = tabletop_keys::time::parse(cut_over).expect("a time");
    let later = tabletop_keys::edit::with_cut_over(&template, Some(micros / 1_000)).text();
    assert_eq!(later, TEMPLATE.replace("{app_id}", &format!("{{salt(8, from={cut_over})}}-{{app_id}}")));
    host.design(|design| design.template = later);
    let after = host.rows_of(prefix, None, 0);
    let is_salted = |key: &str| key.as_bytes()[1] == b'-';
    let mut rows: Vec<_> = after
        .rows
        .iter()
        .map(|row| {
            let key = row.key.to_string();
            (if is_salted(&key) { key[2..].to_owned() } else { key }, row.cells.clone())
        })
        .collect();
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    let expected: Vec<_> = before.rows.iter().map(|row| (row.key.to_string(), row.cells.clone())).collect();
    assert_eq!(rows, expected);
    assert_eq!(after.ranges, 9, "a range for each salt, and one without");
    let all = host.rows_of(RowChoice::All, None, 0).rows;
    let salted = all.iter().filter(|row| is_salted(&row.key.to_string())).count();
    assert!(salted > 0 && salted < all.len(), "{salted} of {} rows", all.len());
    let until = fields(&[], None, Some(cut_over));
    assert_eq!(host.rows_of(until, None, 0).ranges, 1, "before the cut-over");
}

#[test]
fn a_dropped_cell_has_the_block_that_dropped_it() {
    let mut host = built(TEMPLATE, LayoutKind::Wide);
    let text = "chain(cells_per_row_limit(2), value_regex(\"there is no such value\"))";
    let filter = RowFilter::parse(text).0;
    let names = node_names(filter.as_ref().expect("a filter"));
    let query = Query { filter, ..everything() };
    assert_eq!(host.read_all(0, query.clone()).rows, [], "no rows match");
    let first = host.begin::<TraceQuery>(&TraceRequest { index: 0, query, cells: true }).expect("it begins");
    // The first two cells of a row pass the limit, and have other values.
    let check = |rows: &[TracedRow]| {
        for row in rows {
            for (at, cell) in row.cells.iter().enumerate() {
                let by: Vec<&str> =
                    cell.dropped_by.iter().flatten().map(|node| names[*node as usize].as_str()).collect();
                let expected = match at {
                    0 | 1 => "1.2 value_regex(\"there is no such value\")",
                    _ => "1.1 cells_per_row_limit(2)",
                };
                assert_eq!(by, [expected], "cell {at} of {}", row.key);
            }
        }
    };
    assert!(first.chunk.rows.iter().any(|row| row.cells.len() > 2), "{:?}", first.chunk.rows.first());
    check(&first.chunk.rows);
    // Rows further down are traced slice by slice, when they are scrolled into view.
    let next = host.next::<TraceQuery>(first.run.expect("it is open"), &()).expect("a slice");
    assert!(first.chunk.rows.last().map(|row| &row.key) < next.chunk.rows.first().map(|row| &row.key));
    check(&next.chunk.rows);
}
