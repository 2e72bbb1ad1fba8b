//! Which instance a command is about: one in memory, or one of a data folder.

use std::path::PathBuf;
use std::sync::Arc;

use tabletop_cli::{Host, InstanceName, Served, system_clock};
use tabletop_model::{Request, Response};

use super::{Failure, Result};

/// Project and instance of a folder in which there is nothing yet.
const DEFAULT_NAME: &str = "tabletop";

/// Where the tables are.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Place {
    /// Folder that keeps the tables; without one they are in memory, and gone at the end
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Project of the instance [default: that of the only instance there is, else tabletop]
    #[arg(long, value_name = "ID")]
    pub(crate) project: Option<String>,
    /// Instance of the tables [default: the only one there is, else tabletop]
    #[arg(long, value_name = "ID")]
    pub(crate) instance: Option<String>,
}

/// An instance that is open.
pub(crate) struct Opened {
    host: Host,
    served: Arc<Served>,
    name: InstanceName,
    folder: Option<PathBuf>,
}

impl Place {
    /// Opens it; a folder and an instance that are not there are made.
    pub(crate) fn open(&self) -> Result<Opened> {
        let host = match &self.data {
            Some(folder) => Host::open(folder, system_clock)?,
            None => Host::in_memory(system_clock),
        };
        let name = self.choose(&host.instances()?)?;
        let served = host.instance_or_new(&name)?;
        let recovery = served.recovery();
        // Nobody can say what else these files are of: to go on could put new tables in the place of old ones.
        if !recovery.damage.is_empty() {
            let messages: Vec<&str> = recovery.damage.iter().map(|error| error.message.as_str()).collect();
            return Err(Failure::Wrong(format!("the data folder cannot be used:\n  {}", messages.join("\n  "))));
        }
        for table in &recovery.tables {
            for error in &table.damage {
                eprintln!("table {} is damaged, and can only be read: {error}", table.table);
            }
        }
        Ok(Opened { host, served, name, folder: self.data.clone() })
    }

    /// As [`Place::open`], for a command that makes sense only with a folder.
    pub(crate) fn open_kept(&self) -> Result<Opened> {
        match &self.data {
            None => Err(Failure::Wrong("say with --data DIR where the tables are kept".into())),
            Some(_) => self.open(),
        }
    }

    /// As [`Place::open_kept`], for one that needs what somebody has left there.
    pub(crate) fn open_existing(&self) -> Result<Opened> {
        match &self.data {
            Some(folder) if !folder.is_dir() => {
                Err(Failure::Wrong(format!("there is no data folder {}: check the path", folder.display())))
            }
            _ => self.open_kept(),
        }
    }

    /// The only instance that fits what is known; the default if none does.
    fn choose(&self, there: &[InstanceName]) -> Result<InstanceName> {
        let is_meant = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        let fit: Vec<&InstanceName> = there
            .iter()
            .filter(|name| is_meant(&self.project, &name.project) && is_meant(&self.instance, &name.instance))
            .collect();
        match fit.as_slice() {
            [one] => Ok((*one).clone()),
            [] => {
                let or_default = |wanted: &Option<String>| wanted.clone().unwrap_or_else(|| DEFAULT_NAME.into());
                Ok(InstanceName { project: or_default(&self.project), instance: or_default(&self.instance) })
            }
            several => {
                let names: Vec<String> =
                    several.iter().map(|name| format!("--project {} --instance {}", name.project, name.instance)).collect();
                Err(Failure::Wrong(format!("several instances are there: say which one is meant:\n  {}", names.join("\n  "))))
            }
        }
    }
}

impl Opened {
    /// What is open, for a person.
    pub(crate) fn described(&self) -> String {
        match &self.folder {
            Some(folder) => {
                let InstanceName { project, instance } = &self.name;
                format!("The tables of project {project}, instance {instance} in {}.", folder.display())
            }
            None => "The tables are in memory and will be lost at the end: --data DIR keeps them.".into(),
        }
    }

    /// One request, one answer.
    pub(crate) fn ask(&self, request: Request) -> Result<Response> {
        match self.served.handle(request) {
            Response::Refused(error) => Err(error.into()),
            response => Ok(response),
        }
    }

    /// As [`Opened::ask`], for a command that prints refusals itself.
    pub(crate) fn served(&self) -> &Arc<Served> {
        &self.served
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.host.close();
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
        let any = Place::default();
        assert_eq!(any.choose(&[]).unwrap(), name("tabletop", "tabletop"));
        assert_eq!(any.choose(&[name("p", "i")]).unwrap(), name("p", "i"));
        let there = [name("p", "i"), name("p", "j"), name("q", "k")];
        assert!(any.choose(&there).is_err());
        let in_p = Place { project: Some("p".into()), ..Place::default() };
        assert!(in_p.choose(&there).is_err());
        let j = Place { instance: Some("j".into()), ..Place::default() };
        assert_eq!(j.choose(&there).unwrap(), name("p", "j"));
        let new = Place { project: Some("q".into()), instance: Some("new".into()), ..Place::default() };
        assert_eq!(new.choose(&there).unwrap(), name("q", "new"));
    }
}
