// What the user did and the server has not confirmed, as values. An entry is
// `{id, op, thread, at, state, ...}`: `op` is `message`, `edit`, `delete`, `react` or `read`, and `state` is
// `waiting`, `uploading` (its files), `sending`, `accepted` (in the log, not stored yet) or `failed`. A message may have
// `files`, each `{name, type, size, width?, height?, attachment?, isComplete?}`; their bytes are kept elsewhere.

import { withReaction } from './fold.js';

/** Maximum number of entries. */
export const CAPACITY = 200;
/** Maximum size of the files that wait, in bytes. */
export const FILES_CAPACITY = 500_000_000;

/** Appends an entry; one of the same id is replaced. `null` if there are too many. */
export function withEntry(outbox, entry) {
  const others = without(outbox, entry.id);
  return others.length < CAPACITY ? [...others, { ...entry, state: 'waiting' }] : null;
}

export const without = (outbox, id) => outbox.filter((entry) => entry.id !== id);

export const withChange = (outbox, id, change) =>
  outbox.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));

/** Whether more files may wait. */
export const hasRoom = (outbox, files) =>
  [...outbox.flatMap((entry) => entry.files ?? []), ...files].reduce((sum, file) => sum + file.size, 0) <= FILES_CAPACITY;

/** Whether the server does not have all files of a message yet. */
export const needsUpload = ({ files }) => files?.some((file) => !file.isComplete) ?? false;

export const withFile = (outbox, id, index, change) =>
  outbox.map((entry) => (entry.id === id
    ? { ...entry, files: entry.files.map((file, at) => (at === index ? { ...file, ...change } : file)) } : entry));

/** The connection broke: what is not stored is sent again, under the same id. Uploads have connections of their own. */
export const interrupted = (outbox) =>
  outbox.map((entry) => (entry.state === 'failed' || entry.state === 'uploading' ? entry : { ...entry, state: 'waiting', notBefore: 0 }));

/** The outbox as a page finds it that has just begun. */
export const restored = (outbox) =>
  interrupted(outbox.map((entry) => (entry.state === 'uploading' ? { ...entry, state: 'waiting' } : entry)));

/** The user tries again what was refused: as the newest of its thread. */
export function withRetry(outbox, id) {
  const entry = outbox.find((each) => each.id === id);
  if (!entry) return outbox;
  // So that a page that begins later finds it in this place.
  const order = Math.max(...outbox.map((each) => each.order ?? 0)) + 1;
  return [...without(outbox, id), { ...entry, order, state: 'waiting', notBefore: 0, attempts: 0, error: undefined }];
}

/**
 * What may be sent now: of each thread the first entry, once the one before it was answered, so that the order is kept
 * even if one has to be repeated. While files are uploaded, only later messages wait.
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

/** The messages of a thread that are not in its log yet, as far as this client knows. */
export const pendingOf = (outbox, thread, has) =>
  outbox.filter((entry) => entry.op === 'message' && entry.thread === thread && !has(entry.id));

/** Messages that are neither in the log nor refused. */
export const unsentCount = (outbox) =>
  outbox.filter(({ op, state }) => op === 'message' && ['waiting', 'uploading', 'sending'].includes(state)).length;

/** The rows as they will be when the waiting edits, deletions and reactions are done. */
export function overlaid(message, changes, me) {
  return changes.reduce((result, entry) => {
    if (entry.op === 'delete') return { ...result, text: '', parts: undefined, reactions: undefined, deleted: true };
    if (entry.op === 'edit') return { ...result, text: entry.text, edited_ms: entry.at };
    return entry.op === 'react' ? withReaction(result, { user_id: me, emoji: entry.emoji, on: entry.on }) : result;
  }, message);
}
