//! A field that lets a person type what is not a value yet.
//!
//! What reads as a value is given on at once; what does not stays in the field, with what is wrong below it, and the value
//! stays as it was. When the value is changed elsewhere (undo, the filter as text), the field shows the new one.

use tabletop_model::Problem;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::{AttrValue, Callback, Html, InputEvent, Properties, classes, function_component, html, use_state_eq};

use super::notation::{Notation, place};

/// Properties of [`TextField`].
#[derive(Properties, PartialEq)]
pub struct TextFieldProps {
    /// Unique in the page.
    pub id: AttrValue,
    /// Its name.
    pub label: AttrValue,
    /// Names it for those who do not see where it stands; the label stays what is seen.
    #[prop_or_default]
    pub full_name: Option<AttrValue>,
    /// The name is heard, not seen.
    #[prop_or_default]
    pub hide_label: bool,
    /// How the text is read.
    pub notation: Notation,
    /// The value, as [`Notation::canonical`] writes it.
    pub value: AttrValue,
    /// A text that reads as another value.
    pub on_change: Callback<String>,
    /// What it could look like.
    #[prop_or_default]
    pub placeholder: AttrValue,
    /// Id of a datalist.
    #[prop_or_default]
    pub list: Option<AttrValue>,
    /// More classes.
    #[prop_or_default]
    pub class: AttrValue,
}

/// What was typed, and the value that the page had then.
#[derive(Clone, Default, PartialEq)]
struct Draft {
    text: String,
    value: AttrValue,
}

/// A field for a value with a text form.
#[function_component]
pub fn TextField(props: &TextFieldProps) -> Html {
    let draft = use_state_eq(|| None::<Draft>);
    let text = match &*draft {
        Some(draft) if draft.value == props.value => AttrValue::from(draft.text.clone()),
        _ => props.value.clone(),
    };
    let problem = props.notation.canonical(&text).err();
    let oninput = {
        let (draft, notation, value, on_change) = (draft.clone(), props.notation, props.value.clone(), props.on_change.clone());
        Callback::from(move |event: InputEvent| {
            let text = typed(&event);
            let value = match notation.canonical(&text) {
                Ok(canonical) => {
                    if canonical != *value {
                        on_change.emit(text.clone());
                    }
                    AttrValue::from(canonical)
                }
                Err(_) => value.clone(),
            };
            draft.set(Some(Draft { text, value }));
        })
    };
    let problem_id = format!("{}-problem", props.id);
    let wrong = problem.is_some().then_some("true");
    let described = problem.is_some().then(|| problem_id.clone());
    let mono = (!matches!(props.notation, Notation::Text)).then_some("mono");
    html! {
        <div class={classes!("text-field", props.class.clone())}>
            <label for={props.id.clone()} class={classes!("field-label", props.hide_label.then_some("visually-hidden"))}>
                { props.label.clone() }
            </label>
            if props.notation == Notation::Lines {
                <textarea
                    id={props.id.clone()}
                    class={classes!("input", mono)}
                    rows={text.lines().count().clamp(3, 10).to_string()}
                    spellcheck="false"
                    autocomplete="off"
                    placeholder={props.placeholder.clone()}
                    value={text.clone()}
                    aria-label={props.full_name.clone()}
                    aria-invalid={wrong}
                    aria-describedby={described}
                    {oninput}
                />
            } else {
                <input
                    id={props.id.clone()}
                    class={classes!("input", mono)}
                    type="text"
                    inputmode={match props.notation {
                        Notation::Whole | Notation::Limit => "numeric",
                        Notation::Decimal => "decimal",
                        _ => "text",
                    }}
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    list={props.list.clone()}
                    placeholder={props.placeholder.clone()}
                    value={text.clone()}
                    aria-label={props.full_name.clone()}
                    aria-invalid={wrong}
                    aria-describedby={described}
                    {oninput}
                />
            }
            if let Some(problem) = problem {
                <p id={problem_id} class="problem">{ sentence(&text, &problem) }</p>
            }
        </div>
    }
}

/// What is wrong, and where if it is not all of the text.
fn sentence(text: &str, problem: &Problem) -> String {
    if problem.span.start == 0 && problem.span.end as usize == text.len() {
        return problem.message.clone();
    }
    format!("{}: {}", place(text, problem.span.start), problem.message)
}

/// The text of the input or textarea that sent the event.
pub fn typed(event: &InputEvent) -> String {
    let target = event.target();
    let input = target.as_ref().and_then(|target| target.dyn_ref::<HtmlInputElement>()).map(HtmlInputElement::value);
    input
        .or_else(|| target.as_ref().and_then(|target| target.dyn_ref::<HtmlTextAreaElement>()).map(HtmlTextAreaElement::value))
        .unwrap_or_default()
}
