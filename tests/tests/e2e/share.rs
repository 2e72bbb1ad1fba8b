//! Workspaces that travel: a link from one browser to another, damaged links, links next to the
//! user's own work, and files and pictures that are saved.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "share: a link opens in a fresh browser with the same designs, queries and view",
        run: opens_elsewhere,
    },
    Test {
        name: "share: a link opened over the user's work asks which to keep, also after a reload",
        run: keeps_own_work,
    },
    Test {
        name: "share: a link that is pasted into an open page is opened, and Undo goes back",
        run: opens_in_place,
    },
    Test { name: "share: link and Markdown are copied, and the dialog says so", run: copies },
    Test {
        name: "share: pictures are saved and copied as PNG in the colours of the theme, and saved as SVG",
        run: saves_pictures,
    },
];

pub const OWN: &str = "{user_token}~{timestamp:iso}";
const CAME: &str = "This workspace came from a link.";

/// Returns the workspace as text.
fn workspace(page: &Page) -> Result<String> {
    let json =
        page.api("JSON.stringify(await tabletop.workspace(), (_, value) => typeof value === 'bigint' ? `${value}` : value)")?;
    json.as_str().map(String::from).ok_or_else(|| format!("no text: {json}"))
}

/// Opens the dialog, and returns the link in it.
pub fn link(page: &Page) -> Result<String> {
    page.click("button", "Share")?;
    let link = page.field("Link")?.value()?;
    page.click("button", "Close")?;
    Ok(link)
}

/// A link to a workspace with this template.
fn link_to(page: &Page, template: &str) -> Result<String> {
    page.fill("Row key template", template)?;
    page.until("the engine has it", || {
        Ok(page.api("(await tabletop.workspace()).designs[0].template")? == json!(template))
    })?;
    link(page)
}

pub fn location(page: &Page, part: &str) -> Result<Value> {
    page.browser.run(&format!("return location.{part}"), json!([]))
}

/// Opens an address, as if from another page.
pub fn visit(page: &Page, address: &str) -> Result<()> {
    page.browser.open("about:blank")?;
    page.at(address.into()).reopen()
}

fn opens_elsewhere(page: &Page) -> Result<()> {
    page.fill("Filter as text", "cells_per_row_limit(1)")?;
    page.fill("Limit", "7")?;
    page.click("button", "Save as")?;
    page.fill("Name", "Seven r\u{f6}ws")?;
    page.click("button", "Save")?;
    page.click("link", "Compare")?;
    page.click("button", "Duplicate Design 1")?;
    page.fill("Row key template", OWN)?;
    page.click("radio", "Wide")?;
    page.until("the engine has it", || {
        Ok(page.api("(await tabletop.workspace()).designs[1]?.layout.kind")? == json!("wide"))
    })?;
    let (before, link) = (workspace(page)?, link(page)?);
    if !link.starts_with(&format!("{}?view=compare#w1.", page.url())) || !link.ends_with(".2") {
        return Err(format!("the link has the view and the design: {link}"));
    }

    page.forget(&[("prefers-reduced-motion", "reduce")])?;
    visit(page, &link)?;
    page.until("it is the same workspace", || same("it", workspace(page)?, before.clone()).map(|()| true))?;
    page.find("heading", "Compare designs")?;
    same(
        "the second design is edited",
        page.find("button", "Edit Design 2")?.attribute("aria-pressed")?.as_str(),
        "true",
    )?;
    same("the link has left the address", location(page, "hash")?, json!(""))?;
    same("the view is in it", location(page, "search")?, json!("?view=compare"))?;
    same("nothing was before it", page.find("button", "Undo")?.property("disabled")?, json!(true))?;
    page.click("link", "Design")?;
    page.until_value("Row key template", OWN)?;
    page.open_pane(Pane::Query)?;
    page.until_value("Limit", "7")?;
    page.until_value("Filter as text", "cells_per_row_limit(1)")?;
    page.until_figure("Rows returned", 7)?;
    same("there is nothing to decide", page.visible_text()?.contains(CAME), false)?;
    page.reopen()?;
    page.until("a reload keeps it", || same("it", workspace(page)?, before.clone()).map(|()| true))?;
    same("there is nothing to decide", page.visible_text()?.contains(CAME), false)
}

fn keeps_own_work(page: &Page) -> Result<()> {
    let foreign = link_to(page, "{app_id}#{timestamp:iso}")?;
    page.fill("Row key template", OWN)?;
    visit(page, &foreign)?;
    page.until_value("Row key template", "{app_id}#{timestamp:iso}")?;
    page.until_text(CAME)?;
    page.check_accessible("a link next to own work")?;
    // After a reload, the changes of the link's workspace and the question are still there.
    page.fill("Row key template", "{app_id}##{timestamp:iso}")?;
    page.reopen()?;
    page.until_value("Row key template", "{app_id}##{timestamp:iso}")?;
    page.until_text(CAME)?;
    page.click("button", "Back to my workspace")?;
    page.until_value("Row key template", OWN)?;
    page.until("there is nothing to decide", || Ok(!page.visible_text()?.contains(CAME)))?;
    page.reopen()?;
    page.until_value("Row key template", OWN)?;

    visit(page, &foreign)?;
    page.until_text(CAME)?;
    page.click("button", "Undo")?;
    page.until_value("Row key template", OWN)?;
    visit(page, &foreign)?;
    page.click("button", "Save as a workspace")?;
    page.until("there is nothing to decide", || Ok(!page.visible_text()?.contains(CAME)))?;
    page.reopen()?;
    page.until_value("Row key template", "{app_id}#{timestamp:iso}")?;
    same("there is nothing to decide", page.visible_text()?.contains(CAME), false)
}

fn opens_in_place(page: &Page) -> Result<()> {
    let foreign = link_to(page, "{app_id}#{timestamp:iso}")?;
    page.fill("Row key template", OWN)?;
    let hash = foreign.split_once('#').map(|(_, hash)| hash).unwrap_or_default();
    page.browser.run("location.hash = arguments[0]", json!([hash]))?;
    page.until_value("Row key template", "{app_id}#{timestamp:iso}")?;
    page.until_text(CAME)?;
    same("the link has left the address", location(page, "hash")?, json!(""))?;
    page.click("button", "Undo")?;
    page.until_value("Row key template", OWN)?;
    page.until("there is nothing to decide", || Ok(!page.visible_text()?.contains(CAME)))?;
    page.click("button", "Redo")?;
    page.until_value("Row key template", "{app_id}#{timestamp:iso}")?;
    // A damaged link stays in the address. An anchor in the page is not a link to a workspace.
    page.browser.run("location.hash = '#w1.AAAA'", json!([]))?;
    page.until_text("The link is incomplete or was modified.")?;
    same("the link is in the address", location(page, "hash")?, json!("#w1.AAAA"))?;
    page.until_value("Row key template", "{app_id}#{timestamp:iso}")?;
    page.check_accessible("a damaged link")?;
    page.click("button", "Dismiss")?;
    page.browser.run("location.hash = '#words'", json!([]))?;
    page.until_value("Row key template", "{app_id}#{timestamp:iso}")?;
    same("nothing is refused", page.browser.all_by_role("alert", "")?.len(), 0)
}

fn copies(page: &Page) -> Result<()> {
    page.browser
        .run("navigator.clipboard.writeText = async text => { window.copied = text; };", json!([]))?;
    page.click("button", "Share")?;
    page.until_text("Anyone with the link sees 1 design, the current query and the same events.")?;
    let link = page.field("Link")?.value()?;
    page.until_text(&format!("{} characters", link.len()))?;
    page.click("button", "Copy link")?;
    page.until_text("Link copied")?;
    same("the link", page.browser.run("return window.copied", json!([]))?, json!(link))?;
    page.click("button", "Copy as Markdown")?;
    page.until_text("Link and tables copied, as Markdown")?;
    let table = "| Design | Row key | Layout |\n|---|---|---|\n| Design 1 | `{timestamp:iso},{app_id},{user_token}` | Narrow |\n";
    let expected = format!("[Tabletop workspace]({link})\n\n{table}\n");
    let copied = page.browser.run("return window.copied", json!([]))?;
    let copied = copied.as_str().unwrap_or_default();
    // The figures are complete, although the view Compare was not opened.
    let has_all = copied.starts_with(&expected)
        && copied.contains("| Rows | 20,000 |")
        && !copied.contains("Incomplete");
    if !has_all {
        return Err(format!("the Markdown: {copied}"));
    }
    // Files are read where they are offered.
    let keep = "URL.createObjectURL = blob => { window.offered = blob; return 'blob:none'; };
        HTMLAnchorElement.prototype.click = function () { window.file = this.download; };";
    page.browser.run(keep, json!([]))?;
    for (button, file, content) in [
        ("Save workspace file", "tabletop-workspace.json", "\"version\":1"),
        ("Save picture (SVG)", "tabletop-tablets.svg", ">All current writes hit 1 of 32 tablets</text>"),
        ("Save figures (CSV)", "tabletop-figures.csv", "design,row_key,layout,hottest_tablet_share,"),
        ("Save both (JSON)", "tabletop-figures.json", "\"access_patterns\""),
        ("Save report (HTML)", "tabletop-report.html", "<code>{timestamp:iso},{app_id},{user_token}</code>"),
    ] {
        page.click("button", button)?;
        let offered = "return [window.file, await window.offered.text()]";
        page.until(&format!("{file} is offered"), || {
            let offered = page.browser.run(offered, json!([]))?;
            Ok(offered[0] == json!(file) && offered[1].as_str().is_some_and(|text| text.contains(content)))
        })?;
    }
    // Both are well formed, and the report needs nothing else. (The page's policy would refuse its
    // style.)
    let parse = "const text = (await window.offered.text()).replace(/<style>[^]*<\\/style>/, '');
        const report = new DOMParser().parseFromString(text, 'text/html');
        const picture = new DOMParser().parseFromString(report.querySelector('svg').outerHTML, 'image/svg+xml');
        return [report.querySelector('h1').textContent, report.querySelectorAll('script, link, img').length,
            picture.querySelector('parsererror') === null, picture.querySelectorAll('rect').length,
            report.querySelector('a').getAttribute('href') === arguments[0]]";
    // The page, the frame of the strip, 32 tablets, five fills of the legend.
    same(
        "the report",
        page.browser.run(parse, json!([link]))?,
        json!(["Tabletop workspace", 0, true, 39, true]),
    )?;
    page.check_accessible("the dialog that shares")?;
    page.browser.press(&["Escape"])?;
    page.until("the focus is back", || Ok(page.browser.focused()?.name()? == "Share"))
}

/// Records offered files instead of saving them, and what is copied.
fn catch_files(page: &Page) -> Result<()> {
    let keep = "const address = URL.createObjectURL.bind(URL);
        URL.createObjectURL = blob => { window.offered = blob; return address(blob); };
        HTMLAnchorElement.prototype.click = function () { window.file = this.download; };
        navigator.clipboard.writeText = async text => { window.copied = text; };
        navigator.clipboard.write = async items => { window.copied = await items[0].getType('image/png'); };";
    page.browser.run(keep, json!([])).map(drop)
}

/// Presses a button of the dialog, and returns the text of the file that it offers.
fn saved(page: &Page, button: &str, file: &str) -> Result<String> {
    page.browser.run("window.file = null", json!([]))?;
    page.click("button", button)?;
    page.until(&format!("{file} is offered"), || {
        Ok(page.browser.run("return window.file", json!([]))? == json!(file))
    })?;
    let text = page.browser.run("return await window.offered.text()", json!([]))?;
    text.as_str().map(String::from).ok_or_else(|| format!("{file} is no text"))
}

fn saves_pictures(page: &Page) -> Result<()> {
    let pixel =
        "const image = await createImageBitmap(arguments[0] === 'copied' ? window.copied : window.offered);
        const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return [image.width, image.height, [...context.getImageData(2, 2, 1, 1).data]]";
    for (theme, color) in [("Light theme", [255, 255, 255, 255]), ("Dark theme", [22, 25, 32, 255])] {
        page.click("button", "Menu")?;
        page.click("menuitem", theme)?;
        page.click("button", "Share")?;
        catch_files(page)?;
        page.browser.run("window.file = window.copied = null", json!([]))?;
        page.click("button", "Save picture (PNG)")?;
        page.until("it is offered", || {
            Ok(page.browser.run("return window.file", json!([]))? == json!("tabletop-tablets.png"))
        })?;
        same(
            "its size and its colour",
            page.browser.run(pixel, json!(["offered"]))?,
            json!([2064, 608, color]),
        )?;
        page.click("button", "Copy picture")?;
        page.until_text("Picture copied")?;
        same("what is copied", page.browser.run(pixel, json!(["copied"]))?, json!([2064, 608, color]))?;
        page.click("button", "Close")?;
    }
    page.click("button", "Examples")?;
    page.click("button", "Z-order of earthquakes")?;
    page.click("link", "Compare")?;
    page.find_named("button", "Add all")?.click()?;
    page.click("link", "Design")?;
    page.click("button", "Share")?;
    let parse = "return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelector('parsererror') === null";
    for (kind, file, text) in [
        ("Map", "tabletop-map.svg", "one colour per tablet"),
        ("Access patterns", "tabletop-access-patterns.svg", ">Total</text>"),
    ] {
        page.click("radio", kind)?;
        let svg = saved(page, "Save picture (SVG)", file)?;
        same(kind, page.browser.run(parse, json!([svg]))?, json!(true))?;
        same(kind, svg.contains(text), true)?;
    }
    let patterns = saved(page, "Save access patterns (CSV)", "tabletop-access-patterns.csv")?;
    same("the patterns are answered", patterns.contains(",answered,"), true)?;
    page.check_accessible("the dialog with pictures")
}
