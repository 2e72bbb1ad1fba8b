//! The controls of one block: its kind, and its fields.

use std::rc::Rc;

use tabletop_model::pattern::literal;
use tabletop_model::{Bytes, RowFilter, escape};
use tabletop_texts::messages;
use tabletop_views::query::filter::{
    FilterKind, Focus, Group, KINDS, Path, address, change_kind, get, in_order,
};
use tabletop_views::query::{BlockPart, Spot, parts};
use wasm_bindgen::JsValue;
use web_sys::HtmlSelectElement;
use yew::{AttrValue, Callback, Event, Html, TargetCast, html};

use super::blocks::Blocks;
use crate::kit::{ButtonKind, Label, push, select};
use crate::panes::query::rows::datalist;
use crate::panes::query::text_field::TextFieldProps;

/// Ids of the datalists with patterns of families, patterns of qualifiers, and qualifiers.
const LISTS: [&str; 3] = ["filter-families", "filter-patterns", "filter-qualifiers"];

impl Blocks {
    /// Draws the choice of the block's kind.
    pub fn kind_select(self: &Rc<Self>, now: &FilterKind, path: &Path) -> Html {
        let onchange = {
            let (this, path) = (self.clone(), path.clone());
            Callback::from(move |event: Event| {
                let name = event.target_unchecked_into::<HtmlSelectElement>().value();
                if let Some(kind) = KINDS.iter().find(|kind| kind.name == name)
                    && let Some(block) = this.tree.as_ref().and_then(|tree| get(tree, &path)).cloned()
                {
                    this.put(&path, change_kind(block, kind, this.family()), Focus::Stay);
                }
            })
        };
        let at = in_order().position(|kind| kind.name == now.name).unwrap_or(0);
        let option = |kind: &FilterKind| html! { <option value={kind.name} selected={kind.name == now.name}>{ kind.title() }</option> };
        let group = |group: Group| {
            let kinds = KINDS.iter().filter(|kind| kind.group == group).map(option);
            html! { <optgroup label={group.title()}>{ for kinds }</optgroup> }
        };
        // The index is a property: a control that the user has changed no longer follows the
        // attributes of its options.
        html! {
            <select
                class="select block-kind"
                aria-label={(messages().filter.block_does)(&address(path))}
                title={now.about()}
                ~selectedIndex={JsValue::from(at as u32)}
                {onchange}
            >
                { for Group::ALL.into_iter().map(group) }
            </select>
        }
    }

    /// Draws the fields of the block. The two fields of an end stay together.
    pub fn part_fields(self: &Rc<Self>, block: &RowFilter, path: &Path) -> Html {
        let mut fields: Vec<Html> = Vec::new();
        let mut list = parts(block).into_iter().peekable();
        while let Some((part, text)) = list.next() {
            let mut field = self.part_field(block, path, part, text);
            if matches!(part, BlockPart::Is(_)) {
                let bytes = list.next_if(|(part, _)| matches!(part, BlockPart::Bound(_)));
                let bytes = bytes.map(|(part, text)| self.part_field(block, path, part, text));
                field = html! { <div class="bound">{ field }if let Some(bytes) = bytes { { bytes } }</div> };
            }
            fields.push(field);
        }
        fields.into_iter().collect()
    }

    fn part_field(self: &Rc<Self>, block: &RowFilter, path: &Path, part: BlockPart, text: String) -> Html {
        let name = (messages().filter.block_part)(&address(path), part.title());
        let spot = Spot::Block(path.clone(), part);
        let choices: Vec<&str> = match part {
            BlockPart::Family if self.families.contains(&text) => {
                self.families.iter().map(String::as_str).collect()
            }
            BlockPart::Family => self.families.iter().map(String::as_str).chain([text.as_str()]).collect(),
            BlockPart::Is(end) => end.choices().to_vec(),
            _ => Vec::new(),
        };
        if !choices.is_empty() {
            let at = choices.iter().position(|choice| *choice == text);
            let texts: Vec<String> = choices.iter().map(std::string::ToString::to_string).collect();
            let on_select = self.on_text.reform(move |at: usize| (spot.clone(), texts[at].clone()));
            return select(Label::Hidden(&name), &choices, at, on_select);
        }
        let list = match (block, part) {
            (RowFilter::FamilyNameRegex(_), BlockPart::Pattern) => Some(LISTS[0]),
            (RowFilter::ColumnQualifierRegex(_), BlockPart::Pattern) => Some(LISTS[1]),
            (RowFilter::ColumnRange(_), BlockPart::Bound(_)) => Some(LISTS[2]),
            _ => None,
        };
        let (hide_label, class) = match part {
            BlockPart::From | BlockPart::Until => (false, "time"),
            BlockPart::Cells | BlockPart::Share | BlockPart::Label => (true, "short"),
            _ => (true, ""),
        };
        TextFieldProps {
            full_name: Some(name.into()),
            hide_label,
            placeholder: match part {
                // A pattern matches the whole text.
                BlockPart::Pattern => r"\C*part\C*",
                _ if hide_label => part.title(),
                _ => messages().query.any,
            },
            list: list.map(AttrValue::Static),
            class,
            ..TextFieldProps::new(spot, part.title(), part.notation(), text, &self.on_text)
        }
        .draw()
    }

    /// Draws the description of a filter that is always on. A filter that is off is refused, and
    /// has a button that turns it on.
    pub fn flag(self: &Rc<Self>, block: &RowFilter, kind: &'static FilterKind, path: &Path) -> Html {
        match block {
            RowFilter::Sink(on)
            | RowFilter::PassAll(on)
            | RowFilter::BlockAll(on)
            | RowFilter::StripValue(on)
                if !on =>
            {
                let (this, path) = (self.clone(), path.clone());
                let on_click = Callback::from(move |()| this.put(&path, (kind.make)(""), Focus::Stay));
                push(messages().filter.turn_on, None, ButtonKind::Quiet, on_click)
            }
            RowFilter::Sink(_)
            | RowFilter::PassAll(_)
            | RowFilter::BlockAll(_)
            | RowFilter::StripValue(_) => {
                html! { <span class="block-note soft">{ kind.about() }</span> }
            }
            _ => html! {},
        }
    }

    /// Draws the datalists with the families and qualifiers that fields suggest.
    pub fn suggestions(&self, columns: &[(String, Bytes)]) -> Html {
        let mut qualifiers: Vec<&Bytes> = Vec::new();
        for (_, qualifier) in columns {
            if !qualifiers.contains(&qualifier) {
                qualifiers.push(qualifier);
            }
        }
        let families: Vec<String> = self.families.iter().map(|family| literal(family.as_bytes())).collect();
        let patterns: Vec<String> = qualifiers.iter().map(|qualifier| literal(qualifier)).collect();
        let texts: Vec<String> = qualifiers.iter().map(|qualifier| escape(qualifier)).collect();
        LISTS.into_iter().zip([families, patterns, texts]).map(|(id, values)| datalist(id, &values)).collect()
    }
}
