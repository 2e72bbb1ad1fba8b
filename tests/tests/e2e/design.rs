//! The row key and the layout.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "design: Escape closes the editor of a part or a separator", run: leaves_editors },
    Test { name: "design: keys that begin alike show where they differ", run: cuts_keys },
    Test {
        name: "design: on a phone the tablets stay in sight while the key is edited, and fingers have room",
        run: edits_on_a_phone,
    },
    Test {
        name: "design: at 1024 x 768 the tablets have a third of the height, and the left column folds for each view",
        run: folds_the_column,
    },
];

fn first_key(page: &Page) -> Result<Value> {
    page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")
}

fn leaves_editors(page: &Page) -> Result<()> {
    page.fill("Row key template", "{user_token}#{timestamp:iso}")?;
    page.find_named("button", "Edit user_token")?.click()?;
    page.click("button", "Transform")?;
    // The menu closes first.
    page.browser.press(&["Escape"])?;
    page.until("the menu is closed", || Ok(page.browser.focused()?.name()? == "Transform"))?;
    page.browser.press(&["Escape"])?;
    page.until("the chip has the focus", || Ok(page.browser.focused()?.name()?.contains("Edit user_token")))?;
    same("editors that are open", page.browser.all_by_role("button", "Transform")?.len(), 0)?;
    // The separator after a part is edited with it.
    page.find_named("button", "Edit user_token")?.click()?;
    page.field("Separator")?.click()?;
    page.browser.press(&["Escape"])?;
    page.until("the chip has the focus again", || {
        Ok(page.browser.focused()?.name()?.contains("Edit user_token"))
    })
}

fn cuts_keys(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{app_id},{user_token},{timestamp:iso}' })")?;
    let key = first_key(page)?;
    let key = key.as_str().ok_or("a key")?;
    page.until_first_key(key)?;
    same("the name of the row", page.browser.all_by_role("rowheader", "")?[0].name()?.as_str(), key)?;
    // The whole text is there: its head is cut, and its last piece is within its line.
    let look = "return ['.keys li', '[role=rowheader]'].map(selector => {
        const line = document.querySelector(selector), head = line.querySelector('.key-head');
        const end = line.querySelector('.key-line-text').lastElementChild.getBoundingClientRect().right;
        return [line.textContent, head.scrollWidth > head.clientWidth, end <= line.getBoundingClientRect().right + 1];
    });";
    let expected = json!([[key, true, true], [key, true, true]]);
    page.until("keys are cut in the middle", || Ok(page.browser.run(look, json!([]))? == expected))
}

fn edits_on_a_phone(page: &Page) -> Result<()> {
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.open_pane(Pane::Design)?;
    let region = page.find("region", "Tablets")?;
    same("the headline is there", region.text()?.contains("All current writes hit 1 of 32 tablets"), true)?;
    // It stays visible at the end of the editor, also where that is longer than the screen.
    page.browser.resize(PHONE.0, PHONE.1 - 240)?;
    let seen = "const scroll = document.querySelector('.single-scroll'); scroll.scrollTop = scroll.scrollHeight;
        const box = document.querySelector('.tablets-above').getBoundingClientRect(), room = scroll.getBoundingClientRect();
        return box.top >= room.top - 1 && box.bottom < room.bottom && scroll.scrollTop > 0";
    same("it stays", page.browser.run(seen, json!([]))?, json!(true))?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.fill("Row key template", "{user_token},{timestamp:iso}")?;
    page.until("the tablets change", || {
        Ok(page.find("region", "Tablets")?.text()?.contains("Writes are spread"))
    })?;
    page.check_accessible("the editor of the key on a phone")?;
    page.browser.devtools("Emulation.setTouchEmulationEnabled", &json!({ "enabled": true }))?;
    let metrics = json!({ "width": PHONE.0, "height": PHONE.1, "deviceScaleFactor": 1, "mobile": true });
    page.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics)?;
    let checked = || -> Result<()> {
        page.until("a finger points", || {
            Ok(page.browser.run("return matchMedia('(pointer: coarse)').matches", json!([]))? == json!(true))
        })?;
        for pane in [Pane::Data, Pane::Design, Pane::Tablets, Pane::Query, Pane::Results] {
            page.open_pane(pane)?;
            // The bar is lower: `traffic: it is whole on a phone` checks it.
            let small = "return [...document.querySelectorAll('button, [role=tab], summary, select, .input')]
                .filter(each => !each.closest('.topbar') && each.checkVisibility({ visibilityProperty: true }) && !each.disabled)
                .map(each => [each.ariaLabel || each.textContent || each.className, (each.closest('label') ?? each).getBoundingClientRect()])
                .filter(([, box]) => box.width > 2 && (box.height < 43.5 || box.width < 24)).map(([name, box]) => `${name}: ${box.width} x ${box.height}`)";
            same(&format!("{pane:?}: targets below 44 px"), page.browser.run(small, json!([]))?, json!([]))?;
        }
        Ok(())
    };
    let result = checked();
    page.browser.devtools("Emulation.setTouchEmulationEnabled", &json!({ "enabled": false }))?;
    page.browser.devtools("Emulation.clearDeviceMetricsOverride", &json!({}))?;
    result
}

fn folds_the_column(page: &Page) -> Result<()> {
    page.browser.resize(1024, 768)?;
    let height = page
        .browser
        .run("return document.querySelector('.strip').getBoundingClientRect().height", json!([]))?;
    same(
        &format!("a third of 768 px: {height}"),
        height.as_f64().is_some_and(|height| height >= 256.0),
        true,
    )?;
    page.click("button", "Collapse the left column")?;
    page.until("it is folded", || Ok(page.browser.all_by_role("textbox", "Row key template")?.is_empty()))?;
    page.check_accessible("the page without its left column")?;
    page.click("link", "Compare")?;
    page.field("Row key template")?;
    page.click("link", "Design")?;
    let is_folded = || Ok(page.browser.all_by_role("textbox", "Row key template")?.is_empty());
    page.until("the view remembers it", is_folded)?;
    page.reopen()?;
    page.find("button", "Show the left column")?;
    page.until("a reload, too", is_folded)?;
    page.click("button", "Show the left column")?;
    page.field("Row key template")?;
    Ok(())
}
