"""What several starts of two programs say about their difference."""
import statistics

# The probability of 97.5 % of Student's t, for 2 to 9 differences.
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31}


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
    if 3 <= len(differences) <= 9:
        half = STUDENT[len(differences) - 1] * statistics.stdev(differences) / len(differences) ** 0.5
        text += f" ± {half:.1f}"
    return text


def in_turns(binaries, starts, measure):
    """Measures each binary so many times, one after the other, and returns the runs of each."""
    runs = {name: [] for name in binaries}
    for _ in range(starts):
        for name, binary in binaries.items():
            runs[name].append(measure(binary))
    return runs
