//! Adds a part at the end of the template.

use std::rc::Rc;

use tabletop_keys::{
    Field, FieldKind, Part, Template, edit,
    zorder::{ZOrder, ZOutput},
};
use tabletop_protocol::Suggestions;
use tabletop_texts::messages;
use yew::{AttrValue, Callback, Html, html};

use crate::kit::{Icon, MenuButton, callback};

/// Draws a menu of fields and other kinds of parts. A whole number gets the digits of its field.
pub fn add_part(template: &Rc<Template>, suggested: &Rc<Suggestions>, on_change: Callback<String>) -> Html {
    let (fields, says) = (template.fields(), &messages().design);
    let mut items: Vec<(AttrValue, AttrValue)> = fields
        .iter()
        .enumerate()
        .map(|(at, field)| (at.to_string().into(), field.name.clone().into()))
        .collect();
    if edit::salt(template).is_none() {
        items.push(("salt".into(), says.add_salt.into()));
    }
    if axes(fields).is_some() {
        items.push(("zorder".into(), says.add_zorder.into()));
    }
    items.push(("literal".into(), says.add_separator.into()));
    let suggested = suggested.clone();
    let on_select = callback(template, move |template, item: AttrValue| {
        let fields = template.fields();
        let next = match item.as_str() {
            "salt" => edit::with_salt(template, Some(8)),
            "literal" => edit::append(template, Part::Literal("#".into())),
            "zorder" => match axes(fields) {
                // A query for a box needs digits that sort as their bits.
                Some((x, y)) => {
                    edit::append(template, Part::ZOrder(ZOrder { output: ZOutput::Hex, ..ZOrder::new(x, y) }))
                }
                None => return,
            },
            at => match at.parse().ok().and_then(|at: usize| Some((at, fields.get(at)?))) {
                Some((at, field)) => {
                    let digits = suggested.digits.get(at).copied().flatten();
                    edit::append(template, edit::part_of(field, digits))
                }
                None => return,
            },
        };
        on_change.emit(next.text());
    });
    html! { <MenuButton label={says.add_part} icon={Icon::Plus} {items} {on_select} /> }
}

/// Returns two fields for a new Z-order: a longitude and a latitude by their names, else the first
/// two numbers.
fn axes(fields: &[Field]) -> Option<(String, String)> {
    edit::coordinates(fields).or_else(|| {
        let is_number = |field: &&Field| matches!(field.kind, FieldKind::Float | FieldKind::Int);
        let mut numbers = fields.iter().filter(is_number).map(|field| field.name.clone());
        numbers.next().zip(numbers.next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_z_order_begins_with_the_place() {
        let field = |name: &str, kind| Field::new(name, kind);
        let quake = [
            field("mag", FieldKind::Float),
            field("latitude", FieldKind::Float),
            field("longitude", FieldKind::Float),
            field("place", FieldKind::Text),
        ];
        assert_eq!(axes(&quake), Some(("longitude".into(), "latitude".into())));
        assert_eq!(axes(&quake[..2]), Some(("mag".into(), "latitude".into())));
        assert_eq!(axes(&quake[2..]), None);
    }
}
