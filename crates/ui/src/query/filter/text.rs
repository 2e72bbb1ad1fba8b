//! The filter as text. Half-typed text stays in its field and leaves the tree alone; text that reads is the tree.

use tabletop_model::RowFilter;
use web_sys::HtmlTextAreaElement;
use yew::{AttrValue, Callback, Html, InputEvent, Properties, function_component, html, use_node_ref, use_state};

use crate::query::notation::place;
use crate::query::text_field::typed;

/// Properties of [`FilterText`].
#[derive(Properties, PartialEq)]
pub struct FilterTextProps {
    /// The filter, or none.
    pub filter: Option<RowFilter>,
    /// A text that reads as another one.
    pub on_change: Callback<Option<RowFilter>>,
}

/// What was typed, and the filter that the page had then.
struct Draft {
    text: String,
    filter: Option<RowFilter>,
}

/// A text area in step with the tree.
#[function_component]
pub fn FilterText(props: &FilterTextProps) -> Html {
    let draft = use_state(|| None::<Draft>);
    let area = use_node_ref();
    let text = match &*draft {
        Some(draft) if draft.filter == props.filter => draft.text.clone(),
        _ => props.filter.as_ref().map(RowFilter::text).unwrap_or_default(),
    };
    let (_, problems) = RowFilter::parse(&text);
    let oninput = {
        let (draft, now, on_change) = (draft.clone(), props.filter.clone(), props.on_change.clone());
        Callback::from(move |event: InputEvent| {
            let text = typed(&event);
            let (filter, problems) = RowFilter::parse(&text);
            let filter = if problems.is_empty() { filter } else { now.clone() };
            if filter != now {
                on_change.emit(filter.clone());
            }
            draft.set(Some(Draft { text, filter }));
        })
    };
    let go_to = |start: u32, end: u32| {
        let (area, text) = (area.clone(), text.clone());
        Callback::from(move |_| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                // Fails only for an element that is not shown.
                drop(area.focus());
                drop(area.set_selection_range(utf16(&text, start), utf16(&text, end)));
            }
        })
    };
    html! {
        <div class="filter-text">
            <label for="filter-text" class="field-label">{"Filter as text"}</label>
            <textarea
                ref={area.clone()}
                id="filter-text"
                class="input mono"
                rows={(text.lines().count() + 1).clamp(2, 14).to_string()}
                spellcheck="false"
                autocomplete="off"
                placeholder={r#"chain(family_name_regex("e"), cells_per_column_limit(1))"#}
                value={AttrValue::from(text.clone())}
                aria-invalid={(!problems.is_empty()).then_some("true")}
                aria-describedby={(!problems.is_empty()).then_some("filter-text-problems")}
                {oninput}
            />
            if !problems.is_empty() {
                <ul id="filter-text-problems" class="text-problems">
                    { for problems.iter().take(3).map(|problem| html! {
                        <li>
                            <button type="button" class="problem" onclick={go_to(problem.span.start, problem.span.end)}>
                                { format!("{}: {}", capital(&place(&text, problem.span.start)), problem.message) }
                            </button>
                        </li>
                    }) }
                    if problems.len() > 3 { <li class="soft">{ format!("and {} more", problems.len() - 3) }</li> }
                    <li class="soft">{"The blocks keep the last text that could be read."}</li>
                </ul>
            }
        </div>
    }
}

/// The browser counts text in units of UTF-16.
fn utf16(text: &str, offset: u32) -> u32 {
    text.get(..offset as usize).unwrap_or(text).encode_utf16().count() as u32
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + characters.as_str())
}
