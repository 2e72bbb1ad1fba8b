//! Callbacks of controls.

use yew::Callback;

/// Returns a callback that has its own copy of a state, such as a handle: it calls `act` with it and
/// with the value of the control.
pub fn callback<S: Clone + 'static, T: 'static>(state: &S, act: impl Fn(&S, T) + 'static) -> Callback<T> {
    let state = state.clone();
    Callback::from(move |value| act(&state, value))
}
