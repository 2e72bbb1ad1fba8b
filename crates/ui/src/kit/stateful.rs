//! Parts with a state of their own. The state is a plain value: Yew keeps it in a component, and a
//! test keeps it itself.

use yew::{Callback, Component, Html, Properties};

/// The state of a part, with what changes it and how it is drawn. [`Keep`] is its component.
pub trait Stateful: Sized + 'static {
    /// What happens to the part.
    type Message: 'static;
    /// The properties of the component.
    type Properties: Properties;

    /// Returns the first state.
    fn create(ctx: &Context<Self>) -> Self;

    /// Follows other properties. Returns whether to draw.
    fn changed(&mut self, _: &Context<Self>, _: &Self::Properties) -> bool {
        true
    }

    /// Follows a message. Returns whether to draw.
    fn update(&mut self, ctx: &Context<Self>, message: Self::Message) -> bool;

    /// Draws the part.
    fn view(&self, ctx: &Context<Self>) -> Html;

    /// Called after the browser has drawn the part.
    fn rendered(&mut self) {}
}

/// The properties of a part, and where its messages go.
pub struct Context<'a, S: Stateful> {
    /// The current properties.
    pub props: &'a S::Properties,
    /// Sends messages.
    pub link: Link<S>,
}

impl<S: Stateful> Context<'_, S> {
    /// Returns the current properties.
    pub fn props(&self) -> &S::Properties {
        self.props
    }

    /// Returns where messages go.
    pub fn link(&self) -> &Link<S> {
        &self.link
    }
}

/// Sends messages to a part.
pub struct Link<S: Stateful>(pub Callback<S::Message>);

impl<S: Stateful> Clone for Link<S> {
    fn clone(&self) -> Self {
        Link(self.0.clone())
    }
}

impl<S: Stateful> Link<S> {
    /// Returns a callback that sends a message made of its value.
    pub fn callback<T>(&self, message: impl Fn(T) -> S::Message + 'static) -> Callback<T> {
        self.0.reform(message)
    }

    /// Sends a message.
    pub fn send_message(&self, message: S::Message) {
        self.0.emit(message);
    }
}

/// The component of a part.
pub struct Keep<S>(S);

fn of<S: Stateful>(ctx: &yew::Context<Keep<S>>) -> Context<'_, S> {
    Context { props: ctx.props(), link: Link(ctx.link().callback(|message| message)) }
}

impl<S: Stateful> Component for Keep<S> {
    type Message = S::Message;
    type Properties = S::Properties;

    fn create(ctx: &yew::Context<Self>) -> Self {
        Keep(S::create(&of(ctx)))
    }

    fn changed(&mut self, ctx: &yew::Context<Self>, old: &Self::Properties) -> bool {
        self.0.changed(&of(ctx), old)
    }

    fn update(&mut self, ctx: &yew::Context<Self>, message: S::Message) -> bool {
        self.0.update(&of(ctx), message)
    }

    fn view(&self, ctx: &yew::Context<Self>) -> Html {
        self.0.view(&of(ctx))
    }

    fn rendered(&mut self, _: &yew::Context<Self>, _: bool) {
        self.0.rendered();
    }
}
