// Formatting of figures for operators. No DOM here.

/** A count or rate: 7, 0.3, 1,240, 12.3k, 4.5M. */
export function count(value) {
  if (value >= 999_500) return `${trim(value / 1_000_000)}M`;
  if (value >= 10_000) return `${trim(value / 1000)}k`;
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return trim(value);
}

/** Rounds to one decimal, or to none if it would be 0. */
const trim = (value) => String(Math.round(value * 10) / 10);

/** Bytes: 512 B, 1.5 KiB, 84 MiB. */
export function bytes(value) {
  if (value < 1024) return `${value} B`;
  const steps = ['KiB', 'MiB', 'GiB', 'TiB'];
  let step = -1;
  do {
    value /= 1024;
    step += 1;
  } while (value >= 1023.5 && step < steps.length - 1);
  return `${value >= 10 ? Math.round(value) : trim(value)} ${steps[step]}`;
}

/** A time span in its two largest units at most: 12 s, 3 min, 2 h 5 min, 4 d 3 h. */
export function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}

/** The time since an instant. */
export const ago = (ms, now) => (now - ms < 2000 ? 'now' : `${span(now - ms)} ago`);

/** The end of a session, and whether this page uses it. */
export const sessionText = ({ expires_ms: end, current }, now) => `${current ? 'this page, ' : ''}ends in ${span(end - now)}`;

/** A share of a core. */
export const percent = (share) => `${Math.round(share * 100)} %`;

export const latency = (ms) => (ms < 10 ? `${trim(ms)} ms` : `${Math.round(ms)} ms`);

/** The number of events not stored yet, as text. */
export function lag(persist) {
  const events = persist.lag_events;
  if (events === 0 && persist.lag_seconds < MOMENT) return 'nothing';
  return `${count(events)} ${events === 1 ? 'event' : 'events'}${persist.lag_seconds < MOMENT ? '' : `, ${seconds(persist.lag_seconds)}`}`;
}

/** The age of the oldest event that is not stored, if it is worth mentioning. */
export const age = (persist) => (persist.lag_seconds < MOMENT ? '' : `oldest ${seconds(persist.lag_seconds)}, `);

/** Seconds below which an age is not mentioned. */
const MOMENT = 0.5;

const seconds = (value) => `${value < 10 ? trim(value) : Math.round(value)} s`;

/** The total CPU usage of all nodes. */
export const cores = (share) => `${Math.round(share * 100) / 100} ${share > 0.995 && share < 1.005 ? 'core' : 'cores'}`;

/**
 * The number of seconds at risk above which the store counts as behind, as in the alert ParleyPersistLag.
 */
const LAG_SECONDS = 10;

/** The problems of the cluster, most severe first; empty if there are none. */
export function problems(overview) {
  const found = [];
  if (overview.registry.state !== 'up') found.push('Nodes do not see each other');
  for (const [name, link] of [['Redis', overview.redis], ['The database', overview.database]]) {
    if (link.state === 'unavailable') found.push(`${name} is unavailable`);
    if (link.state === 'partly') found.push(`${name} is unavailable on ${link.unavailable_on.join(', ')}`);
  }
  if (overview.persist.lag_seconds >= LAG_SECONDS) found.push('The store is behind');
  if (overview.registry.state === 'up' && !overview.nodes.some((node) => node.persister)) found.push('Nothing is stored');
  return found;
}

/** The number of milliseconds without a status after which a node is about to be removed from the list. */
export const SILENT_AFTER = 5000;

/**
 * The position of a socket in a thread.
 * @param seq the newest known event of the thread
 */
export function place(position, seq) {
  if (position.behind) return { text: `${position.seq}, left out ${position.behind.from}–${position.behind.to}`, isBehind: true };
  const missing = seq - position.seq;
  return missing > 0 ? { text: `${position.seq} of ${seq}`, isBehind: missing > 5 } : { text: String(position.seq), isBehind: false };
}

/**
 * The points of a line in a box of 100 × 28, with the newest at the right edge.
 * @param values oldest first
 * @param width the number of values that fill the box
 */
export function linePoints(values, width) {
  const top = Math.max(1, ...values);
  const step = 100 / (width - 1);
  const start = 100 - (values.length - 1) * step;
  const round = (number) => Math.round(number * 10) / 10;
  return values.map((value, index) => `${round(start + index * step)},${round(27 - (value / top) * 25)}`).join(' ');
}
