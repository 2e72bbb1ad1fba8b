//! A field to rename a thing.

use web_sys::HtmlInputElement;
use yew::{
    AttrValue, Callback, Html, InputEvent, KeyboardEvent, Properties, TargetCast, function_component, html,
    use_effect_with, use_node_ref, use_state,
};

use crate::browser;
use crate::kit::{ButtonKind, Icon, callback, icon, push};

/// Properties of [`NameField`].
#[derive(Properties, PartialEq)]
pub struct NameFieldProps {
    /// Id of the note on a name that cannot be used.
    pub problem_id: AttrValue,
    /// The accessible name of the field.
    pub label: &'static str,
    /// The label of the button that saves.
    pub save: &'static str,
    /// The label of the button that cancels.
    pub cancel: &'static str,
    /// The current name.
    pub name: AttrValue,
    /// The maximum number of characters of a name.
    pub chars_max: usize,
    /// Finds the button that opened the field.
    pub opener: AttrValue,
    /// Returns why a name cannot be used.
    pub prevents: Callback<String, Option<String>>,
    /// Saves another name.
    pub on_save: Callback<String>,
    /// The field is left, with or without a new name.
    pub on_end: Callback<()>,
}

/// Draws the field with the focus. Enter saves the name, Escape does not.
#[function_component]
pub fn NameField(props: &NameFieldProps) -> Html {
    let before = &props.name;
    let typed = use_state(|| before.to_string());
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
    let wrong = props.prevents.emit(typed.trim().to_owned());
    let cancel = {
        let (on_end, opener) = (props.on_end.clone(), props.opener.to_string());
        Callback::from(move |()| {
            on_end.emit(());
            browser::focus(opener.clone());
        })
    };
    let take = {
        let (on_save, on_end, cancel) = (props.on_save.clone(), props.on_end.clone(), cancel.clone());
        let (before, prevents) = (before.clone(), props.prevents.clone());
        Callback::from(move |typed: String| {
            let name = typed.trim().to_owned();
            if name == *before {
                cancel.emit(());
            } else if let Some(why) = prevents.emit(name.clone()) {
                return Err(why);
            } else {
                on_end.emit(());
                on_save.emit(name);
            }
            Ok(())
        })
    };
    #[cfg(test)]
    crate::browser::used::note(props.label, {
        let take = take.clone();
        move |typed| take.emit(typed.to_owned())
    });
    // A handle gives the current text, not the drawn one: Enter can come before the last letter is
    // drawn. A name that is refused stays in the field, with the reason.
    let save = take.reform({
        let typed = typed.clone();
        move |()| (*typed).clone()
    });
    let save = Callback::from(move |()| drop(save.emit(())));
    let onkeydown = {
        let (save, cancel) = (save.clone(), cancel.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" if event.target_dyn_into::<HtmlInputElement>().is_some() && !event.is_composing() => {
                event.prevent_default();
                save.emit(());
            }
            "Escape" => {
                event.stop_propagation();
                cancel.emit(());
            }
            _ => {}
        })
    };
    let oninput = callback(&typed, move |typed, event: InputEvent| {
        typed.set(event.target_unchecked_into::<HtmlInputElement>().value());
    });
    let problem_id = &props.problem_id;
    html! {
        <div class="design-naming" data-undo="own" {onkeydown}>
            <input
                ref={input}
                class="input"
                value={(*typed).clone()}
                maxlength={(props.chars_max + 1).to_string()}
                autocomplete="off"
                spellcheck="false"
                aria-label={props.label}
                aria-invalid={wrong.as_ref().map(|_| "true")}
                aria-describedby={wrong.as_ref().map(|_| problem_id.clone())}
                {oninput}
            />
            { push(props.save, None, ButtonKind::Primary, wrong.is_none().then_some(save)) }
            { push(props.cancel, None, ButtonKind::Quiet, cancel) }
            if let Some(why) = wrong { <p id={problem_id.clone()} class="problem small" role="alert">{icon(Icon::Error)}<span>{why}</span></p> }
        </div>
    }
}
