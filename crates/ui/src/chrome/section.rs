//! A pane with a heading, in a column of panes that fold.

use yew::{AttrValue, Callback, Children, Html, Properties, classes, function_component, html, use_state};

use crate::widgets::{Icon, IconView};

/// Properties of [`Section`].
#[derive(Properties, PartialEq)]
pub struct SectionProps {
    /// Names its elements.
    pub id: AttrValue,
    /// The heading.
    pub title: AttrValue,
    /// Beside it, in soft ink.
    #[prop_or_default]
    pub summary: AttrValue,
    /// It can fold, and begins so or not; nothing for one that is always open.
    #[prop_or_default]
    pub folds: Option<bool>,
    /// The content.
    pub children: Children,
}

/// A section whose heading folds it.
#[function_component]
pub fn Section(props: &SectionProps) -> Html {
    let folded = use_state(|| props.folds == Some(true));
    let is_folded = *folded && props.folds.is_some();
    let title_id = format!("{}-title", props.id);
    let body_id = format!("{}-body", props.id);
    let toggle = Callback::from(move |_| folded.set(!*folded));
    html! {
        <section class={classes!("pane", format!("pane-{}", props.id))} aria-labelledby={title_id.clone()}>
            <div class="pane-head">
                <h2 id={title_id}>
                    if props.folds.is_some() {
                        <button type="button" class="fold" aria-expanded={(!is_folded).to_string()} aria-controls={body_id.clone()} onclick={toggle}>
                            <IconView icon={if is_folded { Icon::Right } else { Icon::Down }} />
                            {props.title.clone()}
                        </button>
                    } else {
                        {props.title.clone()}
                    }
                </h2>
                <span class="pane-summary soft small num">{props.summary.clone()}</span>
            </div>
            <div id={body_id} class="pane-body" hidden={is_folded}>
                { for props.children.iter() }
            </div>
        </section>
    }
}
