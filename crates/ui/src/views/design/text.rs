//! The template as text: a text area over a coloured copy of its text.

use tabletop_model::{Problem, Span};
use tabletop_texts::messages;
use web_sys::HtmlTextAreaElement;
use yew::{Callback, Html, InputEvent, KeyboardEvent, TargetCast, classes, html};

use crate::kit::{Icon, icon};
use crate::page::state::PartColors;

/// The position of a part in the template's text.
pub struct PartSpan {
    /// The bytes of the piece in the text.
    pub span: Span,
    /// Whether the piece is not a separator, so that it has a colour.
    pub solid: bool,
}

/// Draws the text area with its completions, and below it the problems of the text and the template
/// that the table has.
pub fn template_text(
    text: &str,
    parts: &[PartSpan],
    colors: &PartColors,
    problems: &[Problem],
    kept: Option<String>,
    on_input: Callback<String>,
    completions: Html,
) -> Html {
    let oninput = {
        Callback::from(move |event: InputEvent| {
            let area: HtmlTextAreaElement = event.target_unchecked_into();
            let typed = area.value();
            // A key is one line. A pasted line end is dropped.
            let line = typed.replace(['\r', '\n'], "");
            if line != typed {
                area.set_value(&line);
            }
            on_input.emit(line);
        })
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
        }
    });
    let wrong = !problems.is_empty();
    html! {
        <div class="template">
            <label class="visually-hidden" for="template-text">{messages().design.template}</label>
            <div class={classes!("template-box", wrong.then_some("wrong"))}>
                <div class="template-mirror mono" aria-hidden="true">
                    { for pieces(text, parts, problems).into_iter().map(|piece| html! {
                        <span class={classes!(colors.class(piece.part), piece.wrong.then_some("underlined"))}>
                            {piece.text.to_owned()}
                        </span>
                    }) }
                    // A text area needs space for a character after the last one.
                    {" "}
                </div>
                <textarea
                    id="template-text"
                    class="mono"
                    rows="1"
                    value={text.to_owned()}
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    aria-invalid={wrong.to_string()}
                    aria-describedby={wrong.then_some("template-problems")}
                    {oninput}
                    {onkeydown}
                />
            </div>
            {completions}
            if wrong {
                <ul id="template-problems" class="problems">
                    { for problems.iter().map(|problem| html! {
                        <li class="problem small">
                            {icon(Icon::Error)}
                            <span>
                                <span class="soft">{(messages().design.problem)(&place(text, problem.span))}</span>{" "}
                                {problem.message.clone()}
                            </span>
                        </li>
                    }) }
                </ul>
                if let Some(kept) = kept {
                    <p class="soft small">{messages().design.last_valid}</p>
                    <p class="mono ellipsis" title={kept.clone()}>{kept}</p>
                }
            }
        </div>
    }
}

/// Returns the position of a problem, in characters from 1.
fn place(text: &str, span: Span) -> String {
    let column = |byte: u32| text.char_indices().take_while(|(at, _)| *at < byte as usize).count();
    let (start, end) = (column(span.start) + 1, column(span.end));
    (messages().design.at)(start, end)
}

/// Characters of the same style.
#[derive(Debug, PartialEq)]
struct Piece<'a> {
    text: &'a str,
    part: Option<usize>,
    wrong: bool,
}

/// Returns the whole text in pieces.
fn pieces<'a>(text: &'a str, parts: &[PartSpan], problems: &[Problem]) -> Vec<Piece<'a>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, c) in text.char_indices() {
        let holds = |span: &Span| (span.start as usize..span.end as usize).contains(&at);
        let part = parts.iter().position(|part| part.solid && holds(&part.span));
        let wrong = problems.iter().any(|problem| holds(&problem.span));
        let end = at + c.len_utf8();
        match pieces.last_mut() {
            Some(last) if last.part == part && last.wrong == wrong => {
                last.text = &text[end - c.len_utf8() - last.text.len()..end];
            }
            _ => pieces.push(Piece { text: &text[at..end], part, wrong }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    fn solid(start: u32, end: u32) -> PartSpan {
        PartSpan { span: span(start, end), solid: true }
    }

    #[test]
    fn pieces_give_the_text_back() {
        let text = "{é},{b:isö}x";
        let problems = [Problem { span: span(8, 12), message: String::new() }];
        let pieces =
            pieces(text, &[solid(0, 4), PartSpan { solid: false, ..solid(4, 5) }, solid(5, 13)], &problems);
        assert_eq!(pieces.iter().map(|piece| piece.text).collect::<String>(), text);
        let shown: Vec<_> = pieces.iter().map(|piece| (piece.text, piece.part, piece.wrong)).collect();
        assert_eq!(
            shown,
            [
                ("{é}", Some(0), false),
                (",", None, false),
                ("{b:", Some(2), false),
                ("isö", Some(2), true),
                ("}", Some(2), false),
                ("x", None, false)
            ]
        );
    }

    #[test]
    fn places_count_characters() {
        assert_eq!(place("é{x}", span(2, 5)), "At 2 to 4");
        assert_eq!(place("abc", span(1, 2)), "At 2");
        assert_eq!(place("abc", span(3, 3)), "At 4");
    }
}
