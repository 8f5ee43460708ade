// The reconnection policy, as values without timers. Tests compare it with Tests/Fixtures/client-behaviour.json, which
// every client follows. docs/clients.md contains the values and the reasons.

/** Delays and deadlines, in milliseconds. */
export const MILLISECONDS = {
  backOffBase: 500, backOffCap: 30_000, stableAfter: 5_000, later: 1_000, spread: 2_000, byeGrace: 1_000,
  ticketLifetime: 540_000, handshake: 15_000, pong: 10_000, answer: 20_000, refusedLeast: 200, refusedMost: 2_000,
  typingEvery: 3_500, typingLasts: 6_000,
};

/**
 * The reaction to a socket's close code:
 * - `sign-out`: the credentials are invalid, and the user must log in again;
 * - `stop`: do not reconnect automatically;
 * - `renew`: check the credentials, then reconnect;
 * - `moment`: reconnect after a random pause, or the delay of `bye`;
 * - `now`: reconnect immediately;
 * - `later`: reconnect after a pause, because the same error is likely to recur;
 * - `back-off`: reconnect after the delay.
 */
export function closeReaction(code) {
  if (code === 4000 || code === 4001) return 'sign-out';
  if (code >= 4000 && code <= 4099) return 'stop';
  if (code >= 4100 && code <= 4199) return 'renew';
  if (code >= 4200 && code <= 4299) return 'moment';
  if (code >= 4300 && code <= 4399) return 'now';
  if ([1002, 1003, 1007, 1009, 1013].includes(code)) return 'later';
  return 'back-off';
}

/**
 * The delay before attempt number `attempt` (from 0). It is uniform up to a bound that doubles ("full jitter"), so that
 * the clients of a failed server do not all reconnect simultaneously.
 * @param reaction a value of `closeReaction` that reconnects
 * @param random returns a number in 0..<1
 */
export function waitBefore(attempt, reaction, random = Math.random) {
  // A server that closes every connection this way must not be flooded.
  if ((reaction === 'now' || reaction === 'renew') && attempt === 0) return 0;
  const { backOffBase, backOffCap, later, spread } = MILLISECONDS;
  const least = { later, moment: random() * spread }[reaction] ?? 0;
  return Math.floor(least + random() * Math.min(backOffCap, backOffBase * 2 ** Math.min(attempt, 16)));
}

/**
 * The pause before a refused command is sent again.
 * @param asked the pause that the server requests, in milliseconds; 0 if there is none
 */
export function pauseAfterRefusal(asked, random = Math.random) {
  const { refusedLeast, refusedMost } = MILLISECONDS;
  return asked || Math.floor(refusedLeast + random() * (refusedMost - refusedLeast));
}
