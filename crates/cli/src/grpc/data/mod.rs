//! google.bigtable.v2.Bigtable: rows.

use std::sync::Arc;

use super::rpc::{Answer, Call, Methods, unimplemented};
use crate::host::Host;

/// The service.
#[derive(Clone)]
pub(crate) struct Data {
    host: Arc<Host>,
}

impl Data {
    pub fn new(host: Arc<Host>) -> Data {
        Data { host }
    }
}

impl Methods for Data {
    const NAME: &'static str = "google.bigtable.v2.Bigtable";

    async fn call(self, method: String, _: Call) -> Answer {
        let _ = self.host.now();
        unimplemented(&method, "this server has only rows")
    }
}
