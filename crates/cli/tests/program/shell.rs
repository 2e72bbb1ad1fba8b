//! `tabletop cbt` and `tabletop hbase`.

use super::{Folder, tabletop, tabletop_with};

#[test]
fn a_script_runs_in_memory() {
    let script = "# a table\ncreatetable t\ncreatefamily t f\nset t r1 'f:q=one two@1000'\nread t\n";
    let out = tabletop_with(&["cbt"], script).ok();
    assert!(out.contains("r1") && out.contains("\"one two\""), "{out}");
}

#[test]
fn command_line_words_are_passed_on_unchanged() {
    let folder = Folder::new();
    let data = folder.path("data");
    let cbt = |words: &[&str]| tabletop(&[&["cbt", "--data", &data], words].concat());
    cbt(&["createtable", "t", "families=f"]).ok();
    cbt(&["set", "t", "it's \"r\" $1", "f:a b=x  y"]).ok();
    let out = cbt(&["read", "t"]).ok();
    assert!(out.contains(r#""it's \"r\" $1""#) && out.contains("f:a b") && out.contains("\"x  y\""), "{out}");
    assert_eq!(cbt(&["ls"]).ok().trim(), "t");
    assert_eq!(cbt(&["count t"]).ok().trim(), "1");
}

#[test]
fn a_script_stops_at_the_first_error_and_names_its_line() {
    let script = "createtable t\n\nreed t\nls\n";
    let ran = tabletop_with(&["cbt"], script);
    assert_eq!(ran.out, "");
    let errors = ran.failed(2);
    assert!(errors.contains("line 3: ") && errors.contains("\n  reed t\n  ^^^^"), "{errors}");
    assert!(errors.contains("read"), "the nearest word: {errors}");

    let script = "read nothing\ncreatetable t\nls\n";
    let ran = tabletop_with(&["cbt"], script);
    assert!(ran.failed(1).contains("line 1: this command failed"), "the engine refused");

    let ran = tabletop_with(&["cbt", "--keep-going"], "reed\nread nothing\ncreatetable t\nls\n");
    assert!(ran.out.ends_with("t\n"), "{ran:?}");
    let errors = ran.failed(1);
    assert!(
        errors.contains("line 1") && errors.contains("line 2") && errors.contains("2 commands failed"),
        "{errors}"
    );
}

#[test]
fn the_hbase_shell_has_the_same_tables() {
    let folder = Folder::new();
    let data = folder.path("data");
    let script = "create 't', 'f'\nput 't', 'r1', 'f:q', 'v1'\n";
    tabletop_with(&["hbase", "--data", &data], script).ok();
    let out = tabletop(&["hbase", "--data", &data, "scan 't'"]).ok();
    assert!(out.contains("r1") && out.contains("column=f:q") && out.contains("value=v1"), "{out}");
    let out = tabletop(&["cbt", "--data", &data, "read", "t"]).ok();
    assert!(out.contains("\"v1\""), "{out}");
    tabletop(&["hbase", "--data", &data, "get 't'"]).failed(2);
}

#[test]
fn project_and_instance_flags_of_cbt_are_accepted_in_scripts() {
    let folder = Folder::new();
    let data = folder.path("data");
    tabletop(&[
        "cbt",
        "--data",
        &data,
        "-project",
        "p",
        "-instance=i",
        "-creds",
        "key.json",
        "createtable",
        "t",
    ])
    .ok();
    assert!(std::path::Path::new(&folder.path("data/p/i")).is_dir());
    assert_eq!(tabletop(&["cbt", "--data", &data, "-project=p", "-instance", "i", "ls"]).ok().trim(), "t");
}

#[test]
fn a_command_that_only_reads_creates_no_folder() {
    let folder = Folder::new();
    let data = folder.path("data");
    let ran = tabletop(&["cbt", "--data", &data, "ls"]);
    // Failures are not printed to the output.
    assert_eq!(ran.out, "", "{ran:?}");
    assert!(ran.failed(1).contains("there is no data folder"));
    tabletop_with(&["hbase", "--data", &data], "list\n").failed(1);
    assert!(!std::path::Path::new(&data).exists());
    tabletop(&["cbt", "--data", &data, "createtable", "t", "families=f"]).ok();
    let ran = tabletop(&["cbt", "--data", &data, "--instance", "typo", "ls"]);
    assert!(ran.failed(1).contains("there is no instance typo"));
    assert_eq!(tabletop(&["cbt", "--data", &data, "ls"]).ok(), "t\n");
}

#[test]
fn writes_of_one_batch_fail_separately() {
    let begin = "createtable t families=f\n";
    let writes = "set t a f:q=1\nset t b nope:q=1\nset t c f:q=1\nset t e f:q=1\n";
    let ran = tabletop_with(&["cbt"], &format!("{begin}{writes}"));
    let errors = ran.failed(1);
    assert_eq!(errors.matches("nope").count(), 1, "{errors}");
    assert!(
        errors.contains("line 3: this command failed") && errors.contains("1 write after it"),
        "{errors}"
    );

    let ran = tabletop_with(
        &["cbt", "--keep-going"],
        &format!("{begin}{writes}set u a f:q=1\nset t d f:q=1\ncount t\n"),
    );
    assert_eq!(ran.out, "4\n", "{ran:?}");
    let errors = ran.failed(1);
    assert!(
        errors.contains("line 3: ") && errors.contains("line 6: ") && errors.contains("2 commands failed"),
        "{errors}"
    );

    // Nothing is executed after a write that is rejected as a whole.
    let ran =
        tabletop_with(&["cbt", "--keep-going"], &format!("{begin}set t a f:q=1\nset t '' f:q=1\ncount t\n"));
    assert_eq!(ran.out, "1\n", "{ran:?}");
    assert!(ran.failed(1).contains("1 command failed"));
}

#[test]
fn commands_of_others_do_not_command_the_terminal() {
    for command in ["no\u{1b}[31m", "count t\u{1b}[31m", "read t\u{202e} count=x"] {
        let ran = tabletop_with(&["cbt"], &format!("{command}\n"));
        let printed = format!("{}{}", ran.out, ran.errors);
        assert!(!printed.contains(['\u{1b}', '\u{202e}']) && printed.contains("\\u{"), "{printed}");
    }
}

#[test]
fn a_certificate_is_not_ignored() {
    let words = ["cbt", "--address", "http://127.0.0.1:9", "--tls-cert", "x.pem", "ls"];
    let errors = tabletop(&words).failed(2);
    assert!(errors.contains("write HOST:PORT or https://HOST:PORT"), "{errors}");
}

#[test]
fn a_format_file_says_how_values_are_shown() {
    let folder = Folder::new();
    let data = folder.path("data");
    let cbt = |words: &[&str]| tabletop(&[&["cbt", "--data", &data], words].concat());
    cbt(&["createtable t families=f"]).ok();
    cbt(&["set t r f:n=$'\\x00\\x00\\x01\\x00'@1000 'f:j={\"age\": 2}'@1000 f:q=v@1000"]).ok();
    let column =
        |name: &str, encoding: &str| format!("  {name}:\n    encoding: {encoding}\n    type: int32\n");
    let file =
        folder.write("formats.yml", format!("columns:\n{}{}", column("n", "BigEndian"), column("j", "json")));
    let format = format!("format-file={file}");
    let shown = cbt(&["lookup", "t", "r", &format]).ok();
    let values: Vec<&str> = shown.lines().skip(2).filter(|line| !line.contains(" @ ")).collect();
    assert_eq!(values, ["    age:     2.00", "", "    256", "    \"v\"", ""], "{shown}");
    assert_eq!(cbt(&["read", "t", &format]).ok(), shown);
    cbt(&["set t s f:n=abc"]).ok();
    let errors = cbt(&["read", "t", &format]).failed(1);
    assert!(errors.contains("the value of \"f:n\" in row \"s\"") && errors.contains("3 bytes"), "{errors}");
    assert!(cbt(&["read", "t", "format-file=none.yml"]).failed(1).contains("none.yml"));
    let file = folder.write("bad.yml", "columns:\n  n: hex\n");
    let errors = cbt(&["read", "t", &format!("format-file={file}")]).failed(1);
    assert!(errors.contains("bad.yml") && errors.contains("column n must have lines"), "{errors}");
}

#[test]
fn the_progress_of_an_import_is_not_output() {
    let folder = Folder::new();
    let (data, file) = (folder.path("data"), folder.path("t.csv"));
    std::fs::write(&file, ",f\n,q\nr1,1\n,2\nr3,3\n").unwrap();
    tabletop(&["cbt", "--data", &data, "createtable", "t", "families=f"]).ok();
    let ran = tabletop(&["cbt", "--data", &data, "import", "t", &file]);
    assert_eq!(ran.out, "Done importing 2 rows.\n");
    assert!(ran.errors.contains("RowKey not present") && ran.errors.contains("size: 2"), "{ran:?}");
}
