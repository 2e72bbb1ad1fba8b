//! The problems of a whole simulation: when each began and ended.

use alloc::vec::Vec;

use tabletop_advice::{Diagnosis, DiagnosisKind};

use crate::SimulationMoment;

/// A time in which a simulation showed a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Spell {
    /// The first moment at which it was diagnosed, in seconds.
    pub from: u32,
    /// The last one.
    pub until: u32,
    /// The diagnosis: the first serious one of these moments, otherwise the first one. Of a failed
    /// node it is the last one, which counts the requests since the failure.
    pub diagnosis: Diagnosis,
}

/// Returns the spells of a simulation, by their first moments. Each kind of problem has a spell for
/// the consecutive moments at which it was diagnosed.
pub fn spells(moments: &[SimulationMoment]) -> Vec<Spell> {
    let mut spells: Vec<Spell> = Vec::new();
    let mut before = None;
    for moment in moments {
        for diagnosis in &moment.diagnoses {
            let continues = |spell: &&mut Spell| {
                spell.diagnosis.kind() == diagnosis.kind()
                    && (Some(spell.until) == before || spell.until == moment.second)
            };
            match spells.iter_mut().rev().find(continues) {
                Some(spell) => {
                    spell.until = moment.second;
                    let is_sum = diagnosis.kind() == DiagnosisKind::FailedNode;
                    if is_sum || diagnosis.is_serious && !spell.diagnosis.is_serious {
                        spell.diagnosis = diagnosis.clone();
                    }
                }
                None => spells.push(Spell {
                    from: moment.second,
                    until: moment.second,
                    diagnosis: diagnosis.clone(),
                }),
            }
        }
        before = Some(moment.second);
    }
    spells
}

impl Spell {
    /// Returns what was wrong.
    pub fn kind(&self) -> DiagnosisKind {
        self.diagnosis.kind()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_advice::Symptom;

    use super::*;

    #[test]
    fn consecutive_moments_are_one_spell() {
        let large = |bytes, is_serious| Symptom::LargeRows(bytes).diagnosis(is_serious, (0, 1), Vec::new());
        let read = |is_serious| Symptom::ReadPressure(0.9).diagnosis(is_serious, (0, 1), Vec::new());
        let moment = |second, diagnoses| SimulationMoment { second, totals: Vec::new(), diagnoses };
        let found = spells(&[
            moment(2, vec![]),
            moment(4, vec![large(1, false)]),
            moment(6, vec![large(2, true), read(false)]),
            moment(8, vec![large(3, true)]),
            moment(10, vec![]),
            moment(12, vec![large(4, false)]),
        ]);
        let shown: Vec<(u32, u32, &Diagnosis)> =
            found.iter().map(|spell| (spell.from, spell.until, &spell.diagnosis)).collect();
        assert_eq!(shown, [(4, 8, &large(2, true)), (6, 6, &read(false)), (12, 12, &large(4, false))]);
        assert_eq!(spells(&[]), []);
        // What has waited and expired since a failure is reported for the whole time.
        let failed = |seconds_ago, expired| {
            let node = "A".into();
            Symptom::FailedNode { node, seconds_ago, waiting: 9, expired }.diagnosis(true, (0, 1), Vec::new())
        };
        let found = spells(&[moment(2, vec![failed(0, 0)]), moment(4, vec![failed(2, 700)])]);
        assert_eq!((found.len(), &found[0].diagnosis), (1, &failed(2, 700)));
    }
}
