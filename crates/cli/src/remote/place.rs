//! The options that name an instance of a real Bigtable.

use tabletop_model::{Error, Result};

use super::Target;

/// Where a command finds a Bigtable.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PlaceOptions {
    /// The project in Google Cloud
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// The instance, which must exist
    #[arg(long)]
    pub(crate) instance: Option<String>,
    /// A server or an emulator, without a token and TLS, instead of Google Cloud
    #[arg(long, visible_alias = "emulator", value_name = "HOST:PORT")]
    pub(crate) address: Option<String>,
}

impl PlaceOptions {
    /// Returns whether a place is named on the command line.
    pub(crate) fn is_named(&self) -> bool {
        self.project.is_some() || self.instance.is_some() || self.address.is_some()
    }

    /// Returns the place of a table. Without an address, that of BIGTABLE_EMULATOR_HOST counts.
    ///
    /// # Errors
    /// `InvalidArgument` when project or instance are missing, or are no ids.
    pub(crate) fn target(&self, table: String) -> Result<Target> {
        let missing = |flag: &str| {
            Err(Error::invalid(format!("--{flag} is missing: add it, or use --emulator HOST:PORT for an emulator.")))
        };
        self.resolve(table, missing)
    }

    /// Returns the place of a table that nobody connects to: what is missing is said in its place.
    ///
    /// # Errors
    /// `InvalidArgument` for what is no id.
    pub(crate) fn dry_target(&self, table: String) -> Result<Target> {
        self.resolve(table, |flag| Ok(format!("<--{flag} is missing>")))
    }

    fn resolve(&self, table: String, missing: impl Fn(&str) -> Result<String>) -> Result<Target> {
        let emulator = self.emulator();
        let id = |given: &Option<String>, flag: &str| match given {
            Some(id) if !id.is_empty() && !id.contains('/') && !id.contains(char::is_whitespace) => Ok(id.clone()),
            Some(id) => Err(Error::invalid(format!("--{flag} {id:?} is not an id: ids have no slashes and no blanks."))),
            // An emulator accepts any name.
            None if emulator.is_some() => Ok("tabletop".into()),
            None => missing(flag),
        };
        let (project, instance) = (id(&self.project, "project")?, id(&self.instance, "instance")?);
        Ok(Target { project, instance, table, emulator })
    }

    fn emulator(&self) -> Option<String> {
        let from_environment = || std::env::var("BIGTABLE_EMULATOR_HOST").ok().filter(|host| !host.is_empty());
        self.address.clone().or_else(from_environment)
    }
}
