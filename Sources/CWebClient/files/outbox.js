// What the user did and the server has not confirmed, as values. An entry is
// `{id, op, thread, at, state, ...}`: `op` is `message`, `edit`, `delete`, `react` or `read`, and `state` is
// `waiting`, `sending`, `accepted` (in the log, not stored yet) or `failed`.

import { withReaction } from './fold.js';

/** Maximum number of entries. */
export const CAPACITY = 200;

/** Appends an entry; one of the same id is replaced. `null` if there are too many. */
export function withEntry(outbox, entry) {
  const others = without(outbox, entry.id);
  return others.length < CAPACITY ? [...others, { ...entry, state: 'waiting' }] : null;
}

export const without = (outbox, id) => outbox.filter((entry) => entry.id !== id);

export const withChange = (outbox, id, change) =>
  outbox.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));

/** The connection broke: what is not stored is sent again, under the same id. */
export const interrupted = (outbox) =>
  outbox.map((entry) => (entry.state === 'failed' ? entry : { ...entry, state: 'waiting', notBefore: 0 }));

/** The user tries again what was refused: as the newest of its thread. */
export function withRetry(outbox, id) {
  const entry = outbox.find((each) => each.id === id);
  return entry ? [...without(outbox, id), { ...entry, state: 'waiting', notBefore: 0, error: undefined }] : outbox;
}

/**
 * What may be sent now: of each thread the first entry, once the one before it was answered, so that the order is kept
 * even if one has to be repeated.
 */
export function due(outbox, now) {
  const seen = new Set();
  return outbox.filter((entry) => {
    if (entry.state === 'failed' || entry.state === 'accepted' || seen.has(entry.thread)) return false;
    seen.add(entry.thread);
    return entry.state === 'waiting' && (entry.notBefore ?? 0) <= now;
  });
}

/** The frame of an entry. */
export function commandOf({ op, id, thread, ...entry }) {
  const message = { id: thread, message_id: entry.messageID };
  switch (op) {
    case 'edit': return { edit: { ...message, text: entry.text } };
    case 'delete': return { delete: message };
    case 'react': return { react: { ...message, emoji: entry.emoji, on: entry.on } };
    case 'read': return { read: { id: thread, seq: entry.seq } };
    default: return {
      message: {
        id: thread, text: entry.text, client_id: id, ack: 'stored',
        ...(entry.parts && { parts: entry.parts }), ...(entry.replyTo && { reply_to: entry.replyTo }),
      },
    };
  }
}

/** The messages of a thread that are not in its log yet, as far as this client knows. */
export const pendingOf = (outbox, thread, has) =>
  outbox.filter((entry) => entry.op === 'message' && entry.thread === thread && !has(entry.id));

/** Messages that are neither in the log nor refused. */
export const unsentCount = (outbox) =>
  outbox.filter(({ op, state }) => op === 'message' && (state === 'waiting' || state === 'sending')).length;

/** The rows as they will be when the waiting edits, deletions and reactions are done. */
export function overlaid(message, changes, me) {
  return changes.reduce((result, entry) => {
    if (entry.op === 'delete') return { ...result, text: '', parts: undefined, reactions: undefined, deleted: true };
    if (entry.op === 'edit') return { ...result, text: entry.text, edited_ms: entry.at };
    return entry.op === 'react' ? withReaction(result, { user_id: me, emoji: entry.emoji, on: entry.on }) : result;
  }, message);
}
