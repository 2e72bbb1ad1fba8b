//! The pane: the output, and the line to type in.

use std::rc::Rc;

use tabletop_texts::{Locale, locale, messages};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::{
    AttrValue, Callback, Event, Html, Properties, TargetCast, function_component, html, use_effect_with,
    use_mut_ref, use_node_ref,
};

use super::prompt::Prompt;
use crate::browser::{self, take_file};
use crate::kit::{ButtonKind, Icon, SegmentSize, callback, icon, push, segmented, tool};
use crate::page::actions::{Actions, ShellAction};
use crate::page::state::{CommandStatus, LANGUAGES, LogEntry, PageState, ShellLog, ShellPlace};

/// Folds the open shell and moves the focus to its heading. Returns `false` on a narrow page, which
/// cannot fold it.
pub fn fold() -> bool {
    let heading = browser::document().query_selector("#shell-title > button").ok().flatten();
    let Some(heading) = heading.and_then(|heading| heading.dyn_into::<HtmlElement>().ok()) else {
        return false;
    };
    // Fails only for an element that is not shown.
    drop(heading.focus());
    heading.click();
    true
}

/// Draws the pane with its heading, which folds it on a wide page.
pub fn shell_pane(state: &PageState, actions: &Actions) -> Html {
    let look = &state.look;
    let is_of_server = state.shell_place() == ShellPlace::Server;
    let shell = if is_of_server { &state.server_shell } else { &state.shell };
    let instance = actions.server.instance().filter(|_| is_of_server);
    let open = look.narrow || look.shell_open;
    let title = if is_of_server { messages().server.shell } else { messages().panes.shell };
    let heading = if look.narrow {
        html! { {title} }
    } else {
        let toggle = if open { actions.fold_shell() } else { actions.open_shell() };
        html! {
            <button type="button" class="fold" aria-expanded={if open { "true" } else { "false" }} aria-controls="shell-body"
                onclick={toggle.reform(|_| ())}>
                {icon(if open { Icon::Down } else { Icon::Right })}
                {title}
            </button>
        }
    };
    let do_it = |action: ShellAction| actions.shell.reform(move |()| action.clone());
    let at = LANGUAGES.iter().position(|(language, _)| *language == look.language);
    let on_language = actions.shell.reform(|at: usize| ShellAction::Speak(LANGUAGES[at].0));
    let says = &messages().shell;
    let silent = shell.log.entries().is_empty();
    html! {
        <section key="shell" class="pane pane-shell" aria-labelledby="shell-title">
            <div class="pane-head">
                <h2 id="shell-title">{heading}</h2>
                <span class="pane-summary soft small">
                    { for instance.as_deref().map(messages().server.shell_about) }
                </span>
                if open {
                    { segmented(says.language, &LANGUAGES.map(|(_, name)| name), at, SegmentSize::Small, on_language) }
                    { push(says.help, None, ButtonKind::Quiet, do_it(ShellAction::Run("help".into()))) }
                    { tool(says.copy_output, Icon::Copy, (!silent).then_some(do_it(ShellAction::Copy(shell.log.clone())))) }
                    { tool(says.clear_output, Icon::Clear, (!silent).then_some(do_it(ShellAction::Clear))) }
                }
            </div>
            <div id="shell-body" class="pane-body shell-body" hidden={!open}>
                if open {
                    <Shell
                        log={shell.log.clone()}
                        running={shell.running}
                        file={shell.file.clone().map(AttrValue::from)}
                        on_action={actions.shell.clone()}
                    />
                    <Prompt
                        memory={actions.shell_memory.clone()}
                        language={look.language}
                        running={shell.running}
                        known={shell.known.clone()}
                        on_action={actions.shell.clone()}
                    />
                }
            </div>
        </section>
    }
}

/// Properties of [`Shell`].
#[derive(Properties, PartialEq)]
struct ShellProps {
    log: Rc<ShellLog>,
    running: bool,
    file: Option<AttrValue>,
    on_action: Callback<ShellAction>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// Draws the output. It stays scrolled to its end, unless the user has scrolled up.
#[function_component]
fn Shell(props: &ShellProps) -> Html {
    let scroll = use_node_ref();
    let at_end = use_mut_ref(|| true);
    use_effect_with((props.log.clone(), props.file.clone()), {
        let (scroll, at_end) = (scroll.clone(), at_end.clone());
        move |_: &(Rc<ShellLog>, Option<AttrValue>)| {
            if let (Some(element), true) = (scroll.cast::<Element>(), *at_end.borrow()) {
                element.set_scroll_top(element.scroll_height());
            }
        }
    });
    let onscroll = {
        let (scroll, at_end) = (scroll.clone(), at_end);
        Callback::from(move |_: Event| {
            if let Some(element) = scroll.cast::<Element>() {
                *at_end.borrow_mut() =
                    element.scroll_top() + element.client_height() >= element.scroll_height() - 24;
            }
        })
    };
    let onkeydown = {
        let (on_action, running) = (props.on_action.clone(), props.running);
        Callback::from(move |event: KeyboardEvent| {
            let copies = event.key() == "c" && event.ctrl_key() && nothing_is_selected();
            if running && (copies || event.key() == "Escape") {
                event.prevent_default();
                on_action.emit(ShellAction::Cancel);
            }
        })
    };
    let says = &messages().shell;
    let empty = props.log.entries().is_empty();
    html! {
        <div class="shell-scroll" ref={scroll} tabindex="0" role="region" aria-label={says.output} {onscroll} {onkeydown}>
            if empty {
                <p class="soft">{says.empty}</p>
            }
            <div role="log" aria-label={says.log} aria-busy={if props.running { "true" } else { "false" }}>
                { for props.log.entries().iter().map(draw) }
            </div>
            if let Some(file) = &props.file { { wanted_file(file, &props.on_action) } }
            if props.running && props.file.is_none() {
                <div class="shell-running">
                    <progress aria-label={says.running} />
                    { push(says.cancel_command, Some(Icon::Close), ButtonKind::Plain, props.on_action.reform(|()| ShellAction::Cancel)) }
                </div>
            }
        </div>
    }
}

fn draw(entry: &Rc<LogEntry>) -> Html {
    let class = match (entry.command.is_empty(), entry.end) {
        (true, _) => "shell-entry shell-note",
        (false, CommandStatus::Failed) => "shell-entry shell-failed",
        _ => "shell-entry",
    };
    html! {
        <div key={entry.id} {class}>
            if !entry.command.is_empty() { <pre class="shell-echo">{entry.echo()}</pre> }
            if entry.left_out > 0 {
                <p class="soft small">{(messages().shell.left_out)(entry.left_out as u64)}</p>
            }
            { for entry.output.iter().map(|piece| html! { <pre>{AttrValue::from(piece.clone())}</pre> }) }
            { for entry.problems.iter().map(|problem| problem_lines(&entry.problem(problem))) }
            if entry.end == CommandStatus::Cancelled { <p class="soft">{messages().shell.cancelled}</p> }
        </div>
    }
}

/// Draws a problem: the line of carets must not be broken, but the sentence below may.
fn problem_lines(text: &str) -> Html {
    let (caret, message) = text.trim_end().rsplit_once('\n').unwrap_or(("", text));
    html! {
        <>
            <pre class="shell-caret" aria-hidden="true">{caret.to_owned()}</pre>
            <p class="shell-problem">{icon(Icon::Error)}<span>{message.to_owned()}</span></p>
        </>
    }
}

/// Draws the request for a file: a command names it, but only the user can open it.
fn wanted_file(file: &AttrValue, on_action: &Callback<ShellAction>) -> Html {
    let onchange = callback(on_action, move |on_action, event: Event| {
        take_file(&event.target_unchecked_into(), |file| on_action.emit(ShellAction::File(Some(file))));
    });
    let choose = Callback::from(|()| {
        let input = browser::document().get_element_by_id("shell-file");
        if let Some(input) = input.and_then(|input| input.dyn_into::<HtmlInputElement>().ok()) {
            input.click();
        }
    });
    let says = &messages().shell;
    html! {
        <div class="shell-file">
            <span>{says.reads_file}{" "}<strong class="mono">{file.clone()}</strong>{". "}{messages().common.stays_here}</span>
            <input id="shell-file" type="file" hidden=true aria-label={says.file} {onchange} />
            { push(says.choose_file, Some(Icon::File), ButtonKind::Primary, choose) }
            { push(says.no_file, None, ButtonKind::Plain, on_action.reform(|()| ShellAction::File(None))) }
        </div>
    }
}

fn nothing_is_selected() -> bool {
    let selection = browser::window().get_selection().ok().flatten();
    selection.is_none_or(|selection| selection.is_collapsed())
}
