//! Completions of templates and filters, for a text area.

use tabletop_model::Completion;
use yew::Callback;

use crate::kit::{self, Complete};

/// Returns a callback with the completions that `complete` finds in a text, at a byte.
pub fn completing(complete: impl Fn(&str, usize) -> Vec<Completion> + 'static) -> Complete {
    Callback::from(move |(text, at): (String, usize)| {
        let offer = |Completion { span, text, caret }: Completion| kit::Completion {
            replaces: span.start as usize..span.end as usize,
            text,
            caret: caret as usize,
        };
        complete(&text, at).into_iter().map(offer).collect()
    })
}
