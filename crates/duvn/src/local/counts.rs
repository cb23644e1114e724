use serde::{Deserialize, Serialize};

/// How often each action was tried in each state; u(s,a) = 1 / (1 + n(s,a)).
///
/// In a deterministic world one try tells everything that is local, hence a decay by n and not by its root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    actions: usize,
    counts: Vec<u32>,
}

impl Counts {
    /// No visits yet.
    pub fn new(states: usize, actions: usize) -> Self {
        Counts { actions, counts: vec![0; states * actions] }
    }

    /// Counts a visit.
    pub fn visit(&mut self, state: usize, action: usize) {
        let count = &mut self.counts[state * self.actions + action];
        *count = count.saturating_add(1);
    }

    /// u(s,a) of every action.
    pub fn widths(&self, state: usize, widths: &mut [f32]) {
        let counts = &self.counts[state * self.actions..][..self.actions];
        for (width, &count) in widths.iter_mut().zip(counts) {
            *width = 1.0 / (1.0 + count as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_visit_counts_for_its_own_state_and_action() {
        let mut counts = Counts::new(2, 2);
        (0..3).for_each(|_| counts.visit(1, 0));
        let mut widths = [0.0; 2];
        counts.widths(1, &mut widths);
        assert_eq!(widths, [0.25, 1.0]);
        counts.widths(0, &mut widths);
        assert_eq!(widths, [1.0, 1.0]);
    }
}
