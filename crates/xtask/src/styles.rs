//! Makes one style sheet of those in the folders of the views, so that a view needs no line in
//! `index.html`. Trunk calls `cargo xtask styles` for this, before it reads the page.

use std::path::Path;

use crate::Result;
use crate::run::{files_in, read, write};

/// The style sheet of all views, as `index.html` names it.
const OF_VIEWS: &str = "target/views.css";

/// Writes the style sheet of all views.
pub fn hook() -> Result<()> {
    let root = crate::root();
    write(&root.join(OF_VIEWS), &of_views(&root)?)
}

/// Returns the text of a style sheet that `index.html` names.
pub fn sheet(source: &Path, file: &str) -> Result<String> {
    if file == OF_VIEWS { of_views(source) } else { read(&source.join(file)) }
}

/// Joins the style sheets of the views, in the order of the folders' names. In a folder,
/// `style.css` is the first.
fn of_views(source: &Path) -> Result<String> {
    let mut style = String::new();
    for view in files_in(&source.join("crates/ui/src/views"))?.iter().filter(|path| path.is_dir()) {
        let mut sheets = files_in(view)?;
        sheets.retain(|path| path.extension().is_some_and(|kind| kind == "css"));
        sheets.sort_by_key(|path| !path.ends_with("style.css"));
        for sheet in sheets {
            style += &read(&sheet)?;
        }
    }
    Ok(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_of_the_views_has_those_of_all_folders() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sheets = [
            ("map/style.css", "c {}\n"),
            ("compare/more.css", "b {}\n"),
            ("compare/style.css", "a {}\n"),
            ("compare/mod.rs", "code"),
            ("view.rs", "code"),
        ];
        for (name, text) in sheets {
            write(&folder.path().join("crates/ui/src/views").join(name), text).expect("written");
        }
        assert_eq!(sheet(folder.path(), OF_VIEWS), Ok("a {}\nb {}\nc {}\n".to_string()));
    }
}
