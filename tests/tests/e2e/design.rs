//! The row key and the layout.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "design: a template is written as text, and chips and keys follow", run: writes_text },
    Test {
        name: "design: chips are moved, removed, added and edited, and the text follows",
        run: edits_chips,
    },
    Test { name: "design: Escape closes the editor of a part or a separator", run: leaves_editors },
    Test {
        name: "design: an error in a template has a position, and the last valid one stays",
        run: shows_errors,
    },
    Test { name: "design: keys that begin alike show where they differ", run: cuts_keys },
    Test { name: "design: warnings with evidence and fixes", run: warns },
    Test { name: "design: narrow, wide, row per entity", run: lays_out },
    Test {
        name: "design: values in each encoding are shown as JSON, and as bytes on request",
        run: encodes_values,
    },
    Test { name: "design: a field has one colour in all designs", run: colours_fields },
    Test {
        name: "design: on a phone the tablets stay in sight while the key is edited, and fingers have room",
        run: edits_on_a_phone,
    },
    Test {
        name: "design: at 1024 x 768 the tablets have a third of the height, and the left column folds for each view",
        run: folds_the_column,
    },
    Test { name: "design: GC rules collect versions, are explained, exported and undone", run: collects },
    Test {
        name: "design: an edit reports what it has changed, and so does its undo",
        run: says_what_changed,
    },
    Test { name: "design: undo and redo", run: undoes_and_redoes },
    Test { name: "design: earthquakes under a Z-order key", run: orders_by_z_order },
];

fn collects(page: &Page) -> Result<()> {
    let rule = |family: &str, text: &str| {
        page.fill(&format!("GC rule of {family}"), text)?;
        page.browser.press(&["Enter"])
    };
    let rules = || page.api("(await tabletop.workspace()).designs[0].families.map(each => each.family)");
    page.open_pane(Pane::Design)?;
    page.click("radio", "Row per entity")?;
    page.until_text("500 rows · 20,000 cells")?;
    page.click("button", "Families and GC rules")?;
    rule("click", "maxversions=1")?;
    page.until_text("Collects cells that are older than the newest version of their column.")?;
    page.until_text("500 rows · 16,984 cells")?;
    let clicks =
        "(await tabletop.read(0, { rows_limit: 50, filter: 'family_name_regex(\"click\")' })).rows.map(row =>
        [row.cells.length, new Set(row.cells.map(cell => String(cell.qualifier))).size])";
    let counts = page.api(clicks)?;
    let one_each = |counts: &Value| {
        counts.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(|row| row[0] == row[1]))
    };
    same("one version of each column", one_each(&counts), true)?;
    page.check_accessible("GC rules")?;

    rule("view", "maxversion=1")?;
    page.until_text("did you mean maxversions?")?;
    same("rules after a mistake", rules()?, json!(["click"]))?;
    page.check_accessible("a GC rule with a mistake")?;
    page.click("button", "Use for all")?;
    page.until("all families have the rule", || Ok(rules()? == json!(["click", "conversion", "view"])))?;
    page.until_value("GC rule of view", "maxversions=1")?;
    page.click("button", "Table as cbt")?;
    page.until_text("view:maxversions=1")?;
    page.click("button", "Undo")?;
    page.until_value("GC rule of view", "never")?;
    page.until("the rule of before is back", || Ok(rules()? == json!(["click"])))?;
    page.click("button", "Undo")?;
    page.until_text("500 rows · 20,000 cells")
}

fn template(page: &Page) -> Result<String> {
    page.find("textbox", "Row key template")?.value()
}

fn first_key(page: &Page) -> Result<Value> {
    page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")
}

fn writes_text(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{user_token}~{timestamp:reverse_time}")?;
    page.find("button", "Edit user_token")?;
    let mut key = json!(null);
    page.until("the page shows the first of the new keys", || {
        key = first_key(page)?;
        let text = key.as_str().unwrap_or_default();
        Ok(text.contains('~') && page.visible_text()?.contains(text))
    })?;
    page.click("button", "Hex")?;
    let bytes = key.as_str().unwrap_or_default().bytes().take(4).map(|byte| format!("{byte:02x}"));
    let bytes: Vec<String> = bytes.collect();
    page.until("keys are shown as bytes", || {
        Ok(page.visible_text()?.replace(' ', "").contains(&bytes.concat()))
    })
}

fn says_what_changed(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    same("the effect before an edit", page.visible_text()?.contains("Last edit:"), false)?;
    page.fill("Row key template", "{user_token},{timestamp:iso}")?;
    page.until_text("Last edit:")?;
    let effect = || {
        page.browser
            .run("return document.querySelector('.last-edit').innerText.replace(/\\s+/g, ' ')", json!([]))
    };
    let shows =
        |text: &str| page.until(text, || Ok(effect()?.as_str().is_some_and(|shown| shown.contains(text))));
    shows("hottest tablet 100%")?;
    let share = page.api("(await tabletop.tablets(0)).tablets.map(tablet => tablet.writes_per_second)")?;
    let rates: Vec<f64> = share.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let hottest = rates.iter().copied().fold(0.0, f64::max) / rates.iter().sum::<f64>();
    shows(&format!("→ {:.0}%", hottest * 100.0))?;
    page.click("button", "Undo")?;
    shows("→ 100%")?;
    // A query that became more expensive.
    page.open_pane(Pane::Design)?;
    page.click("button", "Redo")?;
    shows("hottest tablet 100%")
}

fn edits_chips(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{app_id},{user_token},{timestamp:iso}")?;
    page.click("button", "Move user_token up")?;
    page.until_value("Row key template", "{user_token},{app_id},{timestamp:iso}")?;
    page.click("button", "Remove app_id")?;
    page.until_value("Row key template", "{user_token},{timestamp:iso}")?;
    page.click("button", "Add part")?;
    page.click("menuitem", "event_type")?;
    page.until("the field is in the text", || Ok(template(page)?.contains("{event_type}")))?;
    page.click("button", "Remove event_type")?;
    page.click("button", "Edit user_token")?;
    page.click("button", "Transform")?;
    page.click("menuitem", "Hash, 8 digits")?;
    page.until_value("Row key template", "{user_token:hash(8)},{timestamp:iso}")?;
    page.click("button", "Remove hash(8)")?;
    page.until_value("Row key template", "{user_token},{timestamp:iso}")?;
    page.find("radiogroup", "Salt")?.by_role("radio", "16")?.click()?;
    page.until("the text has the salt", || Ok(template(page)?.starts_with("{salt(16)}")))?;
    page.until_text("a prefix scan becomes 16 scans")?;
    page.find("radiogroup", "Salt")?.by_role("radio", "Off")?.click()?;
    page.until_value("Row key template", "{user_token},{timestamp:iso}")
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
    page.find_named("button", "Edit the separator #")?.click()?;
    page.field("Separator")?.click()?;
    page.browser.press(&["Escape"])?;
    page.until("the separator's chip has the focus", || {
        Ok(page.browser.focused()?.name()?.contains("separator"))
    })
}

fn shows_errors(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{app_id}|{timestamp:iso}' })")?;
    page.until_value("Row key template", "{app_id}|{timestamp:iso}")?;
    page.open_pane(Pane::Design)?;
    let before = first_key(page)?;
    // It is inserted at the end, so that no prefix of the input is a valid template.
    page.browser.run("arguments[0].focus()", json!([page.field("Row key template")?.as_argument()]))?;
    page.browser.press(&["End", "{", "u", "s", "r", "_", "t", "o", "k", "e", "n", "}"])?;
    page.until_text("did you mean user_token?")?;
    page.until_text("At 26 to 34")?;
    same(
        "marked as wrong",
        page.find("textbox", "Row key template")?.attribute("aria-invalid")?.as_str(),
        "true",
    )?;
    page.until_text("Still showing the last valid template:\n")?;
    page.until_text("{app_id}|{timestamp:iso}")?;
    same("advice on another template", page.browser.all_by_role("list", "Warnings")?.len(), 0)?;
    same("the table", first_key(page)?, before)?;
    page.click("link", "Compare")?;
    page.until_text("The template has an error: edit the design")?;
    page.until_text("With the last valid template: ")
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

fn warns(page: &Page) -> Result<()> {
    page.api(
        r#"tabletop.load([..."abcdefghijklmnopqrstuvwxyz"].map((c, i) =>
            JSON.stringify({ who: "u-" + c, n: i * 7, kind: i % 2 ? "x" : "y", at: new Date(1.7e12 + i * 60000).toISOString() })).join("\n"),
            { template: "{who}#{at:iso}" })"#,
    )?;
    page.open_pane(Pane::Design)?;
    // The template, a text of the warning, and the button that fixes it.
    let unwise = [
        ("{at:iso}#{who}", "most of the current writes", "Move at"),
        ("{n}#{who}#{at:iso}", "not in numeric order", "Pad to"),
        ("{who}-{at:iso}", "a prefix also matches other values", "Separate with"),
        ("{kind}", "already used by an earlier one", "Add at"),
    ];
    for (written, word, fix) in unwise {
        page.fill("Row key template", written)?;
        page.until(&format!("{written} has a warning"), || {
            let warnings = page.browser.all_by_role("list", "Warnings")?;
            Ok(!warnings.is_empty() && warnings[0].text()?.to_lowercase().contains(word))
        })?;
        page.find_named("button", fix)?;
    }
    let before = template(page)?;
    page.find_named("button", "Add at")?.click()?;
    page.until("the fix is in the text", || Ok(template(page)? != before))
}

fn lays_out(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{app_id},{user_token},{timestamp:iso}' })")?;
    page.open_pane(Pane::Design)?;
    let counts = "(read => [read.rows.length, read.rows[0].cells.length])(await tabletop.read(0, {}))";
    let narrow = page.api(counts)?;
    same("cells of a narrow row", narrow[1].clone(), json!(1))?;
    page.click("radio", "Wide")?;
    page.until("rows are wide", || {
        let wide = page.api(counts)?;
        Ok(wide[0] == narrow[0] && wide[1].as_u64() > Some(1))
    })?;
    page.click("radio", "Row per entity")?;
    page.until("there is a row for each user", || {
        let entity = page.api(counts)?;
        Ok(entity[0].as_u64() < narrow[0].as_u64().map(|rows| rows / 2))
    })?;
    page.until_text("All events of one key in one row")
}

fn encodes_values(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{app_id},{user_token},{timestamp:iso}' })")?;
    page.open_pane(Pane::Design)?;
    let encoding = || page.api("(await tabletop.workspace()).designs[0].layout.encoding");
    let stored = || page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].cells[0].value_bytes");
    same("the encoding of a first visit", encoding()?, json!("json"))?;
    let json = stored()?;
    for (name, in_workspace) in
        [("MessagePack", "message_pack"), ("Protobuf", "protobuf"), ("Compact list", "compact_list")]
    {
        page.find("combobox", "Encoding")?.choose(name)?;
        page.until(name, || Ok(encoding()? == in_workspace))?;
        page.until("the values are written again, in fewer bytes", || {
            Ok(stored()?.as_array().map(Vec::len) < json.as_array().map(Vec::len))
        })?;
        page.until_text("Filters cannot match values.")?;
        // The grid shows what the bytes mean.
        page.until_text("[[\"category\",\":\",")?;
        page.check_accessible(name)?;
    }
    page.find("combobox", "Values as")?.choose("Hex")?;
    page.until("the bytes are shown", || Ok(!page.visible_text()?.contains("[[\"category\",\":\",")))?;
    page.click("radio", "Columns")?;
    page.until("texts have no encoding", || {
        Ok(!page.visible_text()?.contains("Filters cannot match values."))
    })
}

fn undoes_and_redoes(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    let first = template(page)?;
    page.fill("Row key template", "{user_token}")?;
    page.click("radio", "Wide")?;
    page.browser.press(&["Control+z"])?;
    page.until("the layout is narrow again", || {
        Ok(page.find("radio", "Narrow")?.attribute("aria-checked")? == "true")
    })?;
    page.click("button", "Undo")?;
    page.until_value("Row key template", &first)?;
    page.browser.press(&["Control+Shift+z"])?;
    page.until_value("Row key template", "{user_token}")
}

fn orders_by_z_order(page: &Page) -> Result<()> {
    page.api("tabletop.sample('earthquakes')")?;
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{time}")?;
    page.click("button", "Add part")?;
    page.click("menuitem", "Z-order of two numbers")?;
    page.until("the text has the Z-order", || {
        Ok(template(page)?.contains("zorder(longitude, latitude, as=hex)"))
    })?;
    page.click("button", "Remove time")?;
    page.until("keys are hex digits", || {
        let key = first_key(page)?;
        Ok(key.as_str().is_some_and(|key| key.len() == 8 && key.bytes().all(|byte| byte.is_ascii_hexdigit())))
    })
}

fn colours_fields(page: &Page) -> Result<()> {
    page.click("link", "Compare")?;
    for template in ["{user_token},{timestamp:iso}", "{salt(8)}-{app_id},{user_token}"] {
        page.find_named("button", "Duplicate Design 1")?.click()?;
        page.fill("Row key template", template)?;
    }
    page.until("there are three designs", || {
        Ok(page.api("(await tabletop.workspace()).designs.length")? == json!(3))
    })?;
    let colors = "const found = {};
        for (const key of document.querySelectorAll('.anatomy-key, .template-mirror')) {
            for (const part of key.querySelectorAll('[class^=part-]')) {
                const text = part.textContent, field = /^2019-|timestamp/.test(text) ? 'timestamp' : /^app-|app_id/.test(text) ? 'app_id'
                    : /^[0-9a-f]{8}-|user_token/.test(text) ? 'user_token' : null;
                if (field) (found[field] ??= new Set()).add(getComputedStyle(part).color);
            }
        }
        return Object.entries(found).sort().map(([field, colors]) => [field, [...colors]])";
    page.until("each field has one colour, which is its own", || {
        let found = page.browser.run(colors, json!([]))?;
        let of: Vec<(String, Vec<String>)> =
            serde_json::from_value(found).map_err(|error| error.to_string())?;
        let all: std::collections::BTreeSet<&String> = of.iter().flat_map(|(_, colors)| colors).collect();
        Ok(of.len() == 3 && of.iter().all(|(_, colors)| colors.len() == 1) && all.len() == 3)
    })
}

fn edits_on_a_phone(page: &Page) -> Result<()> {
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.open_pane(Pane::Design)?;
    let region = page.find("region", "Tablets")?;
    same("the headline is there", region.text()?.contains("All current writes hit 1 of 32 tablets"), true)?;
    // It stays visible at the end of the editor.
    let seen = "const scroll = document.querySelector('.single-scroll'); scroll.scrollTop = scroll.scrollHeight;
        const box = document.querySelector('.tablets-above').getBoundingClientRect(), room = scroll.getBoundingClientRect();
        return box.top >= room.top - 1 && box.bottom < room.bottom && scroll.scrollTop > 0";
    same("it stays", page.browser.run(seen, json!([]))?, json!(true))?;
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
