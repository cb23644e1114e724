//! What stands around an environment's bare dynamics.

/// Writes the methods of `Environment` that a wrapper leaves to the environment in its field.
macro_rules! forward {
    ($field:ident: $($method:ident)*) => { $(forward!(@$method $field);)* };
    (@observation_space $field:ident) => {
        fn observation_space(&self) -> crate::Space {
            self.$field.observation_space()
        }
    };
    (@action_space $field:ident) => {
        fn action_space(&self) -> crate::Space {
            self.$field.action_space()
        }
    };
    (@reset $field:ident) => {
        fn reset(&mut self, seed: Option<u64>) {
            self.$field.reset(seed);
        }
    };
    (@observation $field:ident) => {
        fn observation(&self) -> crate::Observation<'_> {
            self.$field.observation()
        }
    };
    (@step $field:ident) => {
        fn step(&mut self, action: crate::Action<'_>) -> Result<crate::Step, crate::StepError> {
            self.$field.step(action)
        }
    };
    (@denoised_return $field:ident) => {
        fn denoised_return(&self) -> Option<f64> {
            self.$field.denoised_return()
        }
    };
    (@save $field:ident) => {
        fn save(&self) -> Option<Vec<u8>> {
            self.$field.save()
        }
    };
    (@restore $field:ident) => {
        fn restore(&mut self, state: &[u8]) -> Result<(), crate::StateError> {
            self.$field.restore(state)
        }
    };
    (@pictures $field:ident) => {
        fn render_text(&self) -> Option<String> {
            self.$field.render_text()
        }

        fn draw(&self, canvas: &mut dyn crate::canvas::Canvas) -> bool {
            self.$field.draw(canvas)
        }
    };
}
pub(crate) use forward;

mod episodes;
mod normalise;
mod reward_noise;
mod reward_scale;
mod sparse_reward;

pub use episodes::Episodes;
pub use normalise::Normalise;
pub use reward_noise::RewardNoise;
pub use reward_scale::RewardScale;
pub use sparse_reward::SparseReward;
