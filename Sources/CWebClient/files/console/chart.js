// Lines over time: geometry and descriptions. No DOM here.

/** The box of a chart in units of its SVG. */
export const [WIDTH, HEIGHT] = [360, 80];

/** The number of steps in a chart, as on the server. */
export const STEPS = 360;

/**
 * The values of an hour, oldest first, with `null` for steps without a sample.
 * @param history an answer of `/v1/admin/history`
 * @param name a field of the samples
 */
export function hour({ date_ms: now, step_ms: step, samples }, name) {
  // The present step is not complete yet.
  const last = Math.floor(now / step) - 1;
  const values = new Array(STEPS).fill(null);
  for (const sample of samples) {
    const index = STEPS - 1 - (last - Math.floor(sample.start_ms / step));
    if (index >= 0 && index < STEPS && Number.isFinite(sample[name])) values[index] = sample[name];
  }
  return values;
}

/** A round upper end of the scale: 1, 2 or 5 times a power of ten. */
export function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  // A tolerance for powers below 1, which are not exact.
  const factor = [1, 2, 5, 10].find((each) => value <= each * power * (1 + 1e-9));
  return factor * power;
}

/** The `d` of a path through the values, with a gap for each `null`. A single value is a short line. */
export function path(values, top) {
  const parts = [];
  values.forEach((value, index) => {
    if (value === null) return;
    const [x, y] = [round((index * WIDTH) / (values.length - 1)), round(HEIGHT - (Math.min(value, top) / top) * HEIGHT)];
    const isStart = index === 0 || values[index - 1] === null;
    parts.push(`${isStart ? 'M' : 'L'}${x} ${y}`);
    if (isStart && (values[index + 1] ?? null) === null) parts.push('h1');
  });
  return parts.join('');
}

const round = (number) => Math.round(number * 10) / 10;

/** The newest, lowest and highest value; `null` without values. */
export function figures(values) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return { newest: known.at(-1), lowest: Math.min(...known), highest: Math.max(...known), count: known.length };
}

/** A text alternative of a chart. */
export function describe(label, values, format) {
  const found = figures(values);
  if (!found) return `${label}: no data yet.`;
  const minutes = Math.max(1, Math.round((found.count * 60) / STEPS));
  const time = minutes === 1 ? 'minute' : `${minutes} minutes`;
  return `${label} in the last ${time}: now ${format(found.newest)}, lowest ${format(found.lowest)}, highest ${format(found.highest)}.`;
}
