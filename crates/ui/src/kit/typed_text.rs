//! A field whose text the user types, and that changes something only when it is left or Enter is
//! pressed.

use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::{AttrValue, Callback, Component, Context, Event, Html, Properties, TargetCast, html};

/// Properties of [`TypedText`].
#[derive(Properties, PartialEq)]
pub struct TypedTextProps {
    /// The text, or the number of a slider.
    pub text: AttrValue,
    /// Receives the text when it has changed.
    pub on_text: Callback<String>,
    /// Returns why a text is refused, for a note of the browser. Such a text stays in the field.
    #[prop_or_default]
    pub refuses: Option<Callback<String, Option<&'static str>>>,
    /// The classes of the element.
    #[prop_or("input mono")]
    pub class: &'static str,
    /// The type of the element.
    #[prop_or("text")]
    pub kind: &'static str,
    /// The number of lines of a field that can have several.
    #[prop_or_default]
    pub lines: Option<&'static str>,
    /// The accessible name, if no label has it.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    /// An example, shown in an empty field.
    #[prop_or_default]
    pub placeholder: Option<&'static str>,
    /// The id of the list of suggestions.
    #[prop_or_default]
    pub list: Option<&'static str>,
    /// The maximum number of characters.
    #[prop_or_default]
    pub chars_max: Option<usize>,
    /// The maximum of a slider, which begins at 0.
    #[prop_or_default]
    pub max: Option<u32>,
    /// Whether the text has a problem.
    #[prop_or_default]
    pub invalid: bool,
    /// The id of what describes the field.
    #[prop_or_default]
    pub described_by: Option<AttrValue>,
    /// Whether Ctrl+Z undoes typing in the field, rather than the last edit of the workspace.
    #[prop_or_default]
    pub undoes_itself: bool,
}

impl TypedTextProps {
    /// Returns everything that is drawn.
    fn drawn(&self) -> impl PartialEq + '_ {
        let looks =
            (self.class, self.kind, self.lines, self.placeholder, self.list, self.chars_max, self.max);
        (&self.text, looks, &self.label, self.invalid, &self.described_by, self.undoes_itself)
    }
}

/// A field of one or several lines, or a slider. Drawing a field sets its text, so it is drawn again
/// only when its text or its look has changed: what the user is typing stays when rows arrive, a
/// simulation plays, or an edit is made elsewhere. Only here may a field have a text without
/// following each keystroke (`xtask/tests/typed_text.rs`).
pub struct TypedText;

impl Component for TypedText {
    type Message = Event;
    type Properties = TypedTextProps;

    fn create(_: &Context<Self>) -> Self {
        TypedText
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &TypedTextProps) -> bool {
        ctx.props().drawn() != old.drawn()
    }

    fn update(&mut self, ctx: &Context<Self>, event: Event) -> bool {
        // The callbacks of the latest properties: earlier ones do not know what has changed since.
        let TypedTextProps { on_text, refuses, lines, .. } = ctx.props();
        if lines.is_some() {
            on_text.emit(event.target_unchecked_into::<HtmlTextAreaElement>().value());
            return false;
        }
        let input: HtmlInputElement = event.target_unchecked_into();
        let why = refuses.as_ref().and_then(|refuses| refuses.emit(input.value()));
        input.set_custom_validity(why.unwrap_or_default());
        if why.is_some() {
            input.report_validity();
        } else {
            on_text.emit(input.value());
        }
        false
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let onchange = ctx.link().callback(|event: Event| event);
        let undo = props.undoes_itself.then_some("own");
        let (chars_max, max) =
            (props.chars_max.map(|max| max.to_string()), props.max.map(|max| max.to_string()));
        match props.lines {
            Some(lines) => html! {
                <textarea class={props.class} rows={lines} spellcheck="false" data-undo={undo} maxlength={chars_max}
                    aria-label={props.label.clone()} placeholder={props.placeholder} value={props.text.clone()} {onchange} />
            },
            None => html! {
                <input class={props.class} type={props.kind} min={max.as_ref().map(|_| "0")} {max} maxlength={chars_max}
                    list={props.list} spellcheck="false" autocomplete="off" data-undo={undo} aria-label={props.label.clone()}
                    aria-invalid={props.invalid.then_some("true")} aria-describedby={props.described_by.clone()}
                    placeholder={props.placeholder} value={props.text.clone()} {onchange} />
            },
        }
    }
}
