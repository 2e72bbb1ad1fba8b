//! Light, dark, or as the system has it.

use yew::{AttrValue, Callback, Html, function_component, html, use_state};

use crate::browser;
use crate::widgets::{Icon, Segmented};

/// The name under which the choice is kept; index.html reads it before the first paint.
const NAME: &str = "theme";

/// Three icons, one of them taken.
#[function_component]
pub fn ThemeSwitch() -> Html {
    let theme = use_state(|| browser::stored(NAME).unwrap_or_else(|| "system".into()));
    let on_select = {
        let theme = theme.clone();
        Callback::from(move |chosen: AttrValue| {
            show(&chosen);
            browser::store(NAME, &chosen);
            theme.set(chosen.to_string());
        })
    };
    let options = [("light", "Light"), ("dark", "Dark"), ("system", "As the system")];
    html! {
        <Segmented
            label="Theme"
            options={options.map(|(value, text)| (value.into(), text.into())).to_vec()}
            icons={vec![Icon::Sun, Icon::Moon, Icon::Display]}
            selected={(*theme).clone()}
            {on_select}
            small=true
        />
    }
}

/// The style sheet does the rest.
fn show(theme: &str) {
    let Some(root) = browser::document().document_element() else { return };
    // The names are ours and always valid.
    let _ = match theme {
        "system" => root.remove_attribute("data-theme"),
        theme => root.set_attribute("data-theme", theme),
    };
}
