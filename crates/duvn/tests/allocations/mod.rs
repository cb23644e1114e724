//! The system's allocator, counting for each thread. A test that counts makes it its own:
//! `#[global_allocator] static ALLOCATOR: Counting = Counting;`

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
}

pub struct Counting;

/// Allocations of this thread so far.
#[allow(dead_code)]
pub fn allocations() -> usize {
    ALLOCATIONS.get()
}

/// Bytes that this thread holds: those that it took, without those that it gave back.
#[allow(dead_code)]
pub fn held() -> isize {
    HELD.get()
}

fn count() {
    ALLOCATIONS.with(|count| count.set(count.get() + 1));
}

fn hold(bytes: isize) {
    HELD.with(|held| held.set(held.get() + bytes));
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        hold(layout.size() as isize);
        // SAFETY: the caller keeps `alloc`'s contract, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        // SAFETY: `pointer` came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        hold(size as isize - layout.size() as isize);
        // SAFETY: `pointer` came from `System.alloc` with this layout, and the caller keeps to its contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
