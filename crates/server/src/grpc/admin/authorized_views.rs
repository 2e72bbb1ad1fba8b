//! Creates, lists, describes, updates and deletes authorized views. `grpc/authorized_view.rs`
//! applies them to requests.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use proto::authorized_view::{AuthorizedView as Kind, ResponseView, SubsetView};
use tonic::Status;

use super::iam::forget_policies;
use super::state::{InstanceState, Stored};
use super::times::time;
use super::{
    Admin, exists, missing, names as admin_names, no_such_path, not_found, paging, paths, protected, proto,
};
use crate::grpc::authorized_view::View;
use crate::grpc::names;
use crate::grpc::status::invalid;
use crate::host::InstanceName;

impl Admin {
    pub(super) fn create_authorized_view(
        &self,
        request: proto::CreateAuthorizedViewRequest,
    ) -> Result<Operation, Status> {
        let (instance, table) = names::table(&request.parent)?;
        let id = request.authorized_view_id.clone();
        admin_names::check_id("authorized_view_id", &id)?;
        let mut view = request.authorized_view.clone().ok_or_else(|| missing("authorized_view"))?;
        let request_time = time(self.now());
        let created = self.change_instance(&instance, |known, ids| {
            let subset = subset_of(&view).ok_or_else(|| missing("authorized_view.subset_view"))?;
            self.check_subset(&instance, &table, subset)?;
            view.etag = ids.etag();
            view.name.clear();
            let views = &mut known.tables.entry(table.clone()).or_default().views;
            if views.contains_key(&id) {
                return Err(exists("authorized view", &name_of(&request.parent, &id)));
            }
            views.insert(id.clone(), Stored(view.clone()));
            Ok(described(&request.parent, &id, &view, ResponseView::Full))
        })?;
        let finish_time = time(self.now());
        let metadata = proto::CreateAuthorizedViewMetadata {
            original_request: Some(request),
            request_time,
            finish_time,
        };
        Ok(self.operation(
            &created.name,
            ("AuthorizedView", &created),
            ("CreateAuthorizedViewMetadata", &metadata),
        ))
    }

    pub(super) fn get_authorized_view(
        &self,
        request: proto::GetAuthorizedViewRequest,
    ) -> Result<proto::AuthorizedView, Status> {
        let (instance, table, id) = admin_names::authorized_view(&request.name)?;
        let response_view = response_view(request.view, ResponseView::Basic)?;
        self.read_instance(&instance, |known| {
            let view = known.tables.get(&table).and_then(|table| table.views.get(&id));
            let view = view.ok_or_else(|| not_found("authorized view", &request.name))?;
            let parent = admin_names::within(&instance, "tables", &table);
            Ok(described(&parent, &id, &view.0, response_view))
        })
    }

    pub(super) fn list_authorized_views(
        &self,
        request: proto::ListAuthorizedViewsRequest,
    ) -> Result<proto::ListAuthorizedViewsResponse, Status> {
        let (instance, table) = names::table(&request.parent)?;
        let response_view = response_view(request.view, ResponseView::NameOnly)?;
        self.read_instance(&instance, |known| {
            self.spec(&instance, &table)?;
            let views = known.tables.get(&table).into_iter().flat_map(|state| &state.views);
            let (page, next_page_token) =
                paging::page(views, |(id, _)| id, request.page_size, &request.page_token)?;
            let described =
                page.into_iter().map(|(id, view)| described(&request.parent, id, &view.0, response_view));
            Ok(proto::ListAuthorizedViewsResponse { authorized_views: described.collect(), next_page_token })
        })
    }

    pub(super) fn update_authorized_view(
        &self,
        request: proto::UpdateAuthorizedViewRequest,
    ) -> Result<Operation, Status> {
        let given = request.authorized_view.clone().ok_or_else(|| missing("authorized_view"))?;
        let (instance, table, id) = admin_names::authorized_view(&given.name)?;
        let request_time = time(self.now());
        let updated = self.change_instance(&instance, |known, ids| {
            let view = find(known, &table, &id).ok_or_else(|| not_found("authorized view", &given.name))?;
            check_etag(&given.etag, &view.0)?;
            let mut paths = paths(request.update_mask.clone());
            if paths.is_empty() {
                paths = vec!["deletion_protection".into(), "subset_view".into()];
            }
            let mut new = subset_of(&view.0).cloned().unwrap_or_default();
            let from = subset_of(&given);
            let required = || from.cloned().ok_or_else(|| missing("authorized_view.subset_view"));
            for path in &paths {
                match path.as_str() {
                    "deletion_protection" => view.0.deletion_protection = given.deletion_protection,
                    "subset_view" => new = required()?,
                    "subset_view.row_prefixes" => new.row_prefixes = required()?.row_prefixes,
                    "subset_view.family_subsets" => new.family_subsets = required()?.family_subsets,
                    _ => return Err(no_such_path(path, "deletion_protection, subset_view and its fields")),
                }
            }
            self.check_subset(&instance, &table, &new)?;
            view.0.authorized_view = Some(Kind::SubsetView(new));
            view.0.etag = ids.etag();
            let parent = admin_names::within(&instance, "tables", &table);
            Ok(described(&parent, &id, &view.0, ResponseView::Full))
        })?;
        let finish_time = time(self.now());
        let metadata = proto::UpdateAuthorizedViewMetadata {
            original_request: Some(request),
            request_time,
            finish_time,
        };
        Ok(self.operation(
            &updated.name,
            ("AuthorizedView", &updated),
            ("UpdateAuthorizedViewMetadata", &metadata),
        ))
    }

    pub(super) fn delete_authorized_view(
        &self,
        request: proto::DeleteAuthorizedViewRequest,
    ) -> Result<(), Status> {
        let (instance, table, id) = admin_names::authorized_view(&request.name)?;
        self.change_instance(&instance, |known, _| {
            let view = find(known, &table, &id).ok_or_else(|| not_found("authorized view", &request.name))?;
            check_etag(&request.etag, &view.0)?;
            if view.0.deletion_protection {
                return Err(protected("authorized view", &request.name));
            }
            forget_policies(known, &format!("tables/{table}/authorizedViews/{id}"));
            known.tables.entry(table).and_modify(|state| drop(state.views.remove(&id)));
            Ok(())
        })
    }

    fn check_subset(&self, instance: &InstanceName, table: &str, subset: &SubsetView) -> Result<(), Status> {
        View::new("", subset).check()?;
        let families = self.spec(instance, table)?.families;
        match subset.family_subsets.keys().find(|name| !families.iter().any(|family| family.name == **name)) {
            None => Ok(()),
            Some(unknown) => Err(invalid(format!(
                "Error in field 'subset_view' : Error in field 'family_subsets' : the table has no family \"{}\": create it first",
                unknown.escape_debug()
            ))),
        }
    }
}

fn find<'a>(
    known: &'a mut InstanceState,
    table: &str,
    id: &str,
) -> Option<&'a mut Stored<proto::AuthorizedView>> {
    known.tables.get_mut(table)?.views.get_mut(id)
}

fn subset_of(view: &proto::AuthorizedView) -> Option<&SubsetView> {
    let Kind::SubsetView(subset) = view.authorized_view.as_ref()?;
    Some(subset)
}

fn check_etag(given: &str, view: &proto::AuthorizedView) -> Result<(), Status> {
    if given.is_empty() || given == view.etag {
        return Ok(());
    }
    Err(Status::aborted(
        "Error in field 'etag' : the authorized view has changed since it was read: read it again",
    ))
}

fn described(
    table: &str,
    id: &str,
    view: &proto::AuthorizedView,
    response: ResponseView,
) -> proto::AuthorizedView {
    let name = name_of(table, id);
    match response {
        ResponseView::NameOnly => proto::AuthorizedView { name, ..Default::default() },
        // Java's client requests BASIC and rejects a view without its subset, so BASIC includes the
        // subset.
        ResponseView::Unspecified | ResponseView::Basic | ResponseView::Full => {
            proto::AuthorizedView { name, ..view.clone() }
        }
    }
}

fn name_of(table: &str, id: &str) -> String {
    format!("{table}/authorizedViews/{id}")
}

fn response_view(view: i32, default: ResponseView) -> Result<ResponseView, Status> {
    match ResponseView::try_from(view) {
        Ok(ResponseView::Unspecified) => Ok(default),
        Ok(view) => Ok(view),
        Err(_) => Err(invalid(format!("Error in field 'view' : there is no view {view}"))),
    }
}
