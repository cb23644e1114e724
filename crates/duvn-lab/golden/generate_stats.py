"""Writes stats.json: what rliable, SciPy and lifelines say of fixed data, and what NumPy draws for intervals
that none of them has (bootstrap-t, Gaffke's for bounded means, the beta product for medians).

Run by hand: pip install rliable scipy lifelines; python generate_stats.py
"""

import importlib.metadata
import json
import math
import pathlib

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats
from lifelines import KaplanMeierFitter
from rliable import library, metrics

PACKAGES = ["rliable", "numpy", "scipy", "lifelines"]


def scores(rng, runs, level):
    """Runs x tasks: one easy task, one that is solved or not, one with a long tail, one with ties."""
    return np.stack(
        [
            rng.normal(0.8, 0.1, runs) * level,
            (rng.random(runs) < 0.4 * level).astype(float),
            rng.exponential(0.5, runs) * level,
            np.round(rng.random(runs) * level, 1),
        ],
        axis=1,
    )


def columns(matrix):
    return [list(map(float, column)) for column in matrix.T]


def bootstrap_t(rng, x, statistic, draws=400_000):
    """The statistic gives value and standard error along the last axis."""
    value, error = statistic(x)
    drawn = x[rng.integers(0, len(x), (draws, len(x)))]
    values, errors = statistic(drawn)
    t = np.quantile((values - value) / errors, [0.025, 0.975])
    return [float(value), float(value - t[1] * error), float(value - t[0] * error)]


def mean_and_error(x):
    return x.mean(-1), x.std(-1, ddof=1) / math.sqrt(x.shape[-1])


def iqm_and_error(x):
    n = x.shape[-1]
    cut = n // 4
    ordered = np.sort(x, axis=-1)
    inner = np.clip(ordered, ordered[..., cut : cut + 1], ordered[..., n - cut - 1 : n - cut])
    left = n - 2 * cut
    error = inner.std(-1, ddof=1) * math.sqrt(n - 1) / math.sqrt(left * (left - 1))
    return ordered[..., cut : n - cut].mean(-1), error


def gaffke(rng, x, low, high, draws=400_000):
    w = rng.dirichlet(np.ones(len(x) + 1), draws)
    inside = w[:, 1:] @ x
    return [
        float(x.mean()),
        float(np.quantile(inside + w[:, 0] * low, 0.025)),
        float(np.quantile(inside + w[:, 0] * high, 0.975)),
    ]


def newcombe(x, y):
    """Newcombe's method 5 for the mean over tasks, with DeLong's variance where that is larger."""
    pairs = list(zip(x.T, y.T))

    def wins(a, b):
        difference = a[:, None] - b[None]
        return (difference > 0) + 0.5 * (difference == 0)

    found = np.mean([wins(a, b).mean() for a, b in pairs])
    delong = lambda a, b: wins(a, b).mean(1).var(ddof=1) / len(a) + wins(a, b).mean(0).var(ddof=1) / len(b)
    seen = sum(delong(a, b) for a, b in pairs) / len(pairs) ** 2

    def far(theta):
        alike = (1 - theta) / (2 - theta) + theta / (1 + theta)
        size = lambda a, b: (1 + ((len(a) + len(b)) / 2 - 1) * alike) / (len(a) * len(b))
        assumed = theta * (1 - theta) * sum(size(a, b) for a, b in pairs) / len(pairs) ** 2
        return (theta - found) ** 2 - scipy.stats.norm.ppf(0.975) ** 2 * max(assumed, seen)

    solve = lambda end: scipy.optimize.brentq(far, end, found, xtol=1e-14)
    return [float(found), solve(0.0), solve(1.0)]


def survival(rng, times, solved, draws=1_000_000):
    fit = KaplanMeierFitter().fit(times, solved)
    events = fit.event_table[fit.event_table["observed"] > 0]
    unknown = lambda value: None if math.isinf(value) else float(value)
    # The beta product with mid-p at each event, as the share of draws in which at most half is unsolved.
    at_risk = [int(row.at_risk) - k for row in events.itertuples() for k in range(int(row.observed))]
    when = [float(row.Index) for row in events.itertuples() for _ in range(int(row.observed))]
    product = np.ones(draws)
    draw = lambda n: rng.beta(n, 1, draws) if n else np.zeros(draws)
    low = high = None
    for i in range(len(at_risk) + 1):
        here = product <= 0.5
        last = i == len(at_risk)
        left = at_risk[i - 1] - 1 if i else at_risk[0]
        nearest = product * draw(left if last else at_risk[i]) <= 0.5
        if low is None and (here.mean() + nearest.mean()) / 2 > 0.025:
            low = when[i - 1] if i else 0.0
        if i and high is None and (here.mean() + (product * draw(left) <= 0.5).mean()) / 2 >= 0.975:
            high = when[i - 1]
        if not last:
            product = product * draw(at_risk[i])
    return {
        "times": list(map(float, times)),
        "solved": [bool(s) for s in solved],
        "steps": [
            {"time": float(t), "unsolved": float(fit.survival_function_.loc[t].iloc[0])} for t in events.index
        ],
        "median": unknown(fit.median_survival_time_),
        "median_interval": [low, high],
    }


def main():
    rng = np.random.default_rng(20170101)
    x, y = scores(rng, 10, 1.0), scores(rng, 7, 0.8)
    taus = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5]
    samples = [
        (rng.normal(0, 1, 60), rng.normal(0.3, 1.2, 45)),
        (rng.normal(0, 1, 300), rng.normal(0, 1, 250)),
        (rng.integers(0, 6, 80).astype(float), rng.integers(0, 8, 50).astype(float)),
        (rng.normal(0, 1, 5), rng.normal(3, 1, 4)),
    ]
    ks = []
    for a, b in samples:
        statistic = scipy.stats.ks_2samp(a, b).statistic
        scale = math.sqrt(len(a) * len(b) / (len(a) + len(b)))
        ks.append(
            {
                "x": a.tolist(),
                "y": b.tolist(),
                "statistic": float(statistic),
                "p_value": float(scipy.special.kolmogorov(scale * statistic)),
            }
        )
    golden = {
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
        "x": columns(x),
        "y": columns(y),
        "taus": taus,
        "mean": float(metrics.aggregate_mean(x)),
        "median": float(metrics.aggregate_median(x)),
        "iqm": float(metrics.aggregate_iqm(x)),
        # rliable counts scores above a threshold, we those at it as well.
        "profile": np.mean(x[:, :, None] >= np.array(taus), axis=(0, 1)).tolist(),
        "profile_above": [float(library.run_score_deviation(x, tau)) for tau in taus],
        "improvement": newcombe(x, y),
        "improvement_rliable": float(metrics.probability_of_improvement(x, y)),
        "bootstrap_t": [
            {"runs": a.tolist(), "mean": bootstrap_t(rng, a, mean_and_error), "iqm": bootstrap_t(rng, a, iqm_and_error)}
            for a in [rng.normal(3, 1, 8), rng.exponential(1, 10), rng.exponential(2, 20)]
        ],
        "bounded": [
            {"runs": a.tolist(), "interval": gaffke(rng, a, -1.0, 2.0)}
            for a in [rng.random(5), np.array([0.0] * 3 + [1.0] * 7), np.ones(20)]
        ],
        "exact": [
            {"successes": k, "runs": n, "interval": list(map(float, scipy.stats.binomtest(k, n).proportion_ci()))}
            for k, n in [(0, 5), (1, 5), (5, 5), (17, 30), (999, 1000)]
        ],
        "ks": ks,
        "normal_cdf": [
            {"x": v, "below": float(scipy.stats.norm.cdf(v))} for v in [-8.5, -3.0, -0.7, 0.0, 0.1, 2.0, 5.0]
        ],
        "survival": [
            survival(rng, [120, 340, 340, 500, 900, 3000, 3000], [1, 1, 1, 0, 1, 0, 0]),
            survival(rng, [3000, 3000, 800, 2500, 3000], [0, 0, 1, 1, 0]),
            survival(rng, list(range(100, 2200, 100)), [1] * 21),
            survival(rng, [5, 8, 9, 12, 20, 20, 31, 40, 44, 60], [1, 0, 1, 1, 0, 1, 1, 0, 1, 1]),
        ],
    }
    path = pathlib.Path(__file__).with_name("stats.json")
    path.write_text(json.dumps(golden, indent=None).replace(', "', ',\n"') + "\n")


main()
