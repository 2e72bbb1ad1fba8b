//! Workspaces that were saved as files.

use std::fs;

use tabletop_workspace::Workspace;

use super::{designs, is_kept, load, recorded, same, text};
use crate::own_data_store::{Files, open};

/// When this fails, a workspace of an earlier build has lost something, or makes other rows. The
/// page and `tabletop run` must open all of them forever, so correct the code, not the recording.
#[test]
fn each_workspace_has_its_rows() {
    for folder in recorded("workspaces") {
        let files = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let files: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
        assert_eq!(files.len(), 10, "{}", folder.display());
        for path in files {
            let json = text(&path);
            let workspace =
                Workspace::from_json(&json).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let value = |json: &str| serde_json::from_str(json).expect("JSON");
            is_kept(&path.display().to_string(), &value(&json), &value(&workspace.to_json()));
            // This browser does not store anything.
            let mut host = open(&Files::default());
            host.open(workspace);
            load(&mut host, &folder);
            same(&path.with_extension("txt"), &designs(&mut host));
        }
    }
}
