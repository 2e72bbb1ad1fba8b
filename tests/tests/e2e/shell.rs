//! The shell: commands are typed, completed, pasted and recalled, change tables, and are shown for
//! actions of the page.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "shell: commands are typed, completed and recalled", run: types_commands },
    Test { name: "shell: a change of a table is shown immediately, with one note", run: changes_tables },
    Test { name: "shell: a long read is cancelled by a key", run: cancels_a_read },
    Test { name: "shell: a file is imported", run: imports_a_file },
    Test {
        name: "shell: a pasted text runs command after command, and all output is copied and cleared",
        run: pastes_commands,
    },
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
    page.until_value("Shell command", "")?;
    page.click("radio", "HBase")?;
    run(page, "scan 'mine'")?;
    until_printed(page, "COLUMN+CELL")?;
    page.browser
        .run("navigator.clipboard.writeText = async text => { window.copied = text; };", json!([]))?;
    page.click("button", "Copy output")?;
    page.until("it is copied", || {
        let copied = page.browser.run("return window.copied ?? ''", json!([]))?;
        Ok(copied.as_str().is_some_and(|text| {
            text.starts_with("cbt> createtable mine") && text.contains("hbase> scan 'mine'")
        }))
    })?;
    run(page, "clear")?;
    page.until("it is cleared", || Ok(printed(page)?.is_empty()))
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
