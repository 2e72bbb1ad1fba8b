//! Runs of the profile pipelines.

use std::sync::Arc;

use tabletop_protocol::{Begin, Clock, JobError, Profiles, ProfilesOrder, ProfilesRequest, Progress, Run};
use tabletop_workload::Events;
use tabletop_workspace::Design;

use super::{DesignHost, check_loaded, has_same_tables, no_design};
use crate::personalization::ProfilesRun;

/// The pipelines of one design, and the events that stream into them.
pub struct OpenProfiles {
    events: Arc<Events>,
    design: Design,
    index: usize,
    run: ProfilesRun,
}

impl<H: DesignHost + ?Sized> Begin<H> for OpenProfiles {
    fn begin(
        host: &mut H,
        ProfilesRequest { index, strategy }: ProfilesRequest,
        _: Clock,
    ) -> Result<OpenProfiles, JobError> {
        check_loaded(host)?;
        let designs = &host.workspace().designs;
        let design = designs.get(index as usize).ok_or_else(|| no_design(index, designs.len()))?.clone();
        let events = host.events().clone();
        let run = ProfilesRun::new(&design, &events, &strategy).map_err(JobError::Unfit)?;
        Ok(OpenProfiles { events, design, index: index as usize, run })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for OpenProfiles {
    type Job = Profiles;

    fn next(
        &mut self,
        _: &mut H,
        order: ProfilesOrder,
        clock: Clock,
    ) -> Result<Progress<Profiles>, JobError> {
        let begun = clock();
        let user = order.user.as_ref().map(|(app, user)| (app.as_str(), user.as_str()));
        let chunk = self.run.go(&self.events, &order.work, user)?;
        self.run.charge(u64::try_from(clock() - begun).unwrap_or(0));
        Ok(Progress::More(chunk))
    }

    fn is_current(&self, host: &H) -> bool {
        let design = host.workspace().designs.get(self.index);
        Arc::ptr_eq(&self.events, host.events())
            && design.is_some_and(|design| has_same_tables(design, &self.design))
    }
}
