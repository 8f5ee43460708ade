/** Random numbers that a seed repeats: `random(count)` is one of 0..<count. */
export function generator(seed) {
  let state = seed % 2_147_483_647 || 1;
  return (count) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
}

/** The seed of this run, `PARLEY_SEED` or a new one, which is printed. */
export function seedOf(test) {
  const seed = Number(process.env.PARLEY_SEED) || Math.floor(Math.random() * 1_000_000) + 1;
  test.diagnostic(`PARLEY_SEED=${seed}`);
  return seed;
}
