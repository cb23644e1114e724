"""Evaluation: episodes in which an agent acts and does not learn."""

from __future__ import annotations

from typing import Any

import numpy as np


def evaluate_policy(
    model: Any,
    env: Any,
    n_eval_episodes: int = 10,
    deterministic: bool = True,
    *,
    seed: int | None = None,
    max_steps: int = 10_000,
) -> tuple[float, float]:
    """Mean and standard deviation of the return over episodes in one environment; the first is reset with ``seed``.

    stable-baselines3's function of this name takes our agents as well.
    """
    if n_eval_episodes < 1:
        raise ValueError("n_eval_episodes cannot be 0: write 1 or more")
    returns = []
    for number in range(n_eval_episodes):
        observation, _ = env.reset(seed=seed) if number == 0 and seed is not None else env.reset()
        total, begun = 0.0, True
        for _ in range(max_steps):
            action, _ = model.predict(observation, episode_start=np.array([begun]), deterministic=deterministic)
            observation, reward, terminated, truncated, _ = env.step(action)
            total, begun = total + float(reward), False
            if terminated or truncated:
                break
        returns.append(total)
    return float(np.mean(returns)), float(np.std(returns))
