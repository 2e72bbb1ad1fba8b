//! The name of an instance.

/// The name `projects/{project}/instances/{instance}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceName {
    /// The project's ID.
    pub project: String,
    /// The instance's ID.
    pub instance: String,
}
