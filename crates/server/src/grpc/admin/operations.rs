//! google.longrunning. All work is done within the call, so an operation is complete when the
//! client receives it.

use std::collections::VecDeque;

use googleapis_tonic_google_longrunning::google::longrunning::operation::Result as Outcome;
use googleapis_tonic_google_longrunning::google::longrunning::{
    CancelOperationRequest, DeleteOperationRequest, GetOperationRequest, ListOperationsRequest,
    ListOperationsResponse, Operation, WaitOperationRequest,
};
use prost::Message;
use tonic::Status;

use super::{Admin, not_found, paging};
use crate::grpc::maps;
use crate::lock::lock;

/// The number of operations that are kept.
const OPERATIONS_MAX: usize = 1_000;
/// The bytes of operations that are kept. Each operation holds its request and its response.
const OPERATIONS_BYTES_MAX: usize = 16 << 20;

/// The latest operations, for clients that request them again. They do not survive the process.
#[derive(Default)]
pub(super) struct Operations {
    made: u64,
    stored: VecDeque<Operation>,
    /// The total size of `stored`.
    bytes: usize,
}

impl Operations {
    /// Adds an operation. Removes the oldest ones beyond the limits, but never the new one,
    /// whatever its size.
    fn store(&mut self, operation: Operation) {
        self.bytes += operation.encoded_len();
        self.stored.push_back(operation);
        while self.stored.len() > OPERATIONS_MAX || self.bytes > OPERATIONS_BYTES_MAX && self.stored.len() > 1
        {
            let Some(oldest) = self.stored.pop_front() else { return };
            self.bytes -= oldest.encoded_len();
        }
    }
}

impl Admin {
    /// Records the operation that changed a resource, with its response and metadata: messages and
    /// their names in the package.
    pub(super) fn operation(
        &self,
        resource: &str,
        (response_name, response): (&str, &(impl Message + 'static)),
        (metadata_name, metadata): (&str, &(impl Message + 'static)),
    ) -> Operation {
        let mut operations = lock(&self.operations);
        operations.made += 1;
        let operation = Operation {
            // Sorted by time, for paging.
            name: format!("operations/{resource}/operations/{:012}", operations.made),
            metadata: Some(any(metadata_name, metadata)),
            done: true,
            result: Some(Outcome::Response(any(response_name, response))),
        };
        operations.store(operation.clone());
        operation
    }

    pub(super) fn get_operation(&self, request: GetOperationRequest) -> Result<Operation, Status> {
        let operations = lock(&self.operations);
        let found = operations.stored.iter().find(|operation| operation.name == request.name);
        found.cloned().ok_or_else(|| not_found("operation", &request.name))
    }

    pub(super) fn wait_operation(&self, request: WaitOperationRequest) -> Result<Operation, Status> {
        self.get_operation(GetOperationRequest { name: request.name })
    }

    /// Lists the operations whose names begin with the given one.
    pub(super) fn list_operations(
        &self,
        request: ListOperationsRequest,
    ) -> Result<ListOperationsResponse, Status> {
        if !request.filter.is_empty() {
            return Err(Status::unimplemented("operations are not filtered here: leave the filter empty"));
        }
        let operations = lock(&self.operations);
        let mut named: Vec<Operation> = operations
            .stored
            .iter()
            .filter(|operation| operation.name.starts_with(&request.name))
            .cloned()
            .collect();
        named.sort_by(|a, b| a.name.cmp(&b.name));
        let (operations, next_page_token) =
            paging::page(named, |operation| &operation.name, request.page_size, &request.page_token)?;
        Ok(ListOperationsResponse { operations, next_page_token, unreachable: Vec::new() })
    }

    pub(super) fn delete_operation(&self, request: DeleteOperationRequest) -> Result<(), Status> {
        let mut operations = lock(&self.operations);
        let at = operations.stored.iter().position(|operation| operation.name == request.name);
        let deleted = at
            .and_then(|at| operations.stored.remove(at))
            .ok_or_else(|| not_found("operation", &request.name))?;
        operations.bytes -= deleted.encoded_len();
        Ok(())
    }

    /// Accepts a request to cancel a known operation. It is complete, so there is nothing to
    /// cancel.
    pub(super) fn cancel_operation(&self, request: CancelOperationRequest) -> Result<(), Status> {
        self.get_operation(GetOperationRequest { name: request.name }).map(|_| ())
    }
}

fn any(name: &str, message: &(impl Message + 'static)) -> prost_types::Any {
    // A name that contains a dot already has its package.
    let package = if name.contains('.') { "" } else { "google.bigtable.admin.v2." };
    let type_url = format!("type.googleapis.com/{package}{name}");
    prost_types::Any { type_url, value: maps::encoded(message).unwrap_or_else(|| message.encode_to_vec()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_operations_are_dropped() {
        let mut operations = Operations::default();
        let named = |name: usize, bytes: usize| Operation {
            name: format!("{name}{}", " ".repeat(bytes)),
            ..Default::default()
        };
        (0..OPERATIONS_MAX + 3).for_each(|name| operations.store(named(name, 0)));
        assert_eq!((operations.stored.len(), operations.stored[0].name.as_str()), (OPERATIONS_MAX, "3"));
        (0..10).for_each(|name| operations.store(named(name, OPERATIONS_BYTES_MAX / 4)));
        assert_eq!(operations.stored.len(), 3);
        operations.store(named(0, 2 * OPERATIONS_BYTES_MAX));
        assert_eq!(operations.stored.len(), 1);
        operations.store(named(1, 0));
        assert_eq!((operations.stored.len(), operations.bytes), (1, operations.stored[0].encoded_len()));
    }
}
