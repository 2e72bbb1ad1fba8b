//! What a browser stores: the user's own events, an unfinished migration, and workspaces with their
//! manual writes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use tabletop_engine::FileId;
use tabletop_model::{Mutation, TableRequest, wire};
use tabletop_protocol::{Answer, Ask, DesignWrites, HandWritesAsk, KeptWrites};
use tabletop_workspace::{ContentDigest, Workspace};

use super::{designs, is_kept, load, recorded, same, text};
use crate::host::{self, Host};
use crate::own_data_store::faulty_files::FaultyFiles;
use crate::own_data_store::{Files, export, open, storage};

/// Returns the files that each recorded browser stores for the worker, and the folder of the
/// recording.
pub fn stored_files() -> Vec<(Files, std::path::PathBuf)> {
    let of = |folder: std::path::PathBuf| {
        (Rc::new(RefCell::new(FaultyFiles::holding(&files_of(&folder.join("files"))))), folder)
    };
    recorded("browser").into_iter().map(of).collect()
}

fn files_of(folder: &Path) -> BTreeMap<FileId, Vec<u8>> {
    let entries =
        fs::read_dir(folder).expect("a folder of files").map(|entry| entry.expect("an entry").path());
    let file = |path: std::path::PathBuf| {
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).expect("a number");
        (FileId(number), fs::read(&path).expect("a file"))
    };
    entries.map(file).collect()
}

#[test]
fn each_stored_set_has_its_events() {
    for (files, folder) in stored_files() {
        let mut host = open(&files);
        let mut out = String::new();
        for set in storage(&mut host, Ask::Storage).sets {
            assert_eq!(set.trouble, None);
            let (lines, unreadable) = export(&mut host, set.set);
            let fields: Vec<_> =
                set.own.fields.iter().map(|field| format!("{} {:?}", field.name, field.kind)).collect();
            let content = set.own.content.map(ContentDigest::text);
            writeln!(out, "# {}, {} events, {unreadable} unreadable", set.own.name, set.events)
                .expect("a string");
            writeln!(out, "{:?}, content {content:?}, fields {}", set.state, fields.join(", "))
                .expect("a string");
            out.push_str(&lines);
        }
        same(&folder.join("sets.txt"), &out);
    }
}

#[test]
fn each_saved_workspace_has_its_events_and_manual_writes() {
    for (files, folder) in stored_files() {
        let stored: BTreeMap<String, String> =
            serde_json::from_str(&text(&folder.join("local_storage.json"))).expect("texts");
        let workspaces: Vec<_> =
            stored.iter().filter_map(|(name, json)| Some((name.strip_prefix("workspace")?, json))).collect();
        assert!(workspaces.len() >= 3, "{}", folder.display());
        let (mut out, mut restored) = (String::new(), 0);
        for (id, json) in workspaces {
            let workspace = Workspace::from_json(json).expect("a workspace");
            let value = |json: &str| serde_json::from_str(json).expect("JSON");
            is_kept(id, &value(json), &value(&workspace.to_json()));
            let mut host = open(&files);
            let writes = stored.get(&format!("writes{id}"));
            let kept = writes
                .map(|writes| serde_json::from_str::<KeptWrites>(writes).expect("manual writes"))
                .unwrap_or_default();
            let restore = HandWritesAsk::Restore(kept.clone());
            assert_eq!(host.ask(Ask::HandWrites(wire::encode(&restore).into())), Answer::Done);
            writeln!(out, "# Workspace {}", workspace.name).expect("a string");
            host.open(workspace);
            load(&mut host, &folder);
            restored += has_cells(&mut host, &kept);
            out.push_str(&designs(&mut host));
        }
        same(&folder.join("workspaces.txt"), &out);
        assert!(restored > 0, "{}", folder.display());
    }
}

/// Returns the number of cells that the manual writes have set. Fails unless all of them are there.
fn has_cells(host: &mut Host, kept: &KeptWrites) -> usize {
    let mut cells = 0;
    for DesignWrites { design, writes } in &kept.designs {
        let index =
            host.workspace().designs.iter().position(|found| found.name == *design).expect("the design");
        let rows = host.read_all(index as u32, host::everything()).rows;
        for write in writes {
            let TableRequest::MutateRows(entries) = &write.request else { panic!("{:?}", write.request) };
            for entry in entries {
                let row =
                    rows.iter().find(|row| row.key == entry.key).unwrap_or_else(|| panic!("{}", entry.key));
                for mutation in &entry.mutations {
                    let Mutation::SetCell { family, qualifier, timestamp, value } = mutation else {
                        panic!("{mutation:?}")
                    };
                    let written = (family, qualifier, timestamp, value);
                    let mut found = row
                        .cells
                        .iter()
                        .map(|cell| (&cell.family, &cell.qualifier, &cell.timestamp, &cell.value));
                    assert!(found.any(|cell| cell == written), "{written:?} in {row:?}");
                    cells += 1;
                }
            }
        }
    }
    cells
}
