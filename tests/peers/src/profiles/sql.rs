//! The batch in SQL, the same for SQLite and DuckDB. Only their tables differ: DuckDB's
//! documentation advises against the keys that SQLite needs.

use std::fmt::Write;

use tabletop_workload::personalization::Window;
use tabletop_workspace::Strategy;

use super::{now, strategies};
use crate::events::{Event, Events};

/// The tables of SQLite. A primary key is the order of the rows.
pub const SQLITE_TABLES: &str = "
    CREATE TABLE events (id INTEGER PRIMARY KEY, user_token TEXT, micros INTEGER, event_type TEXT, event_name TEXT);
    CREATE TABLE facets (event INTEGER, facet TEXT, value TEXT, PRIMARY KEY (event, facet, value)) WITHOUT ROWID;
    CREATE TABLE event_scores (event_type TEXT, event_name TEXT, score INTEGER, PRIMARY KEY (event_type, event_name)) WITHOUT ROWID;
    CREATE TABLE facet_scores (facet TEXT PRIMARY KEY, score INTEGER) WITHOUT ROWID;
    CREATE TABLE profiles (user_token TEXT, facet TEXT, value TEXT, score INTEGER, PRIMARY KEY (user_token, facet, value))
        WITHOUT ROWID;";
/// Adds an event in SQLite.
pub const INSERT_EVENT: &str = "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)";
/// Adds a facet of an event in SQLite.
pub const INSERT_FACET: &str = "INSERT INTO facets VALUES (?1, ?2, ?3)";

/// The table of DuckDB into which the lines of [`csv_line`] are loaded.
pub const DUCKDB_ARRIVED: &str = "
    CREATE TABLE arrived (
        id BIGINT, user_token VARCHAR, micros BIGINT, event_type VARCHAR, event_name VARCHAR, facets VARCHAR);";
/// The tables of DuckDB, made from the loaded table.
pub const DUCKDB_TABLES: &str = "
    CREATE TABLE events AS SELECT id, user_token, micros, event_type, event_name FROM arrived;
    CREATE TABLE facets AS SELECT id AS event, split_part(pair, ':', 1) AS facet, split_part(pair, ':', 2) AS value
        FROM (SELECT id, unnest(string_split(facets, '|')) AS pair FROM arrived);
    DROP TABLE arrived;
    CREATE TABLE event_scores (event_type VARCHAR, event_name VARCHAR, score BIGINT);
    CREATE TABLE facet_scores (facet VARCHAR, score BIGINT);
    CREATE TABLE profiles (user_token VARCHAR, facet VARCHAR, value VARCHAR, score BIGINT);";

/// All profiles, a line for each score, for [`super::Sum`].
pub const LINES: &str =
    "SELECT user_token || '|' || facet || ':' || value || '|' || CAST(score AS TEXT) FROM profiles";

/// Returns the statements that replace the strategy with the one at this index in [`strategies`].
pub fn strategy(at: usize) -> String {
    let Strategy { events, facets, .. } = &strategies()[at];
    let events = events.iter().map(|of| format!("('{}', '{}', {})", of.event_type, of.event_name, of.score));
    let facets = facets.iter().map(|of| format!("('{}', {})", of.facet, of.score));
    format!(
        "DELETE FROM event_scores; INSERT INTO event_scores VALUES {};\n\
         DELETE FROM facet_scores; INSERT INTO facet_scores VALUES {};",
        events.collect::<Vec<_>>().join(", "),
        facets.collect::<Vec<_>>().join(", ")
    )
}

/// Returns the batch: the statements that compute and store all profiles of these events.
pub fn job(events: &Events) -> String {
    let [strategy, _] = strategies();
    let Window { from, until } = Window::at(now(events), &strategy);
    format!(
        "BEGIN;
         DELETE FROM profiles;
         INSERT INTO profiles
         SELECT events.user_token, facets.facet, facets.value, SUM(event_scores.score * facet_scores.score)
         FROM events
         JOIN event_scores ON event_scores.event_type = events.event_type AND event_scores.event_name = events.event_name
         JOIN facets ON facets.event = events.id
         JOIN facet_scores ON facet_scores.facet = facets.facet
         WHERE events.micros >= {from} AND events.micros < {until}
         GROUP BY events.user_token, facets.facet, facets.value;
         COMMIT;"
    )
}

/// Appends a line of CSV with an event: its index, user, time, type, name and facets. No text needs
/// quotes.
pub fn csv_line(index: u64, event: &Event, out: &mut String) {
    let Event { user, micros, kind, name, .. } = event;
    writeln!(out, "{index},{user},{micros},{kind},{name},{}", event.facets_text())
        .expect("a string takes all");
}
