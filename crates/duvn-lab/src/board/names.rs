//! What actions and numbers of observations are called, where that is known.

use duvn_envs::registry::stem;

/// The names of the actions of an environment with so many.
pub fn actions(env: &str, count: usize) -> Vec<String> {
    let names: &[&str] = match stem(env) {
        "CartPole" | "RiverSwim" => &["left", "right"],
        "CartPoleBsuite" | "CartPoleSwingup" | "MountainCar" | "Catch" => &["left", "stay", "right"],
        "Acrobot" => &["-1", "0", "+1"],
        "FrozenLake" | "FrozenLake8x8" => &["left", "down", "right", "up"],
        "CliffWalking" | "CliffWalkingSlippery" => &["up", "right", "down", "left"],
        "Taxi" => &["south", "north", "east", "west", "pick up", "drop off"],
        "LunarLander" => &["nothing", "left engine", "main engine", "right engine"],
        "Blackjack" => &["stick", "hit"],
        _ => &[],
    };
    if names.len() == count {
        return names.iter().map(ToString::to_string).collect();
    }
    (0..count).map(|action| format!("action {action}")).collect()
}

/// The names of the numbers of an observation.
pub fn dimensions(env: &str, count: usize) -> Vec<String> {
    let names: &[&str] = match stem(env) {
        "MountainCar" => &["position", "velocity"],
        "CartPole" => &["position", "velocity", "angle", "angular velocity"],
        "Acrobot" => &["cos θ₁", "sin θ₁", "cos θ₂", "sin θ₂", "velocity of θ₁", "velocity of θ₂"],
        "Pendulum" => &["cos θ", "sin θ", "velocity of θ"],
        "LunarLander" => &["x", "y", "vx", "vy", "angle", "turning", "left leg", "right leg"],
        _ => &[],
    };
    if names.len() == count {
        return names.iter().map(ToString::to_string).collect();
    }
    (0..count).map(|at| format!("number {at}")).collect()
}
