//! The instance of a command: one in memory, or one in a data folder.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tabletop_engine::Instance;
use tabletop_model::{Error, Recovery, Request, Response, TableRequest, TableSpec, Timestamp};
use tabletop_server::{AnyStorage, Client, Host, InstanceName, Served, system_clock};

use super::endpoint::EndpointOptions;
use super::style::tell;
use super::{Failure, Result};

/// The default project and instance of an empty folder.
const DEFAULT_NAME: &str = "tabletop";

/// The options that select an instance.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct InstanceOptions {
    /// Folder to keep the tables in; without it, they are in memory and lost when the program ends
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    names: Names,
}

/// The options that select an instance of a data folder.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct StoredInstanceOptions {
    /// Folder of the tables
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    #[command(flatten)]
    names: Names,
}

/// The options that name an instance.
#[derive(Clone, Debug, Default, clap::Args)]
struct Names {
    /// Project of the instance [default: the project of the only instance, otherwise tabletop]
    #[arg(long, value_name = "ID")]
    project: Option<String>,
    /// Instance of the tables [default: the only one, otherwise tabletop]
    #[arg(long, value_name = "ID")]
    instance: Option<String>,
}

/// The instance of a shell: on a running server, or in this process.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ShellInstanceOptions {
    #[command(flatten)]
    local: InstanceOptions,
    #[command(flatten)]
    endpoint: EndpointOptions,
}

impl ShellInstanceOptions {
    /// Opens the instance, if it exists. A server is connected with the first request.
    pub(crate) fn open(&self) -> Result<OpenedInstance> {
        let Some(address) = self.endpoint.address(self.local.data.is_some()) else {
            return self.local.open();
        };
        let name = self.local.names.choose(&[])?;
        let client = self.endpoint.client(&address, &name)?;
        let remote = Some((address, Mutex::new(client)));
        Ok(OpenedInstance { folder: None, name, host: OnceLock::new(), served: OnceLock::new(), remote })
    }
}

/// An instance, created together with its first table: a command that only reads leaves no files.
pub(crate) struct OpenedInstance {
    folder: Option<PathBuf>,
    name: InstanceName,
    host: OnceLock<Host>,
    served: OnceLock<Arc<Served>>,
    /// The address of a running server that has the instance, and a client of it.
    remote: Option<(String, Mutex<Client>)>,
}

impl InstanceOptions {
    /// Opens the instance, if it exists.
    pub(crate) fn open(&self) -> Result<OpenedInstance> {
        let opened = self.open_damaged()?;
        // It is unknown what these files hold: new tables might replace old ones.
        let recovery = opened.served.get().map(|served| served.recovery());
        match recovery.filter(|recovery| !recovery.damage.is_empty()) {
            None => Ok(opened),
            Some(_) => Err(Failure::Wrong(
                "the data folder is read-only; `tabletop export` can still read its tables".into(),
            )),
        }
    }

    /// Opens the instance, if it exists, even if files of unknown tables are damaged. It is for
    /// commands that change nothing.
    pub(crate) fn open_damaged(&self) -> Result<OpenedInstance> {
        let host = match &self.data {
            Some(folder) if !folder.exists() => None,
            Some(folder) => Some(Host::open(folder, system_clock)?),
            None => Some(Host::in_memory(system_clock)),
        };
        let existing = host.as_ref().map_or(Ok(Vec::new()), Host::instances)?;
        let name = self.names.choose(&existing)?;
        let opened = OpenedInstance {
            folder: self.data.clone(),
            name,
            host: OnceLock::new(),
            served: OnceLock::new(),
            remote: None,
        };
        if let Some(host) = host {
            let host = opened.host.get_or_init(|| host);
            if self.data.is_none() || existing.contains(&opened.name) {
                let served = host.instance_or_new(&opened.name)?;
                report_damage(served.recovery());
                opened.served.get_or_init(|| served);
            }
        }
        Ok(opened)
    }
}

impl StoredInstanceOptions {
    /// Opens the instance, if it exists.
    pub(crate) fn open(&self) -> Result<OpenedInstance> {
        self.options().open()
    }

    /// Opens the instance, if it exists, even if files of unknown tables are damaged.
    pub(crate) fn open_damaged(&self) -> Result<OpenedInstance> {
        self.options().open_damaged()
    }

    fn options(&self) -> InstanceOptions {
        InstanceOptions { data: Some(self.data.clone()), names: self.names.clone() }
    }
}

impl Names {
    /// Returns the only instance that matches the names, or the default if none does.
    fn choose(&self, existing: &[InstanceName]) -> Result<InstanceName> {
        let matches_name =
            |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        let fit: Vec<&InstanceName> = existing
            .iter()
            .filter(|name| {
                matches_name(&self.project, &name.project) && matches_name(&self.instance, &name.instance)
            })
            .collect();
        match fit.as_slice() {
            [one] => Ok((*one).clone()),
            [] => {
                let or_default =
                    |wanted: &Option<String>| wanted.clone().unwrap_or_else(|| DEFAULT_NAME.into());
                Ok(InstanceName { project: or_default(&self.project), instance: or_default(&self.instance) })
            }
            several => {
                let names: Vec<String> = several
                    .iter()
                    .map(|name| format!("--project {} --instance {}", name.project, name.instance))
                    .collect();
                Err(Failure::Wrong(format!(
                    "there are several instances: choose one:\n  {}",
                    names.join("\n  ")
                )))
            }
        }
    }
}

impl OpenedInstance {
    /// Describes the instance to the user.
    pub(crate) fn described(&self) -> String {
        let InstanceName { project, instance } = &self.name;
        match (&self.folder, &self.remote) {
            (_, Some((address, _))) => {
                format!("The tables of project {project}, instance {instance} at {address}.")
            }
            (Some(folder), _) => {
                format!("The tables of project {project}, instance {instance} in {}.", folder.display())
            }
            (None, None) => {
                "The tables are in memory and are lost when this program ends; use --data DIR to keep them."
                    .into()
            }
        }
    }

    /// Calls `act` with the instance, which must exist.
    pub(crate) fn with<T>(
        &self,
        act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> tabletop_model::Result<T>,
    ) -> tabletop_model::Result<T> {
        self.served.get().ok_or_else(|| self.missing_instance())?.change(act)
    }

    /// Creates a table, and its instance if this is the first table.
    pub(crate) fn create_table(&self, table: &str, spec: TableSpec) -> tabletop_model::Result<()> {
        let served = self.served.get().map_or_else(|| self.create(), Ok)?;
        served.change(|instance, now| instance.create_table(now, table, spec))
    }

    /// Answers a request of a shell.
    pub(crate) fn handle(&self, request: Request) -> Response {
        if let Some((_, client)) = &self.remote {
            return client.lock().unwrap_or_else(PoisonError::into_inner).handle(request);
        }
        let served = match (self.served.get(), &request) {
            (Some(served), _) => Ok(served),
            (None, Request::Table { request: TableRequest::Create(_), .. }) => self.create(),
            (None, _) => Err(self.missing_instance()),
        };
        served.map_or_else(Response::Refused, |served| served.handle(request))
    }

    /// Creates the folder and the instance.
    fn create(&self) -> tabletop_model::Result<&Arc<Served>> {
        let host = match (self.host.get(), &self.folder) {
            (None, Some(folder)) => {
                let host = Host::open(folder, system_clock)?;
                self.host.get_or_init(|| host)
            }
            (host, _) => host.ok_or_else(|| self.missing_instance())?,
        };
        let served = host.instance_or_new(&self.name)?;
        Ok(self.served.get_or_init(|| served))
    }

    fn missing_instance(&self) -> Error {
        let folder = self.folder.clone().unwrap_or_default();
        let InstanceName { project, instance } = &self.name;
        let what = match self.host.get() {
            None => format!("there is no data folder {}", folder.display()),
            Some(_) => {
                format!("there is no instance {instance} of project {project} in {}", folder.display())
            }
        };
        Error::not_found(format!("{what}: check the path and the names; the first table creates it"))
    }
}

/// Reports damage.
fn report_damage(recovery: &Recovery) {
    for error in &recovery.damage {
        tell(format!("a file of an unknown table is damaged: {error}"));
    }
    for error in &recovery.damaged_backups {
        tell(format!("a backup is damaged: {error}"));
    }
    for table in &recovery.tables {
        if table.torn_bytes > 0 {
            tell(format!("table {}: {}", table.table, table.torn()));
        }
        for error in &table.damage {
            tell(format!("table {} is damaged and read-only: {error}", table.table));
        }
    }
}

impl Drop for OpenedInstance {
    fn drop(&mut self) {
        if let Some(host) = self.host.get() {
            host.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(project: &str, instance: &str) -> InstanceName {
        InstanceName { project: project.into(), instance: instance.into() }
    }

    #[test]
    fn the_only_instance_need_not_be_named() {
        let any = Names::default();
        assert_eq!(any.choose(&[]).unwrap(), name("tabletop", "tabletop"));
        assert_eq!(any.choose(&[name("p", "i")]).unwrap(), name("p", "i"));
        let existing = [name("p", "i"), name("p", "j"), name("q", "k")];
        assert!(any.choose(&existing).is_err());
        let in_p = Names { project: Some("p".into()), ..Names::default() };
        assert!(in_p.choose(&existing).is_err());
        let j = Names { instance: Some("j".into()), ..Names::default() };
        assert_eq!(j.choose(&existing).unwrap(), name("p", "j"));
        let new = Names { project: Some("q".into()), instance: Some("new".into()) };
        assert_eq!(new.choose(&existing).unwrap(), name("q", "new"));
    }
}
