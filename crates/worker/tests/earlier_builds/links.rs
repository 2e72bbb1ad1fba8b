//! Links to workspaces.

use tabletop_workspace::{ShareLink, Workspace};

use super::{is_kept, recorded, text};

/// The lines of the file are a link, then the number of its design and its workspace as JSON.
#[test]
fn each_link_has_its_workspace() {
    for path in recorded("links.txt") {
        let text = text(&path);
        let mut lines = text.lines().filter(|line| !line.starts_with("//"));
        let mut opened = 0;
        while let (Some(link), Some(expected)) = (lines.next(), lines.next()) {
            let (design, json) =
                expected.split_once(' ').expect("the number of the design, and the workspace");
            let read = ShareLink::read(link).unwrap_or_else(|error| panic!("{error}: {link}"));
            assert_eq!(
                (read.json.as_str(), (read.design + 1).to_string().as_str()),
                (json, design),
                "{link}"
            );
            let workspace = Workspace::from_json(json).unwrap_or_else(|error| panic!("{error}: {json}"));
            let value = |json: &str| serde_json::from_str(json).expect("JSON");
            is_kept(&workspace.name, &value(json), &value(&workspace.to_json()));
            opened += 1;
        }
        assert_eq!(opened, 30, "{}", path.display());
    }
}
