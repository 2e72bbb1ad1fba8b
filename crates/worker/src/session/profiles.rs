//! Pipelines of profiles, continued slice by slice as the page asks for more.

use tabletop_design::personalization::ProfilesRun;
use tabletop_model::{Code, Error, Result, wire};
use tabletop_schema::{Answer, ProfilesAsk, ProfilesId, ProfilesJob};

use super::Session;

/// Most pipelines at a time. One more drops the oldest.
const PIPELINES_MAX: usize = 3;

/// Pipelines of one design.
pub(super) struct OpenProfiles {
    id: ProfilesId,
    run: ProfilesRun,
    /// They did the last slice of work, whose time is not known yet.
    is_charged: bool,
}

impl Session {
    /// Begins, continues or ends pipelines.
    #[inline(never)]
    pub(super) fn profiles(&mut self, ask: &[u8]) -> Result<Answer> {
        let ask = wire::decode(ask).map_err(|_| Error::invalid("this is no request for profiles"))?;
        let events = self.load.events();
        let (id, job, user) = match ask {
            ProfilesAsk::End(id) => {
                self.profiles.retain(|open| open.id != id);
                return Ok(Answer::Done);
            }
            ProfilesAsk::Go { id, job, user } => (id, job, user),
            ProfilesAsk::Begin { index, strategy } => {
                let missing = || Error::not_found(format!("there is no design {index}"));
                let design = self.workspace.designs.get(index as usize).ok_or_else(missing)?;
                let run = ProfilesRun::new(design, events, &strategy)?;
                self.last_read = self.last_read.wrapping_add(1);
                let id = ProfilesId(self.last_read);
                self.profiles.push(OpenProfiles { id, run, is_charged: false });
                if self.profiles.len() > PIPELINES_MAX {
                    self.profiles.remove(0);
                }
                (id, ProfilesJob::Look, None)
            }
        };
        let ended = || Error::new(Code::Cancelled, "these pipelines were dropped: begin them again");
        let open = self.profiles.iter_mut().find(|open| open.id == id).ok_or_else(ended)?;
        let user = user.as_ref().map(|(app, user)| (app.as_str(), user.as_str()));
        let mut chunk = open.run.go(events, &job, user)?;
        open.is_charged = true;
        chunk.id = Some(id);
        Ok(Answer::Profiles(wire::encode(&chunk).into()))
    }

    /// Adds the time of the last slice to its pipeline.
    pub(super) fn charge_profiles(&mut self, micros: u64) {
        for open in self.profiles.iter_mut().filter(|open| open.is_charged) {
            open.is_charged = false;
            open.run.charge(micros);
        }
    }
}
