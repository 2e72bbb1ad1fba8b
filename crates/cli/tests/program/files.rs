//! `tabletop import` and `tabletop export`.

use super::{Folder, tabletop, tabletop_with};

/// Returns rows with families of each kind, values that are not text, several versions, and an
/// empty value.
fn rows() -> String {
    let mut text = String::from(
        r#"{"families":[{"name":"g","gc_rule":{"max_versions":2},"aggregate":null,"locality_group":0},{"name":"f","gc_rule":"keep_all","aggregate":null,"locality_group":0},{"name":"s","gc_rule":"keep_all","aggregate":"sum","locality_group":0}]}
{"row":"\\x00\\xff","cells":[{"family":"g","qualifier":"a","timestamp":2000,"value":"new"},{"family":"g","qualifier":"a","timestamp":1000,"value":""},{"family":"f","qualifier":"\\xfe,\"x\"","timestamp":0,"value":"line 1\\nline 2; \\\\ "}]}
{"row":"counts","cells":[{"family":"s","qualifier":"n","timestamp":0,"value":"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07"}]}
"#,
    );
    for row in 0..3_000 {
        text.push_str(&format!(
            "{{\"row\":\"row{row:05}\",\"cells\":[{{\"family\":\"f\",\"qualifier\":\"q\",\"timestamp\":{},\"value\":\"value {row}\"}}]}}\n",
            row * 1_000
        ));
    }
    text
}

#[test]
fn exported_rows_are_imported_unchanged() {
    let folder = Folder::new();
    let (first, second) = (folder.path("first"), folder.path("second"));
    let file = folder.write("events.jsonl", rows());
    tabletop(&["import", "--data", &first, &file]).ok();
    let exported = tabletop(&["export", "--data", &first, "events"]).ok();
    assert_eq!(exported, rows());
    tabletop(&[
        "export",
        "--data",
        &first,
        "events",
        "--format",
        "csv",
        "--output",
        &folder.path("events.csv"),
    ])
    .ok();
    assert!(
        folder
            .read("events.csv")
            .starts_with("row,family,qualifier,timestamp,value\n\\x00\\xff,g,a,2000,new\n")
    );
    // CSV has no families: plain ones are created, the others must exist.
    let only_families = rows().lines().next().expect("a line").to_owned();
    tabletop_with(
        &["import", "--data", &second, "--table", "events", "--format", "jsonl", "-"],
        &only_families,
    )
    .ok();
    tabletop(&["import", "--data", &second, &folder.path("events.csv")]).ok();
    assert_eq!(tabletop(&["export", "--data", &second, "events"]).ok(), rows());
}

#[test]
fn times_are_read_in_the_given_format() {
    let folder = Folder::new();
    let file = folder.write("orders.csv", "who,at\nada,03/04/2025 02:02\neve,05/06/2025 14:00\n");
    let keys = |data: &str, more: &[&str]| {
        let data = folder.path(data);
        tabletop(&[&["import", "--data", &data, &file, "--template", "{at:iso}#{who}"], more].concat()).ok();
        let rows = tabletop(&["export", "--data", &data, "orders"]).ok();
        rows.lines()
            .filter_map(|line| line.strip_prefix("{\"row\":\"")?.split('"').next().map(String::from))
            .collect::<Vec<_>>()
    };
    assert_eq!(keys("found", &[])[0], "2025-04-03T02:02:00.000Z#ada");
    assert_eq!(keys("given", &["--time-format", "at=%m/%d/%Y %H:%M"])[0], "2025-03-04T02:02:00.000Z#ada");
    let data = folder.path("wrong");
    let wrong = |format| {
        tabletop(&["import", "--data", &data, &file, "--template", "{who}", "--time-format", format])
    };
    assert!(wrong("at=%q").failed(2).contains("%q is not a directive"));
    assert!(wrong("when=%Y-%m-%d").failed(2).contains("there is no field \"when\": the fields are who, at"));
}

#[test]
fn exported_commands_create_the_same_table() {
    let folder = Folder::new();
    let data = folder.path("data");
    let file = folder.write("events.jsonl", rows());
    tabletop(&["import", "--data", &data, &file]).ok();
    for format in ["cbt", "hbase"] {
        let script = folder.path(&format!("events.{format}"));
        // HBase cannot express aggregated values.
        let export = [
            "export", "--data", &data, "events", "--format", format, "--prefix", "row0", "--output", &script,
        ];
        let ran = tabletop(&export);
        assert_eq!(ran.errors.contains("family s is not in the file"), format == "hbase", "{ran:?}");
        ran.ok();
        let again = folder.path(format);
        tabletop(&["import", "--data", &again, &script]).ok();
        let rows_of = |data: &str| {
            let text = tabletop(&["export", "--data", data, "events", "--prefix", "row0"]).ok();
            text.lines().skip(1).map(String::from).collect::<Vec<_>>()
        };
        let rows = rows_of(&again);
        assert_eq!(rows.len(), 3_000);
        assert_eq!(rows, rows_of(&data), "{format}");
    }
    let ran = tabletop(&["export", "--data", &data, "events", "--format", "hbase"]);
    assert!(ran.failed(1).contains("1 row is not in the file"));
    // An aggregated number is written as an addition.
    let ran = tabletop(&["export", "--data", &data, "events", "--format", "cbt"]);
    assert!(ran.ok().contains("addtocell events counts s:n=7@0\n"));
}

#[test]
fn a_part_of_a_table_can_be_exported() {
    let folder = Folder::new();
    let data = folder.path("data");
    tabletop_with(&["import", "--data", &data, "--table", "t", "--format", "jsonl", "-"], &rows()).ok();
    let lines = |arguments: &[&str]| {
        tabletop(&[&["export", "--data", &data, "t"], arguments].concat()).ok().lines().count() - 1
    };
    assert_eq!(lines(&["--prefix", "row0010"]), 10);
    assert_eq!(lines(&["--prefix", "\\x00\\xff"]), 1);
    assert_eq!(lines(&["--from", "row02990"]), 10);
    assert!(tabletop(&["export", "--data", &data, "t", "--prefix", "\\"]).failed(2).contains("backslash"));
}

#[test]
fn errors_in_a_file_name_the_position() {
    let folder = Folder::new();
    let data = folder.path("data");
    let good = r#"{"row":"a","cells":[{"family":"f","qualifier":"q","timestamp":0,"value":"v"}]}"#;
    let import = |text: &str, more: &[&str]| {
        tabletop_with(
            &[&["import", "--data", &data, "--table", "t", "--format", "jsonl", "-"], more].concat(),
            text,
        )
    };
    let errors = import(&format!("{good}\n{{\"row\":\"b\",\"cells\":7}}\n"), &[]).failed(2);
    assert!(errors.contains("line 2:") && errors.contains("expected a sequence"), "{errors}");
    let errors = import(&format!("{good}\nhello\n"), &[]).failed(2);
    assert!(errors.contains("line 2: this is not JSON, at column 1"), "{errors}");
    let errors = import("{\"user\":1}\n", &[]).failed(2);
    assert!(errors.contains("--template"), "{errors}");
    let errors = import(&format!("hello\n{good}\n"), &["--keep-going"]).failed(1);
    assert!(errors.contains("1 row was written") && errors.contains("1 record was left out"), "{errors}");
    // A row that only the table rejects, among rows that are written together.
    let refused = good.replace("\"timestamp\":0", "\"timestamp\":1").replace("\"a\"", "\"r\"");
    let rows = format!("{good}\n{refused}\n{}\n", good.replace("\"a\"", "\"b\""));
    let errors = import(&rows, &["--keep-going"]).failed(1);
    assert!(errors.contains("line 2: row \"r\" is rejected"), "{errors}");
    assert!(errors.contains("2 rows were written") && errors.contains("1 record was left out"), "{errors}");
    let errors = import(&rows, &[]).failed(2);
    assert!(errors.contains("line 2: row \"r\" is rejected, 1 row before it was"), "{errors}");
    let csv = "row,family,qualifier,timestamp,value\na,f,q,0,v\nb,f,q,soon,v\n";
    let errors =
        tabletop_with(&["import", "--data", &data, "--table", "t", "--format", "csv", "-"], csv).failed(2);
    assert!(errors.contains("record 2 below the header: timestamp: \"soon\""), "{errors}");
    let import_csv = ["import", "--data", &data, "--table", "c", "--format", "csv", "--keep-going", "-"];
    let errors = tabletop_with(&import_csv, &format!("{csv}c,f,q,1000,v\n")).failed(1);
    assert!(errors.contains("2 rows were written") && errors.contains("1 record was left out"), "{errors}");
    assert!(tabletop(&["import", "--data", &data, "rows.txt"]).failed(2).contains("--format"));
    assert!(tabletop(&["import", "--data", &data, &folder.path("none.csv")]).failed(2).contains("none.csv"));
    assert!(tabletop(&["import", "rows.csv"]).failed(2).contains("--data"));
}

#[test]
fn events_become_rows_of_a_design() {
    let folder = Folder::new();
    let data = folder.path("data");
    let file = folder
        .write("orders.csv", "customer,date,amount\nann,2026-01-02,5\nbob,2026-01-01,7\nann,2026-01-01,3\n");
    tabletop(&["import", "--data", &data, &file, "--template", "{customer}#{date:date}"]).ok();
    let rows = tabletop(&["export", "--data", &data, "orders", "--format", "csv"]).ok();
    let keys: Vec<&str> = rows.lines().skip(1).step_by(3).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(keys, ["ann#2026-01-01", "ann#2026-01-02", "bob#2026-01-01"]);
    assert!(rows.contains("ann#2026-01-02,d,amount,1767312000000000,5\n"), "{rows}");
    let columns = |table: &str, more: &[&str]| {
        let import = [
            "import",
            "--data",
            &data,
            "--table",
            table,
            &file,
            "--template",
            "{customer}",
            "--layout",
            "columns",
        ];
        tabletop(&[&import[..], more].concat())
    };
    columns("own", &["--column", "o:{date:date}={amount}", "--column", "raw:={*}"]).ok();
    let rows = tabletop(&["export", "--data", &data, "own", "--format", "csv"]).ok();
    assert!(
        rows.contains("ann,o,2026-01-01,1767225600000000,3\n") && rows.contains("bob,raw,,1767225600000000,"),
        "{rows}"
    );
    columns("each", &[]).ok();
    let rows = tabletop(&["export", "--data", &data, "each", "--format", "csv"]).ok();
    assert!(rows.contains("ann,d,customer,1767312000000000,ann\n") && rows.contains(",d,amount,"), "{rows}");
    assert!(columns("t", &["--column", "o:a"]).failed(2).contains("write the family"));
    assert!(columns("t", &["--column", "o:{nothing}=1"]).failed(2).contains("--column: Column 1, qualifier"));
    assert!(
        columns("t", &["--family-field", "customer"])
            .failed(2)
            .contains("--layout columns takes no --family-field")
    );
    let narrow = ["import", "--data", &data, &file, "--template", "{customer}", "--column", "a:b=c"];
    assert!(tabletop(&narrow).failed(2).contains("--column needs --layout columns"));
    let errors = tabletop(&["import", "--data", &data, &file, "--template", "{custmer}"]).failed(2);
    assert!(errors.contains("customer") && errors.contains("^"), "{errors}");
    let json = "{\"user\":\"a\",\"n\":1}\n{\"user\":\"b\",\"n\":2,\"more\":true}\nnothing\n";
    let arguments = [
        "import",
        "--data",
        &data,
        "--table",
        "j",
        "--format",
        "jsonl",
        "--template",
        "{user}",
        "--layout",
        "narrow",
        "-",
    ];
    assert!(tabletop_with(&arguments, json).failed(2).contains("Line 3"));
    let errors = tabletop_with(&[&arguments[..], &["--keep-going"]].concat(), json).failed(1);
    assert!(errors.contains("line 3, column 1") && errors.contains("2 events were written"), "{errors}");
}

#[test]
fn a_row_of_very_many_cells_is_exported_and_imported() {
    const CELLS: usize = 100_001;
    let folder = Folder::new();
    let cell =
        |at: usize| format!("{{\"family\":\"f\",\"qualifier\":\"q{at:06}\",\"timestamp\":0,\"value\":\"\"}}");
    let cells: Vec<String> = (0..CELLS).map(cell).collect();
    let row = format!("{{\"row\":\"r\",\"cells\":[{}]}}\n", cells.join(","));
    let (file, first, second) = (folder.write("t.jsonl", &row), folder.path("first"), folder.path("second"));
    let ran = tabletop(&["import", "--data", &first, &file]);
    assert!(ran.errors.contains("1 row was written"), "{ran:?}");
    ran.ok();
    let script = folder.path("t.cbt");
    tabletop(&["export", "--data", &first, "t", "--format", "cbt", "--output", &script]).ok();
    let ran = tabletop(&["import", "--data", &second, &script]);
    assert!(ran.errors.contains("102 commands were executed"), "{ran:?}");
    ran.ok();
    let back = tabletop(&["export", "--data", &second, "t"]).ok();
    assert!(back.ends_with(&row), "{} bytes", back.len());
}

#[test]
fn an_import_that_fails_leaves_no_table() {
    let folder = Folder::new();
    let data = folder.path("data");
    tabletop(&["import", "--data", &data, &folder.path("none.csv")]).failed(2);
    tabletop_with(&["import", "--data", &data, "--table", "t", "--format", "jsonl", "-"], "hello\n")
        .failed(2);
    tabletop_with(&["import", "--data", &data, "--table", "t", "--format", "csv", "-"], "a,b\n1,2\n")
        .failed(2);
    tabletop_with(&["import", "--data", &data, "--format", "cbt", "-"], "set t r f:q=v\n").failed(1);
    let errors =
        tabletop_with(&["import", "--data", &data, "--table", "t", "--format", "cbt", "-"], "ls\n").failed(2);
    assert!(errors.contains("takes no --table"), "{errors}");
    assert!(!std::path::Path::new(&data).exists());
}

#[test]
fn losses_of_a_format_are_reported() {
    let folder = Folder::new();
    let data = folder.path("data");
    tabletop(&["cbt", "--data", &data, "createtable", "t", "families=f:maxversions=1", "splits=a,b"]).ok();
    let warnings_of = |format: &str| tabletop(&["export", "--data", &data, "t", "--format", format]).errors;
    assert!(warnings_of("csv").contains("GC rules") && warnings_of("csv").contains("splits"));
    assert!(!warnings_of("jsonl").contains("GC rules") && warnings_of("jsonl").contains("splits"));
    assert_eq!(warnings_of("cbt"), "");
}

#[test]
fn a_line_that_is_too_long_for_a_row_is_not_read() {
    let folder = Folder::new();
    let data = folder.path("data");
    // Without a line feed, and larger than any memory.
    let file = folder.path("t.jsonl");
    std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
    let errors = tabletop(&["import", "--data", &data, &file]).failed(2);
    assert!(errors.contains("line 1: this is not JSON"), "{errors}");
    // A long line that is a row.
    let value = "v".repeat(20 << 20);
    let row = format!(
        "{{\"row\":\"r\",\"cells\":[{{\"family\":\"f\",\"qualifier\":\"q\",\"timestamp\":0,\"value\":\"{value}\"}}]}}"
    );
    let import = ["import", "--data", &data, "--table", "t", "--format", "jsonl", "-"];
    tabletop_with(&import, &format!("{row}\n{}\n", row.replace("\"r\"", "\"s\""))).ok();
    assert_eq!(tabletop(&["cbt", "--data", &data, "count", "t"]).ok().trim(), "2");
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_says_how_far_it_came() {
    use std::io::Write;
    let folder = Folder::new();
    let mut command = super::program();
    let data = folder.path("data");
    command.args(["import", "--data", &data, "--table", "t", "--format", "jsonl", "-"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let row = |at: u32| {
        format!(
            "{{\"row\":\"{at:06}\",\"cells\":[{{\"family\":\"f\",\"qualifier\":\"q\",\"timestamp\":0,\"value\":\"v\"}}]}}\n"
        )
    };
    // Two requests, and a rest that is still buffered.
    (0..2_500).for_each(|at| stdin.write_all(row(at).as_bytes()).unwrap());
    while !has_bytes(std::path::Path::new(&data), b"001999") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let written =
        errors.trim().strip_prefix("Interrupted: at least ").and_then(|rest| rest.split(' ').next());
    let written: u64 = written.unwrap_or_else(|| panic!("{errors}")).replace(',', "").parse().unwrap();
    // The second request is in the folder, and may not have been counted yet.
    assert!(matches!(written, 1_000 | 2_000), "{errors}");
    assert_eq!(output.status.code(), Some(130));
    drop(stdin);
    assert_eq!(tabletop(&["cbt", "--data", &data, "count", "t"]).ok().trim(), "2000");
}

/// Returns whether a file in the folder has these bytes. A folder that does not exist has none.
#[cfg(unix)]
fn has_bytes(folder: &std::path::Path, bytes: &[u8]) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match std::fs::read(&path) {
        Ok(content) => content.windows(bytes.len()).any(|window| window == bytes),
        Err(_) => path.is_dir() && has_bytes(&path, bytes),
    })
}
