use alloc::string::String;
use core::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::Span;

/// Compares the problems as they are shown under the text, then the filter that was read.
fn check(text: &str, expected: Expect) {
    let (filter, problems) = RowFilter::parse(text);
    let mut out = String::new();
    for problem in problems {
        let (start, end) = (problem.span.start as usize, problem.span.end as usize);
        writeln!(out, "`{}` at {start}: {}", &text[start..end], problem.message).unwrap();
    }
    out.push_str(&filter.map_or("no filter".into(), |filter| filter.text()));
    expected.assert_eq(&out);
}

#[test]
fn every_filter_is_written_in_its_form() {
    for (name, form) in RowFilter::FORMS {
        let text = form
            .replace("(filter,", "(sink,")
            .replace("=filter", "=sink")
            .replace(" filter,", " sink,")
            .replace(", …", "");
        let text = text.replace("start micros, end micros", "1000, 2000");
        let (filter, problems) = RowFilter::parse(&text);
        assert_eq!(problems, [], "{text}");
        let filter = filter.expect(form);
        assert_eq!(super::name(&filter), name);
        assert_eq!(filter.text(), text);
    }
}

#[test]
fn a_long_filter_is_broken_into_lines() {
    check(
        r#"chain(family_name_regex("e"), interleave(column_qualifier_regex(r"click,.*,color"), column_qualifier_regex(r"view,\w+,brand")), cells_per_column_limit(1))"#,
        expect![[r#"
            chain(
              family_name_regex("e"),
              interleave(
                column_qualifier_regex("click,.*,color"),
                column_qualifier_regex(r"view,\w+,brand"),
              ),
              cells_per_column_limit(1),
            )"#]],
    );
}

#[test]
fn strings_with_many_escapes_are_written_raw() {
    check(r#"value_regex("\\d+")"#, expect![[r#"value_regex(r"\d+")"#]]);
    check(r##"value_regex(r#".*"n":\d+.*"#)"##, expect![[r##"value_regex(r#".*"n":\d+.*"#)"##]]);
    check(r#"value_regex("say \"hello\"")"#, expect![[r#"value_regex("say \"hello\"")"#]]);
    check(r#"value_bitmask("\x00\xffé\n")"#, expect![[r#"value_bitmask("\x00\xffé\n")"#]]);
    check(r#"value_regex(r"")"#, expect![[r#"value_regex("")"#]]);
}

#[test]
fn ends_are_closed_open_or_absent() {
    check(r#"value_range()"#, expect!["value_range()"]);
    check(r#"value_range(end="b",start_open="a")"#, expect![[r#"value_range(start_open="a", end="b")"#]]);
    check(r#"column_range(start="",family="e")"#, expect![[r#"column_range("e", start="")"#]]);
    check(r#"timestamp_range("2019-05-28T00:04:34Z")"#, expect!["timestamp_range(1559001874000000)"]);
    check("timestamp_range(end_open=5_000)", expect!["timestamp_range(0, 5000)"]);
}

#[test]
fn invalid_filters_can_be_written() {
    check("chain(pass_all(false))", expect!["chain(pass_all(false))"]);
    check("interleave()", expect!["interleave()"]);
    check("cells_per_row_limit(-3)", expect!["cells_per_row_limit(-3)"]);
    check("row_sample(1e300)", expect!["row_sample(1e300)"]);
    check("row_sample(-inf)", expect!["row_sample(-inf)"]);
    check("condition(sink)", expect!["condition(sink)"]);
    check("timestamp_range(-5, 3)", expect!["timestamp_range(-5, 3)"]);
}

#[test]
fn an_empty_text_is_not_a_filter() {
    check(" \n\t", expect!["no filter"]);
}

#[test]
fn a_misspelled_name_is_reported_with_a_suggestion() {
    check(
        "famly_name_regex(\"e\")",
        expect![[r#"
        `famly_name_regex` at 0: there is no filter `famly_name_regex`. Did you mean `family_name_regex`?
        no filter"#]],
    );
    check(
        "cells_per_column_limit_filter(1)",
        expect![[r#"
        `cells_per_column_limit_filter` at 0: there is no filter `cells_per_column_limit_filter`. Did you mean `cells_per_column_limit`?
        no filter"#]],
    );
    check(
        "Chain(sink, sink)",
        expect![[r#"
        `Chain` at 0: there is no filter `Chain`. Did you mean `chain`?
        no filter"#]],
    );
    check(
        "grep(\"x\")",
        expect![[r#"
        `grep` at 0: there is no filter `grep`
        no filter"#]],
    );
    check(
        "condition(sink, them=sink)",
        expect![[r#"
        `them` at 16: condition has no `them`. Did you mean `then`?
        condition(sink)"#]],
    );
    check(
        "timestamp_range(start=1, end=2)",
        expect![[r#"
            `end` at 25: timestamp_range has no `end`. Did you mean `end_open`?
            timestamp_range(1)"#]],
    );
}

#[test]
fn a_problem_does_not_hide_the_rest() {
    check(
        "chain(nonsense(1, (2), \"a\"), sink, cells_per_row_limit(\"1\"), value_regex(\"\\d\"))",
        expect![[r#"
        `nonsense` at 6: there is no filter `nonsense`
        `(` at 18: a filter or a value is expected here
        `"1"` at 55: a whole number is expected here
        `\d` at 74: `\d` is not an escape (escapes are \\ \" \n \r \t \xHH): write `\\d`, or a raw string r"…" where backslashes stay
        chain(sink, value_regex(r"\d"))"#]],
    );
    check(
        "chain(sink block_all, pass_all)",
        expect![[r#"
        `block_all` at 11: expected `,` or `)` in chain
        chain(sink, pass_all)"#]],
    );
    check(
        "chain(sink,,pass_all)",
        expect![[r#"
        `,` at 11: a filter or a value is missing before this
        chain(sink, pass_all)"#]],
    );
    check(
        "interleave(sink, chain(pass_all",
        expect![[r#"
        `(` at 22: this `(` of chain is never closed
        interleave(sink, chain(pass_all))"#]],
    );
    check(
        "sink, sink",
        expect![[r#"
        `, sink` at 4: a filter has ended before this: put several into chain(…) or interleave(…)
        sink"#]],
    );
    check(
        "sink)",
        expect![[r#"
        `)` at 4: there is no `(` for this `)`
        sink"#]],
    );
    check(
        "chain(sink, = 5, (3), pass_all)",
        expect![[r#"
        `=` at 12: a filter or a value is expected here
        `(` at 17: a filter or a value is expected here
        chain(sink, pass_all)"#]],
    );
}

#[test]
fn arguments_are_checked() {
    check(
        "cells_per_row_limit(3000000000)",
        expect![[r#"
        `3000000000` at 20: a whole number is expected here
        no filter"#]],
    );
    check(
        "row_sample(true)",
        expect![[r#"
        `true` at 11: a number between 0 and 1 is expected here
        no filter"#]],
    );
    check(
        "value_regex()",
        expect![[r#"
        `value_regex()` at 0: something is missing: write value_regex("pattern")
        no filter"#]],
    );
    check(
        "value_regex(x, \"y\")",
        expect![[r#"
        `x` at 12: there is no filter `x`
        `"y"` at 15: too many arguments: write value_regex("pattern")
        no filter"#]],
    );
    check(
        "strip_value(1)",
        expect![[r#"
        `1` at 12: `true`, or nothing, is expected here
        no filter"#]],
    );
    check(
        "family_name_regex(\"\\xff\")",
        expect![[r#"
        `"\xff"` at 18: text that is UTF-8 is expected here
        no filter"#]],
    );
    check(
        "column_range(\"f\", start=\"a\", start_open=\"b\", end=sink)",
        expect![[r#"
        `start_open="b"` at 29: either `start` (included) or `start_open` (not included), not both
        `end=sink` at 45: a string in double quotes is expected here
        column_range("f", start="a")"#]],
    );
    check(
        "column_range(start=\"a\")",
        expect![[r#"
        `column_range(start="a")` at 0: something is missing: write column_range("family", start="a", end_open="b")
        no filter"#]],
    );
    check(
        "condition()",
        expect![[r#"
        `condition()` at 0: something is missing: write condition(filter, then=filter, else=filter)
        no filter"#]],
    );
    check(
        "chain(first=sink, 3)",
        expect![[r#"
        `first` at 6: chain takes filters without names: omit `first=`
        `3` at 18: a filter is expected here
        chain(sink)"#]],
    );
    check(
        "timestamp_range(\"yesterday\")",
        expect![[r#"
        `"yesterday"` at 16: a time in microseconds, or as "2019-05-28T00:04:34.000Z", is expected here
        no filter"#]],
    );
    check(
        "'e'",
        expect![[r#"
        `'` at 0: `'` means nothing here: write strings in double quotes
        `e` at 1: there is no filter `e`
        `'` at 2: `'` means nothing here: write strings in double quotes
        no filter"#]],
    );
    check(
        "\"e\"",
        expect![[r#"
        `"e"` at 0: a filter is expected here, such as chain(filter, filter, …)
        no filter"#]],
    );
    check(
        "value_regex(\"never ends",
        expect![[r#"
        `(` at 11: this `(` of value_regex is never closed
        `"never ends` at 12: this string has no end: close it with `"`
        value_regex("never ends")"#]],
    );
    check(
        "value_regex(r#\"never ends\")",
        expect![[r##"
        `(` at 11: this `(` of value_regex is never closed
        `r#"never ends")` at 12: this string has no end: close it with `"#`
        value_regex("never ends\")")"##]],
    );
    check(
        "value_regex(\"\\x4\")",
        expect![[r#"
        `\x` at 13: `\x` is not an escape (escapes are \\ \" \n \r \t \xHH): write `\\x`, or a raw string r"…" where backslashes stay
        value_regex(r"\x4")"#]],
    );
}

#[test]
fn a_name_without_arguments_is_a_filter_only_if_it_takes_none() {
    check("strip_value", expect!["strip_value"]);
    check(
        "chain",
        expect![[r#"
        `chain` at 0: something is missing: write chain(filter, filter, …)
        no filter"#]],
    );
    check(
        "chain(value_range, sink)",
        expect![[r#"
        `value_range` at 6: something is missing: write value_range(start="a", end_open="b")
        chain(sink)"#]],
    );
}

#[test]
fn depth_is_bounded() {
    let deep = |levels: usize| "chain(".repeat(levels) + "sink" + &")".repeat(levels);
    assert_eq!(RowFilter::parse(&deep(99)).1, []);
    assert_eq!(RowFilter::parse(&deep(100)).1.len(), 1);
    assert_eq!(RowFilter::parse(&deep(100_000)).1.len(), 1);
    assert_eq!(RowFilter::parse(&"chain(".repeat(100_000)).1.len(), 2);
}

#[test]
fn every_node_has_its_place() {
    let text = r#"chain( family_name_regex("a(b)=chain"), condition(sink(true), else = interleave(pass_all, block_all()),
        then=value_range(start="a", end_open=r"b)")) , row_sample(0.5))"#;
    let (filter, problems) = RowFilter::parse(text);
    assert_eq!(problems, []);
    let filter = filter.expect("a filter");
    let places = RowFilter::places(text);
    let node = |path: &[usize]| path.iter().fold(&filter, |node, at| node.children()[*at].expect("a node"));
    let of = |span: Span| &text[span.start as usize..span.end as usize];
    assert_eq!(places.len(), filter.nodes());
    for place in &places {
        // The text at the position is the node, and so is the node's own text, apart from its
        // arguments.
        assert_eq!(
            RowFilter::parse(of(place.span)),
            (Some(node(&place.path).clone()), Vec::new()),
            "{place:?}"
        );
        let is_combination = !node(&place.path).children().is_empty();
        assert_eq!(
            of(place.own),
            if is_combination { super::name(node(&place.path)) } else { of(place.span) }
        );
    }
    let paths: [&[usize]; 8] = [&[], &[0], &[1], &[1, 0], &[1, 2], &[1, 2, 0], &[1, 2, 1], &[1, 1]];
    assert_eq!(places.iter().map(|place| place.path.as_slice()).collect::<Vec<_>>()[..8], paths);
    assert_eq!(RowFilter::places(""), []);
}
