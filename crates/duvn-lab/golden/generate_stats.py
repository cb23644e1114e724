"""Writes stats.json: what rliable, SciPy, statsmodels and lifelines say of fixed data.

Run by hand: pip install rliable scipy statsmodels lifelines; python generate_stats.py
"""

import importlib.metadata
import json
import math
import pathlib

import numpy as np
import scipy.stats
from lifelines import KaplanMeierFitter
from lifelines.utils import median_survival_times
from rliable import library, metrics
from statsmodels.stats.proportion import proportion_confint

PACKAGES = ["rliable", "arch", "numpy", "scipy", "statsmodels", "lifelines"]


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


def interval(func, data):
    point, band = library.get_interval_estimates({"a": data}, func, reps=50_000)
    return {
        "estimate": np.atleast_1d(point["a"]).tolist(),
        "low": np.atleast_1d(band["a"][0]).tolist(),
        "high": np.atleast_1d(band["a"][1]).tolist(),
    }


def survival(times, solved):
    fit = KaplanMeierFitter().fit(times, solved)
    steps = fit.event_table[fit.event_table["observed"] > 0].index
    band = fit.confidence_interval_
    median_band = median_survival_times(band)
    unknown = lambda value: None if math.isinf(value) else float(value)
    # lifelines has no interval where the curve has reached 0.
    return {
        "times": list(map(float, times)),
        "solved": [bool(s) for s in solved],
        "steps": [
            {
                "time": float(t),
                "unsolved": float(fit.survival_function_.loc[t].iloc[0]),
                "low": float(np.nan_to_num(band.loc[t].iloc[0])),
                "high": float(np.nan_to_num(band.loc[t].iloc[1])),
            }
            for t in steps
        ],
        "median": unknown(fit.median_survival_time_),
        "median_interval": [unknown(median_band.iloc[0, 0]), unknown(median_band.iloc[0, 1])],
    }


def main():
    rng = np.random.default_rng(20170101)
    np.random.seed(7)  # rliable draws its resamples from NumPy's global state
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
        "mean": interval(lambda s: np.array([metrics.aggregate_mean(s)]), x),
        "median": interval(lambda s: np.array([metrics.aggregate_median(s)]), x),
        "iqm": interval(lambda s: np.array([metrics.aggregate_iqm(s)]), x),
        "profile": interval(lambda s: library.score_distributions(s, taus), x),
        "improvement": interval(
            lambda a, b: np.array([metrics.probability_of_improvement(a, b)]), [x, y]
        ),
        "wilson": [
            {"successes": k, "runs": n, "interval": list(map(float, proportion_confint(k, n, method="wilson")))}
            for k, n in [(0, 5), (1, 5), (5, 5), (17, 30), (999, 1000)]
        ],
        "ks": ks,
        "normal_cdf": [
            {"x": v, "below": float(scipy.stats.norm.cdf(v))} for v in [-8.5, -3.0, -0.7, 0.0, 0.1, 2.0, 5.0]
        ],
        "survival": [
            survival([120, 340, 340, 500, 900, 3000, 3000], [1, 1, 1, 0, 1, 0, 0]),
            survival([3000, 3000, 800, 2500, 3000], [0, 0, 1, 1, 0]),
            survival(list(range(100, 2200, 100)), [1] * 21),
        ],
    }
    path = pathlib.Path(__file__).with_name("stats.json")
    path.write_text(json.dumps(golden, indent=None).replace(', "', ',\n"') + "\n")


main()
