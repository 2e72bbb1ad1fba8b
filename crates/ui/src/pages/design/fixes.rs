//! One click that mends what a warning is about, where it is clear what to do.

use tabletop_schema::{EventsView, Field, FieldKind, Part, Template, Transform, Warning, WarningKind};

use super::edit;

/// Salts of a first try: enough to spread, few enough for a scan.
const SALTS: u32 = 8;
/// Events that show whether a field only grows.
const GROWS_EVENTS: usize = 8;
/// Separators to try, the usual ones first.
const SEPARATORS: [&str; 6] = ["#", "|", "~", "/", ";", "^"];

/// What a button says, and the template that it makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// The button's text.
    pub label: String,
    /// The whole template.
    pub text: String,
}

/// Ways to mend a warning, the best first; none where it is the person's choice.
pub fn fixes(template: &Template, warning: &Warning, events: &EventsView) -> Vec<Fix> {
    let fields = template.fields();
    let at = warning.part.map(|part| part as usize).filter(|&at| at < template.parts().len());
    match warning.kind {
        WarningKind::MonotonicFirstField => to_the_end(template, at).into_iter().chain(salted(template)).collect(),
        WarningKind::LowCardinalityPrefix => to_the_end(template, at).into_iter().chain(salted(template)).collect(),
        WarningKind::UnpaddedNumber => at.and_then(|at| padded(template, at, events)).into_iter().collect(),
        WarningKind::SeparatorInsideValue => at.and_then(|at| separated(template, at, events)).into_iter().collect(),
        WarningKind::KeyTooLong => at.and_then(|at| hashed(template, at)).into_iter().collect(),
        WarningKind::SharedKey => told_apart(template, fields).into_iter().collect(),
        WarningKind::FamilyNames | WarningKind::OtherKind => Vec::new(),
    }
}

/// For the banner of the first paint: the time at the front goes behind everything else, unless what comes first then only
/// grows as well.
pub fn time_behind(template: &Template, events: &EventsView) -> Option<Fix> {
    let solids = edit::solids(template);
    let (&first, &last) = (solids.first()?, solids.last()?);
    if first == last || !edit::is_rising_time(&template.parts()[first], template.fields()) || edit::salt(template).is_some() {
        return None;
    }
    if matches!(&template.parts()[solids[1]], Part::Field { name, transforms } if grows(events, name) && transforms.iter().all(|transform| matches!(transform, Transform::Pad(_))))
    {
        return None;
    }
    let text = edit::move_solid(template, 0, solids.len() - 1).text();
    Some(Fix { label: format!("Move the time behind {}", edit::name(&template.parts()[last])), text })
}

fn to_the_end(template: &Template, at: Option<usize>) -> Option<Fix> {
    let solids = edit::solids(template);
    let from = match at {
        Some(at) => solids.iter().position(|&solid| solid == at)?,
        None => 0,
    };
    let name = edit::name(&template.parts()[*solids.get(from)?]);
    if solids.len() > 1 {
        let text = edit::move_solid(template, from, solids.len() - 1).text();
        return Some(Fix { label: format!("Move {name} to the end"), text });
    }
    // Nothing to move it behind: the first text that is not in the key yet.
    let other = template.fields().iter().find(|field| field.kind == FieldKind::Text && field.name != name)?;
    let text = edit::prepend(template, edit::part_of(other)).text();
    Some(Fix { label: format!("Put {} before {name}", other.name), text })
}

/// Spreads the keys over as many ranges as there are salts, if it is not done already.
pub fn salted(template: &Template) -> Option<Fix> {
    edit::salt(template)
        .is_none()
        .then(|| Fix { label: format!("Salt with {SALTS}"), text: edit::with_salt(template, Some(SALTS)).text() })
}

fn padded(template: &Template, at: usize, events: &EventsView) -> Option<Fix> {
    let Part::Field { name, transforms } = &template.parts()[at] else { return None };
    let longest = values(events, name).map(str::len).max().unwrap_or(0);
    // Ten digits hold what fits into 32 bits, nineteen what fits into 64.
    let digits = if longest <= 10 { 10 } else { 19 };
    let mut transforms = transforms.clone();
    transforms.retain(|transform| !matches!(transform, Transform::Pad(_)));
    transforms.push(Transform::Pad(digits));
    let text = edit::replace(template, at, Part::Field { name: name.clone(), transforms }).text();
    Some(Fix { label: format!("Pad to {digits}"), text })
}

fn separated(template: &Template, at: usize, events: &EventsView) -> Option<Fix> {
    let at = if matches!(template.parts()[at], Part::Literal(_)) { at } else { at + 1 };
    let Some(Part::Literal(now)) = template.parts().get(at) else { return None };
    let unused = |separator: &&&str| {
        !now.contains(*separator) && !events.events.iter().flatten().flatten().any(|value| value.contains(*separator))
    };
    let separator = SEPARATORS.iter().find(unused)?;
    let text = edit::replace(template, at, Part::Literal((*separator).into())).text();
    Some(Fix { label: format!("Separate with {separator}"), text })
}

fn hashed(template: &Template, at: usize) -> Option<Fix> {
    let Part::Field { name, transforms } = &template.parts()[at] else { return None };
    let mut transforms = transforms.clone();
    transforms.push(Transform::Hash(16));
    let text = edit::replace(template, at, Part::Field { name: name.clone(), transforms }).text();
    Some(Fix { label: format!("Hash {name}"), text })
}

fn told_apart(template: &Template, fields: &[Field]) -> Option<Fix> {
    let used =
        |field: &Field| template.parts().iter().any(|part| matches!(part, Part::Field { name, .. } if *name == field.name));
    let time = fields.iter().find(|field| field.kind == FieldKind::Time && !used(field))?;
    let text = edit::append(template, edit::part_of(time)).text();
    Some(Fix { label: format!("Add {} to the end", time.name), text })
}

/// Whether each value is greater than the one before, as those of a counter are.
fn grows(events: &EventsView, name: &str) -> bool {
    let texts: Vec<&str> = values(events, name).collect();
    // A number of more digits is greater.
    texts.len() >= GROWS_EVENTS && texts.windows(2).all(|pair| (pair[0].len(), pair[0]) < (pair[1].len(), pair[1]))
}

/// Texts of one field in the events that are at hand.
fn values<'a>(events: &'a EventsView, name: &str) -> impl Iterator<Item = &'a str> {
    let at = events.fields.iter().position(|field| field.name == name);
    events.events.iter().filter_map(move |event| event.get(at?)?.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<Field> {
        let field = |name: &str, kind| Field::new(name, kind);
        vec![field("ts", FieldKind::Time), field("user", FieldKind::Text), field("n", FieldKind::Int)]
    }

    fn events(rows: &[[&str; 3]]) -> EventsView {
        let event = |row: &[&str; 3]| row.iter().map(|text| Some((*text).to_owned())).collect();
        EventsView { fields: fields(), start: 0, events: rows.iter().map(event).collect() }
    }

    fn offered(text: &str, kind: WarningKind, part: u32) -> Vec<String> {
        let (template, _) = Template::parse(text, &fields());
        let warning = Warning { kind, part: Some(part), message: String::new(), evidence: String::new() };
        let events = events(&[["2020-01-01", "a#b", "7"], ["2020-01-02", "c", "12345678901"]]);
        fixes(&template, &warning, &events).into_iter().map(|fix| format!("{} -> {}", fix.label, fix.text)).collect()
    }

    #[test]
    fn a_rising_front_moves_or_is_salted() {
        assert_eq!(
            offered("{ts:iso},{user}", WarningKind::MonotonicFirstField, 0),
            ["Move ts to the end -> {user},{ts:iso}", "Salt with 8 -> {salt(8)}-{ts:iso},{user}"]
        );
        assert_eq!(
            offered("{ts:iso}", WarningKind::MonotonicFirstField, 0),
            ["Put user before ts -> {user},{ts:iso}", "Salt with 8 -> {salt(8)}-{ts:iso}"]
        );
    }

    #[test]
    fn a_number_is_padded_for_its_longest_value() {
        assert_eq!(offered("{n},{user}", WarningKind::UnpaddedNumber, 0), ["Pad to 19 -> {n:pad(19)},{user}"]);
    }

    #[test]
    fn a_separator_is_one_that_no_value_holds() {
        assert_eq!(offered("{user}#{ts:iso}", WarningKind::SeparatorInsideValue, 0), ["Separate with | -> {user}|{ts:iso}"]);
    }

    #[test]
    fn shared_keys_are_told_apart_by_time() {
        assert_eq!(offered("{user}", WarningKind::SharedKey, 0), ["Add ts to the end -> {user},{ts:iso}"]);
        assert_eq!(offered("{user},{ts:iso}", WarningKind::SharedKey, 0), Vec::<String>::new());
    }

    #[test]
    fn the_banner_names_what_the_time_goes_behind() {
        let rows = ["7", "9", "12", "8", "30", "31", "4", "50"].map(|n| ["2020-01-01", "a", n]);
        let fix = |text: &str| time_behind(&Template::parse(text, &fields()).0, &events(&rows)).map(|fix| (fix.label, fix.text));
        assert_eq!(
            fix("{ts:iso},{n:pad(10)},{user}"),
            Some(("Move the time behind user".into(), "{n:pad(10)},{user},{ts:iso}".into()))
        );
        assert_eq!(fix("{user},{ts:iso}"), None);
        assert_eq!(fix("{salt(8)}-{ts:iso},{user}"), None);
        assert_eq!(fix("{ts:reverse_time},{user}"), None);
        let rows = ["7", "8", "9", "10", "11", "12", "100", "101"].map(|n| ["2020-01-01", "a", n]);
        let fix = |text: &str| time_behind(&Template::parse(text, &fields()).0, &events(&rows)).map(|fix| fix.text);
        assert_eq!(fix("{ts:iso},{n:pad(10)},{user}"), None, "it grows as the time does");
        assert!(fix("{ts:iso},{n:hash},{user}").is_some());
    }
}
