//! The tree of blocks. Every block is a named group ("Block 1.2, Family matches"). Its address is
//! its position in the tree, on the page, for screen readers and in messages.

use std::rc::Rc;

use tabletop_model::{Bytes, Error, RowFilter};
use tabletop_texts::messages;
use tabletop_texts::numbers::thousands;
use tabletop_views::query::filter::{
    BlockAction, Change, Focus, Group, KINDS, Path, address, can, examples, faults, in_order, kind_of,
};
use tabletop_views::query::{Spot, block_id};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlSelectElement, KeyboardEvent};
use yew::{AttrValue, Callback, Html, TargetCast, html};

use crate::browser;
use crate::kit::{ButtonKind, Icon, MenuButton, icon, push};
use crate::page::state::{FilterCounts, ShownCount};

/// The values that the blocks are drawn from.
#[derive(Clone)]
pub struct Blocks {
    /// The whole filter, if there is one.
    pub tree: Option<RowFilter>,
    /// The column families of the table.
    pub families: Rc<Vec<String>>,
    /// What the filter of the last answered query did.
    pub counts: Option<Rc<FilterCounts>>,
    /// A text was typed or chosen.
    pub on_text: Callback<(Spot, String)>,
    /// The tree was changed in another way.
    pub on_edit: Callback<Change>,
}

impl Blocks {
    /// Draws the heading with its buttons, the tree, and the errors of production's rules and of
    /// the engine.
    pub fn section(self, columns: &[(String, Bytes)], refusal: Option<&Error>) -> Html {
        let says = &messages().filter;
        let ready = examples(&self.families, columns);
        let items = ready
            .iter()
            .map(|example| (example.name.clone().into(), example.name.clone().into()))
            .collect::<Vec<_>>();
        let this = Rc::new(self);
        let on_example = this.on_edit.reform(move |name: AttrValue| {
            Change::Tree(
                ready.iter().find(|example| name == example.name).map(|example| example.filter.clone()),
            )
        });
        let on_clear = this.on_edit.reform(|()| Change::Tree(None));
        let faults = this.tree.as_ref().map(faults).unwrap_or_default();
        let refusal = refusal.filter(|_| this.tree.is_some() && faults.is_empty());
        html! {
            <section class="filter-builder" aria-labelledby="filter-heading">
                <div class="filter-head">
                    <h3 id="filter-heading">{says.title}</h3>
                    <MenuButton label={says.examples} {items} on_select={on_example} />
                    if this.tree.is_some() {
                        { push(says.clear, Some(Icon::Close), ButtonKind::Quiet, on_clear) }
                    }
                </div>
                { this.suggestions(columns) }
                if let Some(tree) = &this.tree {
                    // The style sheet shows this while the text has an error.
                    <p class="blocks-before small" role="status"><span>{says.blocks_before}</span></p>
                    <ol class="blocks">{ this.block(tree, &Path::new(), "", &faults) }</ol>
                } else {
                    <div class="filter-none" id="filter-none">
                        <span class="soft">{says.none}</span>
                        { this.add_menu(says.add, Path::new()) }
                    </div>
                }
                if let Some(error) = refusal {
                    <p class="problem refusal" role="alert">{ icon(Icon::Error) }{ error.message.clone() }</p>
                }
            </section>
        }
    }

    fn block(
        self: &Rc<Self>,
        block: &RowFilter,
        path: &Path,
        role: &'static str,
        faults: &[(Path, Error)],
    ) -> Html {
        let kind = &KINDS[kind_of(block)];
        let name = address(path);
        let combines = kind.group == Group::Combine;
        let wrong: Vec<Html> = faults
            .iter()
            .filter(|(at, _)| at == path)
            .map(|(_, error)| html! { <p class="problem" role="alert">{ error.message.clone() }</p> })
            .collect();
        let class = match (combines, wrong.is_empty()) {
            (true, true) => "block combines",
            (true, false) => "block combines wrong",
            (false, true) => "block",
            (false, false) => "block wrong",
        };
        let label = if role.is_empty() {
            html! { <span class="block-address soft num" aria-hidden="true">{ name.clone() }</span> }
        } else {
            html! { <span class="block-role">{ role }</span> }
        };
        html! {
            <li {class}>
                <div
                    id={block_id(path)}
                    class="block-line"
                    role="group"
                    aria-label={(messages().filter.block)(&name, role, kind.title())}
                    onkeydown={self.on_key(path)}
                >
                    { label }
                    <div class="block-body">
                        { self.kind_select(kind, path) }
                        { self.part_fields(block, path) }
                        { self.flag(block, kind, path) }
                    </div>
                    { self.count(path) }
                    { self.actions(path, &name) }
                </div>
                if combines { <p class="block-about soft">{ kind.about() }</p> }
                { wrong }
                { self.inner(block, path, faults) }
            </li>
        }
    }

    /// Draws the cells in and out of a block.
    fn count(&self, path: &Path) -> Html {
        let counts = self.counts.as_ref().zip(self.tree.as_ref());
        let Some(ShownCount { cells, old }) = counts.and_then(|(counts, tree)| counts.at(tree, path)) else {
            return html! { <span class="block-count" /> };
        };
        let says = &messages().filter;
        let class = if old { "block-count num old" } else { "block-count num" };
        let whole = if old { says.count_old } else { says.count };
        let whole = whole(cells.cells_in, cells.cells_out);
        html! {
            <span {class} title={whole.clone()}>
                <span class="visually-hidden">{ whole }</span>
                <span aria-hidden="true">{ thousands(cells.cells_in) }</span>
                <span aria-hidden="true">{ format!("→ {}", thousands(cells.cells_out)) }</span>
            </span>
        }
    }

    /// Draws the blocks inside a combination.
    fn inner(self: &Rc<Self>, block: &RowFilter, path: &Path, faults: &[(Path, Error)]) -> Html {
        let says = &messages().filter;
        let roles =
            [(says.if_branch, ""), (says.then_branch, says.add_then), (says.else_branch, says.add_else)];
        let add = match block {
            RowFilter::Chain(_) => says.add_step,
            RowFilter::Interleave(_) => says.add_branch,
            RowFilter::Condition { .. } => "",
            _ => return html! {},
        };
        let at = |index: usize| [path.as_slice(), &[index]].concat();
        let mut list: Vec<Html> = Vec::new();
        for (index, child) in block.children().into_iter().enumerate() {
            let (role, missing) = if add.is_empty() { roles[index] } else { ("", "") };
            list.push(match child {
                Some(child) => self.block(child, &at(index), role, faults),
                None => html! {
                    <li class="block missing">
                        <span class="block-role">{ role }</span>
                        <span class="soft">{says.missing_branch}</span>
                        { self.add_menu(missing, at(index)) }
                    </li>
                },
            });
        }
        let end = at(list.len());
        html! {
            <>
                <ol class="blocks">{ list }</ol>
                if !add.is_empty() { <div class="block-add">{ self.add_menu(add, end) }</div> }
            </>
        }
    }

    fn actions(self: &Rc<Self>, path: &Path, name: &str) -> Html {
        let possible = |action: &BlockAction| self.tree.as_ref().is_some_and(|tree| can(tree, path, *action));
        let item =
            |action: BlockAction| (AttrValue::Static(action.title()), AttrValue::Static(action.title()));
        let items = BlockAction::ALL.into_iter().filter(possible).map(item).collect::<Vec<_>>();
        let on_select = {
            let (this, path) = (self.clone(), path.clone());
            Callback::from(move |title: AttrValue| {
                if let Some(action) = BlockAction::ALL.into_iter().find(|action| title == action.title()) {
                    this.on_edit.emit(Change::Act(path.clone(), action, this.tree.clone()));
                }
            })
        };
        html! {
            <span class="block-actions">
                <MenuButton label={(messages().filter.block_actions)(name)} icon={Icon::More} icon_only=true end=true {items} {on_select} />
            </span>
        }
    }

    /// Draws a menu of all kinds that inserts a new block at `path`.
    fn add_menu(self: &Rc<Self>, label: &'static str, path: Path) -> Html {
        let items = in_order()
            .map(|kind| (AttrValue::Static(kind.name), AttrValue::Static(kind.title())))
            .collect::<Vec<_>>();
        let this = self.clone();
        let on_select = Callback::from(move |name: AttrValue| {
            if let Some(kind) = KINDS.iter().find(|kind| name == kind.name) {
                this.put(&path, (kind.make)(this.family()), Focus::Field);
            }
        });
        html! { <MenuButton {label} icon={Icon::Plus} {items} {on_select} /> }
    }

    /// Returns a callback for Alt with an arrow key, which moves the focused block. A select uses
    /// these keys itself.
    fn on_key(&self, path: &Path) -> Callback<KeyboardEvent> {
        let (on_edit, path) = (self.on_edit.clone(), path.clone());
        Callback::from(move |event: KeyboardEvent| {
            let action = match event.key().as_str() {
                "ArrowUp" => BlockAction::MoveUp,
                "ArrowDown" => BlockAction::MoveDown,
                _ => return,
            };
            if event.alt_key() && event.target_dyn_into::<HtmlSelectElement>().is_none() {
                event.prevent_default();
                event.stop_propagation();
                on_edit.emit(Change::Key(path.clone(), action));
            }
        })
    }

    /// Inserts a block at `path`.
    pub fn put(&self, path: &Path, block: RowFilter, focus: Focus) {
        self.on_edit.emit(Change::Put(path.clone(), block, focus));
    }

    /// Returns a family for a new block.
    pub fn family(&self) -> &str {
        self.families.first().map_or(messages().filter.family_example, String::as_str)
    }
}

/// Moves the focus to a block.
pub fn move_focus(to: Option<(Path, Focus)>) {
    let Some((path, focus)) = to.filter(|(_, focus)| *focus != Focus::Stay) else { return };
    let id = block_id(&path);
    let actions = format!("#{id} .block-actions button");
    let first =
        if focus == Focus::Field { format!("#{id} input, #{id} .field select") } else { actions.clone() };
    let selectors = [first.as_str(), &actions, "#filter-none button"];
    let found =
        selectors.iter().find_map(|selector| browser::document().query_selector(selector).ok().flatten());
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown.
        drop(element.focus());
    }
}
