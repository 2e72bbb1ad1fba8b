//! Names of resources: `projects/{project}/instances/{instance}/…`.

use tonic::Status;

use super::status::invalid;
use crate::host::InstanceName;

/// Parses `projects/{project}/instances/{instance}`.
pub(crate) fn instance(name: &str) -> Result<InstanceName, Status> {
    match parts(name, ["projects", "instances"]) {
        Some([project, instance]) => Ok(of(project, instance)),
        None => Err(bad("instance", name, "projects/<project>/instances/<instance>")),
    }
}

/// Parses `projects/{project}/instances/{instance}/tables/{table}` and returns the instance and the
/// table's ID.
pub(crate) fn table(name: &str) -> Result<(InstanceName, String), Status> {
    match parts(name, ["projects", "instances", "tables"]) {
        Some([project, instance, table]) => Ok((of(project, instance), table.into())),
        None => Err(bad("table", name, "projects/<project>/instances/<instance>/tables/<table>")),
    }
}

/// Returns the IDs in a name. For example, `["projects", "instances"]` and `projects/p/instances/i`
/// give `["p", "i"]`.
pub(crate) fn parts<'a, const N: usize>(name: &'a str, kinds: [&str; N]) -> Option<[&'a str; N]> {
    let mut rest = name.split('/');
    let mut ids = [""; N];
    for (id, kind) in ids.iter_mut().zip(kinds) {
        if rest.next()? != kind {
            return None;
        }
        *id = rest.next().filter(|id| !id.is_empty())?;
    }
    rest.next().is_none().then_some(ids)
}

fn of(project: &str, instance: &str) -> InstanceName {
    InstanceName { project: project.into(), instance: instance.into() }
}

/// Returns the error for a malformed name.
pub(crate) fn bad(what: &str, name: &str, form: &str) -> Status {
    let shown: String = name.chars().take(200).collect();
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    invalid(format!(
        "\"{}\" is not the name of {article} {what}: it must have the form {form}",
        shown.escape_debug()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_must_have_their_form() {
        let (name, id) = table("projects/p/instances/i/tables/t").unwrap();
        assert_eq!((name, id.as_str()), (of("p", "i"), "t"));
        assert_eq!(instance("projects/p/instances/i").unwrap(), of("p", "i"));
        for bad in [
            "",
            "projects/p",
            "projects/p/instances/",
            "projects//instances/i",
            "projects/p/instances/i/x",
            "x/p/instances/i",
        ] {
            let status = instance(bad).unwrap_err();
            assert_eq!(status.code(), tonic::Code::InvalidArgument, "{bad}");
            assert!(status.message().contains("is not the name of an instance"), "{status:?}");
        }
        assert!(table("x").unwrap_err().message().contains("is not the name of a table"));
    }
}
