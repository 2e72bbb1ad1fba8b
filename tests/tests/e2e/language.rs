//! The page in another language: the pseudo-locale (`crates/texts/src/pseudo.rs`), which is English
//! with a Cyrillic letter for each ASCII letter. A word of ASCII letters that is left is of a text
//! that is not in the tables, or that was not drawn again.

use std::path::PathBuf;

use serde_json::json;
use tabletop_site_server::Server;
use tabletop_tests::browser::{Result, path_from};
use tabletop_tests::page::{Page, same};

use super::run::Test;
use super::views;

/// `xtask/src/test.rs` builds the page with the pseudo-locale for tests whose names begin so.
pub const TESTS: &[Test] = &[
    Test {
        name: "language: each view changes to another one and back, without a request",
        run: changes_views,
    },
    Test { name: "language: dialogs, menus and lists are in another one, too", run: changes_dialogs },
];

/// Elements whose words are the same in every language, and why.
const SAME: &[(&str, &str)] = &[
    (".mono, code, pre", "keys, values, templates and commands"),
    ("#data-body th, .family", "names of fields and of families"),
    ("li > .name", "kinds of events and facets, in the strategy of profiles"),
    (".server-list section", "names of instances"),
    (".problem", "errors in what the user typed, which their readers write"),
    ("#export select, #export .results-note", "names and warnings of exports, which are code"),
    ("[role=status]", "an announcement, which has been read"),
];

/// Words that are the same in every language, and why. Words of one letter are names of nodes.
const WORDS: &[(&str, &str)] = &[
    ("kB", "a unit"),
    ("MB", "a unit"),
    ("ms", "a unit"),
    ("English", "a language has its own name"),
    ("Java", "a programming language"),
    ("Go", "a programming language"),
    ("Python", "a programming language"),
    ("Node", "a programming language, before .js"),
    ("js", "a programming language, after Node."),
    ("Rust", "a programming language"),
    ("cbt", "a program"),
    ("HBase", "a program"),
    ("UTF", "a part of the name of an encoding"),
    ("LE", "a part of the name of an encoding"),
    ("BE", "a part of the name of an encoding"),
    ("windows", "a part of the name of an encoding"),
    ("ISO", "a part of the name of an encoding"),
    ("macintosh", "a part of the name of an encoding"),
    ("KOI", "a part of the name of an encoding"),
    ("Shift", "a part of the name of an encoding"),
    ("JIS", "a part of the name of an encoding"),
    ("EUC", "a part of the name of an encoding"),
    ("JP", "a part of the name of an encoding"),
    ("gb", "a part of the name of an encoding"),
    ("Big", "a part of the name of an encoding"),
    ("KR", "a part of the name of an encoding"),
];

/// Elements with English names that come from a saved workspace or a file, and what they name.
const OF_DATA: &[(&str, &str)] = &[
    (".score-suggested, .look-up", "suggested access patterns"),
    (".samples, [data-names-data]", "samples"),
];

/// Returns a text in the pseudo-locale.
fn pseudo(text: &str) -> String {
    let letter = |c: char| match c {
        'A'..='Z' => char::from_u32(u32::from(c) - u32::from('A') + 0x410),
        'a'..='z' => char::from_u32(u32::from(c) - u32::from('a') + 0x430),
        _ => None,
    };
    text.chars().map(|c| letter(c).unwrap_or(c)).collect()
}

/// Serves the page with the pseudo-locale; the folder has its files.
fn serve() -> Result<(PathBuf, Server)> {
    let site = path_from("TABLETOP_PSEUDO")?;
    let server = Server::start(&site, 0, "/").map_err(|error| format!("the server: {error}"))?;
    Ok((site, server))
}

/// Switches to another language by the list of all actions, in whatever language it is.
fn switch(page: &Page, name: &str, tag: &str) -> Result<()> {
    open_list(page)?;
    page.browser.focused()?.fill(name)?;
    page.browser.press(&["Enter"])?;
    let lang = "return document.documentElement.lang";
    page.until("the language is another", || Ok(page.browser.run(lang, json!([]))? == json!(tag)))
}

fn open_list(page: &Page) -> Result<()> {
    page.browser.press(&["Control+k"])?;
    let is_open = "return document.activeElement.closest('#palette') !== null";
    page.until("the list is open", || Ok(page.browser.run(is_open, json!([]))? == json!(true)))
}

/// Waits until the page sends the worker nothing for a second, and returns how many messages it has
/// sent since the first call.
fn sent(page: &Page) -> Result<u64> {
    let wait = "if (window.sent === undefined) {
            window.sent = 0;
            const send = Worker.prototype.postMessage;
            Worker.prototype.postMessage = function (...all) { window.sent += 1; return send.apply(this, all); };
        }
        for (let last = -1; last !== window.sent;) {
            last = window.sent;
            await new Promise((done) => setTimeout(done, 1000));
        }
        return window.sent;";
    let sent = page.browser.run(wait, json!([]))?;
    sent.as_u64().ok_or_else(|| format!("no count: {sent}"))
}

/// Returns the names of the workspace, of its designs, and of the streams of traffic that it has
/// until the user chooses others.
fn own_names(page: &Page) -> Result<Vec<String>> {
    let names = "const { name, designs } = await tabletop.workspace();
        return [name, ...designs.map(({ name }) => name), 'New events', 'Reads']";
    serde_json::from_value(page.browser.run(names, json!([]))?).map_err(|error| error.to_string())
}

/// Returns the texts and names with words of ASCII letters that differ between languages.
fn left(page: &Page, own: &[String]) -> Result<Vec<String>> {
    let look = "const [same, words] = [arguments[0], new Set(arguments[1])];
        // The list of all actions has the names of suggested access patterns, too.
        const suggested = [...document.querySelectorAll('.look-up label')].map((label) => label.textContent.trim());
        const own = [...arguments[2], ...suggested.filter((name) => name !== '')];
        const found = new Set();
        const look = (text, element, what) => {
            const others = own.reduce((text, name) => text.replaceAll(name, ''), text);
            if (!others.match(/[A-Za-z]{2,}/g)?.some((word) => !words.has(word)) || element.closest(same)) return;
            const path = [element.parentElement, element].map((each) => `${each.tagName.toLowerCase()}.${each.getAttribute('class') ?? ''}`);
            found.add(`${what} of ${path.join(' > ')}: ${text.slice(0, 100)}`);
        };
        const names = ['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'title', 'placeholder', 'alt', 'label'];
        const all = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        for (let node = all.nextNode(); node; node = all.nextNode()) {
            if (node.nodeType === Node.TEXT_NODE) {
                if (!node.parentElement.closest('script, style, noscript')) look(node.data, node.parentElement, 'text');
                continue;
            }
            for (const name of names) if (node.hasAttribute(name)) look(node.getAttribute(name), node, name);
        }
        return [...found];";
    let same: Vec<&str> = SAME.iter().chain(OF_DATA).map(|(selector, _)| *selector).collect();
    let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
    let found = page.browser.run(look, json!([same.join(", "), words, own]))?;
    serde_json::from_value(found).map_err(|error| error.to_string())
}

/// Fails if there are findings.
fn nothing(found: &[String]) -> Result<()> {
    if found.is_empty() { Ok(()) } else { Err(format!("left in English:\n{}", found.join("\n"))) }
}

/// Returns the visible text without announcements.
fn shown(page: &Page) -> Result<String> {
    let text = page.visible_text()?;
    let status = page.browser.run(
        "return [...document.querySelectorAll('[role=status]')].map((each) => each.innerText)",
        json!([]),
    )?;
    let said: Vec<String> = serde_json::from_value(status).map_err(|error| error.to_string())?;
    let is_said = |line: &&str| said.iter().any(|said| said == line);
    Ok(text.lines().filter(|line| !is_said(line)).collect::<Vec<_>>().join("\n"))
}

fn changes_views(page: &Page) -> Result<()> {
    let (site, server) = serve()?;
    let mut found = Vec::new();
    views::each_of(&page.at(server.url()), &site, |page, view| {
        let own = own_names(page)?;
        // A simulation sends the next message when a slow worker has answered the last one.
        page.until("the view is complete", || {
            let text = page.visible_text()?;
            Ok(!["Writing all events", "simulated 0:", "simulated 1:"].iter().any(|part| text.contains(part)))
        })?;
        let before = sent(page)?;
        let english = shown(page)?;
        switch(page, &pseudo("Pseudo"), "qps-ploc")?;
        let after = sent(page)?;
        found.extend(left(page, &own)?.into_iter().map(|text| format!("{}: {text}", view.name())));
        switch(page, "English", "en")?;
        same("messages to the worker", [after, sent(page)?], [before; 2])?;
        // The view of a running server shows the time.
        if view.needs_server() { Ok(()) } else { same("the page in English again", shown(page)?, english) }
    })?;
    page.fresh()?;
    nothing(&found)
}

/// Events of digits, so that all words are of the page.
const DIGITS: &str = "tabletop.load('a,b\\n' + Array.from({ length: 300 }, (_, at) => `${at % 7},${at}\\n`).join(''), { name: '1', template: '{a}#{b}' })";

/// The dialogs by their actions, with the groups of these.
const DIALOGS: [&str; 6] = [
    "Workspace Share",
    "Workspace Workspaces…",
    "Workspace Data in this browser",
    "Workspace Export to Bigtable…",
    "Help Keyboard shortcuts",
    "Help About",
];

fn changes_dialogs(page: &Page) -> Result<()> {
    let (_, server) = serve()?;
    let at = page.at(server.url());
    at.fresh()?;
    let own = own_names(&at)?;
    switch(&at, &pseudo("Pseudo"), "qps-ploc")?;
    let mut found = Vec::new();
    let mut look = |what: &str| -> Result<()> {
        found.extend(left(&at, &own)?.into_iter().map(|text| format!("{what}: {text}")));
        Ok(())
    };
    let open = |selector: &str| {
        let count = "return document.querySelectorAll(arguments[0]).length";
        Ok::<u64, String>(at.browser.run(count, json!([selector]))?.as_u64().unwrap_or_default())
    };
    let mut look_at = |dialog: &str| -> Result<()> {
        at.until(dialog, || Ok(open("dialog[open]:not(#palette)")? == 1 && open("#palette[open]")? == 0))?;
        look(dialog)?;
        at.browser.press(&["Escape"])?;
        at.until("no dialog", || Ok(open("dialog[open]")? == 0))
    };
    for dialog in DIALOGS {
        open_list(&at)?;
        at.browser.focused()?.fill(&pseudo(dialog))?;
        at.browser.press(&["Enter"])?;
        look_at(dialog)?;
    }
    at.click("button", &pseudo("Examples"))?;
    look_at("Examples")?;
    at.api(DIGITS)?;
    // Opens the parts that are folded, one by one: a menu closes when another opens.
    let unfold = "const folded = [...document.querySelectorAll('main [aria-expanded=false], main details:not([open]) > summary, header [aria-expanded=false]')]
            .find((each) => each.checkVisibility() && !each.dataset.opened);
        if (!folded) return null;
        folded.dataset.opened = 'yes';
        folded.click();
        await new Promise((done) => setTimeout(done, 50));
        return folded.innerText || folded.getAttribute('aria-label');";
    let mut opened = 0;
    while let Some(name) = at.browser.run(unfold, json!([]))?.as_str() {
        look(&format!("after {name}"))?;
        opened += 1;
    }
    same("parts that are folded", opened > 10, true)?;
    open_list(&at)?;
    let mark = "for (const line of document.querySelectorAll('#palette li'))
            if (arguments[0].includes(line.querySelector('.soft').textContent)) line.dataset.namesData = '';";
    let groups = ["Open example: ", "Load sample: "].map(pseudo);
    at.browser.run(mark, json!([groups]))?;
    look("list of all actions")?;
    at.browser.press(&["Escape"])?;
    at.check_quiet()?;
    page.fresh()?;
    nothing(&found)
}
