"""Search knobs with Optuna, several seeds a trial: one seed says little about a knob.

python crates/duvn-python/examples/optuna_search.py [trials]
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import optuna

import duvn

#: Seeds to tune on; report what was found on others.
SEEDS = (50, 51, 52)


def score(seed: int, learning_rate: float, batch: int) -> float:
    """The mean return of one seed."""
    agent = duvn.Agent("duvn-deep", "duvn/Chain-10", seed=seed, hidden=[32], learning_rate=learning_rate, batch=batch)
    agent.learn(total_episodes=120)
    return float(np.mean(agent.episode_returns))


def objective(trial: optuna.Trial) -> float:
    """The mean over seeds, which train side by side: native training needs no interpreter."""
    learning_rate = trial.suggest_float("learning_rate", 1e-4, 1e-2, log=True)
    batch = trial.suggest_categorical("batch", [16, 32, 64])
    with ThreadPoolExecutor(len(SEEDS)) as threads:
        scores = list(threads.map(lambda seed: score(seed, learning_rate, batch), SEEDS))
    trial.set_user_attr("scores", scores)
    return float(np.mean(scores))


def main(trials: int = 10) -> float:
    """Searches; gives the best mean return."""
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=trials)
    print(study.best_params, study.best_trial.user_attrs["scores"])
    return float(study.best_value)


if __name__ == "__main__":
    print(main(*(int(argument) for argument in sys.argv[1:])))
