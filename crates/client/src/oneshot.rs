//! A channel for one value on one thread.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

/// Sends the value. It does not keep the receiver alive.
pub(crate) struct Sender<T>(Weak<RefCell<Slot<T>>>);

/// Waits for the value. It stays pending if polled after it has completed.
pub(crate) struct Receiver<T>(Rc<RefCell<Slot<T>>>);

struct Slot<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// The two ends of a channel for one value.
pub(crate) fn oneshot<T>() -> (Sender<T>, Receiver<T>) {
    let slot = Rc::new(RefCell::new(Slot { value: None, waker: None }));
    (Sender(Rc::downgrade(&slot)), Receiver(slot))
}

impl<T> Sender<T> {
    /// Sends the value to the receiver; returns it if the receiver was dropped.
    pub(crate) fn send(self, value: T) -> Option<T> {
        let Some(slot) = self.0.upgrade() else { return Some(value) };
        let waker = {
            let mut slot = slot.borrow_mut();
            slot.value = Some(value);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        None
    }
}

impl<T> Receiver<T> {
    /// A receiver that has its value already.
    pub(crate) fn ready(value: T) -> Self {
        Receiver(Rc::new(RefCell::new(Slot { value: Some(value), waker: None })))
    }
}

impl<T> Future for Receiver<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut slot = self.0.borrow_mut();
        match slot.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
