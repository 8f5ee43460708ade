"""What several starts of two programs say about their difference."""
import statistics

# The 97.5 % quantiles of Student's t, for 2 to 31 differences.
STUDENT = [
    12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09,
    2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04,
]


def medians(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def change(first, other):
    """How a figure changed from the first program to the other, whose starts took turns, in percent, as text: the mean of the
    differences and, from three starts on, the half of the interval that contains the true one with a probability of 95 %."""
    base = statistics.mean(first)
    if base == 0:
        return "–"
    differences = [100 * (after - before) / base for before, after in zip(first, other)]
    text = f"{statistics.mean(differences):+.1f} %"
    if len(differences) >= 3:
        half = STUDENT[min(len(differences) - 2, len(STUDENT) - 1)] * statistics.stdev(differences) / len(differences) ** 0.5
        text += f" ± {half:.1f}"
    return text


def in_turns(binaries, starts, measure):
    """Measures each binary so many times, one after the other, and returns the runs of each."""
    runs = {name: [] for name in binaries}
    for _ in range(starts):
        for name, binary in binaries.items():
            runs[name].append(measure(binary))
    return runs
