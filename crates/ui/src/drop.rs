//! A file that is dropped anywhere on the page becomes its events.

use gloo_events::{EventListener, EventListenerOptions};
use tabletop_schema::{Format, OnBadLine};
use wasm_bindgen::JsCast;
use web_sys::DragEvent;
use yew::{Callback, hook, use_effect_with, use_state};

use crate::browser;
use crate::pages::data::OwnChoice;

/// Listens for files; whether one is held over the page now.
#[hook]
pub fn use_file_drop(on_own: Callback<OwnChoice>) -> bool {
    let over = use_state(|| false);
    use_effect_with(on_own, {
        let over = over.clone();
        move |on_own| {
            let on_own = on_own.clone();
            let listen = |name: &'static str, act: Box<dyn Fn(&DragEvent)>| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&browser::window(), name, options, move |event| {
                    if let Some(event) = event.dyn_ref::<DragEvent>().filter(|event| holds_files(event)) {
                        act(event);
                    }
                })
            };
            let (show, hide) = (over.clone(), over.clone());
            let listeners = [
                listen(
                    "dragover",
                    Box::new(move |event| {
                        event.prevent_default();
                        show.set(true);
                    }),
                ),
                listen(
                    "dragleave",
                    Box::new(move |event| {
                        // Leaving the page, not one of its elements for another.
                        if event.related_target().is_none() {
                            hide.set(false);
                        }
                    }),
                ),
                listen(
                    "drop",
                    Box::new(move |event| {
                        event.prevent_default();
                        over.set(false);
                        let file = event.data_transfer().and_then(|transfer| transfer.files()).and_then(|files| files.get(0));
                        if let Some(file) = file {
                            let name = Some(file.name());
                            let (format, on_bad_line) = (Format::Detect, OnBadLine::Skip);
                            on_own.emit(OwnChoice { blob: file.into(), name, format, on_bad_line });
                        }
                    }),
                ),
            ];
            move || drop(listeners)
        }
    });
    *over
}

/// A chip of the row key can be dragged, too.
fn holds_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}
