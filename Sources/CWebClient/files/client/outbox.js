// The user's unconfirmed actions, as values. An entry is `{id, op, thread, at, state, ...}`. `op` is `message`, `edit`,
// `delete`, `react` or `read`. `state` is `waiting`, `uploading` (its files), `sending`, `accepted` or `failed`. An
// accepted message is in the log and not stored yet. An accepted change is at `seq` of `epoch`, and its event has not
// arrived yet. A message may have `files`, each `{name, type, size, width?, height?, attachment?,
// isComplete?}`. Their bytes are stored separately.

import { withReaction } from './fold.js';

/** Maximum number of entries. */
export const CAPACITY = 200;
/** The maximum total size of waiting files, in bytes. */
export const FILES_CAPACITY = 500_000_000;

/** Appends an entry, or replaces the one with the same ID. `null` if there are too many. */
export function withEntry(outbox, entry) {
  const others = without(outbox, entry.id);
  return others.length < CAPACITY ? [...others, { ...entry, state: 'waiting' }] : null;
}

export const without = (outbox, id) => outbox.filter((entry) => entry.id !== id);

export const withChange = (outbox, id, change) =>
  outbox.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));

/** Whether there is room for more files. */
export const hasRoom = (outbox, files) =>
  [...outbox.flatMap((entry) => entry.files ?? []), ...files].reduce((sum, file) => sum + file.size, 0) <= FILES_CAPACITY;

/** Whether the server lacks files of a message. */
export const needsUpload = ({ files }) => files?.some((file) => !file.isComplete) ?? false;

export const withFile = (outbox, id, index, change) =>
  outbox.map((entry) => (entry.id === id
    ? { ...entry, files: entry.files.map((file, at) => (at === index ? { ...file, ...change } : file)) } : entry));

const isChange = ({ op }) => op === 'edit' || op === 'delete' || op === 'react';

/**
 * Handles a lost connection: everything that is not stored is sent again under the same ID, except for acknowledged
 * changes. Uploads have separate connections.
 */
export const interrupted = (outbox) => outbox.map((entry) => {
  const stays = entry.state === 'failed' || entry.state === 'uploading' || (entry.state === 'accepted' && isChange(entry));
  return stays ? entry : { ...entry, state: 'waiting', notBefore: 0 };
});

/**
 * Handles the end of a `resume`, or a numbering that has started over: what was acknowledged may be void.
 * @param states the threads of `resumed`
 * @param head returns the thread in the list, `{epoch, seq}`
 */
export const resumed = (outbox, states, head) => outbox.map((entry) => {
  if (entry.state !== 'accepted') return entry;
  const { state, epoch } = states[entry.thread] ?? {};
  if (state === 'rolled_back') return { ...entry, state: 'waiting' };
  if (!isChange(entry) || state === 'unavailable') return entry;
  // Nothing is void, whatever the epoch.
  if (state) return { ...entry, epoch: epoch ?? entry.epoch };
  // Without a position to resume from, the server does not say what is void. A repeated change has no effect.
  const present = head(entry.thread);
  return present && present.epoch !== entry.epoch ? { ...entry, state: 'waiting' } : entry;
});

/** The IDs of the acknowledged changes whose events have arrived, or whose thread is gone. @param head as above */
export const settled = (outbox, head) => outbox.filter((entry) => {
  if (entry.state !== 'accepted' || !isChange(entry)) return false;
  const thread = head(entry.thread);
  return !thread || (thread.epoch === entry.epoch && thread.seq >= entry.seq);
}).map(({ id }) => id);

/** The outbox at the start of a page. */
export const restored = (outbox) =>
  interrupted(outbox.map((entry) => (entry.state === 'uploading' ? { ...entry, state: 'waiting' } : entry)));

/** Retries a refused entry, as the newest of its thread. */
export function withRetry(outbox, id) {
  const entry = outbox.find((each) => each.id === id);
  if (!entry) return outbox;
  // A page that starts later finds the entry in this position.
  const order = Math.max(...outbox.map((each) => each.order ?? 0)) + 1;
  return [...without(outbox, id), { ...entry, order, state: 'waiting', notBefore: 0, attempts: 0, error: undefined, failure: undefined }];
}

/**
 * The entries to send now: the first entry of each thread, once the previous one was answered, so that repetitions keep
 * the order. While files are uploaded, only later messages wait.
 */
export function due(outbox, now) {
  const seen = new Set();
  const uploading = new Set();
  return outbox.filter((entry) => {
    const { thread, op, state } = entry;
    if (state === 'failed' || state === 'accepted' || seen.has(thread)) return false;
    if (op === 'message' && uploading.has(thread)) return false;
    (needsUpload(entry) ? uploading : seen).add(thread);
    return state === 'waiting' && (entry.notBefore ?? 0) <= now;
  });
}

/** The frame of an entry. */
export function commandOf({ op, id, thread, ...entry }) {
  const parts = [...(entry.parts ?? []), ...(entry.files ?? []).map(({ attachment }) => ({ attachment }))];
  const message = { id: thread, message_id: entry.messageID };
  switch (op) {
    case 'edit': return { edit: { ...message, text: entry.text } };
    case 'delete': return { delete: message };
    case 'react': return { react: { ...message, emoji: entry.emoji, on: entry.on } };
    case 'read': return { read: { id: thread, seq: entry.seq } };
    default: return {
      message: {
        id: thread, text: entry.text, client_id: id, ack: 'stored',
        ...(parts.length > 0 && { parts }), ...(entry.replyTo && { reply_to: entry.replyTo }),
      },
    };
  }
}

/** The messages of a thread that are not known to be in its log. */
export const pendingOf = (outbox, thread, has) =>
  outbox.filter((entry) => entry.op === 'message' && entry.thread === thread && !has(entry.id));

/** The number of messages that are neither in the log nor refused. */
export const unsentCount = (outbox) =>
  outbox.filter(({ op, state }) => op === 'message' && ['waiting', 'uploading', 'sending'].includes(state)).length;

/** A message with its pending edits, deletions and reactions applied. */
export function overlaid(message, changes, me) {
  return changes.reduce((result, entry) => {
    if (entry.op === 'delete') return { ...result, text: '', parts: undefined, reactions: undefined, deleted: true };
    if (entry.op === 'edit') return { ...result, text: entry.text, edited_ms: entry.at };
    return entry.op === 'react' ? withReaction(result, { user_id: me, emoji: entry.emoji, on: entry.on }) : result;
  }, message);
}
