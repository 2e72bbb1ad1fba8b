//! Filters as text, JSON and bytes.

use proptest::prelude::*;
use tabletop_model::{RowFilter, wire};
use tabletop_tests::arbitrary::{config, wild_filter};

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn a_filter_survives_its_text(filter in wild_filter()) {
        let text = filter.text();
        prop_assert_eq!(RowFilter::parse(&text), (Some(filter), vec![]), "{}", text);
    }

    #[test]
    fn a_filter_survives_json_and_the_wire_format(filter in wild_filter()) {
        let json = serde_json::to_string(&filter).unwrap();
        // JSON does not have infinity.
        if !json.contains("\"row_sample\":null") {
            prop_assert_eq!(&serde_json::from_str::<RowFilter>(&json).unwrap(), &filter, "{}", json);
        }
        prop_assert_eq!(wire::decode::<RowFilter>(&wire::encode(&filter)).unwrap(), filter);
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "[a-z_(),=\"'r#\\\\x0-9 \\PC]{0,60}") {
        let (_, problems) = RowFilter::parse(&text);
        for problem in problems {
            prop_assert!(text.get(problem.span.start as usize..problem.span.end as usize).is_some(), "{:?}", problem);
        }
    }
}

#[test]
fn json_and_text_have_the_same_names() {
    for (name, form) in RowFilter::FORMS {
        let json = match name {
            "chain" | "interleave" | "condition" | "timestamp_range" => continue,
            _ => serde_json::to_value(RowFilter::parse(form).0.expect(form)).unwrap(),
        };
        assert_eq!(json.as_object().expect(form).keys().collect::<Vec<_>>(), [name]);
    }
}
