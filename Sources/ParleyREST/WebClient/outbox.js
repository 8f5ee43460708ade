// Messages that the server has not confirmed, as a value. Every function returns a new outbox.
//
// The classic dialect has no ack: a message is safe when it comes back. It is told by its text, and by the order, since
// a thread keeps the order of one sender's messages. An entry is `{key, thread, text, at, after, attempts, status}`:
// - `at`: when it was typed, or last written to a socket (milliseconds);
// - `after`: only a message with a higher `seq` than this can be its echo;
// - `status`: `waiting` for a socket; `sent` on this socket; `unsure`, written to a socket that broke; `failed`.

/** The most messages that wait at a time. */
export const CAPACITY = 50;

/** How long a sent message may stay unconfirmed, in milliseconds; the server itself may hold it for 13 s. */
export const PATIENCE = 20_000;

/** The outbox with another message at its end; `null` if it is full. */
export function withEntry(outbox, { key, thread, text, at }) {
  if (outbox.length >= CAPACITY) return null;
  return [...outbox, { key, thread, text, at, after: 0, attempts: 0, status: 'waiting' }];
}

/** What can be written to an open socket now, in order: nothing overtakes an unsure message of its own thread. */
export function due(outbox) {
  const held = new Set();
  return outbox.filter((entry) => {
    if (entry.status === 'unsure') held.add(entry.thread);
    return entry.status === 'waiting' && !held.has(entry.thread);
  });
}

/**
 * The entry was written to a socket.
 * @param seq the highest known `seq` of its thread; of the first attempt, as that one may have arrived
 */
export function withWritten(outbox, key, seq, now) {
  return outbox.map((entry) => {
    if (entry.key !== key) return entry;
    const after = entry.attempts === 0 ? Math.max(entry.after, seq) : entry.after;
    return { ...entry, after, at: now, attempts: entry.attempts + 1, status: 'sent' };
  });
}

/**
 * A message of mine came in, live or from history: the first entry it can be the echo of is confirmed, and goes.
 * Whatever is left of the thread can only be a later message, so that one message never confirms two entries.
 */
export function withEcho(outbox, message) {
  const isEcho = (entry) => entry.thread === message.thread_id && entry.text === message.text && entry.attempts > 0
    && message.seq > entry.after;
  const found = outbox.find(isEcho);
  if (!found) return outbox;
  return outbox.filter((entry) => entry !== found).map((entry) =>
    entry.thread === message.thread_id ? { ...entry, after: Math.max(entry.after, message.seq) } : entry);
}

/** The socket broke: what was sent on it may have arrived or not. */
export function interrupted(outbox) {
  return outbox.map((entry) => (entry.status === 'sent' ? { ...entry, status: 'unsure' } : entry));
}

/** The threads whose history has to be read to know what became of a message. */
export function unsureThreads(outbox) {
  return [...new Set(outbox.filter((entry) => entry.status === 'unsure').map((entry) => entry.thread))];
}

/** The history of `thread` was read to its end: what is still unsure did not arrive, and is to be sent again. */
export function withHistoryRead(outbox, thread) {
  return outbox.map((entry) =>
    entry.thread === thread && entry.status === 'unsure' ? { ...entry, status: 'waiting' } : entry);
}

/** Whether a message has been out for so long that its socket must be thought dead. */
export function isOverdue(outbox, now) {
  return outbox.some((entry) => entry.status === 'sent' && now - entry.at > PATIENCE);
}

/** Overdue at the second attempt: the server does not take it. The user decides. */
export function withFailures(outbox, now) {
  return outbox.map((entry) => {
    const hasFailed = entry.status === 'sent' && entry.attempts > 1 && now - entry.at > PATIENCE;
    return hasFailed ? { ...entry, status: 'failed' } : entry;
  });
}

/** A failed message is sent anew, after those that wait already. */
export function withRetry(outbox, key) {
  const entry = outbox.find((each) => each.key === key);
  return entry ? [...without(outbox, key), { ...entry, attempts: 0, status: 'waiting' }] : outbox;
}

/** The outbox without a message. */
export function without(outbox, key) {
  return outbox.filter((entry) => entry.key !== key);
}

/** How many messages are not confirmed and not given up. */
export function unsentCount(outbox) {
  return outbox.filter((entry) => entry.status !== 'failed').length;
}
