"""Writes the golden trajectories of Gymnasium's environments with other parameters than the default ones, in the format of
generate.py, for tests/golden.rs. Run by hand:

    pip install 'gymnasium[box2d,toy-text]>=1.4' bsuite
    python generate_parameters.py
"""

import numpy as np

import generate
from generate import balance, gym_file, plan, pump, pump_continuous, random, sequence, shortest
from generate_lunar_lander import towards

generate.chance = np.random.default_rng(2018)
FEW = [0, 42, 2**40 + 5]




def land(env, seen, t):
    return towards(0.0, seen, 0.55 * abs(seen[0]))


def throttle(env, seen, t):
    """The discrete landing as throttles of many strengths."""
    action = land(env, seen, t)
    strength = generate.chance.uniform(-0.2, 1.0)
    main = strength if action == 2 else -strength
    side = {1: -1, 3: 1}.get(action, 0.4) * generate.chance.uniform(0.4, 1.0)
    return np.array([main, side], dtype=np.float32)


def rounded(policy):
    """A taxi's way by the table of the dry town, with some steps at random."""
    import gymnasium

    dry = gymnasium.make("Taxi-v4")

    def act(env, seen, t):
        return random(env, seen, t) if generate.chance.random() < 0.1 else policy(dry, seen, t)

    return act


def main():
    total = 0
    lake = {"desc": ["SFHF", "FFFS", "HFFG"]}
    for arguments in [
        ("CartPole-v1?sutton_barto_reward=true", "CartPole-v1", {"sutton_barto_reward": True},
         plan(random, balance, seeds=FEW)),
        ("MountainCar-v0?goal_velocity=0.03", "MountainCar-v0", {"goal_velocity": 0.03},
         plan(random, pump, pump, seeds=FEW)),
        ("MountainCarContinuous-v0?goal_velocity=0.02", "MountainCarContinuous-v0", {"goal_velocity": 0.02},
         plan(pump_continuous, pump_continuous, seeds=FEW)),
        ("Pendulum-v1?g=9.81", "Pendulum-v1", {"g": 9.81}, plan(random, generate.brake_or_pump, seeds=FEW)),
        ("FrozenLake-v1?success_rate=0.7", "FrozenLake-v1", {"success_rate": 0.7},
         plan(*[random, sequence(1, 1, 2, 2, 1, 2)] * 5, seeds=FEW)),
        ("FrozenLake-v1?desc=SFHF/FFFS/HFFG&success_rate=0.5", "FrozenLake-v1", {**lake, "success_rate": 0.5},
         plan(*[random, sequence(1, 2, 1, 2)] * 6, seeds=FEW)),
        ("Taxi-v4?is_rainy=true", "Taxi-v4", {"is_rainy": True}, plan(random, rounded(shortest), random, seeds=FEW)),
        ("Taxi-v4?is_rainy=true&rainy_probability=0.5&fickle_passenger=true&fickle_probability=0.9", "Taxi-v4",
         {"is_rainy": True, "rainy_probability": 0.5, "fickle_passenger": True, "fickle_probability": 0.9},
         plan(*[rounded(shortest)] * 4, seeds=FEW)),
        ("Taxi-v4?fickle_passenger=true", "Taxi-v4", {"fickle_passenger": True},
         plan(*[rounded(shortest)] * 8, seeds=FEW)),
        ("LunarLanderContinuous-v3", "LunarLanderContinuous-v3", {}, plan(random, throttle, throttle, seeds=FEW[:2])),
        ("LunarLander-v3?gravity=-3.7", "LunarLander-v3", {"gravity": -3.7}, plan(random, land, seeds=FEW[:2])),
        ("LunarLander-v3?enable_wind=true", "LunarLander-v3", {"enable_wind": True},
         plan(random, land, land, random, seeds=FEW[:2])),
        ("LunarLander-v3?continuous=true&gravity=-11.5&enable_wind=true&wind_power=20&turbulence_power=0.5",
         "LunarLander-v3", {"continuous": True, "gravity": -11.5, "enable_wind": True, "wind_power": 20.0,
                            "turbulence_power": 0.5}, plan(random, throttle, seeds=FEW[:2])),
    ]:
        total += gym_file(*arguments)
    print(f"{total} bytes in all, from {generate.VERSIONS}")


main()
