//! The view of one tablet's internals: keys, scripts, and accessibility.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, WIDE, same};

pub const TESTS: &[Test] = &[
    Test { name: "tablet: everything works by keys", run: works_by_keys },
    Test { name: "tablet: a script looks inside, flushes and compacts", run: answers_scripts },
    Test { name: "tablet: axe finds nothing, light and dark, and it fits on a phone", run: is_accessible },
];

fn open(page: &Page) -> Result<()> {
    page.click("link", "Storage")?;
    page.find("heading", "Inside a tablet")?;
    page.until("the tablet is there", || Ok(!parts(page)?.is_empty()))
}

/// Goes to the middle of the events, where memtables have rows and SSTables overlap.
fn go_to_the_middle(page: &Page) -> Result<()> {
    let slider = page.find("slider", "Position in the events")?;
    slider.click()?;
    page.until("the table is at the position of the slider", || {
        let at: u32 = slider.value()?.parse().map_err(|_| "the slider has a number")?;
        Ok((5_000..15_000).contains(&at)
            && page.visible_text()?.replace(',', "").contains(&format!("{at} of 20000 events")))
    })
}

/// Returns the texts of the memtable and of each SSTable, newest first.
fn parts(page: &Page) -> Result<Vec<String>> {
    let read = "return [...document.querySelectorAll('.inside-list > li')].map(each => each.innerText.replace(/\\s+/g, ' '))";
    let texts = page.browser.run(read, json!([]))?;
    Ok(texts.as_array().into_iter().flatten().map(|text| text.as_str().unwrap_or_default().into()).collect())
}

fn is_disabled(page: &Page, button: &str) -> Result<bool> {
    Ok(page.find("button", button)?.property("disabled")? == json!(true))
}

fn works_by_keys(page: &Page) -> Result<()> {
    // The picture moves while it is redrawn. The tablet that is chosen in one view is shown in the
    // other.
    page.until("the tablet is chosen", || Ok(page.find_named("option", "Tablet 2 of")?.click().is_ok()))?;
    open(page)?;
    page.until("it is the chosen one", || {
        let chosen = page.find_named("option", "Tablet 2 of")?;
        Ok(chosen.attribute("aria-selected")? == "true")
    })?;
    page.browser.run("document.querySelector('.inside-strip [role=listbox]').focus()", json!([]))?;
    page.browser.press(&["Home", "ArrowRight", "Enter"])?;
    page.until_text("Tablet 2 of ")?;
    let run = page.find_named("button", "SSTable ")?;
    page.browser.run("arguments[0].focus()", json!([run.as_argument()]))?;
    page.browser.press(&["Enter"])?;
    page.until("it is open", || Ok(page.browser.focused()?.attribute("aria-expanded")? == "true"))?;
    let block = page.find("button", "Block 1")?;
    page.browser.run("arguments[0].focus()", json!([block.as_argument()]))?;
    page.browser.press(&["Enter"])?;
    page.find_named("heading", "Block 1 of SSTable ")?;
    // The bytes are a stop of the Tab key.
    for _ in 0..60 {
        page.browser.press(&["Tab"])?;
        if page.browser.focused()?.name()? == "Bytes of block 1" {
            page.browser.press(&["ArrowRight"])?;
            page.until_text("base of the other times")?;
            page.browser.press(&["ArrowLeft"])?;
            page.until_text("Byte 0: number of rows")?;
            page.browser.press(&["End"])?;
            page.until_text("Bytes ")?;
            // A click on a byte chooses its part.
            page.browser.by_css(".hex-bytes > .byte-2")?.click()?;
            return page.until_text(": rest of the key");
        }
    }
    Err("the Tab key does not get to the bytes".into())
}

fn answers_scripts(page: &Page) -> Result<()> {
    let look = "(async () => {
        const { tablets } = await tabletop.tablets(0);
        const busiest = tablets.reduce((a, b) => b.memtable_bytes > a.memtable_bytes ? b : a).id;
        const { tablet } = await tabletop.inspect(0, { tablet: busiest });
        const file = tablet.runs[0].file;
        const { blocks } = await tabletop.inspect(0, { blocks: { file, from: 0, count: 10 } });
        const { block } = await tabletop.inspect(0, { block: { file, block: 0, from: 0 } });
        const touched = await tabletop.touched(0, { rows_limit: 1 });
        await tabletop.flush(0, busiest);
        const flushed = (await tabletop.inspect(0, { tablet: busiest })).tablet;
        await tabletop.compact(0, busiest);
        const refused = await tabletop.inspect(0, { tablet: 99999n }).catch(error => [error.code, error.message]);
        return {
            rows: tablet.memtables[0].rows > 0n,
            blocks: blocks.total === tablet.runs[0].blocks && blocks.blocks[0].rows > 0,
            bytes: block.bytes.length > 0 && block.parts[0].kind === 'row_count' && block.damage === null,
            touched: touched.tablets.length,
            flushed: flushed.memtables[0].rows === 0n && flushed.runs.length === tablet.runs.length + 1,
            refused,
        };
    })()";
    let found = page.api(look)?;
    let refused = "there is no tablet 99999 now: it was split or merged; view the table again";
    same(
        "what it finds",
        found,
        json!({ "rows": true, "blocks": true, "bytes": true, "touched": 1, "flushed": true, "refused": ["not_found", refused] }),
    )
}

fn is_accessible(page: &Page) -> Result<()> {
    open(page)?;
    page.check_accessible_in_both_themes("a tablet at rest")?;
    go_to_the_middle(page)?;
    page.until("the memtable has rows", || Ok(!is_disabled(page, "Flush")?))?;
    page.click("button", "Run the query")?;
    page.until_text(" from storage, ")?;
    page.check_accessible_in_both_themes("a tablet in the middle of the events")?;
    page.find_named("button", "SSTable ")?.click()?;
    page.find_named("button", "Block ")?.click()?;
    page.find_named("heading", " of SSTable ")?;
    page.check_accessible_in_both_themes("bytes of a block")?;
    for (width, height) in [PHONE, (320, 640)] {
        page.browser.resize(width, height)?;
        page.find_named("button", "SSTable ")?;
        let wide = "const wide = document.scrollingElement.scrollWidth;
             if (wide <= innerWidth) return null;
             const widest = [...document.querySelectorAll('main *')].filter(each => each.getBoundingClientRect().right > innerWidth + 1);
             return [wide, ...widest.slice(0, 3).map(each => each.outerHTML.slice(0, 100))];";
        same("what is wider than the page", page.browser.run(wide, json!([]))?, Value::Null)?;
        let small = "return [...document.querySelectorAll('.pane-tablet button')].map(each => [each.textContent, each.getBoundingClientRect().height]).filter(each => each[1] < 24)";
        same("targets that are too small", page.browser.run(small, json!([]))?, json!([]))?;
    }
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.check_accessible_in_both_themes("a tablet on a phone")?;
    page.browser.resize(WIDE.0, WIDE.1)
}
