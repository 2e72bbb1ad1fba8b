//! The current query as code of a Bigtable client. A first visit shows none, so this is fetched
//! later.

use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_texts::messages;
use yew::{AttrValue, Callback, Html, html};

use super::look::QueryLook;
use crate::kit::{ButtonKind, Icon, Label, push, select};
use crate::page::actions::{Actions, copy};
use crate::page::state::{CloudInstance, PageState};
use crate::panes::shell::foldable;

/// The name of this part on the page.
const PART: &str = "query-code";

/// Draws a button that shows the query as code.
pub fn query_as_code(state: &PageState, actions: &Actions) -> Html {
    foldable(PART, messages().query.code.title.into(), state, actions, &|| opened(state, actions))
}

#[inline(never)]
fn opened(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().query.code;
    let lang = state.look.part::<QueryLook>().code_language;
    let on_select = actions.part_at(|look: &mut QueryLook, at: usize| {
        look.code_language = Lang::ALL.get(at).copied().unwrap_or(look.code_language);
    });
    let labels = Lang::ALL.map(Lang::label);
    let at = Lang::ALL.iter().position(|each| *each == lang);
    let Some(text) = written(state, lang) else {
        return html! { <p class="soft small">{messages().query.template_invalid}</p> };
    };
    let copy = {
        let (text, actions) = (text.clone(), actions.clone());
        Callback::from(move |()| copy(text.clone(), messages().common.copied, actions.act.clone()))
    };
    html! {
        <>
            { select(Label::Shown(says.language), &labels, at, on_select) }
            <pre class="commands-text code-text" tabindex="0" role="group" aria-label={says.content}>{AttrValue::from(text)}</pre>
            { push(messages().common.copy, Some(Icon::Copy), ButtonKind::Quiet, copy) }
        </>
    }
}

/// Returns a file of code with the query, whether or not it is saved; `None` without a valid
/// template.
fn written(state: &PageState, lang: Lang) -> Option<String> {
    let template = state.shown.right.as_ref()?;
    let look = state.look.part::<QueryLook>();
    let name = look.named.as_deref().unwrap_or(messages().query.code.unnamed);
    let (id, families) = (state.table_id(), state.families());
    let table = ExportTable {
        id: &id,
        template,
        layout: &state.design().layout,
        families: &families,
        splits: &[],
        queries: &[(name, &state.workspace.query)],
    };
    let cloud = state.look.part::<CloudInstance>();
    let (project, instance) = (&cloud.project, &cloud.instance);
    Some(Export::Queries(lang).write(&ExportInput { project, instance, tables: &[table] }))
}
