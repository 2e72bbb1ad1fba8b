//! The charts of traffic: the curves of its streams, and the heatmap, which is read by keyboard,
//! zoomed, shown in other metrics and colours, and exported.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, same};

use super::open;
use crate::e2e::run::Test;

pub const TESTS: &[Test] = &[
    Test {
        name: "traffic: the heatmap is read by keyboard, zoomed, and its rows are shown",
        run: reads_the_heatmap,
    },
    Test {
        name: "traffic: the heatmap is zoomed by wheel, rectangle and keys, and Backspace goes back",
        run: zooms,
    },
    Test { name: "traffic: metrics, colours and exports of the heatmap", run: changes_the_heatmap },
];

fn reads_the_heatmap(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{app_id},{user_token},{timestamp:iso}' })")?;
    open(page)?;
    let plane = page.find_named("application", "row keys from top to bottom")?;
    plane.click()?;
    page.browser.press(&["Escape", "ArrowDown", "ArrowRight"])?;
    page.until("the cell is spoken", || {
        Ok(page.visible_text()?.contains("inclusive")
            || page.browser.run(
                "return [...document.querySelectorAll('[role=status], [aria-live]')].some(each => /\\d/.test(each.textContent))",
                json!([]),
            )? == json!(true))
    })?;
    page.browser.press(&["Enter"])?;
    page.click("button", "Show these rows")?;
    page.until("the query reads a range", || {
        Ok(page.api("(await tabletop.workspace()).query.rows.range")? != Value::Null)
    })?;
    page.until("the view is that of the design", || {
        Ok(page.browser.run("return location.search", json!([]))? == json!(""))
    })
}

fn zooms(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{user_token},{timestamp:iso}' })")?;
    open(page)?;
    page.find_named("application", "row keys from top to bottom")?;
    // The times below the picture and the prefixes next to it match the area.
    let shown = || {
        page.browser.run(
            "return document.querySelector('.heat-times').textContent + document.querySelector('.heat-side').innerHTML",
            json!([]),
        )
    };
    let whole = shown()?;
    let top = || page.browser.run("return document.querySelector('.heat-plane').offsetTop", json!([]));
    let top_of_whole = top()?;
    let until_shown = |what: &str, holds: &dyn Fn(&Value) -> bool| page.until(what, || Ok(holds(&shown()?)));
    let send = |script: &str| {
        let script = format!(
            "const plane = document.querySelector('.heat [role=application]'), box = plane.getBoundingClientRect();
            const at = (x, y, more) => ({{ bubbles: true, cancelable: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height, \
             pointerId: 1, pointerType: 'mouse', button: 0, buttons: 1, isPrimary: true, ...more }});
            plane.setPointerCapture = () => {{}}; plane.releasePointerCapture = () => {{}}; {script}"
        );
        page.browser.run(&script, json!([])).map(drop)
    };
    send(
        "plane.dispatchEvent(new WheelEvent('wheel', at(0.5, 0.5, { deltaY: -240, ctrlKey: true, buttons: 0 })))",
    )?;
    until_shown("the wheel with Ctrl zooms in", &|now| *now != whole)?;
    page.find("button", "Next keys")?;
    same("the picture is where it was", top()?, top_of_whole)?;
    let wheeled = shown()?;
    send(
        "plane.dispatchEvent(new PointerEvent('pointerdown', at(0.25, 0.25)));
        plane.dispatchEvent(new PointerEvent('pointermove', at(0.5, 0.5))); plane.dispatchEvent(new PointerEvent('pointermove', at(0.75, 0.75)));
        plane.dispatchEvent(new PointerEvent('pointerup', at(0.75, 0.75, { buttons: 0 })))",
    )?;
    until_shown("a rectangle zooms in", &|now| *now != wheeled && *now != whole)?;
    page.browser.run("document.querySelector('.heat [role=application]').focus()", json!([]))?;
    page.browser.press(&["Backspace"])?;
    until_shown("Backspace goes back once", &|now| *now == wheeled)?;
    page.browser.press(&["Backspace"])?;
    until_shown("and again", &|now| *now == whole)?;
    page.browser.press(&["+"])?;
    until_shown("a key zooms in", &|now| *now != whole)?;
    page.browser.press(&["r"])?;
    until_shown("a key shows all", &|now| *now == whole)
}

fn changes_the_heatmap(page: &Page) -> Result<()> {
    open(page)?;
    page.until_text("relative to the largest value")?;
    page.browser.run(
        "const select = document.querySelector('.heat select');
        select.value = [...select.options].find(option => option.text.includes('Write pressure')).value;
        select.dispatchEvent(new Event('change', { bubbles: true }))",
        json!([]),
    )?;
    page.until_text("absolute")?;
    page.click("button", "Colours and borders")?;
    page.find("combobox", "Colours")?.choose("Cividis")?;
    page.click("radio", "Busiest row")?;
    page.browser.run(
        "window.files = []; URL.createObjectURL = blob => { window.files.push([blob.type, blob.size]); return 'blob:x' };
        HTMLAnchorElement.prototype.click = () => {}",
        json!([]),
    )?;
    for (at, kind) in ["PNG", "SVG", "CSV"].into_iter().enumerate() {
        page.click("button", kind)?;
        page.until("there is a file", || {
            let files = page.browser.run("return window.files", json!([]))?;
            Ok(files.get(at).is_some_and(|file| file[1].as_u64() > Some(100)))
        })?;
    }
    Ok(())
}
