//! A part with a state of its own on the page of a test, in place of Yew's component.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use yew::{Callback, Html, html};

use super::Page;
use super::drawn::Drawn;
use crate::kit::{Context, Link, Stateful};
use crate::page::actions::Actions;
use crate::page::state::PageState;

/// Messages that were not taken yet.
type Queue<M> = Rc<RefCell<VecDeque<M>>>;

/// A page with one of its parts.
pub struct Story<S: Stateful> {
    pub page: Page,
    pub part: S,
    props: S::Properties,
    props_of: fn(&PageState, &Actions) -> S::Properties,
    /// Draws what the page shows with the part: the column at its left.
    pub side: Option<fn(&PageState, &Actions) -> Html>,
    queue: Queue<S::Message>,
}

impl<S: Stateful> Story<S> {
    /// Opens a part that has these properties on the page.
    pub fn open(mut page: Page, props_of: fn(&PageState, &Actions) -> S::Properties) -> Story<S> {
        let queue = Queue::<S::Message>::default();
        let props = props_of(&page.state, &page.actions);
        let part = S::create(&Context { props: &props, link: link(&queue) });
        page.settle();
        let mut story = Story { page, part, props, props_of, side: None, queue };
        story.follow();
        story
    }

    /// Draws the part.
    pub fn draw(&mut self) -> Drawn {
        let Story { page, part, props, queue, side, .. } = self;
        page.draw(|state, actions| {
            let of_part = part.view(&Context { props, link: link(queue) });
            let of_side = side.map(|draw| draw(state, actions)).unwrap_or_default();
            html! { <>{of_part}{of_side}</> }
        })
    }

    /// Draws, and then uses a control with a text.
    ///
    /// # Errors
    /// What the control says about a text that it refuses.
    pub fn fill(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.draw();
        let done = self.page.fill(name, text);
        self.follow();
        done
    }

    /// Draws, and then presses a button.
    pub fn press(&mut self, name: &str) {
        self.fill(name, "").expect("a button refuses nothing");
    }

    /// Sends a message, as a timer does.
    pub fn send(&mut self, message: S::Message) {
        self.queue.borrow_mut().push_back(message);
        self.follow();
    }

    /// Presses a button, and then another one as soon as it can be pressed: before the worker's
    /// answer to the first one is taken.
    pub fn press_both(&mut self, first: &str, second: &str) {
        self.draw();
        self.page.press(first);
        self.draw();
        while !self.page.can(second) {
            assert!(self.step(), "{second} can never be pressed");
            self.draw();
        }
        let answers = self.queue.borrow().len();
        self.page.press(second);
        self.queue.borrow_mut().rotate_left(answers);
        self.follow();
    }

    /// Lets the part follow its messages and the page until neither changes and nothing more is
    /// asked for.
    pub fn follow(&mut self) {
        while self.step() || !self.page.is_idle() {}
    }

    /// Lets the part follow the page, and then one message. Returns whether there was one.
    fn step(&mut self) -> bool {
        self.page.settle();
        let props = (self.props_of)(&self.page.state, &self.page.actions);
        if props != self.props {
            let old = std::mem::replace(&mut self.props, props);
            self.part.changed(&Context { props: &self.props, link: link(&self.queue) }, &old);
        }
        let message = self.queue.borrow_mut().pop_front();
        let ctx = Context { props: &self.props, link: link(&self.queue) };
        message.map(|message| self.part.update(&ctx, message)).is_some()
    }
}

fn link<S: Stateful>(queue: &Queue<S::Message>) -> Link<S> {
    let queue = queue.clone();
    Link(Callback::from(move |message| queue.borrow_mut().push_back(message)))
}
