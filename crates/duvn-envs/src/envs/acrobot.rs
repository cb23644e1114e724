use super::push;
use crate::canvas::{Canvas, Colour, bar};
use crate::numerics::{cos_f32, pow2, sin_f32};
use crate::rng::NumpyRng;
use crate::{Action, Environment, Observation, Space, Step, StepError};
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, PI};

/// Gymnasium's `Acrobot`: two links hang from a pivot; a torque of -1, 0 or 1 (actions 0, 1, 2) at the
/// joint between them is to swing the free end above the height of one link. Every step before costs 1.
///
/// The observation is cos θ₁, sin θ₁, cos θ₂, sin θ₂, θ̇₁, θ̇₂.
#[derive(Clone, Debug)]
pub struct Acrobot {
    state: State,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// θ₁, θ₂, θ̇₁, θ̇₂.
    joints: Joints,
    observation: [f32; 6],
    rng: NumpyRng,
}

type Joints = [f64; 4];

impl Default for Acrobot {
    fn default() -> Self {
        Acrobot { state: State { joints: [0.0; 4], observation: [0.0; 6], rng: NumpyRng::new(0) } }
    }
}

impl Acrobot {
    const SECONDS: f64 = 0.2;
    const MAX_VELOCITY: [f64; 2] = [4.0 * PI, 9.0 * PI];

    /// d/dt of the joints, for links of length 1, mass 1, moment 1 and centre of mass 1/2 (Sutton and
    /// Barto's equations of motion).
    fn derivative([theta1, theta2, velocity1, velocity2]: Joints, torque: f64) -> Joints {
        const GRAVITY: f64 = 9.8;
        let (sin2, cos2) = theta2.sin_cos();
        let d1 = 0.25 + (1.25 + cos2) + 1.0 + 1.0;
        let d2 = 0.25 + 0.5 * cos2 + 1.0;
        let phi2 = 0.5 * GRAVITY * (theta1 + theta2 - FRAC_PI_2).cos();
        let phi1 = -0.5 * pow2(velocity2) * sin2 - velocity2 * velocity1 * sin2
            + 1.5 * GRAVITY * (theta1 - FRAC_PI_2).cos()
            + phi2;
        let acceleration2 =
            (torque + d2 / d1 * phi1 - 0.5 * pow2(velocity1) * sin2 - phi2) / (0.25 + 1.0 - pow2(d2) / d1);
        let acceleration1 = -(d2 * acceleration2 + phi1) / d1;
        [velocity1, velocity2, acceleration1, acceleration2]
    }

    /// One step of the classical Runge-Kutta method.
    fn integrate(start: Joints, torque: f64) -> Joints {
        let along = |slope: &Joints, seconds: f64| std::array::from_fn(|i| start[i] + seconds * slope[i]);
        let k1 = Self::derivative(start, torque);
        let k2 = Self::derivative(along(&k1, Self::SECONDS / 2.0), torque);
        let k3 = Self::derivative(along(&k2, Self::SECONDS / 2.0), torque);
        let k4 = Self::derivative(along(&k3, Self::SECONDS), torque);
        std::array::from_fn(|i| start[i] + Self::SECONDS / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    }
}

/// Brings an angle to [-π, π] by whole turns, one after the other as the original does.
fn wrap(mut angle: f64) -> f64 {
    while angle > PI {
        angle -= 2.0 * PI;
    }
    while angle < -PI {
        angle += 2.0 * PI;
    }
    angle
}

impl Environment for Acrobot {
    fn observation_space(&self) -> Space {
        let [velocity1, velocity2] = Self::MAX_VELOCITY.map(|limit| limit as f32);
        Space::symmetric_box(&[1.0, 1.0, 1.0, 1.0, velocity1, velocity2])
    }

    fn action_space(&self) -> Space {
        Space::Discrete(3)
    }

    fn reset(&mut self, seed: Option<u64>) {
        let state = &mut self.state;
        state.rng.restart(seed);
        // The start is rounded to float32, and only its observation is computed in float32.
        let start = [(); 4].map(|()| state.rng.uniform(-0.1, 0.1) as f32);
        let [theta1, theta2, velocity1, velocity2] = start;
        state.joints = start.map(f64::from);
        state.observation =
            [cos_f32(theta1), sin_f32(theta1), cos_f32(theta2), sin_f32(theta2), velocity1, velocity2];
    }

    fn observation(&self) -> Observation<'_> {
        Observation::Vector(&self.state.observation)
    }

    fn step(&mut self, action: Action<'_>) -> Result<Step, StepError> {
        let torque = push(action);
        let [theta1, theta2, velocity1, velocity2] = Self::integrate(self.state.joints, torque);
        let (theta1, theta2) = (wrap(theta1), wrap(theta2));
        let [limit1, limit2] = Self::MAX_VELOCITY;
        let (velocity1, velocity2) = (velocity1.clamp(-limit1, limit1), velocity2.clamp(-limit2, limit2));
        self.state.joints = [theta1, theta2, velocity1, velocity2];
        let ((sin1, cos1), (sin2, cos2)) = (theta1.sin_cos(), theta2.sin_cos());
        self.state.observation = [cos1, sin1, cos2, sin2, velocity1, velocity2].map(|value| value as f32);
        let terminated = -cos1 - (theta2 + theta1).cos() > 1.0;
        Ok(Step { reward: if terminated { 0.0 } else { -1.0 }, terminated, truncated: false })
    }

    saves_state!(unless |_, state| {
        let limits = [PI, PI, Self::MAX_VELOCITY[0], Self::MAX_VELOCITY[1]];
        !state.joints.iter().zip(limits).all(|(joint, limit)| joint.abs() <= limit)
    } => "a joint is beyond its limit");

    fn draw(&self, canvas: &mut dyn Canvas) -> bool {
        let [theta1, theta2, ..] = self.state.joints;
        canvas.view((-2.2, -2.2), (2.2, 2.2), Colour::WHITE);
        canvas.line(&[(-2.2, 1.0), (2.2, 1.0)], 0.02, Colour::BLACK);
        let elbow = (theta1.sin(), -theta1.cos());
        let tip = (elbow.0 + (theta1 + theta2).sin(), elbow.1 - (theta1 + theta2).cos());
        for (start, end) in [((0.0, 0.0), elbow), (elbow, tip)] {
            canvas.polygon(&bar(start, end, 0.2), Colour(0, 204, 204));
            canvas.circle(start, 0.1, Colour(204, 204, 0));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::freeze;

    /// Values of Gymnasium's `_dsdt`, at states where squaring d₂, θ̇₁ or θ̇₂ by a product shows.
    #[test]
    fn accelerations_agree_with_gymnasium_to_the_last_bit() {
        for (joints, torque, [acceleration1, acceleration2]) in [
            (
                [2.7177982085386008, 0.21751477097709415, -0.2845703166963851, -7.540405486467208],
                1.0,
                [-0.21040296148440515, 0.28269680656963564],
            ),
            (
                [2.959755379002474, -2.108729363552138, 9.277478541106433, 13.279242761011332],
                0.0,
                [-97.52574396353677, 104.15694655160276],
            ),
            (
                [-2.8597930091989117, -2.246169819439218, 3.2788916045541328, 25.21153721709291],
                -1.0,
                [-143.6585665254755, 106.66916702209603],
            ),
        ] {
            let [_, _, velocity1, velocity2] = joints;
            let expected = [velocity1, velocity2, acceleration1, acceleration2];
            assert_eq!(Acrobot::derivative(joints, torque), expected);
        }
    }

    #[test]
    fn a_state_that_could_not_be_reached_is_refused() {
        let mut acrobot = Acrobot::default();
        acrobot.reset(Some(0));
        for joint in [f64::NAN, f64::INFINITY, 1e300] {
            let mut state = acrobot.state.clone();
            state.joints[0] = joint;
            assert!(acrobot.restore(&freeze(&state)).is_err(), "{joint}");
        }
    }
}
