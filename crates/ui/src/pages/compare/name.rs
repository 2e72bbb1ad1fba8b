//! The field for another name of a design.

use tabletop_schema::{DESIGN_NAME_CHARS_MAX, DesignList, DesignsChange};
use web_sys::HtmlInputElement;
use yew::{
    Callback, Html, InputEvent, KeyboardEvent, Properties, TargetCast, function_component, html, use_effect_with, use_node_ref,
    use_state,
};

use super::changes::move_focus;
use crate::messages::messages;
use crate::widgets::{ButtonKind, Icon, icon, push};

/// Properties of [`NameField`].
#[derive(Properties, PartialEq)]
pub struct NameFieldProps {
    /// Index of the design.
    pub at: usize,
    /// All designs.
    pub list: DesignList,
    /// Changes the list.
    pub on_change: Callback<DesignsChange>,
    /// The field is left, with or without another name.
    pub on_end: Callback<()>,
}

/// Draws the field with the focus. Enter saves the name, Escape does not.
#[function_component]
pub fn NameField(props: &NameFieldProps) -> Html {
    let NameFieldProps { at, list, .. } = props;
    let before = &list.designs[*at].name;
    let typed = use_state(|| before.clone());
    let input = use_node_ref();
    use_effect_with((), {
        let input = input.clone();
        move |()| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                // Fails only for an element that is not shown.
                drop(input.focus());
                input.select();
            }
        }
    });
    let change = DesignsChange::Rename(*at, (*typed).clone());
    let wrong = list.prevents(&change);
    let save = {
        let (on_change, on_end, is_same) = (props.on_change.clone(), props.on_end.clone(), typed.trim() == before);
        wrong.is_none().then(|| {
            Callback::from(move |()| {
                on_end.emit(());
                if !is_same {
                    on_change.emit(change.clone());
                }
            })
        })
    };
    let cancel = {
        let (on_end, at) = (props.on_end.clone(), *at);
        Callback::from(move |()| {
            on_end.emit(());
            move_focus(format!(".design-cards > li:nth-child({}) .tool-rename", at + 1));
        })
    };
    let onkeydown = {
        let (save, cancel) = (save.clone(), cancel.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" if event.target_dyn_into::<HtmlInputElement>().is_some() && !event.is_composing() => {
                event.prevent_default();
                save.iter().for_each(|save| save.emit(()));
            }
            "Escape" => {
                event.stop_propagation();
                cancel.emit(());
            }
            _ => {}
        })
    };
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(event.target_unchecked_into::<HtmlInputElement>().value()))
    };
    let says = &messages().compare;
    let problem_id = format!("design-name-problem-{at}");
    html! {
        <div class="design-naming" data-undo="own" {onkeydown}>
            <input
                ref={input}
                class="input"
                value={(*typed).clone()}
                maxlength={(DESIGN_NAME_CHARS_MAX + 1).to_string()}
                autocomplete="off"
                spellcheck="false"
                aria-label={says.name}
                aria-invalid={wrong.as_ref().map(|_| "true")}
                aria-describedby={wrong.as_ref().map(|_| problem_id.clone())}
                {oninput}
            />
            { push(says.save, None, ButtonKind::Primary, save) }
            { push(says.cancel, None, ButtonKind::Quiet, cancel) }
            if let Some(why) = wrong { <p id={problem_id} class="problem small" role="alert">{icon(Icon::Error)}<span>{why}</span></p> }
        </div>
    }
}
