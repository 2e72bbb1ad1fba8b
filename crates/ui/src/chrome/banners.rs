//! What went wrong, above the panes.

use tabletop_model::Error;
use yew::{Callback, Html, Properties, function_component, html};

use crate::state::Engine;
use crate::widgets::{Button, ButtonKind, Icon, IconView};

/// Properties of [`Banners`].
#[derive(Properties, PartialEq)]
pub struct BannersProps {
    /// Whether there is an engine to ask.
    pub engine: Engine,
    /// What was refused.
    pub refusal: Option<Error>,
    /// Starts another engine.
    pub on_restart: Callback<()>,
    /// Offers the workspace as a file.
    pub on_download: Callback<()>,
    /// The refusal was read.
    pub on_dismiss: Callback<()>,
}

/// One line each; none when all is well.
#[function_component]
pub fn Banners(props: &BannersProps) -> Html {
    html! {
        <div class="banners">
            if let Engine::Crashed(reason) = &props.engine {
                <div class="alert" role="alert">
                    <IconView icon={Icon::Error} />
                    <p>
                        <strong>{"The engine has stopped. "}</strong>
                        {reason.clone()}
                        {" Your workspace is safe in this page."}
                    </p>
                    <Button label="Restart the engine" kind={ButtonKind::Primary} on_click={props.on_restart.clone()} />
                    <Button label="Download workspace" icon={Icon::Download} on_click={props.on_download.clone()} />
                </div>
            }
            if let Some(error) = &props.refusal {
                <div class="alert" role="alert">
                    <IconView icon={Icon::Error} />
                    <p>{error.message.clone()}</p>
                    <Button label="Dismiss" icon={Icon::Close} icon_only=true kind={ButtonKind::Quiet} on_click={props.on_dismiss.clone()} />
                </div>
            }
        </div>
    }
}
