//! One end of a range: open, closed or absent.

use std::ops::Bound;

use tabletop_model::{Bytes, escape};
use yew::{AttrValue, Callback, Html, Properties, function_component, html};

use super::notation::{Notation, bytes};
use super::text_field::TextField;
use crate::widgets::Select;

/// Which end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The lower one.
    Start,
    /// The upper one.
    End,
}

impl End {
    /// Value and text of the choices: included, excluded, none.
    fn choices(self) -> [(&'static str, &'static str); 3] {
        match self {
            End::Start => [("included", "from"), ("excluded", "after"), ("unbounded", "from the first")],
            End::End => [("included", "through"), ("excluded", "before"), ("unbounded", "to the last")],
        }
    }

    /// On the screen.
    fn title(self) -> &'static str {
        match self {
            End::Start => "Start",
            End::End => "End",
        }
    }
}

/// Properties of [`BoundField`].
#[derive(Properties, PartialEq)]
pub struct BoundFieldProps {
    /// Unique in the page.
    pub id: AttrValue,
    /// Which end.
    pub end: End,
    /// What the range is of, for those who do not see where it stands: "Block 1.2".
    #[prop_or_default]
    pub of: AttrValue,
    /// The end itself.
    pub bound: Bound<Bytes>,
    /// What an empty text means.
    #[prop_or_default]
    pub placeholder: AttrValue,
    /// Another.
    pub on_change: Callback<Bound<Bytes>>,
    /// Id of a datalist.
    #[prop_or_default]
    pub list: Option<AttrValue>,
}

/// A choice of open, closed or absent, and the bytes.
#[function_component]
pub fn BoundField(props: &BoundFieldProps) -> Html {
    let (kind, value) = match &props.bound {
        Bound::Included(bytes) => ("included", Some(bytes)),
        Bound::Excluded(bytes) => ("excluded", Some(bytes)),
        Bound::Unbounded => ("unbounded", None),
    };
    let options = props.end.choices().map(|(value, text)| (AttrValue::Static(value), AttrValue::Static(text))).to_vec();
    let on_kind = {
        let (on_change, value) = (props.on_change.clone(), value.cloned().unwrap_or_default());
        Callback::from(move |kind: AttrValue| {
            let value = value.clone();
            on_change.emit(match kind.as_str() {
                "included" => Bound::Included(value),
                "excluded" => Bound::Excluded(value),
                _ => Bound::Unbounded,
            });
        })
    };
    let on_text = {
        let (on_change, included) = (props.on_change.clone(), kind == "included");
        Callback::from(move |text: String| {
            if let Ok(bytes) = bytes(&text) {
                on_change.emit(if included { Bound::Included(bytes) } else { Bound::Excluded(bytes) });
            }
        })
    };
    let title = props.end.title();
    let name = |part: &str| AttrValue::from(format!("{} {title}{part}", props.of).trim().to_string());
    html! {
        <div class="bound">
            <Select label={name(" is")} hide_label=true {options} selected={kind} on_select={on_kind} />
            if let Some(value) = value {
                <TextField
                    id={props.id.clone()}
                    label={title}
                    full_name={name("")}
                    hide_label=true
                    notation={Notation::Bytes}
                    value={escape(value)}
                    placeholder={props.placeholder.clone()}
                    on_change={on_text}
                    list={props.list.clone()}
                />
            }
        </div>
    }
}
