//! Authorized views.

use proto::authorized_view::{AuthorizedView as Kind, FamilySubsets, ResponseView, SubsetView};

use super::*;

const VIEW: &str = "projects/p/instances/i/tables/t/authorizedViews/v";

fn subset(prefix: &str, family: &str, qualifier: &str) -> SubsetView {
    let columns = FamilySubsets { qualifiers: vec![qualifier.into()], qualifier_prefixes: Vec::new() };
    SubsetView { row_prefixes: vec![prefix.into()], family_subsets: [(family.to_string(), columns)].into() }
}

fn view(subset: SubsetView) -> proto::AuthorizedView {
    proto::AuthorizedView { authorized_view: Some(Kind::SubsetView(subset)), ..Default::default() }
}

fn create_view(id: &str, view: proto::AuthorizedView) -> proto::CreateAuthorizedViewRequest {
    proto::CreateAuthorizedViewRequest {
        parent: TABLE.into(),
        authorized_view_id: id.into(),
        authorized_view: Some(view),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_is_created_listed_updated_and_deleted() {
    let mut plane = Plane::in_folder().await;
    plane.create(&["f", "g"]).await;
    let created: proto::AuthorizedView = outcome(
        plane.tables.create_authorized_view(create_view("v", view(subset("u", "f", "q")))).await,
        "AuthorizedView",
    );
    assert_eq!((created.name.as_str(), created.etag.is_empty()), (VIEW, false));
    let again = plane.tables.create_authorized_view(create_view("v", view(subset("u", "f", "q")))).await;
    refused(again, Code::AlreadyExists, VIEW);
    let unknown = plane.tables.create_authorized_view(create_view("w", view(subset("u", "x", "q")))).await;
    refused(unknown, Code::InvalidArgument, "\"x\"");
    let empty = plane.tables.create_authorized_view(create_view("w", Default::default())).await;
    refused(empty, Code::InvalidArgument, "subset_view");
    let mut large = subset("u", "f", "q");
    large.family_subsets.get_mut("f").unwrap().qualifiers =
        (0..2_000).map(|i| format!("column {i}").into()).collect();
    refused(
        plane.tables.create_authorized_view(create_view("w", view(large))).await,
        Code::InvalidArgument,
        "fewer columns",
    );
    outcome::<proto::AuthorizedView>(
        plane.tables.create_authorized_view(create_view("a", view(subset("", "g", "")))).await,
        "AuthorizedView",
    );

    let mut plane = plane.restart().await;
    let get = |view: ResponseView| proto::GetAuthorizedViewRequest { name: VIEW.into(), view: view.into() };
    assert_eq!(done(plane.tables.get_authorized_view(get(ResponseView::Full)).await), created);
    assert_eq!(done(plane.tables.get_authorized_view(get(ResponseView::Unspecified)).await), created);
    let name_only = done(plane.tables.get_authorized_view(get(ResponseView::NameOnly)).await);
    assert_eq!(name_only, proto::AuthorizedView { name: VIEW.into(), ..Default::default() });
    let list = |token: &str| proto::ListAuthorizedViewsRequest {
        parent: TABLE.into(),
        page_size: 1,
        page_token: token.into(),
        ..Default::default()
    };
    let first = done(plane.tables.list_authorized_views(list("")).await);
    let second = done(plane.tables.list_authorized_views(list(&first.next_page_token)).await);
    assert!(first.authorized_views[0].name.ends_with("/a") && first.authorized_views[0].etag.is_empty());
    assert_eq!((second.authorized_views[0].name.as_str(), second.next_page_token.as_str()), (VIEW, ""));

    let update = |etag: &str, paths: &[&str]| proto::UpdateAuthorizedViewRequest {
        authorized_view: Some(proto::AuthorizedView {
            name: VIEW.into(),
            etag: etag.into(),
            deletion_protection: true,
            authorized_view: Some(Kind::SubsetView(subset("w", "g", "p"))),
        }),
        update_mask: mask(paths),
        ..Default::default()
    };
    refused(plane.tables.update_authorized_view(update("old", &[])).await, Code::Aborted, "etag");
    refused(
        plane.tables.update_authorized_view(update("", &["name"])).await,
        Code::InvalidArgument,
        "\"name\"",
    );
    let paths = ["deletion_protection", "subset_view.row_prefixes"];
    let updated: proto::AuthorizedView =
        outcome(plane.tables.update_authorized_view(update(&created.etag, &paths)).await, "AuthorizedView");
    assert_eq!(updated.authorized_view, view(subset("w", "f", "q")).authorized_view, "families stay");
    assert!(updated.deletion_protection && updated.etag != created.etag);

    let delete = |etag: &str| proto::DeleteAuthorizedViewRequest { name: VIEW.into(), etag: etag.into() };
    refused(
        plane.tables.delete_authorized_view(delete("")).await,
        Code::FailedPrecondition,
        "deletion protection",
    );
    let table = plane.tables.delete_table(proto::DeleteTableRequest { name: TABLE.into() }).await;
    refused(table, Code::FailedPrecondition, VIEW);
    let mut unprotect = update("", &["deletion_protection"]);
    unprotect.authorized_view.as_mut().unwrap().deletion_protection = false;
    done(plane.tables.update_authorized_view(unprotect).await);
    refused(plane.tables.delete_authorized_view(delete(&updated.etag)).await, Code::Aborted, "etag");
    done(plane.tables.delete_authorized_view(delete("")).await);
    refused(plane.tables.get_authorized_view(get(ResponseView::Full)).await, Code::NotFound, VIEW);
    plane.end().await;
}

#[tokio::test]
async fn a_view_is_enforced() {
    let mut plane = Plane::in_memory().await;
    plane.create(&["f"]).await;
    for (key, qualifier) in [("t1", "q"), ("u1", "q"), ("u1", "secret"), ("u2", "secret")] {
        plane.set(key, &format!("f:{qualifier}"), "v").await.unwrap();
    }
    let through = || rows::ReadRowsRequest { authorized_view_name: VIEW.into(), ..Default::default() };
    assert_eq!(plane.read(through()).await.unwrap_err().code(), Code::NotFound);
    done(plane.tables.create_authorized_view(create_view("v", view(subset("u", "f", "q")))).await);
    assert_eq!(plane.read(through()).await.unwrap(), ["u1 q=v"]);

    let cell = |qualifier: &str| {
        let cell = rows::mutation::SetCell {
            family_name: "f".into(),
            column_qualifier: qualifier.into(),
            timestamp_micros: -1,
            value: "new".into(),
        };
        vec![rows::Mutation { mutation: Some(rows::mutation::Mutation::SetCell(cell)) }]
    };
    let write = |key: &str, qualifier: &str| rows::MutateRowRequest {
        authorized_view_name: VIEW.into(),
        row_key: key.into(),
        mutations: cell(qualifier),
        ..Default::default()
    };
    done(plane.rows.mutate_row(write("u3", "q")).await);
    refused(plane.rows.mutate_row(write("t3", "q")).await, Code::PermissionDenied, "t3");
    refused(plane.rows.mutate_row(write("u3", "secret")).await, Code::PermissionDenied, "secret");
    assert_eq!(plane.read(through()).await.unwrap(), ["u1 q=v", "u3 q=new"]);

    let entry = |key: &str, qualifier: &str| rows::mutate_rows_request::Entry {
        row_key: key.into(),
        mutations: cell(qualifier),
        ..Default::default()
    };
    let entries =
        vec![entry("t4", "q"), entry("u4", "q"), entry("u5", "secret"), entry("", "q"), entry("u6", "q")];
    let request =
        rows::MutateRowsRequest { authorized_view_name: VIEW.into(), entries, ..Default::default() };
    let mut outcomes = done(plane.rows.mutate_rows(request).await);
    let outcomes =
        outcomes.message().await.unwrap().unwrap().entries.into_iter().map(|entry| entry.status.unwrap());
    let outcomes: Vec<_> = outcomes.map(|status| (Code::from(status.code), status.message)).collect();
    use Code::{Ok, PermissionDenied};
    assert_eq!(
        outcomes.iter().map(|(code, _)| *code).collect::<Vec<_>>(),
        [PermissionDenied, Ok, PermissionDenied, PermissionDenied, Ok],
        "each entry has its own status"
    );
    let words =
        format!("Cannot mutate from {VIEW} because the mutation contains cells outside the Authorized View.");
    assert!(outcomes[2].1.starts_with(&words) && outcomes[2].1.contains("secret"), "{}", outcomes[2].1);
    assert_eq!(plane.read(through()).await.unwrap(), ["u1 q=v", "u3 q=new", "u4 q=new", "u6 q=new"]);

    let check = |key: &str| rows::CheckAndMutateRowRequest {
        authorized_view_name: VIEW.into(),
        row_key: key.into(),
        true_mutations: cell("q"),
        ..Default::default()
    };
    assert!(
        !done(plane.rows.check_and_mutate_row(check("u2")).await).predicate_matched,
        "the row's cell is not in the view"
    );
    assert!(done(plane.rows.check_and_mutate_row(check("u3")).await).predicate_matched);
    refused(plane.rows.check_and_mutate_row(check("t1")).await, Code::PermissionDenied, "t1");

    let sample = rows::SampleRowKeysRequest { authorized_view_name: VIEW.into(), ..Default::default() };
    let mut samples = done(plane.rows.sample_row_keys(sample).await);
    assert!(samples.message().await.unwrap().unwrap().row_key.is_empty());
    plane.end().await;
}
