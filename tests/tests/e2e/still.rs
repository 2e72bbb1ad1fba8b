//! The still (`www/still.html`): a picture of the first view that index.html shows until the page
//! has drawn the same view.
//!
//! It is taken from the page: `UPDATE=1 cargo xtask test e2e still` writes it, and the tests
//! compare it with the page.

use std::path::Path;

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "still: it is the picture of the page", run: is_the_first_view },
    Test {
        name: "still: its column is as wide as that of the page in a large window",
        run: is_as_wide_in_a_large_window,
    },
    Test { name: "still: it stays until the page has the same picture", run: stays_until_the_page_is_ready },
    Test {
        name: "still: a user with a workspace does not see the picture of a first visit",
        run: is_of_a_first_visit,
    },
    Test { name: "still: it shows how much of the program has arrived", run: shows_progress },
    Test { name: "still: it says when a part of the page is missing", run: reports_failure },
];

/// The program is fetched, but never starts.
const NO_PROGRAM: &str =
    "WebAssembly.instantiateStreaming = WebAssembly.instantiate = () => new Promise(() => {});";
/// A window in which the page draws the rows of a large screen.
const TALL: (u32, u32) = (WIDE.0, 1300);
/// A window in which the left column is wider.
const LARGE: (u32, u32) = (2560, 1300);
/// The maximum difference of a box, in px.
const DIFFERENCE_MAX: f64 = 2.0;

fn is_the_first_view(page: &Page) -> Result<()> {
    if std::env::var_os("UPDATE").is_some() {
        return take(page);
    }
    for (size, theme) in [(WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")] {
        let in_theme =
            || page.browser.media(&[("prefers-reduced-motion", "reduce"), ("prefers-color-scheme", theme)]);
        let still = with_script(page, NO_PROGRAM, size, || {
            in_theme()?;
            page.browser.open(page.url())?;
            boxes(page)
        })?;
        with_script(page, "", size, || {
            in_theme()?;
            page.reopen()?;
            let what = format!(
                "the {theme} page of {size:?} looks like the still, which `UPDATE=1 cargo xtask test e2e still` takes"
            );
            page.until(&what, || compare(&still, &boxes(page)?).map(|()| true))
        })?;
    }
    Ok(())
}

fn is_as_wide_in_a_large_window(page: &Page) -> Result<()> {
    let widths = |of: &str| {
        let script = "return arguments[0].split(',').map(one => Math.round(document.querySelector(one).getBoundingClientRect().width))";
        page.browser.run(script, json!([of]))
    };
    let still = with_script(page, NO_PROGRAM, LARGE, || {
        page.browser.open(page.url())?;
        widths(".workbench > .side")
    })?;
    same("the column of the still", still, json!([480]))?;
    with_script(page, "", LARGE, || {
        page.reopen()?;
        same("the column of the page", widths(".workbench > .side")?, json!([480]))?;
        let cells = widths(".grid-header > :first-child,.grid-header > :last-child")?;
        if cells[1].as_u64() < cells[0].as_u64() {
            return Err(format!("values have less room than keys: {cells}"));
        }
        page.browser.resize(WIDE.0, WIDE.1)?;
        page.until("the column is narrower in a smaller window", || {
            Ok(widths(".workbench > .side")? == json!([380]))
        })?;
        // A width that the user has chosen is kept.
        page.find_named("separator", "Width of the left column")?.click()?;
        page.browser.press(&["ArrowRight"])?;
        page.until("the column is as chosen", || Ok(widths(".workbench > .side")? == json!([396])))?;
        page.browser.resize(LARGE.0, LARGE.1)?;
        same("the chosen column", widths(".workbench > .side")?, json!([396]))
    })
}

fn compare(still: &[Value], live: &[Value]) -> Result<()> {
    if let Some((still, live)) = still.iter().zip(live).find(|(still, live)| !are_alike(still, live)) {
        return Err(format!("the still has {still}, the page has {live}"));
    }
    same("the number of parts", still.len(), live.len())?;
    if still.len() < 60 { Err(format!("only {} parts", still.len())) } else { Ok(()) }
}

/// Returns the name, the text, the colours and the box of each visible part of the page, or of the
/// still if there is one.
fn boxes(page: &Page) -> Result<Vec<Value>> {
    let boxes = "
        const clipped = element => {
            let { left, top, right, bottom } = element.getBoundingClientRect();
            for (let each = element.parentElement; each; each = each.parentElement) {
                if (each !== document.body && getComputedStyle(each).overflow === 'visible') continue;
                const limit = each.getBoundingClientRect();
                [left, top] = [Math.max(left, limit.left), Math.max(top, limit.top)];
                [right, bottom] = [Math.min(right, limit.right), Math.min(bottom, limit.bottom)];
            }
            return [left, top, right - left, bottom - top];
        };
        const text = element => [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('').trim();
        const found = [];
        for (const each of (document.querySelector('#still') ?? document.body).querySelectorAll('*')) {
            if (each.closest('#starting, .visually-hidden, .timeline > *, title, noscript, script') || !each.checkVisibility()) continue;
            const own = each.matches('input, textarea') ? each.value || each.placeholder : text(each);
            if (!own && !each.matches('.pane, .strip, rect, .icon, select, button')) continue;
            const box = clipped(each);
            const name = [each.tagName.toLowerCase(), ...[...each.classList].filter(name => name !== 'mono').sort()].join('.');
            const { color, fill, backgroundColor } = getComputedStyle(each);
            const text_shown = own.replace(/[\\d.,–]+ ms/, '– ms').slice(0, 60);
            if (box[2] > 0 && box[3] > 0) found.push([[name, text_shown, color, fill, backgroundColor].join(' '), ...box]);
        }
        return found;";
    Ok(page.browser.run(boxes, json!([]))?.as_array().cloned().unwrap_or_default())
}

fn are_alike(still: &Value, live: &Value) -> bool {
    let near = |at: usize| match (still[at].as_f64(), live[at].as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= DIFFERENCE_MAX,
        _ => false,
    };
    // The width of a time varies.
    let is_time = still[0].as_str().is_some_and(|name| name.contains("– ms"));
    still[0] == live[0] && (is_time || (1..5).all(near))
}

/// Writes the still from the page.
fn take(page: &Page) -> Result<()> {
    let mut html = String::new();
    // With this order, gzip finds the keys of one part in another.
    for (size, part) in [(TALL, ".topbar"), (PHONE, ".single"), (TALL, ".workbench")] {
        // The strip is taken from a usual window, because its keys and figures depend on the
        // height.
        let strip = if size == TALL { Some(taken(page, WIDE, ".strip > svg", None)?) } else { None };
        html += &taken(page, size, part, strip.as_deref())?;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/still.html");
    std::fs::write(&path, html).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns a part of the page in a window of this size as HTML, with another strip if one is given.
fn taken(page: &Page, size: (u32, u32), part: &str, strip: Option<&str>) -> Result<String> {
    with_script(page, "", size, || {
        page.reopen()?;
        let taken = || -> Result<String> {
            Ok(page.browser.run(TAKE, json!([part, strip]))?.as_str().unwrap_or_default().to_string())
        };
        let mut last = taken()?;
        page.until("the page is at rest", || Ok(std::mem::replace(&mut last, taken()?) == last))?;
        Ok(last)
    })
}

/// Returns these parts of the page as HTML, without elements that only a program or a screen reader
/// needs, and without styles and time figures. Positions on the strip are shares of its width.
const TAKE: &str = "
    const kept = ['class', 'viewBox', 'width', 'height', 'd', 'x', 'y', 'rx', 'text-anchor', 'transform', 'placeholder',
        'rows', 'disabled', 'aria-checked', 'aria-current', 'aria-pressed', 'aria-selected'];
    const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\"/g, '&quot;');
    const empty = ['input', 'path', 'rect'];
    const moved = element => element.transform.baseVal[0]?.matrix.e ?? 0;
    // The height of the strip depends on the window: heights are shares, too.
    const strip = svg => {
        const [total, all] = [svg.width.baseVal.value, svg.height.baseVal.value];
        const share = (px, of) => `${+(px / of * 100).toFixed(2)}%`;
        const across = px => share(px, total);
        let html = `<svg width='100%' height='100%' class='still'>`;
        const sky = svg.querySelector('.sky');
        if (sky) html += `\\n<rect class='sky' y='${share(sky.getAttribute('y'), all)}' width='100%' height='${share(sky.getAttribute('height'), all)}' rx='2' />`;
        for (const tablet of svg.querySelectorAll('.tablet')) {
            const rect = tablet.querySelector('rect');
            const of = name => rect.getAttribute(name);
            html += `\\n<rect class='${of('class')}' x='${across(moved(tablet) + Number(of('x')))}' y='${share(of('y'), all)}' ` +
                `width='${across(Number(of('width')))}' height='${share(of('height'), all)}' rx='${of('rx')}' />`;
        }
        html += '\\n<g class=\"labels\">';
        for (const label of svg.querySelectorAll('.label')) {
            const top = label.querySelector('.label-lines').transform.baseVal[0]?.matrix.f ?? 0;
            const lines = [...label.querySelectorAll('.label-lines > :not(.key)')].map(line =>
                `\\n<text class='${line.getAttribute('class')}' x='${across(moved(label) + Number(line.getAttribute('x')))}' ` +
                `y='${share(top, all)}' dy='${line.getAttribute('y')}' text-anchor='middle'>${escaped(line.textContent)}</text>`);
            const key = label.querySelector('.key');
            if (key) {
                const place = key.transform.baseVal[0].matrix;
                const foot = (top + place.f - all).toFixed(1);
                lines.push(`\\n<svg x='${across(moved(label) + place.e)}' y='100%' overflow='visible'><text class='${key.getAttribute('class')}' ` +
                    `transform='${key.getAttribute('transform').replace(/translate\\([^)]*\\)/, `translate(0 ${foot})`)}'>${escaped(key.textContent)}</text></svg>`);
            }
            const mark = label.querySelector('.hot-mark');
            // The mark of the last tablet ends where the strip ends.
            if (mark) lines.push(`<svg x='100%' overflow='visible'><g class='hot-mark' ` +
                `transform='translate(${(moved(label) + moved(mark) - total).toFixed(1)} 1)'>${children(mark)}</g></svg>`);
            if (lines.length) html += `<g class='${label.getAttribute('class')}'>${lines.join('')}</g>`;
        }
        return html.replaceAll(\"'\", '\"') + '</g></svg>';
    };
    const children = element => [...element.childNodes].map(write).join('');
    const write = node => {
        if (node.nodeType === 3) return escaped(node.data.replace(/[\\d.,]+(?= ms)/, '–').slice(0, node.parentElement.matches('.value') ? 80 : 400));
        if (node.nodeType !== 1 || node.matches('.timeline > *, title, dialog, [popover], [hidden], .visually-hidden, details > :not(summary)')) return '';
        if (node.matches('.strip > svg')) return arguments[1] ?? strip(node);
        // The grid draws more lines than are visible.
        if (node.matches('[data-line]') && node.dataset.line > 23) return '';
        // The still is not a landmark.
        const is_part = node.matches('.topbar, .workbench, .single');
        const tag = node.matches('main') ? 'div' : node.localName;
        const attributes = kept.filter(name => node.getAttribute(name) !== null && node.getAttribute(name) !== 'false')
            .map(name => node.getAttribute(name) === '' ? ` ${name}` : ` ${name}=\"${escaped(node.getAttribute(name))}\"`);
        if (is_part) attributes.push(' inert aria-hidden=\"true\"');
        if (node.matches('input')) attributes.push(` type=\"${node.type}\"`, node.checked ? ' checked' : ` value=\"${escaped(node.value)}\"`);
        if (node.matches('option') && node.selected) attributes.push(' selected');
        // A line break between the parts of a flex or grid box is not text.
        const begins = /flex|grid/.test(getComputedStyle(node.parentElement).display) && !node.closest('svg, button') ? '\\n' : '';
        if (empty.includes(tag)) return `${begins}<${tag}${attributes.join('')} />`;
        return `${begins}<${tag}${attributes.join('')}>${node.matches('textarea') ? escaped(node.value) : children(node)}</${tag}>`;
    };
    return write(document.querySelector(arguments[0])).trim() + '\\n';";

/// In each frame there must be either the still, or a page with tablets, keys and rows, even on a
/// slow machine.
fn stays_until_the_page_is_ready(page: &Page) -> Result<()> {
    let watch = "
        window.frames = { still: 0, whole: 0, other: [] };
        const { port1, port2 } = new MessageChannel();
        // A message posted in a frame arrives once the frame is painted.
        port2.onmessage = () => {
            const count = selector => document.querySelectorAll(selector).length;
            if (document.querySelector('#still')) frames.still += 1;
            else if (count('#app .tablet') >= 19 && count('#app .keys-column li') === 18 && count('#app .grid [data-line]') > 7) frames.whole += 1;
            else if (document.body) frames.other.push(['.tablet', '.keys-column li', '.grid', '.grid [data-line]', '.headline'].map(count).join(' ') + document.querySelector('.results-status')?.textContent);
        };
        const look = () => {
            port1.postMessage('');
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);";
    let speed =
        |times: u32| page.browser.devtools("Emulation.setCPUThrottlingRate", &json!({ "rate": times }));
    for times in [1, 4] {
        page.fresh_in_motion()?;
        page.first_visit(WIDE)?;
        let script =
            page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": watch }))?;
        speed(times)?;
        let frames = page.first_visit(WIDE).and_then(|()| {
            let some = "return frames.whole > 20";
            page.until("the page has its picture", || Ok(page.browser.run(some, json!([]))? == json!(true)))?;
            page.browser.run("return frames", json!([]))
        });
        speed(1)?;
        page.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &script)?;
        let frames = frames?;
        if frames["still"] == json!(0) || frames["other"] != json!([]) {
            return Err(format!("{times} times slower: {frames:#}"));
        }
    }
    Ok(())
}

fn is_of_a_first_visit(page: &Page) -> Result<()> {
    page.fresh()?;
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{user_token}~{timestamp:iso}")?;
    page.until_text("are spread over")?;
    let script =
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": NO_PROGRAM }))?;
    let seen = page.browser.open(page.url()).and_then(|()| {
        let seen =
            "return [...document.querySelectorAll('#still *')].filter(each => each.checkVisibility({ visibilityProperty: true }))
            .map(each => each.innerText).join(' ')";
        page.browser.run(seen, json!([]))
    });
    page.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &script)?;
    let seen = seen?;
    let seen = seen.as_str().unwrap_or_default();
    same("the headings are there", seen.contains("Results") && seen.contains("Query"), true)?;
    let wrong = ["app-00", "user_token", "timestamp", "current writes", "of 20,000", "starts with"];
    match wrong.iter().find(|wrong| seen.contains(**wrong)) {
        Some(wrong) => Err(format!("the still shows {wrong} of another workspace: {seen}")),
        None => Ok(()),
    }
}

fn shows_progress(page: &Page) -> Result<()> {
    let whole = "const [, some, all] = document.querySelector('#fetched').textContent.match(/^(\\d+) of (\\d+) kB$/) ?? [];
        return some !== undefined && Number(all) > 100 && some === all";
    with_script(page, NO_PROGRAM, WIDE, || {
        page.browser.open(page.url())?;
        page.until(
            "all of the program has arrived",
            || Ok(page.browser.run(whole, json!([]))? == json!(true)),
        )
    })
}

fn reports_failure(page: &Page) -> Result<()> {
    let fails = "WebAssembly.instantiateStreaming = WebAssembly.instantiate = () => Promise.reject(new Error('no program'));";
    let message = with_script(page, fails, WIDE, || {
        page.browser.open(page.url())?;
        page.until_text("Part of the page could not be loaded.")
    });
    // The error is on the console, too.
    page.browser.complaints()?;
    message
}

/// Calls `act` on a first visit with reduced motion in a window of this size, with a script that
/// runs before the page's scripts.
fn with_script<T>(page: &Page, script: &str, size: (u32, u32), act: impl FnOnce() -> Result<T>) -> Result<T> {
    page.forget(&[("prefers-reduced-motion", "reduce")])?;
    page.browser.resize(size.0, size.1)?;
    let script =
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }))?;
    let done = act();
    page.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &script)?;
    done
}
