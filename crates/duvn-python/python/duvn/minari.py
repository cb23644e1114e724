"""Datasets of our environments, as Minari keeps them."""

from __future__ import annotations

from typing import Any

import gymnasium
import minari
import numpy as np


def collect(
    dataset_id: str,
    env: Any,
    policy: Any = None,
    *,
    episodes: int = 10,
    seed: int = 0,
    max_steps: int = 10_000,
    **about: Any,
) -> Any:
    """Plays episodes and keeps them as a Minari dataset.

    ``policy`` is an agent (its best actions), a function of the observation, or None for random actions; ``about`` are the further
    arguments of ``DataCollector.create_dataset``, such as ``author``.
    """
    if isinstance(env, str):
        env = gymnasium.make(env)
    collector = minari.DataCollector(env)
    collector.action_space.seed(seed)
    for number in range(episodes):
        observation, _ = collector.reset(seed=seed + number)
        for _ in range(max_steps):
            if policy is None:
                action = collector.action_space.sample()
            elif hasattr(policy, "predict"):
                action = np.int64(policy.predict(observation)[0])
            else:
                action = policy(observation)
            observation, _, terminated, truncated, _ = collector.step(action)
            if terminated or truncated:
                break
    return collector.create_dataset(dataset_id=dataset_id, **about)
