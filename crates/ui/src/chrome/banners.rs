//! What went wrong, above the panes.

use yew::{Callback, Html, html};

use crate::app::Deeds;
use crate::state::{Action, Engine, State};
use crate::widgets::{ButtonKind, Icon, icon, push, tool};

/// One line each; none when all is well.
pub fn banners(state: &State, deeds: &Deeds) -> Html {
    html! {
        <div class="banners">
            if let Engine::Crashed(reason) = &state.engine {
                <div class="alert" role="alert">
                    {icon(Icon::Error)}
                    <p><strong>{"The engine has stopped. "}</strong>{reason.strip_prefix("the worker has stopped: ").unwrap_or(reason).to_owned()}{" Your workspace is safe in this page."}</p>
                    { push("Restart the engine", None, ButtonKind::Primary, false, deeds.restart.clone()) }
                    { push("Download workspace", Some(Icon::Download), ButtonKind::Plain, false, {
                        let (workspace, deeds) = (state.workspace.clone(), deeds.clone());
                        Callback::from(move |()| deeds.download(&workspace))
                    }) }
                </div>
            }
            if let Some(error) = &state.refusal {
                <div class="alert" role="alert">
                    {icon(Icon::Error)}
                    <p>{error.message.clone()}</p>
                    { tool("Dismiss", Icon::Close, false, deeds.act.reform(|()| Action::Dismiss)) }
                </div>
            }
        </div>
    }
}
