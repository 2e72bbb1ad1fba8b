//! Fuzzes the text of filters.

use tabletop_engine::Instance;
use tabletop_model::{Code, ReadRows, RowFilter};
use tabletop_tests::{Reference, read_all};

use crate::table::{NOW, TABLE, make};

/// Checks that a text either is a filter or has problems at positions within it, that a filter is
/// parsed from its own text, and that it passes the same cells as the reference model.
pub fn filter_text(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (filter, problems) = RowFilter::parse(&text);
    for problem in &problems {
        let span = problem.span.start as usize..problem.span.end as usize;
        assert!(text.get(span).is_some(), "{problem:?} must be within the text");
    }
    let Some(filter) = filter.filter(|_| problems.is_empty()) else { return };
    let again = RowFilter::parse(&filter.text());
    assert_eq!(again, (Some(filter.clone()), Vec::new()), "from {}", filter.text());

    let mut engine = Instance::new();
    let mut reference = Reference::default();
    make(&mut engine);
    make(&mut reference);
    let is_valid = filter.validate();
    let takes_samples = filter.text().contains("row_sample");
    let read = ReadRows { filter: Some(filter), ..ReadRows::default() };
    match (read_all(&mut engine, NOW, TABLE, &read), is_valid) {
        // The model uses another regex crate, which refuses some patterns that RE2 accepts, and its
        // samples contain different rows than the engine's.
        (Ok(found), Ok(())) if !takes_samples => {
            if let Ok(expected) = read_all(&mut reference, NOW, TABLE, &read) {
                assert_eq!(found.rows, expected.rows, "through {:?}", read.filter);
            }
        }
        (Ok(_), Ok(())) => {}
        (Err(error), Err(expected)) => assert_eq!(error, expected),
        // Patterns are compiled after filters are validated.
        (Err(error), Ok(())) => assert_eq!(error.code, Code::InvalidArgument, "{error}"),
        (Ok(_), Err(error)) => panic!("was read, though {error}"),
    }
}
