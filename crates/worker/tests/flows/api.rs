//! What a script of the page loads, reads and opens again.

use tabletop_keys::{LayoutKind, RowChoice};
use tabletop_workspace::{OnBadLine, Source};

use super::{Host, TEMPLATE, built, open};
use crate::host::samples;

#[test]
fn a_quote_that_is_not_closed_costs_its_own_line() {
    let mut host = Host::new();
    let text = "when,who\n2024-01-01T00:00:00Z,ada\n2024-01-02T00:00:00Z,\"bob\n2024-01-03T00:00:00Z,eve\n";
    let data = host.load(text, OnBadLine::Skip, 1 << 16);
    assert_eq!((data.events, data.bad_lines, data.problems[0].line), (2, 1, 3));
    host.design(|design| design.template = "{who}#{when:iso}".into());
    let read = host.rows_of(RowChoice::Prefix("ada".into()), None, 0);
    assert_eq!(read.rows[0].key.to_string(), "ada#2024-01-01T00:00:00.000Z");
}

#[test]
fn a_workspace_that_is_opened_again_has_the_same_rows() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let (kept, rows) = (host.workspace(), host.rows_of(RowChoice::All, None, 2).rows);
    let sample = samples().swap_remove(0);
    let mut other = host.workspace();
    other.source = Source::Sample(sample.name.clone());
    other.designs[0].template = sample.template;
    open(&mut host, other);
    assert_eq!(host.workspace().source, Source::Sample(sample.name));
    assert_ne!(host.rows_of(RowChoice::All, None, 2).rows, rows);
    open(&mut host, kept.clone());
    assert_eq!(host.workspace().designs, kept.designs);
    assert_eq!(host.rows_of(RowChoice::All, None, 2).rows, rows);
}
