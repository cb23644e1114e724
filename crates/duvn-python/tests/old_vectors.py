"""Runs a script that was written for the vector environments of Gymnasium 0.28: python old_vectors.py SCRIPT [ARGUMENTS].

The script itself is left as it is. `gymnasium.vector.SyncVectorEnv` answers it as it did then: the next episode begins in
the step that ends one, the last observation is called `final_observation`, and `final_info` has one entry an environment.
"""

import runpy
import sys

import gymnasium
from gymnasium.vector import AutoresetMode, SyncVectorEnv


def of_one(infos, at):
    """What is known of one environment."""
    known = {key: value for key, value in infos.items() if not key.startswith("_")}
    return {key: of_one(value, at) if isinstance(value, dict) else value[at] for key, value in known.items()}


class OldSyncVectorEnv(SyncVectorEnv):
    def __init__(self, env_fns):
        super().__init__(env_fns, autoreset_mode=AutoresetMode.SAME_STEP)

    def step(self, actions):
        seen, rewards, terminations, truncations, infos = super().step(actions)
        if "final_obs" in infos:
            ended = infos["_final_obs"]
            infos["final_observation"] = infos.pop("final_obs")
            final = infos["final_info"]
            infos["final_info"] = [of_one(final, at) if ended[at] else None for at in range(self.num_envs)]
        return seen, rewards, terminations, truncations, infos


if __name__ == "__main__":
    gymnasium.vector.SyncVectorEnv = OldSyncVectorEnv
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
