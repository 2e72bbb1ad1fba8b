//! The tree of blocks. Every block is a group with a name ("Block 1.2, Family matches"); its position is its address, for
//! the eye, for a screen reader and for messages.

use std::rc::Rc;

use tabletop_model::{Bytes, Error, RowFilter};
use web_sys::{HtmlSelectElement, KeyboardEvent};
use yew::{AttrValue, Callback, Event, Html, TargetCast, classes, html};

use super::edit::{Action, Edited, Path, act, can, children, put};
use super::kind::{Group, KINDS, Kind, change_kind, kind_of};
use super::leaf::leaf_inputs;
use crate::widgets::{Icon, MenuButton};

/// Id of the datalist with the patterns of the families.
pub const FAMILY_PATTERNS: &str = "filter-family-patterns";
/// Id of the datalist with the patterns of the qualifiers.
pub const QUALIFIER_PATTERNS: &str = "filter-qualifier-patterns";
/// Id of the datalist with the qualifiers.
pub const QUALIFIERS: &str = "filter-qualifiers";

/// What the blocks are drawn from.
#[derive(Clone)]
pub struct Blocks {
    /// The whole filter.
    pub tree: Rc<RowFilter>,
    /// Of the table.
    pub families: Rc<Vec<String>>,
    /// Which blocks production would refuse.
    pub faults: Rc<Vec<(Path, Error)>>,
    /// The tree was changed, and where the focus goes, if the change was one of structure.
    pub on_edit: Callback<(Edited, Focus)>,
}

/// Where the focus goes after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Stays.
    Stay,
    /// To the actions of the block.
    Actions,
    /// To the first field of the block.
    Field,
}

impl Blocks {
    /// The whole tree.
    pub fn draw(&self) -> Html {
        html! { <ol class="blocks root">{ self.block(&self.tree, &Path::new(), "") }</ol> }
    }

    fn block(&self, block: &RowFilter, path: &Path, role: &'static str) -> Html {
        let kind = &KINDS[kind_of(block)];
        let name = address(path);
        let faults: Vec<&Error> = self.faults.iter().filter(|(at, _)| at == path).map(|(_, error)| error).collect();
        let combines = kind.group == Group::Combine;
        html! {
            <li key={name.clone()} class={classes!("block", combines.then_some("combines"), (!faults.is_empty()).then_some("wrong"))}>
                <div
                    id={block_id(path)}
                    class="block-line"
                    role="group"
                    aria-label={group_name(&name, role, kind)}
                    onkeydown={self.on_key(path)}
                >
                    if role.is_empty() {
                        <span class="block-address soft num" aria-hidden="true">{ name.clone() }</span>
                    } else {
                        <span class="block-role">{ role }</span>
                    }
                    <div class="block-body">
                        { self.kind_select(block, path) }
                        { leaf_inputs(self, block, path) }
                    </div>
                    { self.actions(path, &name) }
                </div>
                if combines { <p class="block-about soft">{ kind.about }</p> }
                { for faults.iter().map(|error| html! { <p class="problem" role="alert">{ error.message.clone() }</p> }) }
                { self.inner(block, path) }
            </li>
        }
    }

    /// What is inside a combination.
    fn inner(&self, block: &RowFilter, path: &Path) -> Html {
        let at = |index: usize| [path.as_slice(), &[index]].concat();
        match block {
            RowFilter::Chain(list) | RowFilter::Interleave(list) => {
                let noun = if matches!(block, RowFilter::Chain(_)) { "Add a step" } else { "Add a branch" };
                html! {
                    <>
                        <ol class="blocks">{ for list.iter().enumerate().map(|(index, child)| self.block(child, &at(index), "")) }</ol>
                        <div class="block-add">{ self.add_menu(noun, at(list.len())) }</div>
                    </>
                }
            }
            RowFilter::Condition { .. } => {
                const ROLES: [(&str, &str); 3] =
                    [("If", "Add a test"), ("Then", "Add a then branch"), ("Else", "Add an else branch")];
                html! {
                    <ol class="blocks">
                        { for children(block).zip(ROLES).enumerate().map(|(index, (child, (role, add)))| match child {
                            Some(child) => self.block(child, &at(index), role),
                            None => html! {
                                <li key={address(&at(index))} class="block missing">
                                    <span class="block-role">{ role }</span>
                                    <span class="soft">{"nothing"}</span>
                                    { self.add_menu(add, at(index)) }
                                </li>
                            },
                        }) }
                    </ol>
                }
            }
            _ => html! {},
        }
    }

    fn kind_select(&self, block: &RowFilter, path: &Path) -> Html {
        let now = kind_of(block);
        let onchange = {
            let (this, block, path) = (self.clone(), block.clone(), path.clone());
            Callback::from(move |event: Event| {
                let select: HtmlSelectElement = event.target_unchecked_into();
                if let Some(kind) = KINDS.iter().find(|kind| kind.name == select.value()) {
                    this.replace(&path, change_kind(block.clone(), kind, this.family()));
                }
            })
        };
        html! {
            <select class="select block-kind" aria-label={format!("Block {} does", address(path))} title={KINDS[now].about} {onchange}>
                { for Group::ALL.iter().map(|group| html! {
                    <optgroup label={group.title()}>
                        { for KINDS.iter().filter(|kind| kind.group == *group).map(|kind| html! {
                            <option value={kind.name} selected={kind.name == KINDS[now].name} title={kind.about}>{ kind.title }</option>
                        }) }
                    </optgroup>
                }) }
            </select>
        }
    }

    fn actions(&self, path: &Path, name: &str) -> Html {
        let possible = Action::ALL.into_iter().filter(|action| can(&self.tree, path, *action));
        let items =
            possible.map(|action| (AttrValue::Static(action.title()), AttrValue::Static(action.title()))).collect::<Vec<_>>();
        let on_select = {
            let (this, path) = (self.clone(), path.clone());
            Callback::from(move |title: AttrValue| {
                if let Some(action) = Action::ALL.into_iter().find(|action| title == action.title()) {
                    this.act(&path, action);
                }
            })
        };
        html! {
            <span class="block-actions">
                <MenuButton label={format!("Block {name} actions")} icon={Icon::More} icon_only=true end=true {items} {on_select} />
            </span>
        }
    }

    /// A menu of all kinds that puts a fresh block at `path`.
    fn add_menu(&self, label: &'static str, path: Path) -> Html {
        let on_select = {
            let this = self.clone();
            let path = path.clone();
            Callback::from(move |name: AttrValue| {
                if let Some(kind) = KINDS.iter().find(|kind| name == kind.name) {
                    let tree = put((*this.tree).clone(), &path, (kind.make)(this.family()));
                    this.on_edit.emit((Edited { tree: Some(tree), focus: path.clone() }, Focus::Field));
                }
            })
        };
        html! { <MenuButton {label} icon={Icon::Plus} items={kind_items()} {on_select} /> }
    }

    /// Alt with an arrow moves a block, wherever in it the focus is; a select keeps these keys for itself.
    fn on_key(&self, path: &Path) -> Callback<KeyboardEvent> {
        let (this, path) = (self.clone(), path.clone());
        Callback::from(move |event: KeyboardEvent| {
            let action = match event.key().as_str() {
                "ArrowUp" => Action::MoveUp,
                "ArrowDown" => Action::MoveDown,
                _ => return,
            };
            let on_select = event.target_dyn_into::<HtmlSelectElement>().is_some();
            if event.alt_key() && !on_select && can(&this.tree, &path, action) {
                event.prevent_default();
                event.stop_propagation();
                this.act(&path, action);
            }
        })
    }

    fn act(&self, path: &Path, action: Action) {
        self.on_edit.emit((act((*self.tree).clone(), path, action), Focus::Actions));
    }

    /// Another block in the place of one; the focus stays where it is.
    pub fn replace(&self, path: &Path, block: RowFilter) {
        let tree = put((*self.tree).clone(), path, block);
        self.on_edit.emit((Edited { tree: Some(tree), focus: path.clone() }, Focus::Stay));
    }

    /// A family to begin with.
    fn family(&self) -> &str {
        self.families.first().map_or("family", String::as_str)
    }
}

/// `Block 1.2, Then, Family matches`.
fn group_name(address: &str, role: &str, kind: &Kind) -> String {
    let role = if role.is_empty() { String::new() } else { format!("{role}, ") };
    format!("Block {address}, {role}{}", kind.title)
}

/// Every kind, under its heading.
pub fn kind_items() -> Vec<(AttrValue, AttrValue)> {
    let in_order = Group::ALL.iter().flat_map(|group| KINDS.iter().filter(move |kind: &&Kind| kind.group == *group));
    in_order.map(|kind| (AttrValue::Static(kind.name), AttrValue::Static(kind.title))).collect()
}

/// The families and qualifiers that the fields of the blocks suggest.
pub fn suggestion_lists(families: &[String], columns: &[(String, Bytes)]) -> Html {
    let list = |id: &'static str, values: Vec<String>| {
        html! { <datalist {id}>{ for values.into_iter().map(|value| html! { <option {value} /> }) }</datalist> }
    };
    let mut qualifiers: Vec<&Bytes> = Vec::new();
    for (_, qualifier) in columns {
        if !qualifiers.contains(&qualifier) {
            qualifiers.push(qualifier);
        }
    }
    let patterns = qualifiers.iter().map(|qualifier| super::super::notation::pattern_text(&super::examples::quote(qualifier)));
    html! {
        <>
            { list(FAMILY_PATTERNS, families.iter().map(|family| super::examples::quote_text(family)).collect()) }
            { list(QUALIFIER_PATTERNS, patterns.collect()) }
            { list(QUALIFIERS, qualifiers.iter().map(|qualifier| tabletop_model::escape(qualifier)).collect()) }
        </>
    }
}

/// `1` for the root, `1.2` for its second child.
pub fn address(path: &[usize]) -> String {
    let mut name = String::from("1");
    for step in path {
        name.push_str(&format!(".{}", step + 1));
    }
    name
}

/// Id of the line of a block.
pub fn block_id(path: &[usize]) -> String {
    format!("block-{}", address(path).replace('.', "-"))
}
