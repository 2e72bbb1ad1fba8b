//! How the user's own log of requests is replayed.

use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_workspace::{REPLAY_ONE_OF_MAX, REPLAY_SPEEDS};
use yew::{Html, html};

use super::streams::Editor;
use crate::kit::{Number, number_field, text_field};

/// Draws the settings of the log, if the traffic replays one.
pub fn log(editor: &Editor) -> Html {
    let says = &messages().traffic.streams;
    let Some(replay) = editor.traffic.replays().next() else { return html! {} };
    let one_of = Number {
        value: replay.one_of.into(),
        min: 1.0,
        max: REPLAY_ONE_OF_MAX.into(),
        step: 10.0,
        kind: NumberKind::Whole,
    };
    let [min, max] = REPLAY_SPEEDS;
    let speed = Number { value: replay.speed, min, max, step: 1.0, kind: NumberKind::Any };
    let on_one_of =
        editor.with(|traffic, one_of: f64| traffic.change_replays(|replay| replay.one_of = one_of as u32));
    let on_speed = editor.with(|traffic, speed: f64| traffic.change_replays(|replay| replay.speed = speed));
    let on_form =
        editor.with(|traffic, form: String| traffic.change_replays(|replay| replay.keys.clone_from(&form)));
    html! {
        <div class="traffic-fields" title={says.one_of_about}>
            { text_field(says.log_form, &replay.keys, on_form) }
            { number_field(says.one_of, one_of, on_one_of) }
            { number_field(says.replay_speed, speed, on_speed) }
        </div>
    }
}
