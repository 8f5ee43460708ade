// The effect of later events on a message, and the conversion of events to rows of a conversation.

/** The events that are rows. `edited`, `deleted` and `reaction` change a row, and unknown events only count. */
const ROWS = new Set(['message', 'joined', 'left', 'renamed', 'role', 'visibility']);

export const isRow = (event) => ROWS.has(event.type);

/** Events that change an earlier message. */
export const isChange = (event) => event.type === 'edited' || event.type === 'deleted' || event.type === 'reaction';

/** The message after an event that refers to it. */
export function folded(message, event) {
  if (message.deleted || message.erased) return message;
  if (event.type === 'deleted') return { ...message, text: '', parts: undefined, reactions: undefined, deleted: true };
  if (event.type === 'reaction') return withReaction(message, event);
  // A page may have a later edit already. The edit of a message that was deleted later has an empty text; the deletion
  // follows.
  const isOld = event.date_ms < (message.edited_ms ?? 0);
  return event.text && !isOld ? { ...message, text: event.text, edited_ms: event.date_ms } : message;
}

/**
 * The messages of a page after changes that arrived before it. The server may have read the page earlier.
 * @param changes in ascending order of `seq`
 */
export function upToDate(page, changes) {
  const isWanted = ({ epoch, type, seq }) => epoch === page.epoch && (type !== 'reaction' || seq > page.head_seq);
  const wanted = changes.filter(isWanted);
  if (wanted.length === 0) return page;
  const updated = (event) => wanted.filter((change) => change.message_seq === event.seq).reduce(folded, event);
  return { ...page, events: page.events.map((event) => (event.type === 'message' ? updated(event) : event)) };
}

/** Applies one user's emoji, on or off. It may already be applied. */
export function withReaction(message, { user_id: user, emoji, on }) {
  const present = message.reactions ?? [];
  const entry = present.find((each) => each.emoji === emoji) ?? { emoji, count: 0, users: [] };
  const isOn = entry.users.includes(user);
  if (isOn === on) return message;
  const users = on ? [...entry.users, user] : entry.users.filter((each) => each !== user);
  const changed = { emoji, users, count: Math.max(entry.count + (on ? 1 : -1), users.length) };
  const others = present.filter((each) => each.emoji !== emoji);
  const index = present.findIndex((each) => each.emoji === emoji);
  if (changed.count > 0) others.splice(index < 0 ? others.length : index, 0, changed);
  return { ...message, reactions: others };
}
