"""The preset `duvn` on Chain-10 as one jitted scan of JAX, to compare with `duvn bench --only loop-duvn-Chain-10`.

    pip install jax==0.4.25 jaxlib==0.4.25 numpy==1.23.5 'scipy<1.13'
    python benches/jax_scan.py [--turns 7] [--duvn target/release/duvn] [--isa avx2]

Environment, acting, replay, targets and training are one compiled loop without a word from Python: the fastest form
that JAX has for this. What it computes is what the preset computes: for each action a network of three layers of
128 with ReLU and dropout (keep 0.9), a Gaussian return, Thompson sampling with a mask and an index of its own at
every step, targets by SARSA from a target network that decides and values under fresh masks, squared loss on mean
and sigma, Adam, batches of 32 of which one row is the newest, one update a step. It is spared the priority queue,
and its dropout compares bytes (keep 230/256), which is the cheapest here. A row trains the network of the action
that was taken; batches of a size that is not known beforehand cannot be compiled, so both networks look at every
row and one of them is chosen.

One thread, CPU time of the process, the two programs in turns.
"""

import argparse
import functools
import json
import os
import statistics
import subprocess
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax
import jax.numpy as jnp
import numpy as np

LENGTH, ACTIONS, UNITS, LAYERS = 10, 2, 128, 3
BATCH, CAPACITY, STARTS, SYNC = 32, 100_000, 32, 100
GAMMA, RATE, BETA1, BETA2, EPSILON = 0.995, 1e-3, 0.9, 0.999, 1e-8
KEPT = 230  # of 256
BIAS, FLOOR, TERMINAL = 0.5, 1e-5, 1e-4


def first_weights(key):
    """He's uniform weights, two outputs; the first axis of everything is the action."""
    sizes = [LENGTH + 1] + [UNITS] * LAYERS + [2]
    layers = []
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        limit = np.sqrt((6.0 if i < LAYERS else 3.0) / inputs)
        key, own = jax.random.split(key)
        weights = jax.random.uniform(own, (ACTIONS, inputs, outputs), minval=-limit, maxval=limit)
        layers.append((weights, jnp.zeros((ACTIONS, 1, outputs))))
    return layers


def beliefs(layers, states, key):
    """Mean and sigma of every action's return in each state, under a fresh mask a row: two arrays of actions x rows."""
    rows = states.shape[0]
    kept = jax.random.bits(key, (LAYERS, ACTIONS, rows, UNITS), jnp.uint8) < KEPT
    x = jnp.broadcast_to(jax.nn.one_hot(states, LENGTH + 1), (ACTIONS, rows, LENGTH + 1))
    for mask, (weights, bias) in zip(kept, layers[:-1]):
        x = jnp.where(mask, jax.nn.relu(x @ weights + bias) * (256 / KEPT), 0.0)
    weights, bias = layers[-1]
    out = x @ weights + bias
    return out[..., 0], FLOOR + jax.nn.softplus(out[..., 1] + BIAS)


def choose(layers, states, key):
    """Thompson sampling: the best of mu + z sigma."""
    masks, indices = jax.random.split(key)
    mu, sigma = beliefs(layers, states, masks)
    return jnp.argmax(mu + jax.random.normal(indices, mu.shape) * sigma, axis=0)


def taken(actions, values):
    """Of actions x rows, the rows of the actions taken."""
    return jnp.where(actions == 0, values[0], values[1])


def update(learner, replay, slots, newest_next, keys):
    """One step of Adam on the batch in `slots`; the first of them is the newest, whose next action is known."""
    online, target, mean, variance, count = learner
    state, action, reward, after, ended = (part[slots] for part in replay)
    next_action = choose(target, after, keys[0]).at[0].set(newest_next)
    mu, sigma = (taken(next_action, values) for values in beliefs(target, after, keys[1]))
    mu = reward + GAMMA * jnp.where(ended, 0.0, mu)
    sigma = GAMMA * jnp.where(ended, TERMINAL, sigma)

    def loss(layers):
        ours = [taken(action, values) for values in beliefs(layers, state, keys[2])]
        return jnp.mean((ours[0] - mu) ** 2 + (ours[1] - sigma) ** 2)

    value, slope = jax.value_and_grad(loss)(online)
    count = count + 1
    each = jax.tree_util.tree_map
    mean = each(lambda m, g: m + (1 - BETA1) * (g - m), mean, slope)
    variance = each(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, variance, slope)
    rate = RATE * jnp.sqrt(1 - BETA2**count) / (1 - BETA1**count)
    online = each(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + EPSILON), online, mean, variance)
    target = jax.lax.cond(count % SYNC == 0, lambda: online, lambda: target)
    return (online, target, mean, variance, count), value


def step(correct, carry, _):
    """Acts once, remembers and learns once."""
    learner, replay, stored, state, action, key = carry
    key, *keys = jax.random.split(key, 6)
    right = action == correct[state]
    after = state + right
    reached = after == LENGTH
    ended = reached | ~right
    slot = stored % CAPACITY
    new = (state, action, reached.astype(jnp.float32), after, ended)
    replay = tuple(part.at[slot].set(value) for part, value in zip(replay, new))
    stored = stored + 1
    state = jnp.where(ended, 0, after)
    action = choose(learner[0], state[None], keys[0])[0].astype(jnp.int32)
    slots = jax.random.randint(keys[1], (BATCH,), 0, jnp.minimum(stored, CAPACITY)).at[0].set(slot)
    learner, loss = jax.lax.cond(
        stored >= STARTS, lambda: update(learner, replay, slots, action, keys[2:]), lambda: (learner, 0.0)
    )
    return (learner, replay, stored, state, action, key), (loss, ended, reached)


@functools.partial(jax.jit, static_argnums=2, donate_argnums=1)
def run(correct, carry, steps):
    """So many steps. Gives the carry, and of each step the loss, and whether it ended an episode and how."""
    return jax.lax.scan(functools.partial(step, correct), carry, None, length=steps)


def start(seed):
    """The right actions of the chain, and everything before the first step."""
    key, chain, weights = jax.random.split(jax.random.key(seed, impl="rbg"), 3)
    layers = first_weights(weights)
    copies = [jax.tree_util.tree_map(jnp.array, layers) for _ in range(2)]
    zeros = [jax.tree_util.tree_map(jnp.zeros_like, layers) for _ in range(2)]
    kinds = (jnp.int32, jnp.int32, jnp.float32, jnp.int32, jnp.bool_)
    replay = tuple(jnp.zeros(CAPACITY, kind) for kind in kinds)
    correct = jax.random.bernoulli(chain, 0.5, (LENGTH + 1,)).astype(jnp.int32)
    learner = (*copies, *zeros, jnp.int32(0))
    return correct, (learner, replay, jnp.int32(0), jnp.int32(0), jnp.int32(0), key)


def main():
    """Lets it learn, then measures both in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--steps", type=int, default=1000, help="steps of a turn")
    parser.add_argument("--learn", type=int, default=8000, help="steps before the first turn, to see that it learns")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--isa", default="avx2")
    parser.add_argument("--duvn", default="target/release/duvn")
    given = parser.parse_args()
    correct, carry = start(given.seed)
    for done in range(0, given.learn, given.steps):
        carry, (loss, ended, reached) = run(correct, carry, given.steps)
        share = int(reached.sum()) / max(1, int(ended.sum()))
        print(f"{done + given.steps} steps: loss {float(loss.mean()):.5f}, {share:.1%} of episodes reach the end")
    mu, sigma = beliefs(carry[0][0], jnp.arange(LENGTH), jax.random.key(1, impl="rbg"))
    print("mean of the right action by state:", np.round(np.asarray(taken(correct[:LENGTH], mu)), 2))
    print("its sigma:", np.round(np.asarray(taken(correct[:LENGTH], sigma)), 2))
    theirs, ours = [], []
    command = [given.duvn, "bench", "--json", "--quick", "--isa", given.isa, "--only", "loop-duvn-Chain-10"]
    correct, carry = start(given.seed)
    carry, _ = jax.block_until_ready(run(correct, carry, given.steps))
    for _ in range(given.turns):
        begun = time.process_time()
        carry, _ = jax.block_until_ready(run(correct, carry, given.steps))
        theirs.append(given.steps / (time.process_time() - begun))
        ours.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rate"])
    ratios = sorted(a / b for a, b in zip(ours, theirs))
    print(f"JAX {statistics.median(theirs):,.0f} steps/s, duvn ({given.isa}) {statistics.median(ours):,.0f}")
    print(f"median of the ratios {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
