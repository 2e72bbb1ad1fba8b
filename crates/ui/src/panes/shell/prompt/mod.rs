//! The field in which commands are typed. [`PromptLine`](crate::page::state::PromptLine) has its text.

mod completions;
mod field;

use std::rc::Rc;

use tabletop_shell::Language;
use tabletop_texts::{Locale, locale, messages};
use web_sys::{Element, HtmlTextAreaElement};
use yew::{
    AttrValue, Callback, Html, Properties, function_component, html, use_effect, use_effect_with,
    use_force_update, use_node_ref,
};

use crate::browser;
use crate::page::actions::{PROMPT_ID, PromptMemory, ShellAction};
use crate::page::state::prompt_of;
use completions::{LIST_ID, completions, option_id, said};
use field::Field;

/// The maximum number of lines of the field; more are scrolled. The style sheet has the same limit
/// for broken lines.
const LINES_MAX: usize = 8;

/// Properties of [`Prompt`].
#[derive(Properties, PartialEq)]
pub struct PromptProps {
    /// The command that is being typed.
    pub memory: PromptMemory,
    /// The language of the commands.
    pub language: Language,
    /// Whether a command runs, and can be cancelled.
    pub running: bool,
    /// Tables and their families.
    pub known: Rc<Vec<(String, Vec<String>)>>,
    /// Receives the user's actions.
    pub on_action: Callback<ShellAction>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the field: one line, or more with Shift+Enter. Enter runs it.
#[function_component]
pub fn Prompt(props: &PromptProps) -> Html {
    let field = Field {
        node: use_node_ref(),
        memory: props.memory.clone(),
        redraw: use_force_update(),
        on_action: props.on_action.clone(),
    };
    use_effect_with((props.on_action.clone(), props.language), {
        let field = field.clone();
        move |_: &(Callback<ShellAction>, Language)| {
            let listener = field.listen_to_paste();
            move || drop(listener)
        }
    });
    // The caret moves once the field shows the text.
    use_effect({
        let (node, memory) = (field.node.clone(), props.memory.clone());
        move || {
            let caret = memory.line_mut().take_caret();
            if let (Some(area), Some(caret)) = (node.cast::<HtmlTextAreaElement>(), caret) {
                let at = browser::units_at(&area.value(), caret);
                // Fails only for an element that is not shown.
                drop(area.set_selection_range(at, at));
            }
        }
    });
    draw(props, &field)
}

fn draw(props: &PromptProps, field: &Field) -> Html {
    let line = props.memory.line();
    let (offered, active) = line.offered();
    let offers = !offered.is_empty();
    let says = &messages().shell;
    let rows = line.text().split('\n').count().clamp(1, LINES_MAX);
    html! {
        <div class="shell-prompt">
            if offers { { completions(offered, active, &field.on_take()) } }
            <label for={PROMPT_ID} class="mono" aria-hidden="true">{prompt_of(props.language)}</label>
            <textarea
                ref={field.node.clone()}
                id={PROMPT_ID}
                class="mono"
                data-undo="own"
                aria-label={says.command}
                aria-autocomplete="list"
                aria-controls={offers.then_some(LIST_ID)}
                aria-activedescendant={offers.then(|| option_id(active))}
                aria-describedby="shell-keys"
                rows={rows.to_string()}
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
                placeholder={if line.text().is_empty() { says.placeholder } else { "" }}
                value={AttrValue::from(line.text().to_owned())}
                oninput={field.on_input()}
                onkeydown={field.on_key(props)}
                onfocus={props.on_action.reform(|_| ShellAction::Known)}
            />
            <p id="shell-keys" class="visually-hidden">{says.keys}</p>
            <p class="visually-hidden" role="status">{ said(offered, active) }</p>
        </div>
    }
}

/// Returns whether this element is the field.
pub fn is_prompt(element: &Element) -> bool {
    element.id() == PROMPT_ID
}
