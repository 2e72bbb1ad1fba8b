//! What a simulation shows, as figures, and as the diagnosis that people read.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::RowKey;

use super::{Diagnosis, DiagnosisKind};
use crate::Fix;
use crate::texts::texts;

/// Something that the traffic shows to be wrong, as figures. Shares are 0 to 1; rates are per second, of the last minute.
#[derive(Clone, Debug, PartialEq)]
pub enum Symptom {
    /// One row has a large share of the requests.
    HotRow {
        /// The row; `None` if no loaded event has it.
        row: Option<RowKey>,
        /// Its share of the requests.
        share: f64,
        /// Its requests per second.
        per_second: f64,
        /// The share of them that are writes.
        writes: f64,
        /// The time of cores that it asks for, as a share of a node.
        node_share: f64,
    },
    /// Most writes of a second are in a few places.
    SequentialWrites {
        /// The mean number of places.
        places: f64,
        /// The share of the writes that they have.
        share: f64,
        /// Writes per second.
        per_second: f64,
    },
    /// A few neighbouring keys have a large share of the requests.
    HotPrefix {
        /// Their first key.
        start: RowKey,
        /// The first key after them; empty for the end of the table.
        end: RowKey,
        /// Their share of the requests.
        share: f64,
        /// Their share of the rows.
        rows: f64,
    },
    /// A row is read nearly as often as a node can: the time of cores that it asks for, as a share of a node.
    ReadPressure(f64),
    /// The same for writes.
    WritePressure(f64),
    /// A row has so many bytes.
    LargeRows(u64),
    /// The load comes in waves.
    PeriodicLoad {
        /// Seconds from peak to peak.
        seconds: f64,
        /// Requests per second at the peaks.
        most: f64,
        /// Requests per second between them.
        least: f64,
    },
    /// All nodes are busy.
    TooFewNodes {
        /// Nodes.
        nodes: u32,
        /// The mean share of their cores that was busy.
        cpu: f64,
        /// The fewest nodes that use at most 60 % of their cores.
        needed: u32,
        /// Requests that waited at the end of the last second.
        waiting: u64,
    },
}

impl Symptom {
    /// Returns its kind.
    pub fn kind(&self) -> DiagnosisKind {
        match self {
            Symptom::HotRow { .. } => DiagnosisKind::HotRow,
            Symptom::SequentialWrites { .. } => DiagnosisKind::SequentialWrites,
            Symptom::HotPrefix { .. } => DiagnosisKind::HotPrefix,
            Symptom::ReadPressure(_) => DiagnosisKind::ReadPressure,
            Symptom::WritePressure(_) => DiagnosisKind::WritePressure,
            Symptom::LargeRows(_) => DiagnosisKind::LargeRows,
            Symptom::PeriodicLoad { .. } => DiagnosisKind::PeriodicLoad,
            Symptom::TooFewNodes { .. } => DiagnosisKind::TooFewNodes,
        }
    }

    /// Returns the diagnosis in words, about the buckets `[from, until)`, with changes of the design that help.
    pub fn diagnosis(&self, is_serious: bool, buckets: (u32, u32), fixes: Vec<Fix>) -> Diagnosis {
        let says = &texts().diagnoses;
        let (text, evidence, advice): (String, String, String) = match self {
            Symptom::HotRow { row, share, per_second, writes, node_share } => {
                let advice = if *writes > 0.5 { says.hot_row_written } else { says.hot_row_read };
                let evidence = (says.hot_row_evidence)(row.as_ref(), *per_second, *node_share);
                ((says.hot_row)(*share), evidence, advice.into())
            }
            Symptom::SequentialWrites { places, share, per_second } => {
                let advice = if fixes.is_empty() { says.sequential_by_hand } else { says.sequential_advice };
                (says.sequential.into(), (says.sequential_evidence)(*places, *share, *per_second), advice.into())
            }
            Symptom::HotPrefix { start, end, share, rows } => {
                ((says.hot_prefix)(start, end, *share), (says.hot_prefix_evidence)(*share, *rows), says.hot_prefix_advice.into())
            }
            Symptom::ReadPressure(share) => {
                (says.read_pressure.into(), (says.pressure_evidence)(*share), says.read_pressure_advice.into())
            }
            Symptom::WritePressure(share) => {
                (says.write_pressure.into(), (says.pressure_evidence)(*share), says.write_pressure_advice.into())
            }
            Symptom::LargeRows(bytes) => {
                (says.large_rows.into(), (says.large_rows_evidence)(*bytes), says.large_rows_advice.into())
            }
            Symptom::PeriodicLoad { seconds, most, least } => {
                ((says.periodic)(*seconds), (says.periodic_evidence)(*most, *least), says.periodic_advice.into())
            }
            Symptom::TooFewNodes { nodes, cpu, needed, waiting } => {
                (says.few_nodes.into(), (says.few_nodes_evidence)(*nodes, *cpu, *waiting), (says.few_nodes_advice)(*needed))
            }
        };
        Diagnosis { kind: self.kind(), is_serious, text, evidence, advice, fixes, buckets }
    }
}
