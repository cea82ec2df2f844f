#!/usr/bin/python3
"""Write fixtures.h: samples, and what SciPy and NumPy make of them (Debian: python3-scipy).

    tests/unit/stats/make_fixtures.py > tests/unit/stats/fixtures.h

The dip has no function in SciPy: it is found here from its definition, as a linear programme over all distribution functions that
are convex up to a mode and concave after it.  Mann and Whitney's exact distribution is SciPy's; Holm's correction is written out.
"""
import numpy as np
from scipy import stats
from scipy.optimize import linprog

rng = np.random.default_rng(20261201)
SAMPLES = {
    "normal50": rng.normal(100, 5, 50),
    "normal12": rng.normal(103, 5, 12),
    "skewed30": rng.lognormal(3, 0.8, 30),
    "skewed7": rng.lognormal(3.4, 0.5, 7),
    "tied20": np.round(rng.normal(40, 3, 20)),
    "tied9": np.round(rng.normal(42, 3, 9)),
    "humps24": np.concatenate([rng.normal(50, 1, 12), rng.normal(80, 2, 12)]),
    "rising16": 20 + 0.4 * np.arange(16) + rng.normal(0, 0.5, 16),
    "rising30": np.round(50 - 0.2 * np.arange(30) + rng.normal(0, 2, 30)),
    "large8": 1e12 + rng.normal(0, 1, 8),
    "small6": rng.normal(3e-7, 1e-8, 6),
    "triple": np.array([0.68, 0.41, 0.37]),
    "pair": np.array([2.0, 3.5]),
    "zeros5": np.zeros(5),
    "equal4": np.full(4, 7.25),
    "far3": np.array([1000.0, 1001.0, 1002.5]),
}


def dip(x):
    values, counts = np.unique(x, return_counts=True)
    k, n = len(values), len(x)
    if k == 1:
        return 1 / (2 * n)
    top = np.cumsum(counts) / n
    bottom = top - counts / n
    best = 1.0
    for mode in range(k):
        # F at every value, F just before the mode, and the distance.
        before, distance = k, k + 1
        rows, limits = [], []

        def at_most(limit, **terms):
            row = np.zeros(k + 2)
            for name, factor in terms.items():
                row[int(name[1:])] += factor
            rows.append(row)
            limits.append(limit)

        def near(i, height):
            at_most(height, **{f"v{i}": 1, f"v{distance}": -1})
            at_most(-height, **{f"v{i}": -1, f"v{distance}": -1})

        def bend(places, where, sign):
            for a, b in zip(places, places[1:]):
                at_most(0, **{f"v{a}": 1, f"v{b}": -1})
            for j in range(len(places) - 2):
                h1, h2 = where[j + 1] - where[j], where[j + 2] - where[j + 1]
                at_most(0, **{f"v{places[j]}": -sign / h1, f"v{places[j + 1]}": sign / h1 + sign / h2, f"v{places[j + 2]}": -sign / h2})

        for i in range(k):
            near(i, top[i])
            near(before if i == mode else i, bottom[i])
        at_most(0, **{f"v{before}": 1, f"v{mode}": -1})
        bend(list(range(mode)) + [before], values[: mode + 1], 1)
        bend(list(range(mode, k)), values[mode:], -1)
        cost = np.zeros(k + 2)
        cost[distance] = 1
        found = linprog(cost, A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * (k + 2), method="highs")
        if found.status == 0:
            best = min(best, found.fun)
    return best


def bca(x, statistic, paired_with=None):
    """Both ends, and the standard deviation of each, over ten bootstraps of 40,000 resamples."""
    data = (x,) if paired_with is None else (x, paired_with)
    ends = []
    for seed in range(10):
        result = stats.bootstrap(data, statistic, n_resamples=40000, method="BCa", vectorized=True, random_state=np.random.default_rng(seed))
        ends.append(result.confidence_interval)
    return [*np.mean(ends, axis=0), *np.std(ends, axis=0, ddof=1)]


def mean_ratio(a, b, axis=-1):
    return np.mean(a, axis=axis) / np.mean(b, axis=axis)


def number(value):
    return "NAN" if np.isnan(value) else ("INFINITY" if np.isinf(value) else repr(float(value)))


def numbers(values):
    return ", ".join(number(v) for v in values)


print("/* fixtures.h: written by make_fixtures.py; not to be edited. */")
print("#ifndef MB_TEST_STATS_FIXTURES_H\n#define MB_TEST_STATS_FIXTURES_H\n")
print("#include <math.h>\n#include <stddef.h>\n")
print("/* clang-format off */")
for name, x in SAMPLES.items():
    print(f"static const double {name}[] = {{{numbers(x)}}};")

print("""
static const struct {
    const char *name; const double *x; size_t n;
    double mean, median, stddev, mad, q1, q3, q10, q95, dip, tau, trend_p, slope;
} singles[] = {""")
for name, x in SAMPLES.items():
    order = np.arange(len(x))
    ties = len(np.unique(x)) < len(x)
    if len(np.unique(x)) == 1:
        tau, p = np.nan, 1.0
    else:
        tau = stats.kendalltau(order, x).statistic
        if not ties and len(x) <= 20:
            p = stats.kendalltau(order, x, method="exact").pvalue
        else:
            # Mann and Kendall's normal form, with the correction for ties and for continuity.
            n = len(x)
            s = sum(np.sign(x[j] - x[i]) for i in range(n) for j in range(i + 1, n))
            t = np.unique(x, return_counts=True)[1]
            variance = (n * (n - 1) * (2 * n + 5) - np.sum(t * (t - 1) * (2 * t + 5))) / 18
            p = min(1, 2 * stats.norm.sf(max(0, abs(s) - 1) / np.sqrt(variance)))
    slope = stats.theilslopes(x, order).slope
    deviation = np.std(x, ddof=1) if len(x) > 1 else np.nan
    row = [np.mean(x), np.median(x), deviation, stats.median_abs_deviation(x)]
    row += [np.quantile(x, q) for q in (0.25, 0.75, 0.1, 0.95)]
    row += [dip(x), tau, p, slope]
    print(f'    {{"{name}", {name}, {len(x)}, {numbers(row)}}},')
print("};")

PAIRS = [("normal50", "normal12"), ("skewed30", "skewed7"), ("tied20", "tied9"), ("normal12", "skewed7"), ("triple", "pair"),
         ("small6", "triple"), ("zeros5", "equal4"), ("equal4", "equal4"), ("tied9", "equal4"), ("large8", "far3"),
         ("skewed7", "small6"), ("normal50", "skewed30")]
print("""
static const struct {
    const char *name; const double *a; size_t na; const double *b; size_t nb;
    double t, df, welch_p, u, mann_whitney_p;
} pairs[] = {""")
for a, b in PAIRS:
    x, y = SAMPLES[a], SAMPLES[b]
    if np.var(x) + np.var(y) == 0:
        t, df, p = np.nan, np.nan, float(x[0] == y[0])
    else:
        t, p = stats.ttest_ind(x, y, equal_var=False)
        vx, vy = np.var(x, ddof=1) / len(x), np.var(y, ddof=1) / len(y)
        df = (vx + vy) ** 2 / (vx**2 / (len(x) - 1) + vy**2 / (len(y) - 1))
    both = np.concatenate([x, y])
    exact = len(np.unique(both)) == len(both) and len(x) * len(y) <= 400
    if len(np.unique(both)) == 1:
        u, up = len(x) * len(y) / 2, 1.0
    else:
        u, up = stats.mannwhitneyu(x, y, alternative="two-sided", method="exact" if exact else "asymptotic")
    print(f'    {{"{a} {b}", {a}, {len(x)}, {b}, {len(y)}, {numbers([t, df, p, u, up])}}},')
print("};")

print("""
/* SciPy's BCa intervals of 40,000 resamples: the mean of ten, and how far each end of one is off. */
static const struct {
    const char *name; const double *a; size_t na; const double *b; size_t nb;
    double low, high, low_error, high_error;
} mean_intervals[] = {""")
for name in ("normal50", "normal12", "skewed30", "skewed7", "tied20", "small6"):
    x = SAMPLES[name]
    print(f'    {{"{name}", {name}, {len(x)}, NULL, 0, {numbers(bca(x, np.mean))}}},')
for a, b in (("normal50", "normal12"), ("skewed30", "skewed7"), ("tied20", "tied9")):
    x, y = SAMPLES[a], SAMPLES[b]
    print(f'    {{"{a} / {b}", {a}, {len(x)}, {b}, {len(y)}, {numbers(bca(x, mean_ratio, y))}}},')
print("};")

print("\n/* The distribution of a resample's median, by 1,000,000 resamples: its deciles. */")
print("static const struct {\n    const char *name; const double *x; size_t n;\n    double low, high;\n} median_percentiles[] = {")
for name in ("normal50", "skewed30", "skewed7", "normal12", "humps24", "tied9"):
    x = SAMPLES[name]
    medians = np.concatenate([np.median(rng.choice(x, (100000, len(x))), axis=1) for _ in range(10)])
    print(f'    {{"{name}", {name}, {len(x)}, {numbers(np.quantile(medians, [0.025, 0.975]))}}},')
print("};")

p = [0.01, 0.04, 0.03, np.nan, 0.005, 0.5, 0.04]
known = [v for v in p if not np.isnan(v)]
holm, least = {}, 0
for i, v in enumerate(sorted(known)):
    least = max(least, min(1, v * (len(known) - i)))
    holm.setdefault(v, least)
print(f"\nstatic const double holm_p[] = {{{numbers(p)}}};")
print(f"static const double holm_corrected[] = {{{numbers([holm.get(v, np.nan) for v in p])}}};")
print("/* clang-format on */\n\n#endif")
