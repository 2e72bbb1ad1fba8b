//! The page's Content-Security-Policy: nothing inline, and nothing from other hosts. A test of
//! `crates/xtask/src/csp.rs` reads its words.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::Page;

pub const TESTS: &[Test] =
    &[Test { name: "policy: an injected script, style or request is blocked", run: blocks }];

fn blocks(page: &Page) -> Result<()> {
    let attack = "
        const broken = [];
        addEventListener('securitypolicyviolation', event => broken.push(event.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.attacked = true';
        document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<p id=attack style=\"color: rgb(1, 2, 3)\" onclick=\"window.attacked = true\">x</p>');
        document.getElementById('attack').click();
        const coloured = getComputedStyle(document.getElementById('attack')).color === 'rgb(1, 2, 3)';
        const left = await fetch('https://example.com/').then(() => true, () => false);
        // The driver may evaluate scripts, but only during its own call.
        const evaluated = await new Promise(resolve => setTimeout(() => {
            try { resolve(Function('return true')()); } catch { resolve(false); }
        }));
        return { attacked: window.attacked === true, coloured, left, evaluated, broken: [...new Set(broken)].sort() };";
    let result = page.browser.run(attack, json!([]))?;
    let expected = json!({
        "attacked": false, "coloured": false, "left": false, "evaluated": false,
        "broken": ["connect-src", "script-src-attr", "script-src-elem", "style-src-attr"],
    });
    // The browser reports each violation on the console. Only here this is expected.
    let reported = page.browser.complaints()?;
    if result == expected && !reported.is_empty() { Ok(()) } else { Err(format!("{result:#}")) }
}
