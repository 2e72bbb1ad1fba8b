//! What holds for every view, whatever it shows. The views come from [`ViewId::ALL`], so a new one
//! is tested here without an edit.

use std::path::Path;

use serde_json::{Value, json};
use tabletop_tests::browser::{Element, Result, path_from};
use tabletop_tests::page::{Page, same};
use tabletop_workspace::ViewId;

use super::run::Test;
use super::server;

pub const TESTS: &[Test] = &[
    Test { name: "views: each opens by its address, and its tab is the current one", run: has_an_address },
    Test { name: "views: axe finds nothing on any, light and dark", run: is_accessible },
    Test { name: "views: 320 pixels are wide enough for each", run: fits_small_screens },
    Test { name: "views: Ctrl+K has each control of each", run: lists_its_controls },
];

fn each(page: &Page, check: impl FnMut(&Page, ViewId) -> Result<()>) -> Result<()> {
    each_of(page, &path_from("TABLETOP_DIST")?, check)?;
    page.fresh()
}

/// Opens each view by its tab, and checks it. A view of a running server has one, which serves the
/// files of this site.
pub fn each_of(page: &Page, site: &Path, mut check: impl FnMut(&Page, ViewId) -> Result<()>) -> Result<()> {
    for view in ViewId::ALL.iter().copied() {
        let mut checked = |page: &Page| {
            page.until("the view is there", || Ok(current_tab(page)? == json!([view.query()])))?;
            check(page, view).map_err(|error| format!("{}: {error}", view.name()))
        };
        if view.needs_server() {
            server::visit_site(page, site, &["events"], |page, _| checked(page))?;
        } else {
            page.fresh()?;
            if !view.query().is_empty() {
                tab(page, view)?.click()?;
            }
            checked(page)?;
        }
    }
    Ok(())
}

/// Finds the tab of a view whose address has a query.
fn tab<'a>(page: &Page<'a>, view: ViewId) -> Result<Element<'a>> {
    page.browser.by_css(&format!("nav.views a[href$='{}']", view.query()))
}

/// Returns the query of the address of each tab that is the current one.
fn current_tab(page: &Page) -> Result<Value> {
    page.browser.run(
        "return [...document.querySelectorAll('a[aria-current=page]')].map(tab => new URL(tab.href).search)",
        json!([]),
    )
}

fn has_an_address(page: &Page) -> Result<()> {
    each(page, |page, view| {
        same("the address", page.browser.run("return location.search", json!([]))?, json!(view.query()))
    })?;
    for view in ViewId::ALL.iter().copied().filter(|view| !view.needs_server()) {
        let at = page.at(format!("{}{}", page.url(), view.query()));
        at.reopen()?;
        at.until("the view is there", || Ok(current_tab(&at)? == json!([view.query()])))?;
        // Another view and back.
        let is_other =
            |other: &&ViewId| **other != view && !other.query().is_empty() && !other.needs_server();
        let other = ViewId::ALL
            .iter()
            .copied()
            .find(|other| is_other(&other))
            .ok_or("there are fewer than three views")?;
        tab(&at, other)?.click()?;
        at.until("the other view is there", || Ok(current_tab(&at)? == json!([other.query()])))?;
        at.browser.run("history.back()", json!([]))?;
        at.until("the view is there again", || Ok(current_tab(&at)? == json!([view.query()])))?;
        at.browser.run("history.forward()", json!([]))?;
        at.until("the other view is there again", || Ok(current_tab(&at)? == json!([other.query()])))?;
    }
    Ok(())
}

fn is_accessible(page: &Page) -> Result<()> {
    each(page, |page, view| page.check_accessible_in_both_themes(view.name()))
}

fn fits_small_screens(page: &Page) -> Result<()> {
    each(page, |page, _| {
        page.browser.resize(320, 640)?;
        let wide = "const wide = document.scrollingElement.scrollWidth;
            if (wide <= innerWidth) return null;
            const widest = [...document.querySelectorAll('main *, header *')].filter(each => each.getBoundingClientRect().right > innerWidth + 1);
            return [wide, ...widest.slice(0, 3).map(each => each.outerHTML.slice(0, 100))];";
        same("what is wider than 320 pixels", page.browser.run(wide, json!([]))?, json!(null))?;
        let bar = "const bar = document.querySelector('.topbar'), sizes = [...bar.querySelectorAll('a, button')].map(it => it.getBoundingClientRect());
            return [bar.offsetHeight <= 80, sizes.every(it => it.width >= 24 && it.height >= 24)]";
        same("the bar is low, and can be hit", page.browser.run(bar, json!([]))?, json!([true, true]))
    })
}

fn lists_its_controls(page: &Page) -> Result<()> {
    let offered = "return [...document.querySelectorAll('#palette li')].map(each => each.querySelector('span').innerText)";
    let controls = "return [...document.querySelectorAll('main button, main summary, main select, main input, main textarea')]
        .filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.disabled && each.getAttribute('aria-disabled') !== 'true'
            && each.getAttribute('aria-checked') !== 'true' && each.type !== 'hidden'
            && !each.closest('[role=gridcell], [role=rowheader], [role=option], [hidden], [aria-hidden=true]'))";
    each(page, |page, _| {
        page.until("the view is there", || {
            Ok(page.browser.run(&format!("{controls}.length"), json!([]))?.as_u64() > Some(5))
        })?;
        // The browser gives the names, not the page.
        let count = page.browser.run(
            &format!(
                "window.controls = {}; return window.controls.length",
                controls.trim_start_matches("return ")
            ),
            json!([]),
        )?;
        let count = count.as_u64().unwrap_or(0);
        let mut names = Vec::new();
        for at in 0..count {
            let element = page
                .browser
                .run(&format!("window.controls[{at}].dataset.at = '{at}'"), json!([]))
                .and_then(|_| page.browser.by_css(&format!("[data-at='{at}']")));
            // A view that is drawn again has other elements.
            names.extend(element.and_then(|element| element.name()).ok().filter(|name| !name.is_empty()));
        }
        same("the view has controls", names.len() > 5, true)?;
        page.browser.press(&["Control+k"])?;
        page.until("the list is open", || Ok(page.browser.focused()?.name()? == "Find an action"))?;
        let offered: Vec<String> = serde_json::from_value(page.browser.run(offered, json!([]))?)
            .map_err(|error| error.to_string())?;
        let squeezed = |text: &str| text.split_whitespace().collect::<String>().to_lowercase();
        let all: Vec<String> = offered.iter().map(|text| squeezed(text)).collect();
        let missing: Vec<&String> =
            names.iter().filter(|name| !all.iter().any(|text| text.contains(&squeezed(name)))).collect();
        if !missing.is_empty() {
            return Err(format!("the list lacks {missing:?}"));
        }
        Ok(())
    })
}
