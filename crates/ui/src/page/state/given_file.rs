//! Own events that are given in place of missing ones, as for the file of a link: what was made for
//! the missing ones stays.

use std::collections::BTreeSet;

use tabletop_keys::{Column, Field, FieldKind, Layout, LayoutKind, Template, part_fields};
use tabletop_protocol::{DataView, LoadState};
use tabletop_texts::messages;
use tabletop_workspace::{ContentDigest, OwnData, Source, Workspace};

use super::remembered::{GivenFile, GivenNote};
use super::{Change, PageState};

impl PageState {
    /// Returns the own events that the page asks for: the workspace's, or the missing ones that
    /// others replace.
    pub fn wanted_own(&self) -> Option<&OwnData> {
        match &self.workspace.source {
            Source::Own(own) if self.own_missing || self.data.state == LoadState::Interrupted => Some(own),
            _ => self
                .given_file()
                .filter(|_| !self.look.part::<GivenNote>().is_closed)
                .map(|file| &file.missing),
        }
    }

    /// Returns whether there may be such a file: most pages have none, and check no further.
    #[inline]
    pub fn has_given(&self) -> bool {
        self.given.is_some()
    }

    /// Returns what was given in place of missing events, as long as it is the source.
    #[inline(never)]
    pub fn given_file(&self) -> Option<&GivenFile> {
        let file = self.given.as_ref()?;
        matches!(&self.workspace.source, Source::Own(own) if own.may_be(&file.given)).then_some(file)
    }

    /// Returns whether all fields of the current events are known.
    pub fn has_all_fields(&self) -> bool {
        !self.events_are_coming && !self.data.fields.is_empty() && self.data.state != LoadState::Loading
    }

    /// Returns the fields that the designs use and the given events lack, in the order of the
    /// designs; nothing until all of them are known.
    pub fn fields_not_given(&self) -> Vec<String> {
        if self.has_all_fields() { fields_not_in(&self.workspace, &self.data) } else { Vec::new() }
    }

    /// Makes other events the source of `next`. Own events that are given for missing ones keep the
    /// designs, the query and the access patterns. Any other source drops them, because they name
    /// fields of the previous events.
    #[inline(never)]
    pub(super) fn choose_source(&mut self, next: &mut Workspace, source: Source, template: Option<String>) {
        self.given = match (self.wanted_own(), &source) {
            (Some(missing), Source::Own(given)) => {
                Some(GivenFile { missing: missing.clone(), given: given.clone() })
            }
            _ => None,
        };
        match &self.given {
            Some(file) if file.is_other() => {
                let says = &messages().data;
                self.status = format!(
                    "{} {}",
                    (says.other_file)(&file.given.name, &file.missing.name),
                    says.designs_stay
                )
                .into();
            }
            Some(_) => {}
            None => self.leave_designs(next),
        }
        next.source = source;
        if let Some(template) = template {
            next.designs[0].template = template;
        }
        self.own_missing = false;
        self.look.follow(&Change::Source);
    }

    /// Replaces the designs that were made for other events with one whose template suits these.
    #[inline(never)]
    pub(super) fn make_design_for_given(&mut self, next: &mut Workspace) {
        self.leave_designs(next);
        next.designs[0].template = self.default_template();
        self.first_key = self.look_ups().is_empty().then(|| next.designs[0].template.clone());
        self.given = None;
    }

    fn leave_designs(&mut self, next: &mut Workspace) {
        // An example describes its events.
        if next.example.is_some() {
            next.rename(Workspace::UNNAMED.into());
        }
        // They name fields of the previous events.
        next.query = Workspace::default().query;
        next.queries.clear();
        next.roles.clear();
        next.designs.truncate(1);
        let layout = &mut next.designs[0].layout;
        let kind = if layout.kind == LayoutKind::Columns { LayoutKind::Narrow } else { layout.kind };
        *layout = Layout { encoding: layout.encoding, ..Layout::new(kind) };
        next.designs[0].families.clear();
        self.design = 0;
    }

    /// Returns the fields of a file that was given for a missing one, with the types that the
    /// workspace has for them. The same file has all of these: the user may have corrected the
    /// detected types. A different file gets the times that were detected as texts, because the
    /// designs need times. `None` until the file is loaded.
    pub(super) fn corrected_types(
        &self,
        content: Option<ContentDigest>,
        data: &DataView,
    ) -> Option<Vec<Field>> {
        let missing = &self.given_file().filter(|_| data.state == LoadState::Loaded)?.missing;
        let names = || missing.fields.iter().map(|field| &field.name);
        let is_same_file = content.is_some() && missing.content == content;
        if is_same_file && names().eq(data.fields.iter().map(|field| &field.name)) {
            return Some(missing.fields.clone());
        }
        let mut fields = data.fields.clone();
        for field in fields.iter_mut().filter(|field| field.kind == FieldKind::Text) {
            let is_time = |known: &&Field| known.name == field.name && known.kind == FieldKind::Time;
            if let Some(time) = missing.fields.iter().find(is_time) {
                field.clone_from(time);
            }
        }
        Some(fields)
    }

    /// Reports what a file that was given for a missing one lacks, once it is loaded, or forgets
    /// the missing one.
    #[inline(never)]
    pub(super) fn check_given(&mut self) {
        let Some(file) = self.given_file().filter(|_| self.data.state == LoadState::Loaded) else { return };
        let lacks = self.fields_not_given();
        if !lacks.is_empty() {
            self.status =
                format!("{} {}", self.status, (messages().data.fields_lack)(&lacks, &file.missing.name))
                    .into();
        } else if !file.is_other() {
            self.given = None;
        }
    }
}

/// Returns the fields that the designs of a workspace use and these events lack.
fn fields_not_in(workspace: &Workspace, data: &DataView) -> Vec<String> {
    let mut seen: BTreeSet<String> = data.fields.iter().map(|field| field.name.clone()).collect();
    let mut missing = Vec::new();
    for design in &workspace.designs {
        let layout = &design.layout;
        let columns = if layout.kind == LayoutKind::Columns { layout.columns.as_slice() } else { &[] };
        let of_column =
            |column: &Column| [&column.family, &column.qualifier, &column.value].map(|text| fields_of(text));
        let named = fields_of(&design.template).into_iter().chain(layout.family_field.clone());
        for field in named.chain(columns.iter().flat_map(of_column).flatten()) {
            if seen.insert(field.clone()) {
                missing.push(field);
            }
        }
    }
    missing
}

fn fields_of(text: &str) -> Vec<String> {
    if text == Column::RECORD {
        return Vec::new();
    }
    Template::of_text(text).0.parts().iter().flat_map(part_fields).cloned().collect()
}

#[cfg(test)]
mod tests;
