//! The options that name an instance of a real Bigtable.

use tabletop_model::{Error, Result};

use super::Target;

/// The flags that are missing to name a table in Google Cloud.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) &'static str);

impl From<Missing> for Error {
    fn from(Missing(flags): Missing) -> Error {
        let (are, them) = if flags.contains(" and ") { ("are", "them") } else { ("is", "it") };
        Error::invalid(format!(
            "{flags} {are} missing: add {them}, or use --address HOST:PORT for a running server or an emulator."
        ))
    }
}

/// Where a command finds a Bigtable.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PlaceOptions {
    /// The project in Google Cloud
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// The instance, which must exist
    #[arg(long)]
    pub(crate) instance: Option<String>,
    /// A running server or an emulator, without a token and TLS, instead of Google Cloud [default:
    /// BIGTABLE_EMULATOR_HOST, if it is set]
    #[arg(long, aliases = ["endpoint", "emulator"], value_name = "HOST:PORT")]
    pub(crate) address: Option<String>,
}

impl PlaceOptions {
    /// Returns whether a location is given on the command line.
    pub(crate) fn is_named(&self) -> bool {
        self.project.is_some() || self.instance.is_some() || self.address.is_some()
    }

    /// Returns the location of a table. Without an address, BIGTABLE_EMULATOR_HOST is used.
    ///
    /// # Errors
    /// `InvalidArgument` when project or instance are missing, or are not valid IDs.
    pub(crate) fn target(&self, table: String) -> Result<Target> {
        Ok(self.find(table)??)
    }

    /// Returns the location of a table, or what the command line lacks to name it.
    ///
    /// # Errors
    /// `InvalidArgument` for a project or an instance that is not a valid ID.
    pub(crate) fn find(&self, table: String) -> Result<std::result::Result<Target, Missing>> {
        let emulator = self.emulator();
        // An emulator accepts any name.
        let default = emulator.as_ref().map(|_| "tabletop");
        let id = |given: &Option<String>, flag: &str| match given.as_deref().or(default) {
            Some(id) if id.is_empty() || id.contains('/') || id.contains(char::is_whitespace) => {
                Err(Error::invalid(format!(
                    "--{flag} {id:?} is not a valid ID: IDs have no slashes and no spaces."
                )))
            }
            id => Ok(id.map(String::from)),
        };
        Ok(match (id(&self.project, "project")?, id(&self.instance, "instance")?) {
            (Some(project), Some(instance)) => Ok(Target { project, instance, table, emulator }),
            (None, Some(_)) => Err(Missing("--project")),
            (Some(_), None) => Err(Missing("--instance")),
            (None, None) => Err(Missing("--project and --instance")),
        })
    }

    fn emulator(&self) -> Option<String> {
        let from_environment =
            || std::env::var("BIGTABLE_EMULATOR_HOST").ok().filter(|host| !host.is_empty());
        self.address.clone().or_else(from_environment)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        place: PlaceOptions,
    }

    #[test]
    fn earlier_names_of_the_address_are_read() {
        for name in ["--address", "--endpoint", "--emulator"] {
            assert_eq!(
                Command::parse_from(["run", name, "h:1"]).place.address.as_deref(),
                Some("h:1"),
                "{name}"
            );
        }
    }
}
