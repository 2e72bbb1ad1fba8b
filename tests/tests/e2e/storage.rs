//! Storage of loaded events: after a reload, next to another tab, when the disk is full, when the
//! browser is killed.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tabletop_tests::browser::{Browser, Result};
use tabletop_tests::page::{Page, Pane, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "storage: a file is there after a reload", run: survives_a_reload },
    Test {
        name: "storage: a load that a sample has replaced is completed after an undo",
        run: completes_a_replaced_load,
    },
    Test {
        name: "storage: a second tab reports that it stores nothing, and takes over",
        run: reports_a_second_tab,
    },
    Test {
        name: "storage: a design that another tab has changed is kept, and the user decides",
        run: resolves_conflicting_designs,
    },
    Test {
        name: "storage: a full storage is reported, and storing continues once a set is deleted by keys",
        run: fills_up,
    },
    Test { name: "storage: what was acknowledged survives a kill of the browser", run: survives_kills },
];

const CSV: &str = "user,at,amount\nada,2024-01-01T09:00:00Z,10\nbob,2024-01-01T10:00:00Z,11\n";
/// Number of times that the browser is killed: 3, or the value of this variable.
const KILLS: &str = "TABLETOP_KILLS";

fn survives_a_reload(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.find_named("button", "Choose a file")?.write(&file("purchases.csv", CSV)?.to_string_lossy())?;
    page.until_text("2 events · purchases.csv")?;
    page.fill("Row key template", "{user}#{at:iso}")?;
    page.fill("Limit", "7")?;
    page.until_text("saved in this browser")?;
    page.reopen()?;
    page.until_value("Row key template", "{user}#{at:iso}")?;
    page.open_pane(Pane::Query)?;
    page.until_value("Limit", "7")?;
    page.until("the rows are there", || {
        let keys = page.api("(await tabletop.read(0, {})).rows.map(row => row.key)")?;
        Ok(keys == json!(["ada#2024-01-01T09:00:00.000Z", "bob#2024-01-01T10:00:00.000Z"]))
    })?;
    page.open_pane(Pane::Data)?;
    page.until_text("2 events · 3 fields · saved in this browser")
}

fn completes_a_replaced_load(page: &Page) -> Result<()> {
    let lines: String = (0..300_000).map(|event| format!("{event},user-{},buy\n", event % 977)).collect();
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    let file = file("left.csv", &format!("n,user,what\n{lines}"))?;
    page.find_named("button", "Choose a file")?.write(&file.to_string_lossy())?;
    page.until("a part is kept", || Ok(acknowledged(page)? > 0))?;
    page.click("radio", "Sample")?;
    page.find_named("radio", "Earthquakes")?.click()?;
    page.until_text("· Earthquakes")?;
    page.click("button", "Undo")?;
    page.until_text("300,000 events · left.csv")?;
    page.until("all are kept", || Ok(sets(page)? == json!([["left.csv", 300_000, "loaded"]])))
}

/// In a separate browser: after data is cleared under a page, the folder may stay locked for other
/// tabs.
fn reports_a_second_tab(page: &Page) -> Result<()> {
    let browser = Browser::start()?;
    let page = Page::new(&browser, page.url().into(), String::new())?;
    page.reopen()?;
    page.api(&format!("tabletop.load({}, {{ name: 'mine.csv', template: '{{user}}' }})", json!(CSV)))?;
    page.until("it is kept", || Ok(sets(&page)? == json!([["mine.csv", 2, "loaded"]])))?;
    let (first, second) = browser.new_tab()?;
    page.reopen()?;
    page.until_text("This site's data is open in another tab.")?;
    browser.turn_to(&first)?;
    browser.close_tab()?;
    browser.turn_to(&second)?;
    page.until_text("The other tab is closed.")?;
    page.click("button", "Save data in this tab")?;
    page.until_text("2 events · mine.csv")?;
    page.until("the banners have disappeared", || {
        Ok(!page.visible_text()?.contains("needs the file mine.csv")
            && !page.visible_text()?.contains("The other tab"))
    })
}

fn resolves_conflicting_designs(page: &Page) -> Result<()> {
    const CHANGED: &str = "This workspace was changed in another tab.";
    let browser = Browser::start()?;
    let page = Page::new(&browser, page.url().into(), String::new())?;
    let shows = |template: &str| page.until_value("Row key template", template);
    let asks = |asks: bool| {
        page.until(&format!("asking is {asks}"), || Ok(page.visible_text()?.contains(CHANGED) == asks))
    };
    page.reopen()?;
    page.fill("Row key template", "{user_token}#first")?;
    let (first, second) = browser.new_tab()?;
    page.reopen()?;
    shows("{user_token}#first")?;
    page.fill("Row key template", "{app_id}#second")?;

    browser.turn_to(&first)?;
    asks(true)?;
    page.reopen()?;
    shows("{user_token}#first")?;
    asks(true)?;
    page.click("button", "Use the other version")?;
    shows("{app_id}#second")?;
    asks(false)?;
    page.click("button", "Undo")?;
    shows("{user_token}#first")?;

    browser.turn_to(&second)?;
    asks(true)?;
    shows("{app_id}#second")?;
    page.click("button", "Keep this version")?;
    asks(false)?;
    browser.turn_to(&first)?;
    asks(true)?;
    shows("{user_token}#first")
}

fn fills_up(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.load({}, {{ name: 'small.csv' }})", json!(CSV)))?;
    page.until("it is kept", || Ok(sets(page)? == json!([["small.csv", 2, "loaded"]])))?;
    let origin = page.url().split('/').take(3).collect::<Vec<_>>().join("/");
    let quota = |bytes: Option<u64>| {
        let mut parameters = json!({ "origin": origin });
        if let Some(bytes) = bytes {
            parameters["quotaSize"] = bytes.into();
        }
        page.browser.devtools("Storage.overrideQuotaForOrigin", &parameters)
    };
    quota(Some(4_000_000))?;
    let outcome = (|| {
        page.browser.run(
            &format!("{EVENTS} await tabletop.load(text(200000), {{ name: 'large.csv' }});"),
            json!([]),
        )?;
        page.until_text("New events are no longer saved")?;
        page.until_text("200,000 events · large.csv")?;
        page.check_accessible("a full storage")?;
        let kept = acknowledged(page)?;
        if kept == 0 || kept >= 200_000 {
            return Err(format!("{kept} events are kept"));
        }
        Ok(())
    })();
    quota(None)?;
    outcome?;
    page.click("button", "Menu")?;
    page.click("menuitem", "Data in this browser")?;
    page.until_text("in use by all pages of this site")?;
    page.check_accessible("the storage")?;
    let group = page.find_named("group", "Delete: 2 events of small.csv")?;
    page.browser.run("arguments[0].querySelector('button').focus()", json!([group.as_argument()]))?;
    // The focus stays on the pressed button, and the first press only asks for confirmation.
    let before = sets(page)?;
    page.browser.press(&["Enter"])?;
    page.until("it asks first", || Ok(page.browser.focused()?.name()? == "Delete permanently"))?;
    same("sets before the confirmation", sets(page)?, before)?;
    page.browser.press(&["Enter"])?;
    page.until("all are kept", || Ok(sets(page)? == json!([["large.csv", 200_000, "loaded"]])))?;
    page.click("button", "Close")
}

fn survives_kills(page: &Page) -> Result<()> {
    let kills: u32 = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(3);
    let profile = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("e2e-profile");
    std::fs::remove_dir_all(&profile).ok();
    let mut most = 0;
    for kill in 0..kills {
        // The waits differ, so that each kind of work is interrupted.
        let wait = Duration::from_millis(u64::from(100 + kill * 1_700 / kills + kill * 37 % 61));
        let is_last = kill + 1 == kills;
        let kept = load_and_kill(page.url(), &profile, wait, is_last)
            .map_err(|error| format!("kill {kill}: {error}"))?;
        let checked = check_stored(page.url(), &profile, kept)
            .map_err(|error| format!("after kill {kill}, {wait:?}: {error}"))?;
        most = most.max(checked);
    }
    std::fs::remove_dir_all(&profile).ok();
    if most == 0 { Err("no load had stored any event".into()) } else { Ok(()) }
}

/// Kills the browser during a load, on request only after events were acknowledged. Returns the
/// number of acknowledged events.
fn load_and_kill(url: &str, profile: &Path, wait: Duration, some: bool) -> Result<u64> {
    let browser = Browser::start_in(profile)?;
    let page = Page::new(&browser, url.into(), String::new())?;
    page.reopen()?;
    page.until("events are kept here", || Ok(page.api("(await tabletop.storage()).keeping")? == "here"))?;
    browser.run(
        &format!("{EVENTS} globalThis.loading = tabletop.load(text(300000), {{ name: 'killed.csv' }});"),
        json!([]),
    )?;
    sleep(wait);
    if some {
        page.until("some are acknowledged", || Ok(acknowledged(&page)? > 0))?;
    }
    let kept = acknowledged(&page)?;
    browser.kill()?;
    Ok(kept)
}

/// Checks that all acknowledged events are there, event by event. Returns the number of stored
/// events, and deletes them.
fn check_stored(url: &str, profile: &Path, acknowledged: u64) -> Result<u64> {
    let browser = Browser::start_in(profile)?;
    let page = Page::new(&browser, url.into(), String::new())?;
    page.reopen()?;
    page.until("events are kept here", || Ok(page.api("(await tabletop.storage()).keeping")? == "here"))?;
    let compare = format!(
        "{EVENTS} const {{ sets }} = await tabletop.storage();
         if (sets.length === 0) return [0, null];
         const lines = (await (await tabletop.export_set(sets.at(-1).set)).text()).trimEnd().split('\\n');
         const wrong = lines.findIndex((line, index) => line !== JSON.stringify(event(index)));
         return [sets.at(-1).events === lines.length ? lines.length : 'not as many lines', wrong < 0 ? null : [wrong, lines[wrong]]];"
    );
    let found = browser.run(&compare, json!([]))?;
    same("the first event that differs", &found[1], &Value::Null)?;
    let events = found[0].as_u64().ok_or_else(|| format!("{found}"))?;
    if events < acknowledged {
        return Err(format!("{acknowledged} events were acknowledged, {events} are there"));
    }
    page.api("tabletop.delete_sets()")?;
    Ok(events)
}

/// Events that a script of the page generates, the same each time.
const EVENTS: &str = "const event = index => ({ n: index, user: `user-${index % 977}`, page: `/shop/${index * 7 % 211}` });
    const text = events => {
        const lines = ['n,user,page'];
        for (let index = 0; index < events; index++) { const { n, user, page } = event(index); lines.push(`${n},${user},${page}`); }
        return lines.join('\\n') + '\\n';
    };";

/// Name, events and state of each set.
fn sets(page: &Page) -> Result<Value> {
    page.api("(await tabletop.storage()).sets.map(set => [set.own.name, set.events, set.state])")
}

/// Number of synced events of the newest set.
fn acknowledged(page: &Page) -> Result<u64> {
    let events = page.api("(await tabletop.storage()).sets.at(-1)?.events ?? 0")?;
    events.as_u64().ok_or_else(|| format!("{events} events"))
}

/// A file to pick.
fn file(name: &str, text: &str) -> Result<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("e2e-files");
    let path = folder.join(name);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| error.to_string())?;
    Ok(path)
}
