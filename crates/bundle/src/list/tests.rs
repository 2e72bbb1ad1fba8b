use super::*;
use crate::relocations::tests::program;

/// A recording in which all of these functions ran in a first visit.
fn ran(in_first: &[&str]) -> Ran {
    Ran { first: names(in_first), all: names(in_first) }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_string()).collect()
}

/// The list of a program in which `main` ran and called `handle`, and `handle` did not reach its
/// call of `rare`.
fn recorded() -> List {
    let linked =
        program(&[("main", &["handle"]), ("handle", &["rare"]), ("rare", &["rarer"]), ("rarer", &[])]);
    List::default().corrected(&linked, &ran(&["main", "handle"])).expect("an empty list is wrong")
}

#[test]
fn functions_that_ran_are_early_and_others_are_not() {
    let linked =
        program(&[("main", &["handle"]), ("handle", &["rare"]), ("rare", &["rarer"]), ("rarer", &[])]);
    assert_eq!(recorded().early_of(&linked).names, names(&["main", "handle"]));
    assert_eq!(recorded().corrected(&linked, &ran(&["main", "handle"])), None);
}

#[test]
fn a_new_function_is_early_if_early_ones_call_it() {
    let linked = program(&[
        ("main", &["handle"]),
        ("handle", &["new", "rare"]),
        ("new", &["newer", "rare"]),
        ("newer", &[]),
        ("rare", &["rarer", "new and rare"]),
        ("rarer", &[]),
        ("new and rare", &[]),
    ]);
    let list = recorded();
    assert_eq!(list.early_of(&linked).names, names(&["main", "handle", "new", "newer"]));
    let recording = ran(&["main", "handle", "new", "newer"]);
    assert_eq!(list.corrected(&linked, &recording), None, "a list that is only stale stays");
}

#[test]
fn a_list_is_wrong_when_a_function_runs_that_did_not() {
    let linked =
        program(&[("main", &["handle"]), ("handle", &["rare"]), ("rare", &["rarer"]), ("rarer", &[])]);
    let recording = ran(&["main", "rare"]);
    let corrected = recorded().corrected(&linked, &recording).expect("it is wrong");
    // "handle" did not run this time, which happens: it stays.
    assert_eq!(corrected.early_of(&linked).names, names(&["main", "handle", "rare"]));
    assert_eq!(corrected.corrected(&linked, &recording), None);
    // What ran only in other visits is fetched later, until the list is wrong for another reason.
    let recording = Ran { first: names(&["main"]), all: names(&["main", "rare"]) };
    assert_eq!(recorded().corrected(&linked, &recording), None);
}

#[test]
fn a_list_is_wrong_when_much_that_is_early_does_not_run() {
    let many: Vec<String> = (0..IDLE_BYTES_MAX / 10 + 1).map(|number| format!("f{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut functions = vec![("main", &many[..])];
    functions.extend(many.iter().map(|name| (*name, &[][..])));
    let linked = program(&functions);
    let list = List { early: BTreeSet::from([fingerprint("main")]), later: BTreeSet::new() };
    assert_eq!(list.early_of(&linked).names.len(), functions.len());
    let corrected = list.corrected(&linked, &ran(&["main"])).expect("it is wrong");
    assert_eq!(corrected.early_of(&linked).names, names(&["main"]));
}

#[test]
fn a_function_that_only_the_bindings_have_is_early_if_it_ran() {
    let linked = program(&[("main", &[])]);
    let list = List::default().corrected(&linked, &ran(&["main", "bound"])).expect("an empty list is wrong");
    assert!(list.early_of(&linked).has("bound") && !list.early_of(&linked).has("other"));
}

#[test]
fn a_list_is_read_as_it_was_written() {
    let list = recorded();
    assert_eq!((list.early.len(), list.later.len()), (2, 1));
    assert_eq!(List::parse(&list.text()), Ok(list));
    for wrong in ["3fa9c10", "+main", "+", "é"] {
        assert!(List::parse(wrong).is_err_and(|error| error.contains(wrong)), "{wrong}");
    }
}
