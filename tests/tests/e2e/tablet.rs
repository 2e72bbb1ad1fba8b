//! The view of one tablet's internals: its address, manual flush and compaction, what a read
//! touches, blocks and bytes.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, WIDE, same};

pub const TESTS: &[Test] = &[
    Test { name: "tablet: the view has an address, and back and forward work", run: has_an_address },
    Test {
        name: "tablet: flush and compact change the SSTables, but not the rows",
        run: flushes_and_compacts,
    },
    Test {
        name: "tablet: a query lights the blocks it reads, and crosses what a Bloom filter skips",
        run: lights_reads,
    },
    Test { name: "tablet: an SSTable opens to its blocks, and a block to its bytes", run: opens_bytes },
    Test { name: "tablet: the picture follows the events while they play", run: follows_events },
    Test { name: "tablet: everything works by keys", run: works_by_keys },
    Test { name: "tablet: a phone is wide enough, and targets are large enough", run: fits_a_phone },
    Test { name: "tablet: without events it says what to do", run: explains_emptiness },
    Test { name: "tablet: a script looks inside, flushes and compacts", run: answers_scripts },
    Test { name: "tablet: axe finds nothing, light", run: |page| check_accessible(page, "light") },
    Test { name: "tablet: axe finds nothing, dark", run: |page| check_accessible(page, "dark") },
];

const USER_FIRST: &str = "{user_token},{timestamp:iso}";

fn open(page: &Page) -> Result<()> {
    page.click("link", "Tablet")?;
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

/// Returns the number of parts with this class.
fn count(page: &Page, class: &str) -> Result<u64> {
    let count = page
        .browser
        .run("return document.querySelectorAll('.inside-list > .' + arguments[0]).length", json!([class]))?;
    Ok(count.as_u64().unwrap_or_default())
}

fn all_rows(page: &Page) -> Result<Value> {
    page.api("(await tabletop.read(0, {})).stats.cells_returned")
}

fn is_disabled(page: &Page, button: &str) -> Result<bool> {
    Ok(page.find("button", button)?.property("disabled")? == json!(true))
}

fn has_an_address(page: &Page) -> Result<()> {
    let query = || page.browser.run("return location.search", json!([]));
    let is_shown = |heading: &str| Ok(!page.browser.all_by_role("heading", heading)?.is_empty());
    open(page)?;
    same("the address", query()?, json!("?view=tablet"))?;
    same("the current link", page.find("link", "Tablet")?.attribute("aria-current")?.as_str(), "page")?;
    page.click("link", "Compare")?;
    page.until("the other view is there", || is_shown("Compare designs"))?;
    page.browser.run("history.back()", json!([]))?;
    page.until("the tablet is back", || is_shown("Inside a tablet"))?;
    page.browser.run("history.back()", json!([]))?;
    page.until("the first view is back", || is_shown("Results"))?;
    page.browser.run("history.forward()", json!([]))?;
    page.until("the tablet is there", || is_shown("Inside a tablet"))?;
    page.at(format!("{}?view=tablet", page.url())).reopen()?;
    page.until("the address opens the view", || is_shown("Inside a tablet"))?;
    page.click("link", "Design")?;
    // The picture moves while it is redrawn.
    page.until("the tablet is chosen", || Ok(page.find_named("option", "Tablet 2 of")?.click().is_ok()))?;
    page.click("link", "Tablet")?;
    page.until_text("Tablet 2 of ")?;
    page.until("it is the chosen one", || {
        let chosen = page.find_named("option", "Tablet 2 of")?;
        Ok(chosen.attribute("aria-selected")? == "true")
    })
}

fn flushes_and_compacts(page: &Page) -> Result<()> {
    // After the last event, the busiest tablet has one SSTable, and its memtable has rows that
    // follow the rows of the SSTable.
    open(page)?;
    page.until("the memtable has rows", || Ok(!is_disabled(page, "Flush")?))?;
    let (rows, before) = (all_rows(page)?, parts(page)?);
    let undo = is_disabled(page, "Undo")?;
    page.click("button", "Flush")?;
    page.until("there is one more SSTable", || Ok(parts(page)?.len() == before.len() + 1))?;
    page.until("the memtable is empty", || {
        Ok(parts(page)?.first().is_some_and(|part| part.contains(" 0 B of")))
    })?;
    page.until_text("The memtable is empty and no SSTables overlap: nothing to flush or compact.")?;
    same(
        "whether both are disabled",
        [is_disabled(page, "Flush")?, is_disabled(page, "Compact")?],
        [true; 2],
    )?;
    same("rows", all_rows(page)?, rows)?;
    same("whether undo is disabled", is_disabled(page, "Undo")?, undo)?;

    page.api(&format!("tabletop.design(0, {{ template: '{USER_FIRST}' }})"))?;
    go_to_the_middle(page)?;
    page.until("SSTables overlap", || Ok(parts(page)?.iter().any(|part| part.contains("below 1 newer"))))?;
    let rows = all_rows(page)?;
    page.click("button", "Compact")?;
    page.until("one SSTable is left", || Ok(parts(page)?.len() == 2))?;
    page.until("the memtable is in it", || {
        Ok(parts(page)?.first().is_some_and(|part| part.contains(" 0 B of")))
    })?;
    same("rows after the compaction", all_rows(page)?, rows)
}

/// Sets the rows of the query, and a limit.
fn set_query(page: &Page, rows: &str, limit: u32) -> Result<()> {
    page.api(&format!(
        "(async () => {{
            const workspace = await tabletop.workspace();
            workspace.query = {{ ...workspace.query, rows: {rows}, rows_limit: {limit}n, filter: null }};
            workspace.queries = [];
            await tabletop.open(workspace);
        }})()"
    ))
    .map(drop)
}

fn lights_reads(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(0, {{ template: '{USER_FIRST}' }})"))?;
    // A row that does not exist, between existing ones.
    let key = page.api("(await tabletop.read(0, { rows_limit: 9000 })).rows.at(-1).key")?;
    set_query(page, &format!("{{ keys: [{key} + '~'] }}"), 10)?;
    open(page)?;
    go_to_the_middle(page)?;
    page.click("button", "Run the query")?;
    page.until_text("skipped by Bloom filter")?;
    if let Some(show) = page.browser.all_by_role("button", "Show the first one")?.first() {
        show.click()?;
    }
    page.until("an SSTable is crossed", || Ok(count(page, "crossed")? > 0))?;
    page.until("the reason is shown", || {
        Ok(parts(page)?.iter().any(|part| part.contains("skipped: the row is not in the Bloom filter")))
    })?;
    same("SSTables that were read", count(page, "run.lit")?, 0)?;

    set_query(page, "\"all\"", 0)?;
    page.click("button", "Run the query")?;
    page.until("SSTables are lit", || Ok(count(page, "run.lit")? > 0))?;
    same("SSTables that are crossed", count(page, "crossed")?, 0)?;
    page.until("a part says what was read", || {
        Ok(parts(page)?.iter().any(|part| part.contains("read from") || part.contains(" read, ")))
    })?;
    page.until_text(" from storage, ")?;
    // The second time, the cache has the blocks.
    page.click("button", "Run the query")?;
    page.until_text(" 0 from storage, ")
}

fn opens_bytes(page: &Page) -> Result<()> {
    open(page)?;
    page.find_named("button", "SSTable ")?.click()?;
    page.find_named("region", "Blocks of SSTable ")?;
    page.click("button", "Block 0")?;
    page.find_named("heading", "Block 0 of SSTable ")?;
    page.until_text("number of rows")?;
    page.until_text("B of keys, columns, times and values")?;
    let bytes = page.find("group", "Bytes of block 0")?;
    page.browser.run("arguments[0].focus()", json!([bytes.as_argument()]))?;
    page.browser.press(&["ArrowRight"])?;
    page.until_text("base of the other times")?;
    page.browser.press(&["ArrowLeft"])?;
    page.until_text("Byte 0: number of rows")?;
    let names = ["counts, lengths", "key", "time"];
    let legend = page.find("list", "Parts of a block by colour")?.text()?;
    same("the legend names the parts", names.map(|name| legend.contains(name)), [true; 3])?;
    for _ in 0..20 {
        let Some((more, _)) = page.browser.first_named("button", " more of ")? else { break };
        let before = page.browser.run("return document.querySelectorAll('.hex-line').length", json!([]))?;
        more.click()?;
        page.until("more bytes are shown", || {
            Ok(page.browser.run("return document.querySelectorAll('.hex-line').length", json!([]))? != before)
        })?;
    }
    page.browser
        .run("arguments[0].focus()", json!([page.find("group", "Bytes of block 0")?.as_argument()]))?;
    page.browser.press(&["End"])?;
    page.until_text(": checksum")?;
    // A click on a byte chooses its part.
    page.browser.by_css(".hex-bytes > .byte-2")?.click()?;
    page.until_text(": rest of the key")?;
    page.click("button", "Close the SSTable")?;
    page.until_text("Choose an SSTable above")
}

fn follows_events(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Restart")?;
    page.until("the memtable fills", || Ok(parts(page)?.first().is_some_and(|part| part.contains(" row"))))?;
    page.until("an SSTable appears", || Ok(parts(page)?.len() > 1))?;
    page.until("the amplification is drawn", || Ok(!page.browser.all_by_role("image", "")?.is_empty()))?;
    page.find_named("image", "Amplification from ")?;
    page.click("button", "Pause").or_else(|_| page.click("button", "Load all"))
}

fn works_by_keys(page: &Page) -> Result<()> {
    open(page)?;
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
            page.browser.press(&["End"])?;
            return page.until_text("Bytes ");
        }
    }
    Err("the Tab key does not get to the bytes".into())
}

fn fits_a_phone(page: &Page) -> Result<()> {
    open(page)?;
    go_to_the_middle(page)?;
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
    page.browser.resize(WIDE.0, WIDE.1)
}

fn explains_emptiness(page: &Page) -> Result<()> {
    page.api("tabletop.load('a,b\\n', { name: 'none.csv' }).catch(() => null)")?;
    page.click("link", "Tablet")?;
    page.find("heading", "Inside a tablet")?;
    page.until("it says why", || Ok(page.visible_text()?.contains("Choose another file")))
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

fn check_accessible(page: &Page, scheme: &str) -> Result<()> {
    let media: [(&str, &str); 2] = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")];
    page.browser.media(&media)?;
    open(page)?;
    page.check_accessible("a tablet at rest")?;
    go_to_the_middle(page)?;
    page.until("the memtable has rows", || Ok(!is_disabled(page, "Flush")?))?;
    page.click("button", "Run the query")?;
    page.until_text(" from storage, ")?;
    page.check_accessible("a tablet in the middle of the events")?;
    page.find_named("button", "SSTable ")?.click()?;
    page.find_named("button", "Block ")?.click()?;
    page.find_named("heading", " of SSTable ")?;
    page.check_accessible("bytes of a block")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.check_accessible("a tablet on a phone")?;
    page.browser.resize(WIDE.0, WIDE.1)
}
