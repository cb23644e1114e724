//! Limits on the work of one input. Time is that of the processor: the clock on the wall says little on a machine that others
//! use. Memory is what is held at any moment beyond what was held before.

use cpu_time::ThreadTime;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn taken(bytes: usize) {
    MOST.fetch_max(HELD.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every request goes to the system's allocator as it is; beside it there is only counting.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there for a moment.
        taken(size);
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Does `work`, which must take less than a second and never hold more than so many bytes.
pub fn within<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let (start, before) = (ThreadTime::now(), HELD.load(Relaxed));
    MOST.store(before, Relaxed);
    let result = work();
    let taken = start.elapsed();
    assert!(taken.as_secs_f64() < 1.0, "one input took {taken:?}");
    let most = MOST.load(Relaxed) - before;
    assert!(most <= bytes, "one input held {most} bytes, where {bytes} are enough");
    result
}

/// Enough for whatever is planned and not made.
#[allow(dead_code, reason = "one of the targets makes things")]
pub const PLAN: usize = 64 << 20;
