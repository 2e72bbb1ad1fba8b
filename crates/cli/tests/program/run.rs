//! `tabletop run` and `tabletop generate`.

use serde_json::{Value, json};

use super::{Folder, tabletop};

fn query(equals: &[(&str, &str)]) -> Value {
    json!({"rows": {"fields": {"equals": equals, "from": null, "until": null}}, "filter": null, "rows_limit": 0, "reversed": false})
}

/// Returns a workspace with two designs for orders, and `limits` of its one access pattern.
fn workspace(limits: Value, of_designs: Value) -> Value {
    let design = |name: &str, template: &str| json!({"name": name, "template": template, "layout": {"kind": "wide", "family_field": null}});
    json!({
        "version": 1,
        "name": "Orders",
        "source": {"own": {"name": "orders.csv", "format": "detect", "fields": [], "on_bad_line": "stop"}},
        "designs": [design("By day", "{date:date}#{customer}"), design("By customer", "{customer}#{date:date}")],
        "cluster": {"tablet_bytes_max": null, "tablet_load_max": 500.0, "events_per_second": 200.0},
        "query": {"rows": "all", "filter": null, "rows_limit": 100, "reversed": false},
        "queries": [{"name": "orders of c7", "query": query(&[("customer", "c7")]), "limits": limits}],
        "limits": of_designs
    })
}

fn orders() -> String {
    let mut text = String::from("customer,date,amount\n");
    for order in 0..2_000 {
        let (day, customer) = (order / 100, order % 100);
        text.push_str(&format!("c{customer},2026-01-{:02},{order}\n", day + 1));
    }
    text
}

#[test]
fn the_exit_code_is_0_when_limits_are_met_and_1_when_one_is_missed() {
    let folder = Folder::new();
    folder.write("orders.csv", orders());
    let limits =
        json!({"rows_returned_min": 20, "rows_seen_per_row_max": 1.5, "tablets_max": 1, "ranges_max": 1});
    let file = folder.write("shop.json", workspace(limits, json!({"key_bytes_max": 40})).to_string());
    let text = tabletop(&["run", &file, "--design", "By customer"]).ok();
    assert!(text.contains("Orders: 2,000 events") && text.contains("All limits are met."), "{text}");
    assert!(!text.contains("By day") && !text.contains('\x1b'), "{text}");

    let ran = tabletop(&["run", &file]);
    assert!(
        ran.out.contains(
            "By day, orders of c7: rows_seen_per_row_max is 1.50, measured 100, 66.67 times the limit"
        ),
        "{ran:?}"
    );
    assert!(ran.out.contains("By day, orders of c7: tablets_max is 1, measured "), "{ran:?}");
    assert_eq!(ran.failed(1), "tabletop: 2 limits are violated\n");

    let ran = tabletop(&["run", &file, "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let measured =
        |design: usize, place: &str| report["designs"][design].pointer(place).cloned().unwrap_or_default();
    assert_eq!(
        (measured(0, "/rows"), measured(0, "/cells"), measured(1, "/rows")),
        (json!(2_000), json!(6_000), json!(2_000))
    );
    assert_eq!(measured(0, "/queries/0/stats/rows_seen"), json!(2_000));
    assert_eq!(measured(1, "/queries/0/stats/rows_seen"), json!(20));
    assert_eq!(measured(0, "/queries/0/misses/0/limit"), json!("rows_seen_per_row_max"));
    assert_eq!((measured(1, "/queries/0/misses"), report["failures"].clone()), (json!([]), json!(2)));
    assert_eq!(ran.code, 1);

    let markdown = tabletop(&["run", &file, "--format", "markdown"]).out;
    assert!(
        markdown.starts_with("## Orders: 2,000 events")
            && markdown.contains("| orders of c7 | By customer | kept |"),
        "{markdown}"
    );
    // These are the same in every run.
    assert_eq!(markdown, tabletop(&["run", &file, "--format", "markdown"]).out);

    let file = folder.write("keys.json", workspace(json!({}), json!({"key_bytes_max": 13})).to_string());
    let ran = tabletop(&["run", &file, "--design", "By customer"]);
    assert!(ran.out.contains("By customer: key_bytes_max is 13, measured 14"), "{ran:?}");
    assert_eq!(ran.code, 1);
}

#[test]
fn events_that_replace_others_violate_a_limit() {
    let folder = Folder::new();
    let mut orders = orders();
    // A second order of a customer on one day, and a line that is there twice.
    orders.push_str("c7,2026-01-01,5000\nc8,2026-01-01,8\n");
    folder.write("orders.csv", orders);
    let limits = json!({"events_refused_max": 0, "events_overwritten_max": 0});
    let file = folder.write("shop.json", workspace(json!({}), limits).to_string());
    let ran = tabletop(&["run", &file, "--design", "By customer"]);
    assert!(ran.out.contains("By customer: events_overwritten_max is 0, measured 1"), "{ran:?}");
    assert_eq!(ran.failed(1), "tabletop: 1 limit is violated\n");

    let allowed = workspace(json!({}), json!({"events_overwritten_max": 1}));
    let file = folder.write("shop.json", allowed.to_string());
    assert!(tabletop(&["run", &file, "--design", "By customer"]).ok().contains("All limits are met."));
}

#[test]
fn a_workspace_costs_the_same_in_each_run() {
    let folder = Folder::new();
    folder.write("orders.csv", orders());
    let mut workspace = workspace(json!({}), json!({}));
    let again = json!({"name": "once more", "query": workspace["queries"][0]["query"].clone()});
    workspace["queries"].as_array_mut().unwrap().push(again);
    let file = folder.write("shop.json", workspace.to_string());
    let report = || -> Value {
        let mut report: Value =
            serde_json::from_str(&tabletop(&["run", &file, "--format", "json"]).ok()).unwrap();
        for design in report["designs"].as_array_mut().unwrap() {
            design["elapsed_micros"] = json!(0);
            for query in design["queries"].as_array_mut().unwrap() {
                query["elapsed_micros"] = json!(0);
            }
        }
        report
    };
    let first = report();
    assert_eq!(first, report());
    // The second access pattern does not benefit from blocks that the first one has read.
    let queries = &first["designs"][0]["queries"];
    assert_eq!(queries[0]["stats"], queries[1]["stats"]);
    assert_ne!(queries[0]["stats"]["bytes_read"], json!(0));
}

#[test]
fn weights_decide_which_design_wins() {
    let folder = Folder::new();
    folder.write("orders.csv", orders());
    let mut workspace = workspace(json!({}), json!({}));
    let hot = folder.write("hot.json", workspace.to_string());
    let hot = tabletop(&["run", &hot]).ok();
    assert!(hot.contains("\u{201c}By customer\u{201d} wins: it needs no full scan"), "{hot}");
    workspace["designs"][0]["template"] = json!("{salt(4)}#{date:date}#{customer}");
    let of_day = json!({"rows": {"fields": {"equals": [], "from": "2026-01-03", "until": "2026-01-04"}}});
    let mut run = |customers: Value, days: Value| {
        workspace["queries"] = json!([
            {"name": "a customer", "query": query(&[("customer", "c7")]), "reads_per_second": customers},
            {"name": "a day", "query": of_day, "reads_per_second": days}
        ]);
        let file = folder.write("shop.json", workspace.to_string());
        tabletop(&["run", &file, "--format", "json"])
    };
    let report: Value = serde_json::from_str(&run(json!(100), json!(2.5)).ok()).expect("JSON");
    let measured =
        |design: usize, place: &str| report["designs"][design].pointer(place).cloned().unwrap_or_default();
    let number = |value: Value| value.as_f64().expect("a number");
    for design in 0..2 {
        let blocks = |query: usize| {
            let stats = measured(design, &format!("/queries/{query}/stats"));
            number(stats["blocks_read"].clone()) + number(stats["cache_hits"].clone())
        };
        assert_eq!(number(measured(design, "/total/blocks_per_second")), 100.0 * blocks(0) + 2.5 * blocks(1));
        let rows = |query: usize| number(measured(design, &format!("/queries/{query}/stats/rows_seen")));
        assert_eq!(number(measured(design, "/total/rows_seen_per_second")), 100.0 * rows(0) + 2.5 * rows(1));
    }
    assert_eq!(
        (measured(0, "/queries/0/kind"), measured(1, "/queries/0/kind")),
        (json!("scan"), json!("one_range"))
    );
    assert_eq!(
        (measured(1, "/queries/1/reads_per_second"), measured(1, "/queries/0/timings")),
        (json!(2.5), json!(5))
    );
    let ranking = |report: &Value| report["ranking"].as_str().unwrap_or_default().to_owned();
    assert!(ranking(&report).starts_with("\u{201c}By customer\u{201d} comes first with "), "{report:#}");
    assert!(ranking(&report).contains("It loses on \u{201c}a day\u{201d} (full scan, "), "{report:#}");
    let other: Value = serde_json::from_str(&run(json!(0), json!(1)).ok()).expect("JSON");
    assert!(ranking(&other).starts_with("\u{201c}By day\u{201d} wins: it needs no full scan"), "{other:#}");

    let file = folder.path("shop.json");
    let text = tabletop(&["run", &file]).ok();
    assert!(
        text.contains("BLOCKS/S")
            && text.contains("full scan")
            && text.contains("By day\u{201d} wins: it needs no full scan"),
        "{text}"
    );
    let markdown = tabletop(&["run", &file, "--format", "markdown"]).out;
    assert!(markdown.contains("| BLOCKS/S |") && !markdown.contains("TIME"), "{markdown}");
    assert!(
        run(json!(-1), json!(1))
            .failed(2)
            .contains("queries[0].reads_per_second is -1; it must be from 0 to 1000000000.")
    );
}

#[test]
fn older_rows_next_to_the_latest_are_an_answer_with_a_note() {
    let folder = Folder::new();
    folder.write("orders.csv", orders());
    let mut workspace = workspace(json!({}), json!({}));
    workspace["designs"][1]["layout"] = json!({"kind": "row_per_entity", "family_field": null});
    workspace["designs"][1]["template"] = json!("{customer}#{date:iso}");
    workspace["queries"][0]["query"]["filter"] = json!({"cells_per_column_limit": 1});
    let file = folder.write("shop.json", workspace.to_string());
    let report: Value =
        serde_json::from_str(&tabletop(&["run", &file, "--format", "json"]).ok()).expect("JSON");
    let returned = |design: usize| report["designs"][design]["queries"][0]["stats"]["rows_returned"].clone();
    let note = format!(
        "\u{201c}By day\u{201d} returns {} rows for \u{201c}orders of c7\u{201d}, where 1 would be enough: it counts as an \
         answer because no row is missing, but the application has to discard the others.",
        returned(0)
    );
    assert_eq!((returned(1), &report["notes"]), (json!(1), &json!([note])));
    let text = tabletop(&["run", &file]).ok().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&note), "{text}");
}

#[test]
fn an_access_pattern_without_an_answer_is_a_failure() {
    let folder = Folder::new();
    folder.write("orders.csv", orders());
    let mut workspace = workspace(json!({}), json!({}));
    workspace["queries"][0]["query"] = query(&[("colour", "red")]);
    let file = folder.write("shop.json", workspace.to_string());
    let ran = tabletop(&["run", &file]);
    assert!(ran.out.contains("By day, orders of c7: cannot be answered: "), "{ran:?}");
    assert_eq!(ran.failed(1), "tabletop: 2 access patterns cannot be answered\n");
}

#[test]
fn the_exit_code_of_an_invalid_input_is_2() {
    let folder = Folder::new();
    let good = workspace(json!({}), json!({}));
    let file = folder.write("shop.json", good.to_string());
    let errors = tabletop(&["run", &file]).failed(2);
    assert!(
        errors.contains("\"orders.csv\" are not in the workspace's folder") && errors.contains("--events"),
        "{errors}"
    );
    let events = folder.write("others.csv", orders());
    tabletop(&["run", &file, "--events", &events]).ok();
    assert!(
        tabletop(&["run", &file, "--events", &events, "--design", "By week"])
            .failed(2)
            .contains("the designs are By day, By customer")
    );
    let broken = folder.write("broken.csv", "customer,date,amount\nc1,2026-01-01,1\nc2,2026-01-01\n\"c3\n");
    assert!(tabletop(&["run", &file, "--events", &broken]).failed(2).contains("Line "), "{errors}");
    let mut wrong = good.clone();
    wrong["queries"] = json!([{"name": "", "query": good["query"]}]);
    let file = folder.write("wrong.json", wrong.to_string());
    let errors = tabletop(&["run", &file, "--events", &events]).failed(2);
    assert!(errors.contains("wrong.json: queries[0].name is empty"), "{errors}");
    let mut newer = good.clone();
    newer["version"] = json!(9);
    let file = folder.write("newer.json", newer.to_string());
    assert!(tabletop(&["run", &file]).failed(2).contains("version 9"));
    let mut typo = good;
    typo["designs"][0]["template"] = json!("{dat}");
    let file = folder.write("typo.json", typo.to_string());
    let ran = tabletop(&["run", &file, "--events", &events]);
    assert!(ran.out.contains("By day: the template is invalid") && ran.out.contains("^^^"), "{ran:?}");
    ran.failed(2);
    assert!(tabletop(&["run", &folder.path("none.json")]).failed(2).contains("none.json"));
}

#[test]
fn an_unknown_key_in_limits_is_refused() {
    let folder = Folder::new();
    let events = folder.write("orders.csv", orders());
    let refused = |workspace: &Value| {
        let file = folder.write("shop.json", workspace.to_string());
        tabletop(&["run", &file, "--events", &events]).failed(2)
    };
    let errors = refused(&workspace(json!({"rows_max": 3}), json!({})));
    assert!(
        errors.contains("shop.json") && errors.contains("unknown field `rows_max`, expected one of"),
        "{errors}"
    );
    assert!(refused(&workspace(json!({}), json!({"key_max": 3}))).contains("`key_bytes_max`"));
    let mut misspelt = workspace(json!({}), json!({}));
    misspelt["limts"] = json!({});
    assert!(refused(&misspelt).contains("unknown field `limts`"));
    let mut twice = workspace(json!({}), json!({}));
    twice["designs"][1]["name"] = json!("By day");
    assert!(refused(&twice).contains("designs[1].name is \"By day\" like designs[0].name"));
    let mut newer = workspace(json!({}), json!({}));
    newer["version"] = json!(99);
    assert!(refused(&newer).contains("this Tabletop reads up to 1"));
}

#[test]
fn bad_records_are_a_failure_unless_they_are_allowed() {
    let folder = Folder::new();
    let mut workspace = workspace(json!({}), json!({}));
    workspace["source"]["own"]["on_bad_line"] = json!("skip");
    let file = folder.write("shop.json", workspace.to_string());
    folder.write("orders.csv", orders() + "c1,2026-01-01\n");
    let errors = tabletop(&["run", &file]).failed(1);
    assert!(
        errors.contains("1 record could not be read: line 2002") && errors.contains("--allow-bad-records"),
        "{errors}"
    );
    let ran = tabletop(&["run", &file, "--allow-bad-records"]);
    assert!(ran.out.contains("1 record could not be read"), "{ran:?}");
    ran.ok();
}

#[test]
fn the_example_is_a_workspace_that_passes() {
    let folder = Folder::new();
    let file = folder.write("shop.json", tabletop(&["run", "--example"]).ok());
    let text = tabletop(&["run", &file]).ok();
    assert!(text.contains("All limits are met."), "{text}");
    tabletop(&["run"]).failed(2);
}

#[test]
fn samples_are_part_of_the_program() {
    let folder = Folder::new();
    let mut workspace = workspace(json!({}), json!({}));
    workspace["source"] = json!({"sample": "weather"});
    workspace["designs"] =
        json!([{"name": "d", "template": "{time:iso}", "layout": {"kind": "narrow", "family_field": null}}]);
    workspace["queries"] = json!([]);
    let file = folder.write("weather.json", workspace.to_string());
    let text = tabletop(&["run", &file]).ok();
    assert!(text.contains("8,759 events, sample weather") && text.contains("Current query"), "{text}");
    assert!(text.contains("There are no limits"), "{text}");
}

#[test]
fn designs_are_generated_as_code_and_configuration() {
    let folder = Folder::new();
    folder.write("orders.csv", orders());
    let file = folder.write("shop.json", workspace(json!({}), json!({})).to_string());
    let terraform = tabletop(&["generate", &file, "terraform", "--project", "p1", "--instance", "i1"]).ok();
    assert!(terraform.contains("google_bigtable_table") && terraform.contains("i1"), "{terraform}");
    assert!(tabletop(&["generate", &file]).failed(2).contains("--output"));
    let python = tabletop(&["generate", &file, "python"]).ok();
    let place = |file: &str| python.find(&format!("# ---- {file} ----\n")).expect("each file has a heading");
    assert!(place("row_key.py") < place("queries.py"), "{python}");
    assert!(
        tabletop(&["generate", &file, "cbt", "--table", "bad name!"])
            .failed(2)
            .contains("is not the id of a table")
    );
    let out = tabletop(&["generate", &file, "--design", "By customer", "--output", &folder.path("out")]).ok();
    assert_eq!(out.lines().count(), 14, "{out}");
    assert!(
        folder.read("out/table.cbt.sh").contains("by-customer")
            || folder.read("out/table.cbt.sh").contains("By"),
        "{out}"
    );
}

#[test]
fn names_of_others_neither_break_the_report_nor_command_the_terminal() {
    let folder = Folder::new();
    let example = tabletop(&["run", "--example"]).ok();
    let named = |name: &str| {
        let mut workspace: serde_json::Value = serde_json::from_str(&example).unwrap();
        workspace["designs"][0]["name"] = name.into();
        let file = folder.write("w.json", workspace.to_string());
        tabletop(&["run", &file])
    };
    let errors = named(&"x".repeat(70_000)).failed(2);
    assert!(errors.contains("designs[0].name has 70000 characters; at most 100 are allowed"), "{errors}");
    let report = named("\u{1b}[31m\u{202e}red").out;
    assert!(report.contains("\\u{1b}[31m\\u{202e}red") && !report.contains('\u{202e}'), "{report}");
    // The name of a file, and an unknown design.
    let errors = tabletop(&["run", "\u{1b}]0;title\u{7}"]).failed(2);
    assert!(errors.contains("\\u{1b}]0;title\\u{7}") && !errors.contains('\u{7}'), "{errors}");
}

#[test]
fn a_link_runs_as_its_workspace_and_becomes_it_again() {
    let folder = Folder::new();
    let example = tabletop(&["run", "--example"]).ok();
    let file = folder.write("shop.json", &example);
    let page = "https://example.com/tabletop/";
    let link = tabletop(&["link", &file, "--page", page, "--view", "compare"]).ok();
    let link = link.trim();
    assert!(link.starts_with("https://example.com/tabletop/?view=compare#w1."), "{link}");
    assert_eq!(
        tabletop(&["run", link, "--format", "markdown"]).ok(),
        tabletop(&["run", &file, "--format", "markdown"]).ok()
    );
    let again = folder.write("again.json", tabletop(&["link", link]).ok());
    assert_eq!(tabletop(&["link", &again, "--page", page, "--view", "compare"]).ok().trim(), link);
    for view in ["tablet", "traffic", "profiles"] {
        let of_view = tabletop(&["link", &file, "--page", page, "--view", view]).ok();
        assert_eq!(of_view.trim(), link.replace("?view=compare", &format!("?view={view}")));
    }
    let named = tabletop(&["link", &file, "--design", "By customer"]).ok();
    assert!(named.starts_with("#w1.") && link.ends_with(named.trim()), "the first design: {named}");
    assert!(
        tabletop(&["link", &file, "--design", "By day"]).failed(2).contains("there is no design \"By day\"")
    );
    let cut = &link[..link.len() - 3];
    assert!(tabletop(&["run", cut]).failed(2).starts_with("tabletop: the link: The link is incomplete"));
}

#[test]
fn a_link_has_no_events() {
    let folder = Folder::new();
    let file = folder.write("shop.json", workspace(json!({}), json!({})).to_string());
    let events = folder.write("orders.csv", orders());
    let made = tabletop(&["link", &file]);
    assert!(made.errors.contains("to open it, you need the file orders.csv"), "{made:?}");
    let link = made.out.trim();
    assert!(!link.contains("c99") && link.len() < 1_000, "{link}");
    assert!(tabletop(&["run", link]).failed(2).contains("name their file with --events FILE"));
    assert!(tabletop(&["run", link, "--events", &events]).ok().contains("2,000 events"));
}
