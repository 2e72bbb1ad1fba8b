//! `tabletop migrate`.

use serde_json::json;

use super::{Folder, ProgramOutput, program, tabletop};

const KEY: &str = "{app_id},{user_token},{timestamp:iso}";

/// A folder with a table of narrow events and a workspace with three designs.
struct Shop {
    /// Deleted at the end.
    _folder: Folder,
    data: String,
    workspace: String,
}

impl Shop {
    fn new(events: usize) -> Shop {
        let folder = Folder::new();
        let mut csv = String::from("app_id,user_token,timestamp,event_type,event_name,facets\n");
        for n in 0..events {
            let (user, minute, hour) = (n % 7, n % 60, n / 60 % 24);
            let day = 1 + n / 1_440;
            csv.push_str(&format!(
                "app,user{user},2019-05-{day:02}T{hour:02}:{minute:02}:00Z,click,search,brand:Apple|color:Red|size:{}\n",
                n % 5
            ));
        }
        let fields = [
            ("app_id", "text"),
            ("user_token", "text"),
            ("timestamp", "time"),
            ("event_type", "text"),
            ("event_name", "text"),
            ("facets", "facets"),
        ];
        let fields: Vec<_> =
            fields.iter().map(|(name, kind)| json!({"name": name, "kind": kind, "format": null})).collect();
        let design = |name: &str, key: &str, kind: &str| json!({"name": name, "template": key, "layout": {"kind": kind}});
        let designs = [
            design("Narrow", KEY, "narrow"),
            design("Wide", KEY, "wide"),
            design("Short", "{user_token},{timestamp:iso}", "wide"),
        ];
        let workspace = json!({
            "version": 1,
            "name": "Shop",
            "source": {"own": {"name": "events.csv", "fields": fields}},
            "designs": designs,
        });
        let (data, file) = (folder.path("data"), folder.write("events.csv", csv));
        let workspace = folder.write("shop.json", workspace.to_string());
        tabletop(&[
            "import",
            "--data",
            &data,
            "--table",
            "narrow",
            &file,
            "--template",
            KEY,
            "--layout",
            "narrow",
        ])
        .ok();
        Shop { _folder: folder, data, workspace }
    }

    fn migrate(&self, more: &[&str]) -> ProgramOutput {
        tabletop(&[&["migrate", "--data", &self.data, "Narrow", "Wide", &self.workspace], more].concat())
    }

    fn cbt(&self, command: &[&str]) -> String {
        tabletop(&[&["cbt", "--data", &self.data], command].concat()).ok()
    }
}

#[test]
fn a_table_is_moved_in_three_steps() {
    let shop = Shop::new(400);
    assert!(shop.migrate(&["--step", "status"]).failed(2).contains("start one with --step copy"));
    assert!(!shop.cbt(&["ls"]).contains("tabletop_migrations"), "a question makes nothing");
    let copied = shop.migrate(&[]).ok();
    assert!(
        copied.contains("400 events copied, 400 compared. Read from narrow.")
            && copied.contains("--step switch"),
        "{copied}"
    );
    assert!(shop.migrate(&["--step", "drop"]).failed(2).contains("reads are not switched"));
    assert!(shop.migrate(&["--step", "switch"]).ok().contains("Read from wide."));
    assert!(shop.migrate(&["--step", "switch-back"]).ok().contains("Read from narrow."));
    shop.migrate(&["--step", "switch"]).ok();
    // An event that arrived only in the old table is not dropped with it.
    shop.cbt(&["set", "narrow", "app,user0,2019-05-20T00:00:00.000Z", "click:search=[]@1558310400000000"]);
    assert!(
        shop.migrate(&["--step", "drop"])
            .failed(1)
            .contains("only table narrow has the event of row app,user0,2019-05-20")
    );
    assert!(shop.cbt(&["ls"]).contains("narrow"));
    assert!(
        shop.migrate(&["--step", "again"])
            .ok()
            .contains("401 events copied, 401 compared. Read from narrow.")
    );
    shop.migrate(&["--step", "switch"]).ok();
    let done = shop.migrate(&["--step", "drop"]).ok();
    assert!(done.contains("Migration from narrow to wide: done."), "{done}");
    let tables = shop.cbt(&["ls"]);
    assert!(tables.contains("wide") && !tables.contains("narrow"), "{tables}");
    assert!(shop.cbt(&["count", "wide"]).contains("401"));
    assert!(shop.cbt(&["read", "wide", "count=1"]).contains("click,search,brand"));
}

#[test]
fn a_difference_is_a_failure_and_an_undo_leaves_the_old_table() {
    let shop = Shop::new(50);
    shop.migrate(&[]).ok();
    shop.cbt(&["set", "narrow", "app,user0,2019-05-20T00:00:00.000Z", "click:search=[]@1558310400000000"]);
    // This event arrived only in the old table, so it is copied when everything is copied again. An
    // event that only the new table has is not.
    assert!(shop.migrate(&["--step", "again"]).ok().contains("51 events copied"));
    shop.cbt(&["deleterow", "narrow", "app,user0,2019-05-20T00:00:00.000Z"]);
    let errors = shop.migrate(&["--step", "again"]).failed(1);
    assert!(
        errors
            .contains("only table wide has the event of row app,user0,2019-05-20T00:00:00.000Z: app_id app"),
        "{errors}"
    );
    assert!(
        shop.migrate(&["--step", "switch"]).failed(2).contains("has not been verified to hold all events")
    );
    assert!(shop.migrate(&["--step", "undo"]).ok().contains("undone"));
    let tables = shop.cbt(&["ls"]);
    assert!(!tables.contains("wide") && tables.contains("narrow"), "{tables}");
}

#[cfg(unix)]
#[test]
fn a_killed_run_resumes() {
    let shop = Shop::new(6_000);
    for millis in [30, 60, 90, 120, 200] {
        let mut command = program();
        command.args(["migrate", "--data", &shop.data, "Narrow", "Wide", &shop.workspace]);
        let mut child = command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(millis));
        // SIGKILL: nothing is cleaned up.
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    let done = shop.migrate(&[]).ok();
    assert!(done.contains("6,000 compared") && done.contains("Both tables hold the same events"), "{done}");
    assert!(shop.cbt(&["count", "wide"]).contains("6000"));
}

#[test]
fn a_new_key_that_loses_a_field_of_the_old_one_is_refused_before_anything_is_made() {
    let shop = Shop::new(5);
    for step in ["copy", "again"] {
        let refused =
            tabletop(&["migrate", "--data", &shop.data, "Narrow", "Short", &shop.workspace, "--step", step])
                .failed(2);
        assert!(
            refused.contains("The table of Short would lose app_id, which the row key of Narrow needs"),
            "{refused}"
        );
    }
    let tables = shop.cbt(&["ls"]);
    assert!(
        tables.contains("narrow") && !tables.contains("short") && !tables.contains("tabletop_migrations"),
        "{tables}"
    );
    assert!(
        shop.migrate(&[]).ok().contains("5 events copied, 5 compared"),
        "the migration of another design continues"
    );
}

#[test]
fn names_and_designs_that_do_not_exist_are_named() {
    let shop = Shop::new(5);
    let migrate = |from: &str, to: &str, more: &[&str]| {
        tabletop(&[&["migrate", "--data", &shop.data, from, to, &shop.workspace], more].concat())
    };
    assert!(
        migrate("Narow", "Wide", &[])
            .failed(2)
            .contains("there is no design \"Narow\": the designs are Narrow, Wide")
    );
    assert!(
        migrate("Narrow", "Wide", &["--to-table", "narrow"]).failed(2).contains("Both tables are narrow")
    );
    assert!(
        migrate("Narrow", "Wide", &["--from-table", "none"]).failed(2).contains("There is no table none")
    );
    assert!(migrate("Narrow", "Wide", &["--since", "soon"]).failed(2).contains("a date"));
    let part = migrate("Narrow", "Wide", &["--since", "2019-05-01T00:03:00Z", "--to-table", "part"]).ok();
    assert!(part.contains("2 events copied"), "{part}");
}
