//! The end of a call: the moment its status is known, or its client has cancelled it.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

use super::Answer;
use crate::stats::CallTimer;

/// Stops the timer of a call together with its answer: now, if its head has the status, or with the
/// last frame of its body.
pub(super) fn time(answer: Answer, timer: CallTimer) -> Answer {
    if let Some(status) = Status::from_header_map(answer.headers()) {
        timer.end(status.code());
        return answer;
    }
    answer.map(|body| Body::new(Timed { body, timer: Some(timer) }))
}

/// A body whose last frame has the status.
struct Timed {
    body: Body,
    timer: Option<CallTimer>,
}

impl hyper::body::Body for Timed {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let code = match &frame {
            Poll::Ready(Some(Ok(frame))) => {
                frame.trailers_ref().and_then(Status::from_header_map).map(|status| status.code())
            }
            Poll::Ready(Some(Err(status))) => Some(status.code()),
            _ => None,
        };
        if let Some((code, timer)) = code.and_then(|code| Some((code, self.timer.take()?))) {
            timer.end(code);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
