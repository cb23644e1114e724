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

    /// Whether `other` counts as many states and actions.
    pub(super) fn takes(&self, other: &Counts) -> bool {
        (self.actions, self.counts.len()) == (other.actions, other.counts.len())
    }

    /// Counts a visit.
    pub fn visit(&mut self, state: usize, action: usize) {
        let count = &mut self.counts[state * self.actions + action];
        *count = count.saturating_add(1);
    }

    /// 1 / (1 + n) of every action.
    pub fn rarities(&self, state: usize, rarities: &mut [f32]) {
        let counts = &self.counts[state * self.actions..][..self.actions];
        for (rarity, &count) in rarities.iter_mut().zip(counts) {
            *rarity = 1.0 / (1.0 + count as f32);
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
        let mut rarities = [0.0; 2];
        counts.rarities(1, &mut rarities);
        assert_eq!(rarities, [0.25, 1.0]);
        counts.rarities(0, &mut rarities);
        assert_eq!(rarities, [1.0, 1.0]);
    }
}
