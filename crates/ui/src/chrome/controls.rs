//! The controls of the view shown, as actions of the list. They are read from the page when the
//! list is open, so none can be forgotten, and a view does not need a second list of its actions.

use std::collections::BTreeSet;

use gloo::timers::callback::Timeout;
use tabletop_texts::messages;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventInit, HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::{AttrValue, Callback};

use super::all_actions::Entry;
use crate::browser;

/// Controls of a view that are visible. Rows of data and folded parts do not count.
const CONTROLS: &str = "main :is(button, a[href], summary, select, input, textarea)\
    :not([role=option], [role=menuitem], [role=gridcell] *, [role=rowheader] *, [hidden] *, [aria-hidden=true] *)\
    :not(details:not([open]) > :not(summary), details:not([open]) > :not(summary) *)";
/// The group that a control belongs to.
const GROUPS: &str = "[role=radiogroup], [role=group][aria-label], fieldset, section, article, [role=region], [role=tabpanel], form";
/// The maximum number of choices of a list, and the maximum number of controls in total, that are
/// offered.
const CHOICES_MAX: usize = 60;
const CONTROLS_MAX: usize = 600;
/// Milliseconds in which the page draws a menu.
const MENU_MILLIS: u32 = 60;
/// The attribute of a menu with the texts of its items, one per line.
const ITEMS: &str = "data-items";

/// What happens to a control when it is chosen in the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// The control is pressed.
    Press,
    /// The control gets the focus: the user types into it.
    Focus,
    /// This choice of its list is selected.
    Choose(usize),
    /// The menu is opened, and this item is chosen.
    Item(usize),
}

/// A control with the action that the list offers for it.
struct Control {
    group: String,
    name: String,
    element: HtmlElement,
    deed: Deed,
}

/// Returns the actions of all controls of the view shown that are not in `known`, which are better
/// worded.
pub fn controls(known: &[Entry]) -> Vec<Entry> {
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let is_known = |control: &Control| known.iter().any(|entry| entry.name.as_str() == control.name);
    let entry = |control: Control| {
        let (group, name) = (AttrValue::from(control.group), AttrValue::from(control.name));
        // The page may redraw the control before it is chosen, so look it up again.
        let on_run = Callback::from({
            let (group, name) = (group.clone(), name.clone());
            move |()| run(&group, &name)
        });
        Entry { group, name, key: None, on_run }
    };
    let new =
        |control: &Control| !is_known(control) && seen.insert((control.group.clone(), control.name.clone()));
    on_screen()
        .into_iter()
        .filter({
            let mut new = new;
            move |control| new(control)
        })
        .take(CONTROLS_MAX)
        .map(entry)
        .collect()
}

fn run(group: &str, name: &str) {
    if let Some(control) =
        on_screen().into_iter().find(|control| control.group == group && control.name == name)
    {
        control.run();
    }
}

impl Control {
    fn run(&self) {
        browser::scroll_to_see(&self.element);
        match self.deed {
            Deed::Press => {
                // The focus follows as after a press by mouse or keyboard. Fails only for an
                // element that is not shown.
                let _ = self.element.focus();
                self.element.click();
            }
            Deed::Focus => {
                let _ = self.element.focus();
            }
            Deed::Choose(at) => {
                if let Some(select) = self.element.dyn_ref::<HtmlSelectElement>() {
                    select.set_selected_index(at as i32);
                    announce_change(select);
                }
            }
            Deed::Item(at) => {
                self.element.click();
                let button = self.element.clone();
                Timeout::new(MENU_MILLIS, move || press_item(&button, at)).forget();
            }
        }
    }
}

/// Tells the page that the user has changed a list.
fn announce_change(select: &HtmlSelectElement) {
    let init = EventInit::new();
    init.set_bubbles(true);
    if let Ok(event) = Event::new_with_event_init_dict("change", &init) {
        // Returns whether a listener prevented the default action; there is none.
        let _ = select.dispatch_event(&event);
    }
}

fn press_item(button: &HtmlElement, at: usize) {
    let items = button.parent_element().and_then(|menu| menu.query_selector_all("[role=menuitem]").ok());
    let item =
        items.and_then(|items| items.get(at as u32)).and_then(|item| item.dyn_into::<HtmlElement>().ok());
    if let Some(item) = item {
        item.click();
    }
}

/// Returns the controls in their order on the page.
fn on_screen() -> Vec<Control> {
    let Ok(found) = browser::document().query_selector_all(CONTROLS) else { return Vec::new() };
    let elements = (0..found.length()).filter_map(|at| found.get(at)?.dyn_into::<HtmlElement>().ok());
    let mut controls = Vec::new();
    for element in elements.filter(is_usable) {
        push(&mut controls, element);
    }
    controls
}

/// Returns whether a control is drawn, and can be used.
fn is_usable(element: &HtmlElement) -> bool {
    let is = |name: &str, value: &str| element.get_attribute(name).is_some_and(|found| found == value);
    let is_off = element.has_attribute("disabled") || is("aria-disabled", "true") || is("type", "hidden");
    let is_chosen = is("role", "radio") && is("aria-checked", "true");
    element.offset_width() > 0 && !is_off && !is_chosen
}

fn push(controls: &mut Vec<Control>, element: HtmlElement) {
    let name = name_of(&element);
    if name.is_empty() {
        return;
    }
    let group = group_of(&element);
    if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
        let chosen = select.selected_index();
        let options = select.options();
        for at in (0..options.length()).take(CHOICES_MAX).filter(|at| *at as i32 != chosen) {
            let Some(option) = options.item(at) else { continue };
            let (text, element) = (one_line(&option.text_content().unwrap_or_default()), element.clone());
            if !option.has_attribute("disabled") && !text.is_empty() {
                controls.push(Control {
                    group: name.clone(),
                    name: text,
                    element,
                    deed: Deed::Choose(at as usize),
                });
            }
        }
    }
    let items = element.parent_element().and_then(|menu| menu.get_attribute(ITEMS));
    if element.get_attribute("aria-haspopup").as_deref() == Some("menu")
        && let Some(items) = items
    {
        for (at, item) in items.lines().take(CHOICES_MAX).enumerate() {
            controls.push(Control {
                group: name.clone(),
                name: one_line(item),
                element: element.clone(),
                deed: Deed::Item(at),
            });
        }
        return;
    }
    let deed = if takes_text(&element) { Deed::Focus } else { Deed::Press };
    controls.push(Control { group, name, element, deed });
}

fn takes_text(element: &HtmlElement) -> bool {
    match element.dyn_ref::<HtmlInputElement>() {
        Some(input) => !matches!(input.type_().as_str(), "checkbox" | "radio" | "button" | "file"),
        None => matches!(element.tag_name().as_str(), "SELECT" | "TEXTAREA"),
    }
}

/// Returns the accessible name, by the rules that this page uses.
fn name_of(element: &HtmlElement) -> String {
    let attribute =
        |name: &str| element.get_attribute(name).map(|text| one_line(&text)).filter(|text| !text.is_empty());
    let own_text = || takes_own_text(element).then(|| one_line(&element.text_content().unwrap_or_default()));
    attribute("aria-label")
        .or_else(|| labelled_by(element))
        .or_else(|| label_of(element))
        .or_else(|| own_text().filter(|text| !text.is_empty()))
        .or_else(|| attribute("title"))
        .or_else(|| attribute("placeholder"))
        .unwrap_or_default()
}

/// The text of a field consists of values, so it is not a name.
fn takes_own_text(element: &HtmlElement) -> bool {
    !matches!(element.tag_name().as_str(), "SELECT" | "TEXTAREA" | "INPUT")
}

fn labelled_by(element: &Element) -> Option<String> {
    let ids = element.get_attribute("aria-labelledby")?;
    let text = |id: &str| browser::document().get_element_by_id(id)?.text_content();
    let texts: Vec<String> = ids.split_whitespace().filter_map(text).collect();
    Some(one_line(&texts.join(" "))).filter(|text| !text.is_empty())
}

fn label_of(element: &HtmlElement) -> Option<String> {
    if takes_own_text(element) {
        return None;
    }
    let id = element.id();
    let by_id = || browser::document().query_selector(&format!("label[for=\"{id}\"]")).ok().flatten();
    let label =
        element.closest("label").ok().flatten().or_else(|| if id.is_empty() { None } else { by_id() })?;
    // The label of a field has its text in a separate element; that of a checkbox has only text.
    let texts = label.query_selector(":scope > span").ok().flatten().and_then(|span| span.text_content());
    Some(one_line(&texts.or_else(|| label.text_content()).unwrap_or_default()))
        .filter(|text| !text.is_empty())
}

/// Returns the name of the part of the view that contains the control.
fn group_of(element: &Element) -> String {
    let mut at = element.parent_element().and_then(|parent| parent.closest(GROUPS).ok().flatten());
    while let Some(group) = at {
        let label =
            group.get_attribute("aria-label").map(|text| one_line(&text)).filter(|text| !text.is_empty());
        if let Some(name) = label.or_else(|| labelled_by(&group)) {
            return name;
        }
        at = group.parent_element().and_then(|parent| parent.closest(GROUPS).ok().flatten());
    }
    messages().palette.groups.here.into()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_line() {
        assert_eq!(one_line("  Copy \n or\tdownload "), "Copy or download");
    }
}
