//! What is wrong with the traffic on a design, as a simulation or a server shows it.

mod symptom;

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_workspace::ClusterFix;

use crate::Fix;
pub use symptom::{DiagnosisKind, Symptom, WaveNodes};

/// A problem that the traffic shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// What is wrong, with the figures that show it.
    pub symptom: Symptom,
    /// Whether it currently affects answers or latency. Otherwise it is a warning.
    pub is_serious: bool,
    /// Changes of the design that help, the best first.
    pub fixes: Vec<Fix>,
    /// Changes of the cluster that help, the best first.
    pub cluster_fixes: Vec<ClusterFix>,
    /// The affected buckets, `[from, until)`.
    pub buckets: (u32, u32),
}

impl Diagnosis {
    /// Returns what is wrong, without figures.
    pub fn kind(&self) -> DiagnosisKind {
        self.symptom.kind()
    }
}

impl Symptom {
    /// Returns the diagnosis of the buckets `[from, until)`, with changes of the design that help.
    pub fn diagnosis(self, is_serious: bool, buckets: (u32, u32), fixes: Vec<Fix>) -> Diagnosis {
        let cluster_fixes = self.cluster_fixes();
        Diagnosis { symptom: self, is_serious, fixes, cluster_fixes, buckets }
    }
}
