//! Requests the matches of the filter's patterns in the visible cells, and draws them.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use tabletop_model::{Error, escape};
use tabletop_protocol::Marks;
use tabletop_views::results::{CellPlace, MarkBook, MarkedText, marked_text};
use yew::functional::UseForceUpdateHandle;
use yew::{Callback, Html, html};

use crate::page::actions::MarkRequest;
use crate::page::state::QueryResult;

/// Requests marks, for the views of an answer.
#[derive(Clone)]
pub struct Marking {
    /// The marks so far.
    pub book: Rc<RefCell<MarkBook>>,
    /// Requests more.
    pub on_mark: Callback<MarkRequest>,
    /// Draws the results again.
    pub redraw: UseForceUpdateHandle,
}

impl PartialEq for Marking {
    fn eq(&self, other: &Marking) -> bool {
        Rc::ptr_eq(&self.book, &other.book)
    }
}

impl Marking {
    /// Starts over with another answer.
    #[inline(never)]
    pub fn follow(&self, answer: &Rc<QueryResult>) {
        self.book.borrow_mut().follow(answer);
    }

    /// Requests the unknown marks of cells that were drawn.
    #[inline(never)]
    pub fn request(&self, drawn: impl Iterator<Item = CellPlace>) {
        let (turn, asked) = {
            let mut book = self.book.borrow_mut();
            (book.turn, book.ask(drawn))
        };
        let Some((places, ask)) = asked else { return };
        let this = self.clone();
        let then = Callback::from(move |marks: Result<Marks, Error>| {
            this.book.borrow_mut().take(turn, places.clone(), marks);
            this.redraw.force_update();
        });
        self.on_mark.emit(MarkRequest { ask, then });
    }
}

/// Draws a text with ranges of it marked. Text far to the left of the first range would be out of
/// sight, so it is left out.
#[inline(never)]
pub fn marked(text: &[u8], ranges: &[Range<usize>]) -> Html {
    let MarkedText { pieces, is_cut_before, is_cut_after } = marked_text(text, ranges);
    let piece = |(bytes, is_marked): &(&[u8], bool)| {
        let text = escape(bytes);
        if *is_marked {
            html! { <mark>{ text }</mark> }
        } else {
            html! { { text } }
        }
    };
    html! {
        <>
            if is_cut_before { { "…" } }
            { for pieces.iter().map(piece) }
            if is_cut_after { { "…" } }
        </>
    }
}
