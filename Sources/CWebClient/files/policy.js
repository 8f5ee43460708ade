// The reconnect policy as values, without timers (PROTOCOL, "Close codes": the range is the rule).

/** Maximum delay between two attempts, in milliseconds. */
const LONGEST_WAIT = 30_000;

/** The initial delay of each rule, in milliseconds; it doubles with every attempt. */
const FIRST_WAIT = { backOff: 500, later: 5_000, now: 500, renew: 500, refused: 500 };

/**
 * The reaction to a socket's close code:
 * - `signedOut`: the credentials are invalid or revoked, log in again;
 * - `stop`: do not reconnect automatically;
 * - `renew`: check the credentials, then reconnect;
 * - `now`: reconnect at once;
 * - `backOff`: reconnect after a short random wait, or the delay of `bye`;
 * - `later`: reconnect after a longer random wait, since the same is likely to happen again.
 */
export function closeRule(code) {
  if (code === 4000 || code === 4001) return 'signedOut';
  if (code >= 4000 && code <= 4099) return 'stop';
  if (code >= 4100 && code <= 4199) return 'renew';
  if (code >= 4300 && code <= 4399) return 'now';
  if ([1002, 1003, 1007, 1009, 1013].includes(code)) return 'later';
  return 'backOff';
}

/**
 * The delay before attempt number `attempt` (from 0): uniform up to a bound that doubles ("full jitter"), so that the
 * clients of a failed server do not reconnect all at once.
 * @param rule a value of `closeRule` that reconnects, or `refused`
 * @param random a number in 0..<1
 * @returns milliseconds, at most `LONGEST_WAIT`
 */
export function waitBefore(attempt, rule, random) {
  // A server that closes with "at once" every time must not be flooded.
  if (rule === 'now' && attempt === 0) return 0;
  const bound = Math.min(LONGEST_WAIT, FIRST_WAIT[rule] * 2 ** Math.min(attempt, 16));
  return Math.floor(random * bound);
}
