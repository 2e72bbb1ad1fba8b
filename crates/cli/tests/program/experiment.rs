//! `tabletop experiment`.

use serde_json::{Value, json};

use super::{Folder, tabletop};

fn small(more: &[&str]) -> String {
    tabletop(
        &[&["experiment", "--events", "1000", "--users", "30", "--sizes", "2", "--rounds", "1"], more]
            .concat(),
    )
    .ok()
}

#[test]
fn the_three_layouts_make_the_same_profiles_and_wide_returns_less() {
    let report: Value = serde_json::from_str(&small(&["--format", "json", "--facets", "2"])).expect("JSON");
    let names: Vec<&str> = report["designs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|d| d["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["narrow", "wide", "row per entity"]);
    let points = report["points"].as_array().expect("a list");
    let point = |design: u64, facets: u64| {
        points
            .iter()
            .find(|p| {
                (&p["design"], &p["events"], &p["facets"]) == (&json!(design), &json!(1000), &json!(facets))
            })
            .expect("it ran")
    };
    for facets in 1..=12 {
        assert_eq!(point(0, facets)["scores"], point(1, facets)["scores"]);
        assert_eq!(point(0, facets)["scores"], point(2, facets)["scores"]);
    }
    let returned = |design, facets| point(design, facets)["bytes_returned"].as_u64().expect("a number");
    assert!(returned(1, 2) < returned(0, 2) && returned(1, 12) > returned(0, 12));
    assert!(report["findings"].to_string().contains("takes 4 sizes or more"));
}

#[test]
fn the_encodings_of_values_are_compared() {
    let report: Value = serde_json::from_str(&small(&["--format", "json"])).expect("JSON");
    let found = |key: &str| -> Vec<String> {
        report["encodings"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|figures| figures[key].to_string())
            .collect()
    };
    let encodings = ["\"json\"", "\"protobuf\"", "\"compact_list\"", "\"message_pack\""];
    assert_eq!(found("encoding"), [encodings, encodings].concat());
    let bytes: Vec<u64> = found("stored_bytes").iter().map(|text| text.parse().expect("a number")).collect();
    assert!(bytes.iter().all(|bytes| *bytes > 0), "{bytes:?}");
    assert!(small(&["--format", "markdown"]).contains("### Encodings of values (1,000 events)"));
}

#[test]
fn reports_are_for_people_reviews_and_programs() {
    let text = small(&["--round-trip", "0.5", "--bandwidth", "100"]);
    assert!(
        text.contains("Time against events (3 of 12 facets: ") && text.contains("takes 4 sizes or more"),
        "{text}"
    );
    assert!(text.contains("The network is a model: 0.50 ms for each request, and 100 MB/s"), "{text}");
    assert!(small(&["--format", "markdown"]).contains("| DESIGN | EVENTS |"));
    let csv = small(&["--format", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    // Two sizes and eleven other numbers of facets, in three layouts.
    assert_eq!(lines.len(), 1 + 3 * 13, "{csv}");
    assert!(
        lines[0].starts_with("design,events,facets,")
            && lines.iter().all(|line| line.split(',').count() == 15)
    );
}

#[test]
fn a_workspace_brings_its_events_strategy_and_designs() {
    let folder = Folder::new();
    let design =
        |name: &str, template: &str| json!({"name": name, "template": template, "layout": {"kind": "wide"}});
    let workspace = |strategy: Value| {
        json!({
            "version": 1,
            "name": "Shop",
            "source": {"generated": {"seed": 2, "events": 1_000, "apps": 2, "users": 20, "user_skew": 0.0}},
            "designs": [
                design("Salted", "{salt(4)}-{app_id},{user_token},{timestamp:iso}"),
                design("By time", "{timestamp:iso},{app_id},{user_token}"),
            ],
            "strategy": strategy,
        })
        .to_string()
    };
    let good = json!({"events": [{"event_type": "conversion", "event_name": "checkout", "score": 100}],
        "facets": [{"facet": "stock", "score": 10}, {"facet": "brand", "score": 60}]});
    let file = folder.write("shop.json", workspace(good));
    let run = |more: &[&str]| {
        tabletop(
            &[
                &["experiment", &file, "--sizes", "2", "--rounds", "1", "--facets", "2", "--format", "json"],
                more,
            ]
            .concat(),
        )
    };
    let report: Value = serde_json::from_str(&run(&[]).ok()).expect("JSON");
    assert_eq!(report["facets"][0], "stock");
    assert_eq!(report["facets"][1], "brand");
    assert_eq!(report["designs"][3]["name"], "Salted");
    assert!(
        report["designs"][4]["left_out"].as_str().expect("a reason").contains("does not begin with the user")
    );
    let report: Value = serde_json::from_str(&run(&["--design", "Salted"]).ok()).expect("JSON");
    assert_eq!(report["designs"].as_array().expect("a list").len(), 4);

    let wrong = folder.write("wrong.json", workspace(json!({"facets": [{"facet": "brand", "score": 101}]})));
    let errors = tabletop(&["experiment", &wrong]).failed(2);
    assert!(
        errors.contains("strategy.facets[0].score is 101; it must be from 1 to 100: move it into this range"),
        "{errors}"
    );
    assert!(
        tabletop(&["experiment", "--events", "1000", "--facets", "13"])
            .failed(2)
            .contains("it must be from 1 to 12")
    );
    assert!(tabletop(&["experiment", "--bandwidth", "0"]).failed(2).contains("a number above 0"));
}
