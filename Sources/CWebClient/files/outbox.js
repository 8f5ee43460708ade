// The unconfirmed messages as a value. Every function returns a new outbox.
//
// The classic dialect has no ack: a message is confirmed by its echo. The echo is recognised by its text, and by the
// order, since a thread keeps the order of one sender's messages. An entry is
// `{key, thread, text, at, after, attempts, status}`:
// - `at`: when it was typed, or last written to a socket (milliseconds);
// - `after`: only a message with a higher `seq` than this can be its echo;
// - `status`: `waiting` for a socket; `sent` on this socket; `unsure`, written to a socket that broke; `failed`.

/** Maximum number of waiting messages. */
export const CAPACITY = 50;

/** How long a sent message may stay unconfirmed, in milliseconds; the server itself may hold it for 13 s. */
export const PATIENCE = 20_000;

/** The outbox with a message appended; `null` if it is full. */
export function withEntry(outbox, { key, thread, text, at }) {
  if (outbox.length >= CAPACITY) return null;
  return [...outbox, { key, thread, text, at, after: 0, attempts: 0, status: 'waiting' }];
}

/** The entries to write to an open socket now, in order: nothing overtakes an unsure message of its own thread. */
export function due(outbox) {
  const held = new Set();
  return outbox.filter((entry) => {
    if (entry.status === 'unsure') held.add(entry.thread);
    return entry.status === 'waiting' && !held.has(entry.thread);
  });
}

/**
 * Marks an entry as written to a socket.
 * @param seq the highest known `seq` of its thread; kept from the first attempt, which may have arrived
 */
export function withWritten(outbox, key, seq, now) {
  return outbox.map((entry) => {
    if (entry.key !== key) return entry;
    const after = entry.attempts === 0 ? Math.max(entry.after, seq) : entry.after;
    return { ...entry, after, at: now, attempts: entry.attempts + 1, status: 'sent' };
  });
}

/**
 * One of the user's messages arrived, live or from history: the first entry that it can be the echo of is confirmed
 * and removed. Remaining entries of the thread must match later messages, so one message never confirms two entries.
 */
export function withEcho(outbox, message) {
  const isEcho = (entry) => entry.thread === message.thread_id && entry.text === message.text && entry.attempts > 0
    && message.seq > entry.after;
  const found = outbox.find(isEcho);
  if (!found) return outbox;
  return outbox.filter((entry) => entry !== found).map((entry) =>
    entry.thread === message.thread_id ? { ...entry, after: Math.max(entry.after, message.seq) } : entry);
}

/** The socket broke: sent messages may have arrived or not. */
export function interrupted(outbox) {
  return outbox.map((entry) => (entry.status === 'sent' ? { ...entry, status: 'unsure' } : entry));
}

/** The threads whose history must be read to decide about unsure messages. */
export function unsureThreads(outbox) {
  return [...new Set(outbox.filter((entry) => entry.status === 'unsure').map((entry) => entry.thread))];
}

/** The history of `thread` was read to its end: its unsure messages did not arrive, and are sent again. */
export function withHistoryRead(outbox, thread) {
  return outbox.map((entry) =>
    entry.thread === thread && entry.status === 'unsure' ? { ...entry, status: 'waiting' } : entry);
}

/** Whether a message has been unconfirmed for so long that its socket counts as dead. */
export function isOverdue(outbox, now) {
  return outbox.some((entry) => entry.status === 'sent' && now - entry.at > PATIENCE);
}

/** Overdue at the second attempt: the server does not accept it, and the user decides. */
export function withFailures(outbox, now) {
  return outbox.map((entry) => {
    const hasFailed = entry.status === 'sent' && entry.attempts > 1 && now - entry.at > PATIENCE;
    return hasFailed ? { ...entry, status: 'failed' } : entry;
  });
}

/** Retries a failed message, after those that are waiting already. */
export function withRetry(outbox, key) {
  const entry = outbox.find((each) => each.key === key);
  return entry ? [...without(outbox, key), { ...entry, attempts: 0, status: 'waiting' }] : outbox;
}

/** The outbox without this message. */
export function without(outbox, key) {
  return outbox.filter((entry) => entry.key !== key);
}

/** The number of messages that are neither confirmed nor failed. */
export function unsentCount(outbox) {
  return outbox.filter((entry) => entry.status !== 'failed').length;
}
