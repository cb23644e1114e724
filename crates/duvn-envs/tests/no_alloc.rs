//! No environment allocates while it steps or is reset.

use duvn_envs::registry::{ENTRIES, make};
use duvn_envs::{Environment, RandomActions};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting for each thread.
struct Counting;

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps `alloc`'s contract, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(id: &str) -> usize {
    let mut env = make(id, 0).unwrap();
    let mut actions = RandomActions::new(env.action_space(), 0);
    env.reset(Some(0));
    let before = ALLOCATIONS.get();
    for _ in 0..2000 {
        if env.step(actions.draw()).unwrap().done() {
            env.reset(None);
        }
        std::hint::black_box(env.observation());
    }
    ALLOCATIONS.get() - before
}

#[test]
fn a_step_allocates_nothing() {
    for entry in ENTRIES {
        let id = entry.example();
        assert_eq!(allocations_of(&id), 0, "{id}");
    }
    assert_eq!(allocations_of("CartPole-v1?normalise=true&reward=sparse&reward_scale=2&time_limit=50"), 0);
}
