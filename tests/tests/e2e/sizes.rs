//! The view of the sizes of rows.

use serde_json::json;
use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, same};

use super::run::Test;

pub const TESTS: &[Test] = &[Test {
    name: "sizes: bars count rows or bytes, an edit is undone, and the picture is saved",
    run: counts_and_saves,
}];

/// Returns the number of bars, and the sum of the rows above them.
fn bars(page: &Page) -> Result<(u64, u64)> {
    let drawn = page.browser.run(
        "const svg = document.querySelector('.sizes-chart svg');
        const above = [...svg.querySelectorAll('text')].slice(1).filter(text => /^[0-9,]+$/.test(text.textContent));
        return [svg.querySelectorAll('rect').length, above.reduce((sum, text) => sum + Number(text.textContent.replace(/,/g, '')), 0)]",
        json!([]),
    )?;
    serde_json::from_value(drawn).map_err(|error| error.to_string())
}

fn counts_and_saves(page: &Page) -> Result<()> {
    page.click("link", "Sizes")?;
    page.find("heading", "Row sizes")?;
    page.until_text("20,000 rows counted.")?;
    let (count, rows) = bars(page)?;
    same("there are bars, with all rows above them", (count > 0, rows), (true, 20_000))?;
    page.click("radio", "Bytes")?;
    page.until("the bars have bytes", || Ok(bars(page)? == (count, 0)))?;

    let size = || page.api("(await tabletop.workspace()).cluster.tablet_bytes_max");
    same("the engine fits the size of tablets", size()?, json!(null))?;
    page.click("button", "Halve the tablet size")?;
    page.until("the size is set", || Ok(!size()?.is_null()))?;
    page.click("button", "Undo")?;
    page.until("the size is fitted again", || Ok(size()?.is_null()))?;
    page.until_text("20,000 rows counted.")?;

    let keep = "const address = URL.createObjectURL.bind(URL);
        URL.createObjectURL = blob => { window.offered = blob; return address(blob); };
        HTMLAnchorElement.prototype.click = function () { window.file = this.download; };";
    page.browser.run(keep, json!([]))?;
    page.click("button", "Save as SVG")?;
    page.until("the file is offered", || {
        Ok(page.browser.run("return window.file", json!([]))? == json!("tabletop-row-sizes.svg"))
    })?;
    let file = page.browser.run("return await window.offered.text()", json!([]))?;
    let file = file.as_str().unwrap_or_default();
    same(
        "the file has the bars of the page, and its page",
        (file.matches("<rect").count() as u64, file.contains("bytes in rows of each size</title>")),
        (count + 1, true),
    )
}
