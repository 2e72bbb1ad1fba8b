//! A value that comes once, later, on the same thread.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

/// Keeps the promise. It holds nothing alive: whoever waited may have gone.
pub(crate) struct Keeper<T>(Weak<RefCell<Slot<T>>>);

/// Waits for the value. Never completes again after it has.
pub(crate) struct Promise<T>(Rc<RefCell<Slot<T>>>);

struct Slot<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// One promise and its keeper.
pub(crate) fn promise<T>() -> (Keeper<T>, Promise<T>) {
    let slot = Rc::new(RefCell::new(Slot { value: None, waker: None }));
    (Keeper(Rc::downgrade(&slot)), Promise(slot))
}

impl<T> Keeper<T> {
    /// Gives the value to whoever waits; gives it back when nobody does any more.
    pub(crate) fn keep(self, value: T) -> Option<T> {
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

impl<T> Promise<T> {
    /// One that is kept already.
    pub(crate) fn kept(value: T) -> Self {
        Promise(Rc::new(RefCell::new(Slot { value: Some(value), waker: None })))
    }
}

impl<T> Future for Promise<T> {
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
