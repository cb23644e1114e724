use crate::{Action, Environment, Observation, Space, StateError, Step, StepError, freeze, thaw};

/// bsuite's `discounting_chain`: the first action chooses one of five chains, which pay after 1, 3, 10, 30 or 100 steps;
/// nothing else matters until the episode ends after 100 steps. One of the chains pays 1.1, the others 1.
///
/// The observation is the chain (-1 before one is chosen) and the share of the time that is over.
#[derive(Clone, Debug)]
pub struct DiscountingChain {
    best: usize,
    /// The chain that is chosen, and the steps that are made.
    state: (Option<usize>, u32),
    observation: [f32; 2],
}

impl DiscountingChain {
    const STEPS: u32 = 100;
    const PAYS_AT: [u32; 5] = [1, 3, 10, 30, 100];

    /// The task whose best chain is `mapping_seed` modulo 5.
    pub fn new(mapping_seed: u64) -> Self {
        let best = (mapping_seed % Self::PAYS_AT.len() as u64) as usize;
        let mut chain = DiscountingChain { best, state: (None, 0), observation: [0.0; 2] };
        chain.observe();
        chain
    }

    fn observe(&mut self) {
        let (chosen, steps) = self.state;
        let seen = chosen.map_or(-1.0, |chain| chain as f32);
        self.observation = [seen, (f64::from(steps) / f64::from(Self::STEPS)) as f32];
    }
}

impl Environment for DiscountingChain {
    fn observation_space(&self) -> Space {
        Space::Box { low: vec![-1.0, 0.0], high: vec![Self::PAYS_AT.len() as f32 - 1.0, 1.0] }
    }

    fn action_space(&self) -> Space {
        Space::Discrete(Self::PAYS_AT.len())
    }

    fn reset(&mut self, _seed: Option<u64>) {
        self.state = (None, 0);
        self.observe();
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let Action::Index(index @ 0..5) = action else {
            return Err(StepError::action(action, &self.action_space()));
        };
        let (chosen, steps) = self.state;
        let (chosen, steps) = (chosen.unwrap_or(index), steps + 1);
        self.state = (Some(chosen), steps);
        let reward = match (steps == Self::PAYS_AT[chosen], chosen == self.best) {
            (false, _) => 0.0,
            (true, false) => 1.0,
            (true, true) => 1.1,
        };
        self.observe();
        Ok(Step { reward, terminated: steps == Self::STEPS, truncated: false })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(freeze(&self.state))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let state: (Option<usize>, u32) = thaw(state)?;
        if state.0.is_some_and(|chain| chain >= Self::PAYS_AT.len()) || state.1 > Self::STEPS {
            return Err(StateError::Misfit("there is no such chain or step".into()));
        }
        self.state = state;
        self.observe();
        Ok(())
    }

    fn render_text(&self) -> Option<String> {
        let (chosen, steps) = self.state;
        let chain = chosen.map_or("no chain".into(), |chain| format!("chain {chain}"));
        Some(format!("{chain}, step {steps} of {}\n", Self::STEPS))
    }
}
