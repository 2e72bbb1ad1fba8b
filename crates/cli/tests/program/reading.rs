//! How files of events are read, as the options say.

use super::{Folder, tabletop};

/// Writes a workspace whose events are in this file, with one design.
fn workspace(folder: &Folder, template: &str) -> String {
    let example = tabletop(&["run", "--example"]).ok();
    let mut workspace: serde_json::Value = serde_json::from_str(&example).expect("JSON");
    let mut design = workspace["designs"][0].clone();
    design["template"] = template.into();
    workspace["designs"] = serde_json::json!([design]);
    workspace["queries"] = serde_json::json!([]);
    workspace["limits"] = serde_json::json!({});
    folder.write("workspace.json", workspace.to_string())
}

#[test]
fn options_for_files_are_those_of_the_page_in_each_command() {
    for command in ["run", "load", "push", "simulate", "generate", "import"] {
        let help = tabletop(&[command, "--help"]).ok();
        for option in ["--encoding <NAME>", "--first-line <WHAT>", "--numbers <WHAT>", "--time-zone <ZONE>"] {
            assert!(help.contains(option), "{command}: {help}");
        }
    }
}

#[test]
fn messages_name_the_option_and_the_option_helps() {
    let folder = Folder::new();
    let workspace = workspace(&folder, "{n}#{column_1:or(none)}");
    let events = folder.write("events.csv", "n,caf\u{e9}\n\"1,234\",a\n\"1,567\",b\n");
    let told =
        |options: &[&str]| tabletop(&[&["run", &workspace, "--events", &events], options].concat()).errors;
    let notes = told(&[]);
    assert!(
        notes.contains("can mean 1.234") && notes.contains("choose how numbers are written (--numbers)"),
        "{notes}"
    );
    let notes = told(&["--numbers", "comma"]);
    assert!(notes.contains("with a decimal comma: \"1,234\" is 1.234."), "{notes}");

    let events = folder.write("events.csv", b"n,name\n1,caf\xe9\n");
    let read = |options: &[&str]| tabletop(&[&["run", &workspace, "--events", &events], options].concat());
    assert!(read(&[]).errors.contains("choose the encoding of the file (--encoding)"));
    assert!(!read(&["--encoding", "windows-1252"]).errors.contains("--encoding"));

    let events = folder.write("events.csv", "1,2\n3,4\n");
    let read = |options: &[&str]| tabletop(&[&["run", &workspace, "--events", &events], options].concat());
    assert!(read(&[]).errors.contains("choose whether the first line has names (--first-line)"));
    assert!(!read(&["--first-line", "names"]).errors.contains("--first-line"));
}

#[test]
fn records_that_cannot_be_read_are_left_out_only_if_allowed_and_always_said() {
    let folder = Folder::new();
    let workspace = workspace(&folder, "{n}");
    let events = folder.write("events.csv", "n,name\n1,a\n2,b,c\n3,d\nTotal,\n");
    let arguments = ["push", &workspace, "--dry-run", "--events", &events];
    let errors = tabletop(&arguments).failed(2);
    assert!(errors.contains("line 3") || errors.contains("Line 3"), "{errors}");
    assert!(errors.contains("--allow-bad-records"), "{errors}");
    let output = tabletop(&[&arguments[..], &["--allow-bad-records"]].concat());
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.errors.contains("1 record is left out. The first: line 3"), "{output:?}");
}

#[test]
fn options_for_files_need_a_file() {
    let folder = Folder::new();
    let workspace = workspace(&folder, "{user}");
    let errors = tabletop(&["run", &workspace, "--numbers", "comma"]).failed(2);
    assert!(errors.contains("--events FILE"), "{errors}");
}
