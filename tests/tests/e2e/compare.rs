//! The view that compares designs: its address, the keys and limits of its list, the strips and
//! figures, and the sentence on the best one.

pub mod designs;

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test { name: "compare: the view has an address, and back and forward work", run: has_an_address },
    Test {
        name: "compare: a name that cannot be used and the ninth design are refused with the reason",
        run: explains_limits,
    },
    Test {
        name: "compare: a copy and an index table are exported with their own templates",
        run: exports_each,
    },
    Test {
        name: "compare: designs are moved and named by keys, and the focus stays with them",
        run: works_by_keys,
    },
    Test {
        name: "compare: each design has its strip and its figures on the same events",
        run: compares_figures,
    },
    Test { name: "compare: a sentence names the best design and where it loses", run: names_the_best },
    Test { name: "compare: one event is shown as each design stores it", run: shows_an_event },
    Test {
        name: "compare: all events of one entity are read from each design, with ranges, rows and cells",
        run: reads_an_entity,
    },
    Test { name: "compare: the pointer on an event marks its tablet in each strip", run: points_at_events },
    Test {
        name: "compare: nodes, storage and cost are estimated at the user's rates and prices",
        run: estimates,
    },
    Test {
        name: "compare: any event is reached by its number, and a row of the results chooses its event",
        run: reaches_any_event,
    },
    Test {
        name: "compare: long names of four designs are not cut, and only the tables scroll",
        run: shows_long_names,
    },
];

const USER_FIRST: &str = "{user_token},{timestamp:iso}";

fn open(page: &Page) -> Result<()> {
    page.click("link", "Compare")?;
    page.find("heading", "Compare designs").map(drop)
}

/// The names of the designs in the workspace.
fn names(page: &Page) -> Result<Value> {
    page.api("(await tabletop.workspace()).designs.map(design => design.name)")
}

fn until_names(page: &Page, expected: &[&str]) -> Result<()> {
    page.until(&format!("the designs are {expected:?}"), || {
        same("they", names(page)?, json!(expected)).map(|()| true)
    })?;
    let headings = "return [...document.querySelectorAll('.design-cards h3')].map(each => each.textContent)";
    page.until("the page shows them", || Ok(page.browser.run(headings, json!([]))? == json!(expected)))
}

/// The texts of a line of the table, its name first.
fn line(page: &Page, figure: &str) -> Result<Vec<String>> {
    let read =
        "const row = [...document.querySelectorAll('.compare-table tr')].find(row => row.cells[0].innerText === arguments[0]);
        return [...row.cells].slice(1).map(cell => cell.innerText.replace(/\\s+/g, ' ').trim())";
    let cells = page.browser.run(read, json!([figure]))?;
    Ok(cells.as_array().into_iter().flatten().map(|cell| cell.as_str().unwrap_or_default().into()).collect())
}

fn has_an_address(page: &Page) -> Result<()> {
    let query = || page.browser.run("return location.search", json!([]));
    let is_shown = |heading: &str| Ok(!page.browser.all_by_role("heading", heading)?.is_empty());
    same("the address of the first view", query()?, json!(""))?;
    open(page)?;
    same("the address", query()?, json!("?view=compare"))?;
    same("the current link", page.find("link", "Compare")?.attribute("aria-current")?.as_str(), "page")?;
    page.browser.run("history.back()", json!([]))?;
    page.until("the view of one design is back", || is_shown("Results"))?;
    same("the address", query()?, json!(""))?;
    page.browser.run("history.forward()", json!([]))?;
    page.until("the comparison is back", || is_shown("Compare designs"))?;
    page.at(format!("{}?view=compare", page.url())).reopen()?;
    page.until("the address opens the comparison", || is_shown("Compare designs"))?;
    page.until_text("1 design · the same 20,000 events")?;
    page.click("link", "Design")?;
    page.until("the link opens the other view", || is_shown("Results"))
}

fn exports_each(page: &Page) -> Result<()> {
    open(page)?;
    let exports = |table: &str| {
        page.click("button", "Export to Bigtable…")?;
        page.until(&format!("{table} is exported"), || {
            Ok(page.text("group", "Content of the file")?.contains(&format!("createtable {table} ")))
        })?;
        page.click("button", "Close")
    };
    page.click("button", "Duplicate Design 1")?;
    until_names(page, &["Design 1", "Design 2"])?;
    exports("design-2")?;
    page.click("button", "Edit Design 1")?;
    exports("design-1")?;
    page.click("button", "Add an index table to Design 1")?;
    page.until("there is one more table", || Ok(names(page)?.as_array().map(Vec::len) == Some(3)))?;
    exports("design-1-index")
}

fn explains_limits(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Duplicate Design 1")?;
    page.click("button", "Rename Design 2")?;
    for (name, why) in [("Design 1", "Another design is named Design 1."), (" ", "A design needs a name.")] {
        page.fill("Name of the design", name)?;
        page.until_text(why)?;
        same(
            "whether it can be saved",
            page.find("button", "Save name")?.property("disabled")?,
            json!(true),
        )?;
    }
    page.click("button", "Cancel")?;
    page.until("the focus is back", || Ok(page.browser.focused()?.name()? == "Rename Design 2"))?;
    for count in 3..=8 {
        page.click("button", "Add design")?;
        page.until("there is one more", || Ok(names(page)?.as_array().map(Vec::len) == Some(count)))?;
    }
    page.until_text("There are already 8 designs, the maximum. Remove one first.")?;
    for button in ["Add design", "Duplicate Design 8"] {
        same(button, page.find("button", button)?.property("disabled")?, json!(true))?;
    }
    page.click("button", "Remove Design 8")?;
    page.until("there is room again", || {
        Ok(page.find("button", "Add design")?.property("disabled")? == json!(false))
    })
}

fn works_by_keys(page: &Page) -> Result<()> {
    open(page)?;
    page.browser
        .run("arguments[0].focus()", json!([page.find("button", "Duplicate Design 1")?.as_argument()]))?;
    page.browser.press(&["Enter"])?;
    page.until("the copy has the focus", || Ok(page.browser.focused()?.name()? == "Rename Design 2"))?;
    page.browser.press(&["Enter"])?;
    page.until("its name is edited", || Ok(page.browser.focused()?.name()? == "Name of the design"))?;
    page.browser.press(&["B", "Enter"])?;
    until_names(page, &["Design 1", "B"])?;
    page.until("the design has the focus", || Ok(page.browser.focused()?.name()? == "Rename B"))?;
    page.browser.press(&["Alt+ArrowUp"])?;
    until_names(page, &["B", "Design 1"])?;
    page.until("it is still the one with the focus", || {
        Ok(page.browser.focused()?.name()?.ends_with("B down"))
    })?;
    page.browser.press(&["Alt+ArrowDown"])?;
    until_names(page, &["Design 1", "B"])?;
    page.until("it still is", || Ok(page.browser.focused()?.name()?.ends_with("B up")))?;
    page.browser.press(&["Control+z"])?;
    until_names(page, &["B", "Design 1"])
}

fn compares_figures(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(1, {{ name: 'Wide', template: '{USER_FIRST}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    open(page)?;
    page.until_text("2 designs · the same 20,000 events")?;
    page.until("all rows are counted", || {
        Ok(line(page, "Logical size")?.iter().all(|size| size.contains("MB")))
    })?;
    // Each value must be the same as in the table itself.
    let of_table = "await Promise.all([0, 1].map(async at => {
        const table = await tabletop.tablets(at), sum = of => table.tablets.reduce((sum, each) => sum + Number(each[of]), 0);
        return [sum('rows'), sum('cells'), Number(table.splits)].map(count => count.toLocaleString('en'));
    }))";
    let expected = page.api(of_table)?;
    for (at, figure) in ["Rows", "Cells", "Splits"].into_iter().enumerate() {
        let values = [expected[0][at].as_str(), expected[1][at].as_str()].map(Option::unwrap_or_default);
        same(figure, line(page, figure)?, values.map(String::from).to_vec())?;
    }
    let logical = "await Promise.all([0, 1].map(async at =>
        (Number((await tabletop.read(at, { rows_limit: 0 })).stats.bytes_returned) / 1e6).toPrecision(3)))";
    for (value, expected) in
        line(page, "Logical size")?.iter().zip(page.api(logical)?.as_array().into_iter().flatten())
    {
        same("what a read of the whole table returns", value.split(' ').next(), expected.as_str())?;
    }
    let share = line(page, "Hottest tablet")?;
    if !(share[0].contains("100%") && share[1].contains("best")) {
        return Err(format!("the time first is hot, and users first is not: {share:?}"));
    }
    let key = line(page, "Longest key")?;
    if !(key[0].contains('+') && key[1].ends_with("best")) {
        return Err(format!("the best value has a word, and the other its distance: {key:?}"));
    }
    let strips = page.browser.all_by_role("image", "")?;
    same("strips", strips.len(), 2)?;
    for strip in strips {
        let name = strip.name()?;
        if !(name.contains("tablets; the hottest takes") && name.ends_with("of the writes")) {
            return Err(format!("the name of a strip is {name:?}"));
        }
    }
    // An edit of one design changes only its column.
    let before = line(page, "Stored size")?;
    page.api("tabletop.design(1, { template: '{user_token:hash(8)},{timestamp:millis}' })")?;
    page.until("the second design has another size", || {
        let now = line(page, "Stored size")?;
        Ok(now[0].split(' ').next() == before[0].split(' ').next() && now[1] != before[1])
    })
}

fn names_the_best(page: &Page) -> Result<()> {
    open(page)?;
    page.until_text("A comparison needs two designs with rows and valid templates")?;
    page.click("button", "Duplicate Design 1")?;
    page.until_text("These designs are equal in every figure that counts")?;
    page.api(&format!(
        "tabletop.design(1, {{ name: 'Users', template: '{USER_FIRST}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    page.until_text("\u{201c}Users\u{201d} is best by these figures")?;
    page.until_text(
        "It is the only one whose writes are not concentrated on a few tablets. Its hottest tablet takes",
    )?;
    page.until_text("It loses on logical size (")?;
    page.until_text("The access patterns below compare reads.")
}

fn shows_an_event(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(1, {{ name: 'Wide', template: '{USER_FIRST}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    open(page)?;
    // The first event has the first key of the design that begins with the time.
    let first = page.api(
        "await Promise.all([0, 1].map(async at => (await tabletop.read(at, { rows_limit: 1 })).rows[0]))",
    )?;
    let narrow = page.text("article", "The event in Design 1")?;
    let key = first[0]["key"].as_str().unwrap_or_default();
    if key.is_empty() || !narrow.contains(key) || !narrow.contains("1 cell,") {
        return Err(format!("the row of the first event has the key {key}, but the page shows {narrow}"));
    }
    let wide = page.text("article", "The event in Wide")?;
    let user = key.rsplit(',').next().unwrap_or_default();
    if !wide.contains(user) || !wide.contains(" cells,") || !wide.contains("e:") {
        return Err(format!("the wide row of {user} has several cells of the family e: {wide}"));
    }
    let marks = || {
        let read = "return [...document.querySelectorAll('.design-card .event-mark')].map(mark => mark.getAttribute('x1'))";
        page.browser.run(read, json!([]))
    };
    let before = marks()?;
    same("marks, one in each strip", before.as_array().map(Vec::len), Some(2))?;
    let shows = |event: &str, text: &str| {
        page.until(&format!("{event} is shown"), || {
            Ok(page.text("article", "The event in Design 1")?.contains(text))
        })
    };
    // First with the keyboard, then with a click.
    page.browser
        .run("arguments[0].focus()", json!([page.find("listbox", "Choose an event")?.as_argument()]))?;
    page.browser.press(&["ArrowDown"])?;
    let second = page.api("(await tabletop.read(0, { rows_limit: 2 })).rows[1].key")?;
    shows("the second event", second.as_str().unwrap_or_default())?;
    page.browser.press(&["End"])?;
    page.until("the last event of the list is in another tablet of the second design", || {
        Ok(marks()? != before)
    })?;
    page.browser.run("document.querySelector('#event-0').click()", json!([]))?;
    shows("the first event", key)
}

fn points_at_events(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(1, {{ name: 'Wide', template: '{USER_FIRST}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    open(page)?;
    // Strips in the list mark the event under the pointer; the strips below mark the chosen event.
    let marks = "return ['.design-card', '.anatomy-design'].map(of =>
        [...document.querySelectorAll(of + ' .event-mark')].map(mark => mark.getAttribute('x1')))";
    let until_marks = |what: &str, are_same: bool| {
        page.until(what, || {
            let marks = page.browser.run(marks, json!([]))?;
            let is_in_each =
                marks.as_array().is_some_and(|of| of.iter().all(|of| of.as_array().map(Vec::len) == Some(2)));
            Ok(is_in_each && (marks[0] == marks[1]) == are_same)
        })
    };
    let point = |part: &str| {
        let place = "const part = document.querySelector(arguments[0]);
            part.scrollIntoView({ block: 'center' });
            const box = part.getBoundingClientRect();
            return [box.x + 12, box.y + box.height / 2]";
        let place = page.browser.run(place, json!([part]))?;
        let to = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
        page.browser.devtools("Input.dispatchMouseEvent", &to).map(drop)
    };
    until_marks("each strip marks the tablet of the chosen event", true)?;
    // Figures that arrive may move the elements below them.
    page.until("the pointer is on the event", || {
        point("#event-49")?;
        let is_there = "return document.querySelector('#event-49').matches(':hover')";
        Ok(page.browser.run(is_there, json!([]))? == json!(true))
    })?;
    until_marks("each strip marks the tablet of the event below the pointer", false)?;
    page.find("heading", "How each design stores event 1")?;
    point("#anatomy-title")?;
    until_marks("each strip marks the tablet of the chosen event again", true)?;
    page.browser.run("document.querySelector('#event-49').click()", json!([]))?;
    page.find("heading", "How each design stores event 50")?;
    until_marks("each strip marks the tablet of the event that was clicked", true)
}

/// The texts of a design's line in the estimate, without its name.
fn estimated(page: &Page, design: &str) -> Result<Vec<String>> {
    let read =
        "const row = [...document.querySelectorAll('.estimate tbody tr')].find(row => row.cells[0].textContent === arguments[0]);
        return [...row.cells].slice(1).map(cell => cell.textContent)";
    let cells = page.browser.run(read, json!([design]))?;
    Ok(cells.as_array().into_iter().flatten().map(|cell| cell.as_str().unwrap_or_default().into()).collect())
}

fn estimates(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(1, {{ name: 'Users', template: '{USER_FIRST}' }})"))?;
    open(page)?;
    page.browser.run("arguments[0].open = true", json!([page.browser.by_css(".estimate")?.as_argument()]))?;
    let until_cells = |what: &str, expected: &[(usize, &str)]| {
        page.until(what, || {
            let cells = estimated(page, "Users")?;
            let actual: Vec<(usize, &str)> =
                expected.iter().map(|(at, _)| (*at, cells.get(*at).map_or("", String::as_str))).collect();
            same("it", actual.as_slice(), expected).map(|()| true)
        })
    };
    let fill = |rates: &[(&str, &str)]| {
        rates.iter().try_for_each(|(name, value)| page.fill(name, value))?;
        page.browser.press(&["Enter"])
    };
    let [nodes, writes, reads, cost] = [0, 1, 2, 5];
    until_cells("nothing is known", &[(nodes, "\u{2013}"), (cost, "\u{2013}")])?;
    fill(&[("Events/s, busiest minute", "20000"), ("Events per day", "100000000"), ("Days kept", "30")])?;
    // 20,000 / (14,000 x 0.7).
    until_cells(
        "there are nodes",
        &[(nodes, "3"), (writes, "2.04"), (reads, "\u{2013}"), (cost, "\u{2013}")],
    )?;
    page.until("there are bytes", || {
        Ok(estimated(page, "Users")?.get(4).is_some_and(|stored| stored.ends_with('B')))
    })?;
    page.until("no nodes help the time first", || {
        Ok(estimated(page, "Design 1")?
            .first()
            .is_some_and(|nodes| nodes.contains("one tablet is hotter than a node")))
    })?;
    fill(&[("Price per node-hour", "1"), ("Price per GB-month", "0")])?;
    until_cells("there is a cost", &[(nodes, "3"), (cost, "2,190")])?;
    fill(&[("Price per node-hour", "2")])?;
    until_cells("twice the price is twice the cost", &[(nodes, "3"), (cost, "4,380")])?;
    fill(&[("Clusters", "2")])?;
    until_cells("each cluster has its nodes", &[(nodes, "6"), (cost, "8,760")])?;
    fill(&[("Price per GB-month", "0.5")])?;
    page.until("storage has its cost", || {
        let cells = estimated(page, "Users")?;
        let cost = cells.get(cost).and_then(|cost| cost.replace(',', "").parse::<u64>().ok());
        Ok(cost > Some(8_760))
    })?;
    // Large rates have figures, and values out of bounds are refused.
    fill(&[("Events per day", "1000000000000000"), ("Days kept", "100000")])?;
    let has_separators = |text: &String| {
        text.split(',').skip(1).all(|digits| digits.chars().filter(char::is_ascii_digit).count() == 3)
    };
    page.until("nodes and bytes have separators of thousands", || {
        let cells = estimated(page, "Users")?;
        Ok(cells.iter().all(has_separators)
            && cells.first().is_some_and(|nodes| nodes.len() >= "1,000,000,000".len()))
    })?;
    fill(&[("Days kept", "100001")])?;
    page.until_text("Enter a number from 0 to 100,000. 100,000 is still in use.")?;
    page.until("the price is in the workspace", || {
        Ok(page.api("(await tabletop.workspace()).rates?.gigabyte_month_price")?.as_f64() == Some(0.5))
    })
}

fn reaches_any_event(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(1, {{ name: 'Users', template: '{USER_FIRST}' }})"))?;
    // The last row by time is that of the last event.
    let last = page.api("(await tabletop.read(0, { rows_limit: 1, reversed: true })).rows[0].key")?;
    let last = last.as_str().unwrap_or_default();
    open(page)?;
    page.until_text("Events 1 to 50 of 20,000.")?;
    same("there are none before", page.find("button", "Earlier events")?.property("disabled")?, json!(true))?;
    page.fill("Event", "20000")?;
    page.browser.press(&["Enter"])?;
    page.until_text("Events 19,951 to 20,000 of 20,000.")?;
    page.until("the last event is shown", || {
        Ok(page.text("article", "The event in Design 1")?.contains(last))
    })?;
    page.click("button", "Earlier events")?;
    page.until_text("Events 19,901 to 19,950 of 20,000.")?;
    // A row of the results of one design is the same event in the others.
    page.click("link", "Design")?;
    page.open_pane(Pane::Query)?;
    page.click("radio", "Keys")?;
    page.fill("One key per line", last)?;
    page.until_first_key(last)?;
    page.browser.by_css(".grid .line [role=gridcell]:last-child")?.click()?;
    page.find_named("option", "it has the chosen event")?;
    page.check_accessible("the tablet of a chosen event")?;
    page.click("link", "Compare")?;
    page.until_text("How each design stores event 20,000")?;
    let marks = "return document.querySelectorAll('.design-card .event-mark').length";
    same("each strip marks its tablet", page.browser.run(marks, json!([]))?, json!(2))?;
    // All cells of an event can be seen.
    page.api("tabletop.design(0, { layout: { kind: 'wide', family_field: null } })")?;
    let more = page.find_named("article", "The event in Design 1")?;
    page.until("the wide row has its cells", || Ok(more.text()?.contains("cells, ")))?;
    let opened = "const more = document.querySelector('.anatomy-more');
        if (more) { more.querySelector('summary').click(); }
        const [count] = document.querySelector('.anatomy-design').innerText.match(/\\d+(?= cells?,)/);
        return Number(count) === [...document.querySelectorAll('.anatomy-design:first-child .anatomy-cells > li')].filter(each => each.checkVisibility()).length";
    same("all cells are listed", page.browser.run(opened, json!([]))?, json!(true))
}

fn reads_an_entity(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(1, {{ name: 'Entity', template: '{USER_FIRST}', layout: {{ kind: 'row_per_entity', family_field: null }} }})"
    ))?;
    open(page)?;
    let key = page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")?;
    let user = key.as_str().and_then(|key| key.rsplit(',').next()).unwrap_or_default();
    page.until("all rows are counted", || {
        Ok(line(page, "Logical size")?.iter().all(|size| size.contains("MB")))
    })?;
    page.click("button", &format!("Read all of user_token {user}"))?;
    // A field that is not in the range of the key is searched in every row; a row per entity is one
    // range.
    let fields = json!({ "fields": { "equals": [["user_token", user]], "from": null, "until": null } });
    let read = |at: usize| {
        page.api(&format!("(await tabletop.read({at}, {{ rows: {fields}, rows_limit: 0 }})).rows.length"))
    };
    let rows = read(0)?.as_u64().unwrap_or_default();
    let said = |design: &str, text: &str| {
        let name = format!("The entity in {design}");
        page.until(&format!("{name}: {text}"), || Ok(page.text("article", &name)?.contains(text)))
    };
    said("Design 1", &format!("full scan: {rows} rows of 20,000 seen, {rows} cells, from "))?;
    said("Design 1", "the whole table")?;
    same("rows of the entity", read(1)?, json!(1))?;
    said("Entity", &format!("1 range: 1 row, {rows} cells, from 1 tablet"))?;
    said("Entity", user)
}

fn shows_long_names(page: &Page) -> Result<()> {
    // They differ at their ends only, and one of them is a single word.
    let names =
        ["By user_token, timestamp, app_id", "By user_token, timestamp, app_id, wide", &"user_".repeat(12)];
    for (at, name) in names.iter().enumerate() {
        page.api(&format!("tabletop.design({}, {{ name: '{name}', template: '{USER_FIRST}' }})", at + 1))?;
    }
    open(page)?;
    page.click("button", "Add all 6")?;
    page.until("patterns are measured", || {
        Ok(!page.browser.all_by_role("button", "Delete One user_token")?.is_empty())
    })?;
    for size in [WIDE, (1280, 800), (800, 600), PHONE] {
        page.browser.resize(size.0, size.1)?;
        let cut = "return ['.compare-table', '.score-grid'].flatMap(table => [...document.querySelectorAll(table + ' thead th')])
            .filter(head => head.closest('thead').clientWidth > 1 && head.scrollWidth > head.clientWidth)
            .map(head => head.textContent)";
        page.until("no name is cut", || {
            same("names", page.browser.run(cut, json!([]))?, json!([])).map(|()| true)
        })?;
        let wide = "return ['.pane-compare', 'html'].filter(of => {
            const part = document.querySelector(of);
            return part.scrollWidth > part.clientWidth;
        })";
        same(
            &format!("what else scrolls sideways at {size:?}"),
            page.browser.run(wide, json!([]))?,
            json!([]),
        )?;
    }
    // With the keyboard, to the last column.
    let table = page.find("region", "Figures of the designs")?;
    page.browser.run("arguments[0].focus()", json!([table.as_argument()]))?;
    let left = || page.browser.run("return arguments[0].scrollLeft", json!([table.as_argument()]));
    same("the first column", left()?, json!(0))?;
    page.browser.press(&["ArrowRight"])?;
    page.until("it scrolls", || Ok(left()?.as_f64() > Some(0.0)))
}
