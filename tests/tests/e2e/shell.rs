//! The shell: commands are typed, completed, pasted and recalled, change tables, and are shown for
//! actions of the page.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "shell: commands are typed, completed and recalled", run: types_commands },
    Test { name: "shell: a pasted text runs command after command", run: pastes_commands },
    Test { name: "shell: a mistake is shown where it is", run: shows_mistakes },
    Test { name: "shell: a change of a table is shown immediately, with one note", run: changes_tables },
    Test { name: "shell: a long read is cancelled by a key", run: cancels_a_read },
    Test { name: "shell: a file is imported", run: imports_a_file },
    Test { name: "shell: another language, and output that is copied and cleared", run: changes_language },
    Test { name: "shell: actions of the page are shown as commands, and run", run: shows_commands },
    Test { name: "shell: a design is exported as files for a real Bigtable", run: downloads_exports },
    Test { name: "shell: a query is saved with limits, and misses one", run: saves_queries },
];

fn run(page: &Page, command: &str) -> Result<()> {
    page.fill("Shell command", command)?;
    page.browser.press(&["Enter"])?;
    page.until("the command is over", || Ok(page.browser.all_by_role("button", "Cancel command")?.is_empty()))
}

/// Returns all output of the shell.
fn printed(page: &Page) -> Result<String> {
    let text =
        page.browser.run("return document.querySelector('[role=log]')?.textContent ?? ''", json!([]))?;
    Ok(text.as_str().unwrap_or_default().into())
}

fn until_printed(page: &Page, text: &str) -> Result<()> {
    page.until(&format!("the shell prints {text:?}"), || match printed(page)? {
        printed if printed.contains(text) => Ok(true),
        printed => Err(format!("its output is {printed:?}")),
    })
}

fn types_commands(page: &Page) -> Result<()> {
    page.browser.press(&["Control+`"])?;
    let prompt_has_focus = || Ok(page.browser.focused()?.name()? == "Shell command");
    page.until("the prompt has the focus", prompt_has_focus)?;
    // The same keys return to the button that opens the shell.
    page.browser.press(&["Control+`"])?;
    page.until("the shell is folded", || Ok(page.browser.focused()?.attribute("aria-expanded")? == "false"))?;
    same("what has the focus", page.browser.focused()?.name()?, "Shell".into())?;
    page.browser.press(&["Control+`"])?;
    page.until("the prompt has the focus again", prompt_has_focus)?;
    run(page, "createtable mine families=f")?;
    run(page, "set mine r1 f:q=hello")?;
    run(page, "read mine")?;
    until_printed(page, "\"hello\"")?;

    // A single completion is inserted, several are listed.
    page.fill("Shell command", "coun")?;
    page.browser.press(&["Tab"])?;
    page.until_value("Shell command", "count ")?;
    page.fill("Shell command", "count des")?;
    page.browser.press(&["Tab"])?;
    page.until_value("Shell command", "count design-1 ")?;
    page.browser.press(&["Enter"])?;
    until_printed(page, "20000")?;
    page.fill("Shell command", "create")?;
    page.browser.press(&["Tab"])?;
    page.until("completions are offered", || Ok(page.browser.all_by_role("option", "")?.len() > 1))?;
    page.browser.press(&["ArrowDown", "Enter"])?;
    page.until("the second is taken", || {
        let value = page.field("Shell command")?.value()?;
        Ok(value.starts_with("create")
            && value.ends_with(' ')
            && page.browser.all_by_role("listbox", "Completions")?.is_empty())
    })?;

    // With nothing to complete, Tab keeps the focus. Shift+Tab leaves a line, and Tab an empty one.
    page.fill("Shell command", "nothing-like-it")?;
    page.browser.press(&["Tab"])?;
    same("Tab stays", prompt_has_focus(), Ok(true))?;
    page.browser.press(&["Shift+Tab"])?;
    same("Shift+Tab stays", prompt_has_focus(), Ok(false))?;
    page.fill("Shell command", "")?;
    page.browser.press(&["Tab"])?;
    same("Tab stays in an empty line", prompt_has_focus(), Ok(false))?;

    // Earlier commands are recalled, and then the unfinished input.
    page.fill("Shell command", "half")?;
    page.browser.press(&["ArrowUp"])?;
    page.until_value("Shell command", "count design-1")?;
    page.browser.press(&["ArrowUp"])?;
    page.until_value("Shell command", "read mine")?;
    page.browser.press(&["ArrowDown", "ArrowDown"])?;
    page.until_value("Shell command", "half")?;
    // Also after a reload.
    page.reopen()?;
    page.open_pane(Pane::Shell)?;
    page.field("Shell command")?.click()?;
    page.browser.press(&["ArrowUp"])?;
    page.until_value("Shell command", "count design-1")
}

fn pastes_commands(page: &Page) -> Result<()> {
    page.open_pane(Pane::Shell)?;
    page.field("Shell command")?.click()?;
    let paste = "const data = new DataTransfer();
        data.setData('text/plain', arguments[0]);
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));";
    let text = "# a table of its own\ncreatetable mine families=f\nset mine r1 f:q=one\n\nset mine r2 f:q=two\ncount mine\n";
    page.browser.run(paste, json!([text]))?;
    until_printed(page, "cbt> count mine\n2")?;
    page.until_value("Shell command", "")
}

fn shows_mistakes(page: &Page) -> Result<()> {
    page.open_pane(Pane::Shell)?;
    run(page, "cuont design-1")?;
    until_printed(page, "count")?;
    let caret = page.browser.run("return document.querySelector('.shell-caret')?.textContent", json!([]))?;
    same("the caret", caret.as_str(), Some("     ^^^^^"))?;
    run(page, "read design-1 cuont=3")?;
    let carets = "return [...document.querySelectorAll('.shell-caret')].at(-1).textContent";
    let at = "cbt> read design-1 ".len();
    page.until("the mistake is shown at its place", || {
        let caret = page.browser.run(carets, json!([]))?;
        Ok(caret.as_str().is_some_and(|caret| caret.find('^') == Some(at)))
    })?;
    // Only the engine can produce this message.
    run(page, "count nothing")?;
    until_printed(page, "nothing")
}

fn changes_tables(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.ask()?;
    page.until_figure("Rows returned", 100)?;
    page.open_pane(Pane::Shell)?;
    run(page, "set design-1 0-first view:q=hello")?;
    page.until_first_key("0-first")?;
    until_printed(page, "Note: this changed the table of a design")?;
    run(page, "deleteallrows design-1")?;
    page.until_figure("Rows returned", 0)?;
    same("the note", printed(page)?.matches("Note: this").count(), 1)?;
    run(page, "deletetable design-1")?;
    until_printed(page, "cannot be deleted: the page builds it")?;
    // The page rebuilds it from its events.
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{user_token},{timestamp:iso}")?;
    page.until_figure("Rows returned", 100)
}

fn cancels_a_read(page: &Page) -> Result<()> {
    page.open_pane(Pane::Shell)?;
    page.fill("Shell command", "read design-1")?;
    page.browser.press(&["Enter", "Escape"])?;
    until_printed(page, "Cancelled.")?;
    run(page, "count design-1")?;
    until_printed(page, "20000")
}

fn imports_a_file(page: &Page) -> Result<()> {
    page.open_pane(Pane::Shell)?;
    run(page, "createtable mine families=f")?;
    page.fill("Shell command", "import mine rows.csv column-family=f")?;
    page.browser.press(&["Enter"])?;
    page.until_text("rows.csv")?;
    page.find("button", "Choose file")?;
    let choose = "const files = new DataTransfer();
        files.items.add(new File([',a,b\\nr1,1,2\\nr2,3,4\\n'], 'rows.csv'));
        const input = document.getElementById('shell-file');
        input.files = files.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));";
    page.browser.run(choose, json!([]))?;
    run(page, "read mine")?;
    until_printed(page, "\"4\"")?;
    // Without a file the command fails, and the shell continues.
    page.fill("Shell command", "import mine rows.csv column-family=f")?;
    page.browser.press(&["Enter"])?;
    page.click("button", "No file")?;
    until_printed(page, "no file was chosen")
}

fn changes_language(page: &Page) -> Result<()> {
    page.open_pane(Pane::Shell)?;
    run(page, "createtable mine families=f")?;
    page.click("radio", "HBase")?;
    run(page, "put 'mine', 'r1', 'f:q', 'hello'")?;
    run(page, "scan 'mine'")?;
    until_printed(page, "COLUMN+CELL")?;
    until_printed(page, "hbase> scan 'mine'")?;
    page.click("radio", "cbt")?;
    run(page, "read mine")?;
    until_printed(page, "\"hello\"")?;
    page.browser
        .run("navigator.clipboard.writeText = async text => { window.copied = text; };", json!([]))?;
    page.click("button", "Copy output")?;
    page.until("it is copied", || {
        let copied = page.browser.run("return window.copied ?? ''", json!([]))?;
        Ok(copied
            .as_str()
            .is_some_and(|text| text.starts_with("cbt> createtable mine") && text.contains("\"hello\"")))
    })?;
    run(page, "clear")?;
    page.until("it is cleared", || Ok(printed(page)?.is_empty()))
}

fn shows_commands(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.click("radio", "Prefix")?;
    page.fill("Row key prefix", "2019")?;
    page.fill("Limit", "2")?;
    page.ask()?;
    page.find_named("button", "Query as cbt")?.click()?;
    page.until_text("read design-1")?;
    let shown = page.text("group", "Commands")?;
    if !(shown.contains("prefix=2019") && shown.contains("count=2")) {
        return Err(format!("the query is shown as {shown}"));
    }
    page.click("button", "Run in shell")?;
    until_printed(page, &format!("cbt> {shown}"))?;
    until_printed(page, "----------------------------------------")?;
    page.browser.all_by_role("rowheader", "")?.first().ok_or("no row")?.click()?;
    page.click("button", "Look up in shell")?;
    until_printed(page, "cbt> lookup design-1")?;
    // The commands follow the table's layout.
    page.open_pane(Pane::Design)?;
    page.find_named("button", "Table as cbt")?.click()?;
    page.until_text("families=click:never,view:never,conversion:never")?;
    page.click("radio", "Wide")?;
    page.until_text("families=e:never")?;
    page.click("radio", "Narrow")?;
    page.until_text("families=click:never,view:never,conversion:never")
}

fn downloads_exports(page: &Page) -> Result<()> {
    let keep = "window.files = {};
        let last;
        const make = URL.createObjectURL;
        URL.createObjectURL = blob => { last = blob; return make(blob); };
        HTMLAnchorElement.prototype.click = function () { last.text().then(text => files[this.download] = text); };";
    page.browser.run(keep, json!([]))?;
    // The rows as cbt imports them: two lines of columns, then one line per row with times after
    // the values.
    page.open_pane(Pane::Data)?;
    page.find_named("button", "All rows as cbt")?.click()?;
    page.until_text("import design-1 rows.csv timestamp=value-encoded")?;
    page.click("button", "Download rows.csv")?;
    page.until("rows.csv is there", || {
        let written = page.browser.run("return (files['rows.csv'] ?? '').slice(0, 3000)", json!([]))?;
        let lines: Vec<&str> = written.as_str().unwrap_or_default().lines().collect();
        Ok(lines.len() > 2
            && lines[0].starts_with(",click,")
            && lines[1].starts_with(",category,")
            && lines[2].contains("@1559"))
    })?;
    page.click("button", "Workspace")?;
    page.click("menuitem", "Export to Bigtable…")?;
    page.fill("Project", "acme-prod")?;
    page.fill("Table", "events")?;
    for (what, file, text) in [
        ("cbt", "table.cbt.sh", "acme-prod"),
        ("gcloud", "table.gcloud.sh", "acme-prod"),
        ("Terraform", "table.tf", "google_bigtable_table"),
        ("HBase shell", "table.hbase", "events"),
        ("Row key in Java", "RowKey.java", "timestamp"),
        ("Queries in Go", "queries.go", "bigtable"),
        ("Queries in Python", "queries.py", "bigtable"),
        ("Row key in Node.js", "row_key.mjs", "timestamp"),
        ("Row key in Rust", "row_key.rs", "timestamp"),
    ] {
        page.find("combobox", "What")?.choose(what)?;
        page.until_text(file)?;
        page.click("button", "Download")?;
        page.until(&format!("{file} is there"), || {
            let written = page.browser.run("return files[arguments[0]] ?? ''", json!([file]))?;
            Ok(written.as_str().is_some_and(|written| written.contains(text)))
        })?;
    }
    Ok(())
}

fn saves_queries(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.fill("Limit", "7")?;
    page.click("button", "Save as")?;
    page.fill("Name", "Six rows")?;
    // The name is not part of the query: undo there changes only the name.
    page.browser.press(&["Control+z"])?;
    page.fill("Name", "Seven rows")?;
    page.until_value("Limit", "7")?;
    page.click("button", "Save")?;
    page.click("button", "Limits")?;
    page.fill("Rows returned, at least", "7")?;
    page.browser.press(&["Enter"])?;
    page.ask()?;
    page.until_text("Within the limit.")?;
    page.fill("Cells seen", "3")?;
    page.browser.press(&["Enter"])?;
    page.until_text("1 limit missed:")?;
    page.until_text("Cells seen: 7, at most 3")?;

    // Another query is on the screen; the saved one returns.
    page.fill("Limit", "9")?;
    page.until_text("The query changed since it was saved.")?;
    page.find("combobox", "Saved query")?.choose("Seven rows")?;
    page.until_value("Limit", "7")?;
    let limits = page.api("(await tabletop.workspace()).queries[0].limits.cells_seen_max")?;
    same("the limit", limits, json!("3n"))?;
    page.click("button", "Rename")?;
    page.fill("Name", "7")?;
    page.click("button", "Save")?;
    page.until("it has another name", || {
        Ok(page.api("(await tabletop.workspace()).queries[0].name")? == json!("7"))
    })?;
    page.reopen()?;
    page.open_pane(Pane::Query)?;
    page.click("button", "Delete the saved query")?;
    page.until("it has disappeared", || {
        Ok(page.api("(await tabletop.workspace()).queries.length")? == json!(0))
    })?;
    page.click("button", "Undo")?;
    page.until("it is back", || Ok(page.api("(await tabletop.workspace()).queries.length")? == json!(1)))
}
