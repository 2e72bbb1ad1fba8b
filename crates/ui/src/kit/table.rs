//! Tables: columns with headings, and rows of cells.

use std::ops::Range;

use yew::virtual_dom::Key;
use yew::{AttrValue, Html, html};

/// A table.
pub struct Table {
    class: Option<&'static str>,
    label: Option<AttrValue>,
    caption: Option<(&'static str, String)>,
    columns: Vec<Column>,
    rows: Vec<Row>,
    foot: Option<Row>,
    has_roles: bool,
}

/// A column of a table.
pub struct Column {
    heading: Option<Html>,
    is_number: bool,
}

/// A row of a table.
#[derive(Default)]
pub struct Row {
    key: Option<Key>,
    id: Option<String>,
    class: Option<&'static str>,
    is_current: bool,
    /// Whether the first cell is the heading of the line.
    is_named: bool,
    cells: Vec<Cell>,
}

/// A cell of a row.
pub struct Cell {
    content: Html,
    class: Option<&'static str>,
    title: Option<String>,
    columns: Option<usize>,
}

impl Table {
    /// A table of these columns and rows.
    pub fn new(columns: impl IntoIterator<Item = Column>, rows: impl IntoIterator<Item = Row>) -> Table {
        let (columns, rows) = (columns.into_iter().collect(), rows.into_iter().collect());
        Table { class: None, label: None, caption: None, columns, rows, foot: None, has_roles: false }
    }

    /// Sets the class of the table.
    pub fn class(self, class: &'static str) -> Table {
        Table { class: Some(class), ..self }
    }

    /// Names the table for screen readers.
    pub fn label(self, label: impl Into<AttrValue>) -> Table {
        Table { label: Some(label.into()), ..self }
    }

    /// Writes a caption of this class above the table.
    pub fn caption(self, class: &'static str, text: impl Into<String>) -> Table {
        Table { caption: Some((class, text.into())), ..self }
    }

    /// Adds a row below the others, such as their sums.
    pub fn foot(self, row: Row) -> Table {
        Table { foot: Some(row), ..self }
    }

    /// States the roles of all elements, for a table whose style sheet changes how they are
    /// displayed: browsers drop the roles of such elements.
    pub fn with_roles(self) -> Table {
        Table { has_roles: true, ..self }
    }

    /// Draws the table in a region of this class that scrolls, with its name for screen readers.
    pub fn within(self, class: &'static str, label: impl Into<AttrValue>) -> Html {
        html! { <div {class} tabindex="0" role="region" aria-label={label.into()}>{self.draw()}</div> }
    }

    /// Draws the table.
    pub fn draw(self) -> Html {
        let Table { class, label, caption, columns, rows, foot, has_roles } = self;
        let role = |name: &'static str| has_roles.then_some(name);
        let heading = |column: &Column| match &column.heading {
            None => html! { <td role={role("cell")}></td> },
            Some(heading) => html! {
                <th scope="col" role={role("columnheader")} class={column.class()}>{heading.clone()}</th>
            },
        };
        let head = columns.iter().map(heading).collect::<Html>();
        let draw = |(at, row): (usize, Row)| row.draw(at, &columns, has_roles);
        html! {
            <table role={role("table")} {class} aria-label={label}>
                { for caption.map(|(class, text)| html! { <caption role={role("caption")} {class}>{text}</caption> }) }
                <thead role={role("rowgroup")}><tr role={role("row")}>{head}</tr></thead>
                <tbody role={role("rowgroup")}>{ for rows.into_iter().enumerate().map(draw) }</tbody>
                { for foot.map(|row| html! { <tfoot role={role("rowgroup")}>{draw((0, row))}</tfoot> }) }
            </table>
        }
    }
}

impl Column {
    /// A column of texts.
    pub fn text(heading: impl Into<Html>) -> Column {
        Column { heading: Some(heading.into()), is_number: false }
    }

    /// A column of numbers, which end where its heading ends.
    pub fn number(heading: impl Into<Html>) -> Column {
        Column { heading: Some(heading.into()), is_number: true }
    }

    /// A column without a heading, for names of rows and for buttons.
    pub fn unnamed() -> Column {
        Column { heading: None, is_number: false }
    }

    fn class(&self) -> Option<&'static str> {
        self.is_number.then_some("num")
    }
}

/// Returns columns with these headings. Those at the positions `numbers` are columns of numbers.
pub fn columns(
    headings: impl IntoIterator<Item = impl Into<Html>>,
    numbers: Range<usize>,
) -> impl Iterator<Item = Column> {
    let column = move |(at, heading)| Column { is_number: numbers.contains(&at), ..Column::text(heading) };
    headings.into_iter().enumerate().map(column)
}

impl Row {
    /// A row of data.
    pub fn new(cells: impl IntoIterator<Item = impl Into<Cell>>) -> Row {
        Row::default().cells(cells)
    }

    /// A row whose first cell is its heading.
    pub fn named(heading: impl Into<Cell>) -> Row {
        Row { is_named: true, ..Row::default() }.cell(heading)
    }

    /// Tells the row from others when the table is drawn again.
    pub fn key(self, key: impl Into<Key>) -> Row {
        Row { key: Some(key.into()), ..self }
    }

    /// Sets the id of the row.
    pub fn id(self, id: String) -> Row {
        Row { id: Some(id), ..self }
    }

    /// Sets the class of the row.
    pub fn class(self, class: Option<&'static str>) -> Row {
        Row { class, ..self }
    }

    /// States whether this row is the one in use.
    pub fn current(self, is_current: bool) -> Row {
        Row { is_current, ..self }
    }

    /// Adds a cell.
    pub fn cell(mut self, cell: impl Into<Cell>) -> Row {
        self.cells.push(cell.into());
        self
    }

    /// Adds cells.
    pub fn cells(mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) -> Row {
        self.cells.extend(cells.into_iter().map(Into::into));
        self
    }

    fn draw(self, at: usize, columns: &[Column], has_roles: bool) -> Html {
        let Row { key, id, class, is_current, is_named, cells } = self;
        let role = |name: &'static str| has_roles.then_some(name);
        let mut column = 0;
        let cell = |cell: Cell| {
            let Cell { content, class, title, columns: wide } = cell;
            let at = column;
            column += wide.unwrap_or(1);
            let colspan = wide.map(|columns| columns.to_string());
            if is_named && at == 0 {
                return html! { <th scope="row" role={role("rowheader")} {class} {title} {colspan}>{content}</th> };
            }
            let class = class.or_else(|| columns.get(at)?.class());
            html! { <td role={role("cell")} {class} {title} {colspan}>{content}</td> }
        };
        let aria_current = is_current.then_some("true");
        let cells = cells.into_iter().map(cell).collect::<Html>();
        let key = key.unwrap_or_else(|| at.into());
        html! { <tr {key} {id} role={role("row")} {class} aria-current={aria_current}>{cells}</tr> }
    }
}

impl Cell {
    /// Sets the class of the cell, in place of that of its column.
    pub fn class(self, class: &'static str) -> Cell {
        Cell { class: Some(class), ..self }
    }

    /// Sets the text that appears when the pointer is on the cell.
    pub fn title(self, title: String) -> Cell {
        Cell { title: Some(title), ..self }
    }

    /// Makes the cell as wide as this many columns.
    pub fn across(self, columns: usize) -> Cell {
        Cell { columns: Some(columns), ..self }
    }
}

impl<T: Into<Html>> From<T> for Cell {
    fn from(content: T) -> Cell {
        Cell { content: content.into(), class: None, title: None, columns: None }
    }
}

#[cfg(test)]
mod tests {
    use yew::virtual_dom::VNode;

    use super::*;

    fn markup(node: &Html) -> String {
        match node {
            VNode::VText(text) => text.text.to_string(),
            VNode::VList(list) => list.iter().map(markup).collect(),
            VNode::VTag(tag) => {
                let attributes: String =
                    tag.attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                let inside = tag.children().map(markup).unwrap_or_default();
                format!("<{0}{attributes}>{inside}</{0}>", tag.tag())
            }
            other => panic!("a table has no {other:?}"),
        }
    }

    fn table() -> Table {
        let rows = [
            Row::named(Cell::from("a").title("about a".into())).cells(["1", "2"]).current(true),
            Row::named("b").cell(Cell::from("3").class("soft")).cell("4"),
            Row::new([Cell::from("all").across(2), "5".into()]).class(Some("wide")),
            Row::named(Cell::from("sum").across(2)).cell("6"),
        ];
        Table::new(columns(["name", "rows", "note"], 1..2), rows)
    }

    #[test]
    fn a_cell_has_the_class_of_its_column_unless_it_has_its_own() {
        let expected = "<table><thead><tr><th scope=col>name</th><th scope=col class=num>rows</th><th scope=col>note</th></tr></thead>\
            <tbody><tr aria-current=true><th scope=row title=about a>a</th><td class=num>1</td><td>2</td></tr>\
            <tr><th scope=row>b</th><td class=soft>3</td><td>4</td></tr>\
            <tr class=wide><td colspan=2>all</td><td>5</td></tr>\
            <tr><th scope=row colspan=2>sum</th><td>6</td></tr></tbody></table>";
        assert_eq!(markup(&table().draw()), expected);
    }

    #[test]
    fn roles_are_stated_for_every_element() {
        let table = Table::new([Column::unnamed(), Column::number("rows")], [Row::named("a").cell("4")]);
        let table = table.caption("small", "one table").foot(Row::named("sum").cell("4"));
        let drawn = markup(&table.with_roles().draw());
        for tag in ["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"] {
            let (all, with_role) = (format!("<{tag}"), |part: &str| {
                part.split('>').next().is_some_and(|attributes| attributes.contains(" role="))
            });
            let parts: Vec<&str> =
                drawn.split(&all).skip(1).filter(|part| !part.starts_with("ead")).collect();
            assert!(!parts.is_empty() && parts.iter().all(|part| with_role(part)), "{tag} in {drawn}");
        }
    }

    #[test]
    fn a_table_in_a_region_has_its_name() {
        let drawn = markup(&table().caption("small", "one table").within("scrolls", "tables"));
        assert!(drawn.contains("<caption class=small>one table</caption><thead>"), "{drawn}");
        for attribute in ["class=scrolls", "tabindex=0", "role=region", "aria-label=tables"] {
            assert!(drawn.split('>').next().is_some_and(|div| div.contains(attribute)), "{drawn}");
        }
    }
}
