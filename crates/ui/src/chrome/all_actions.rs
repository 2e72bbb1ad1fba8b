//! All actions of the page, by name: those possible in every view, and those of the view shown.
//! Actions that are not possible now are left out.

use tabletop_keys::{Encoding, LayoutKind, edit};
use tabletop_protocol::Playback;
use tabletop_texts::{Locale, messages};
use tabletop_workspace::{DesignsChange, Example, Place, Source, ViewId};
use yew::{AttrValue, Callback};

use super::about::open_about;
use super::banners::start_over;
use super::controls::controls;
use super::examples::open_example;
use super::keys::open_keys;
use crate::page::actions::{
    Actions, StorageAction, THEMES, choose_locale, choose_theme, choose_workspace_file, show_view,
};
use crate::page::state::{Action, Edit, PageState, WorkspaceLine, WorkspaceWish, WorkspacesLook};
use crate::panes::export::open_export;
use crate::panes::share::{open_share, share_actions};
use crate::panes::storage::open_storage;
use crate::panes::tablets::{StripLook, seek, targets};
use crate::panes::workspaces::{open_workspaces, wish};
use crate::views::{View, offered};

/// An action in the list.
#[derive(Clone, PartialEq)]
pub struct Entry {
    /// The group that the action belongs to.
    pub group: AttrValue,
    /// The name, as on its button.
    pub name: AttrValue,
    /// The key, if it has one.
    pub key: Option<&'static str>,
    /// Runs the action.
    pub on_run: Callback<()>,
}

/// Returns the actions that are possible now. The controls of the view shown are read from the
/// page.
pub fn all_actions(state: &PageState, actions: &Actions) -> Vec<Entry> {
    let mut all = List { entries: Vec::new() };
    views(&mut all, state, actions);
    design(&mut all, state, actions);
    designs(&mut all, state, actions);
    query_and_events(&mut all, state, actions);
    workspace(&mut all, state, actions);
    rest(&mut all, state, actions);
    let on_screen = controls(&all.entries);
    all.entries.extend(on_screen);
    all.entries
}

struct List {
    entries: Vec<Entry>,
}

impl List {
    fn add(
        &mut self,
        group: &'static str,
        name: impl Into<AttrValue>,
        on_run: impl Into<Option<Callback<()>>>,
    ) {
        self.add_with_key(group, name, None, on_run);
    }

    fn add_with_key(
        &mut self,
        group: &'static str,
        name: impl Into<AttrValue>,
        key: Option<&'static str>,
        on_run: impl Into<Option<Callback<()>>>,
    ) {
        let name = name.into();
        self.entries.extend(on_run.into().map(|on_run| Entry { group: group.into(), name, key, on_run }));
    }
}

fn views(all: &mut List, state: &PageState, actions: &Actions) {
    let groups = &messages().palette.groups;
    for View { id, name, .. } in offered(&state.look) {
        let act = actions.act.clone();
        all.add(
            groups.view,
            name(),
            (state.look.view != *id).then(|| Callback::from(move |()| show_view(&act, *id))),
        );
    }
    let compare = &messages().compare;
    let places = [
        (messages().design.gc.title, Place::GcRules),
        (messages().scoreboard.title, Place::Patterns),
        (compare.estimate.title, Place::Estimate),
    ];
    for (name, place) in places {
        all.add(groups.go_to, name, actions.place.reform(move |()| place));
    }
    for (at, design) in state.workspace.designs.iter().enumerate().filter(|(at, _)| *at != state.design) {
        all.add(
            groups.show_design,
            design.name.clone(),
            actions.act.reform(move |()| Action::SelectDesign(at)),
        );
    }
}

fn design(all: &mut List, state: &PageState, actions: &Actions) {
    let (groups, bar, says) = (&messages().palette.groups, &messages().top_bar, &messages().design);
    let shortcuts = &messages().palette.shortcuts;
    let undo = state.can_undo().then(|| actions.act.reform(|()| Action::Undo));
    let redo = state.can_redo().then(|| actions.act.reform(|()| Action::Redo));
    all.add_with_key(groups.edit, bar.undo, Some(shortcuts.undo), undo);
    all.add_with_key(groups.edit, bar.redo, Some(shortcuts.redo), redo);
    if state.shown.problems.is_empty() {
        for fix in state.view.warnings.iter().flat_map(|warning| &warning.fixes) {
            let patch = fix.patch.clone();
            all.add(
                groups.fix,
                (messages().advice.fix)(&fix.kind),
                actions.edit.reform(move |()| Edit::Fix(Box::new(patch.clone()))),
            );
        }
        let salt = edit::salt(&state.shown.template);
        for wanted in
            [None, Some(4), Some(8), Some(16), Some(32)].into_iter().filter(|wanted| *wanted != salt)
        {
            let name = wanted.map_or(says.no_salt.to_owned(), |salt| salt.to_string());
            let text = edit::with_salt(&state.shown.template, wanted).text();
            all.add(groups.salt, name, actions.edit.reform(move |()| Edit::Template(text.clone())));
        }
    }
    let layouts = [
        (LayoutKind::Narrow, says.narrow),
        (LayoutKind::Wide, says.wide),
        (LayoutKind::RowPerEntity, says.row_per_entity),
        (LayoutKind::Columns, says.own_columns),
    ];
    for (kind, name) in layouts.into_iter().filter(|(kind, _)| *kind != state.design().layout.kind) {
        all.add(groups.layout, name, actions.edit.reform(move |()| Edit::Layout(kind)));
    }
    let layout = &state.design().layout;
    let encodings =
        Encoding::ALL.into_iter().zip(says.encodings).filter(|(encoding, _)| *encoding != layout.encoding);
    for (encoding, name) in encodings.filter(|_| layout.has_encoding(&state.shown.fields)) {
        all.add(groups.layout, name, actions.edit.reform(move |()| Edit::Encoding(encoding)));
    }
}

fn designs(all: &mut List, state: &PageState, actions: &Actions) {
    let (groups, says) = (&messages().palette.groups, &messages().compare);
    let list =
        tabletop_workspace::DesignList { designs: state.workspace.designs.clone(), shown: state.design };
    let mut add = |name: String, change: DesignsChange| {
        let can = list.prevents(&change).is_none();
        all.add(
            groups.designs,
            name,
            can.then(|| actions.edit.reform(move |()| Edit::Designs(change.clone()))),
        );
    };
    let name = &state.design().name;
    add((messages().palette.duplicate)(name), DesignsChange::Duplicate(state.design));
    add(says.add_index.into(), DesignsChange::AddIndex(state.design));
    add((says.remove)(name), DesignsChange::Remove(state.design));
    all.add(
        groups.designs,
        says.proposals.propose,
        actions.propose.reform({
            let act = actions.act.clone();
            move |()| show_view(&act, ViewId::Compare)
        }),
    );
}

fn query_and_events(all: &mut List, state: &PageState, actions: &Actions) {
    let (groups, says) = (&messages().palette.groups, &messages().tablets.playback);
    let query = &messages().query;
    if state.result.running() {
        all.add(groups.query, query.cancel, actions.stop.clone());
    } else {
        all.add_with_key(
            groups.query,
            query.run,
            Some(messages().palette.shortcuts.run),
            actions.run.clone(),
        );
    }
    let at_end = state.view.events_built >= state.view.events_total;
    let play = |playback: Playback| actions.play.reform(move |()| playback);
    let key = Some(messages().palette.shortcuts.play);
    all.add_with_key(
        groups.events,
        says.play,
        key,
        (!at_end && !state.view.playing).then(|| play(Playback::Play)),
    );
    all.add_with_key(
        groups.events,
        says.pause,
        key,
        (!at_end && state.view.playing).then(|| play(Playback::Pause)),
    );
    all.add(groups.events, says.restart, play(Playback::Restart));
    all.add(groups.events, says.load_all, (!at_end).then(|| play(Playback::Finish)));
    let (targets, says) = (targets(state), &messages().tablets.timeline);
    let steps = [
        (says.split_before, targets.split_before),
        (says.back, targets.back),
        (says.forward, targets.forward),
        (says.split_after, targets.split_after),
    ];
    for (name, target) in steps {
        all.add(groups.events, name, target.map(|target| seek(actions).reform(move |()| target)));
    }
    for example in Example::ALL {
        let (title, actions) = ((messages().example)(example).title, actions.clone());
        all.add(groups.example, title, Callback::from(move |()| open_example(example, &actions)));
    }
    for sample in state.samples.iter() {
        let change = Edit::Source(Source::Sample(sample.name.clone()), Some(sample.template.clone()));
        all.add(groups.sample, sample.title.clone(), actions.edit.reform(move |()| change.clone()));
    }
}

fn workspace(all: &mut List, state: &PageState, actions: &Actions) {
    let (groups, bar) = (&messages().palette.groups, &messages().top_bar);
    let (work, download) = (state.workspace.clone(), actions.clone());
    all.add(groups.workspace, bar.workspaces, open_workspaces(actions));
    all.add(groups.workspace, messages().workspaces.new, wish(actions, WorkspaceWish::New));
    if !state.is_shared() {
        all.add(groups.workspace, messages().banners.save_as, wish(actions, WorkspaceWish::SaveAs));
    }
    let workspaces = state.look.part::<WorkspacesLook>();
    for WorkspaceLine { id, about } in workspaces.lines.iter().filter(|line| line.id != state.workspace_id) {
        let open = about
            .as_ref()
            .ok()
            .map(|about| (about.name.clone(), wish(actions, WorkspaceWish::Open(id.clone()))));
        all.entries.extend(open.map(|(name, on_run)| Entry {
            group: groups.open_workspace.into(),
            name: name.into(),
            key: None,
            on_run,
        }));
    }
    all.add(groups.workspace, bar.share, open_share(actions));
    for (name, on_run) in share_actions(state, actions) {
        all.add(groups.share, name, on_run);
    }
    all.add(groups.workspace, bar.save, Callback::from(move |()| download.download(&work)));
    all.add(groups.workspace, bar.open, Callback::from(|()| choose_workspace_file()));
    all.add(groups.workspace, bar.download_table, actions.storage.reform(|()| StorageAction::ExportTable));
    all.add(groups.workspace, bar.export, open_export(actions));
    all.add(groups.workspace, messages().common.storage, open_storage(actions));
    all.add(groups.workspace, bar.start_over, start_over(actions));
}

fn rest(all: &mut List, state: &PageState, actions: &Actions) {
    let (groups, bar) = (&messages().palette.groups, &messages().top_bar);
    for (theme, name) in THEMES.into_iter().zip([bar.light, bar.dark, bar.system]) {
        let change = (state.look.theme != theme).then(|| actions.act.reform(move |()| choose_theme(theme)));
        all.add(groups.theme, name, change);
    }
    for locale in Locale::ALL.iter().copied().filter(|locale| *locale != state.look.locale) {
        let act = actions.act.clone();
        let choose = move |()| {
            act.emit(choose_locale(locale));
            act.emit(Action::Say(locale.name().into()));
        };
        all.add(groups.locale, locale.name(), Callback::from(choose));
    }
    all.add(
        groups.tablets,
        messages().tablets.as_table,
        actions.part(|look: &mut StripLook| look.as_table = !look.as_table),
    );
    let shell = if state.look.shell_open { actions.fold_shell() } else { actions.open_shell() };
    all.add_with_key(groups.shell, messages().panes.shell, Some(messages().palette.shortcuts.shell), shell);
    all.add_with_key(groups.help, bar.keys, Some(messages().palette.shortcuts.keys), {
        let act = actions.act.clone();
        Callback::from(move |()| open_keys(&act))
    });
    all.add(groups.help, bar.about.open, open_about(actions));
}
