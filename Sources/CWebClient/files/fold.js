// What later events do to a message, and how events become rows of a conversation.

/** The events that are rows; `edited`, `deleted` and `reaction` change one, and unknown ones only count. */
const ROWS = new Set(['message', 'joined', 'left', 'renamed', 'role']);

export const isRow = (event) => ROWS.has(event.type);

/** Events that change an earlier message. */
export const isChange = (event) => event.type === 'edited' || event.type === 'deleted' || event.type === 'reaction';

/** The message after an event that refers to it. */
export function folded(message, event) {
  if (message.deleted || message.erased) return message;
  if (event.type === 'deleted') return { ...message, text: '', parts: undefined, reactions: undefined, deleted: true };
  if (event.type === 'reaction') return withReaction(message, event);
  // An edit of a message that has been deleted since has an empty text; the deletion follows.
  return event.text ? { ...message, text: event.text, edited_ms: event.date_ms } : message;
}

/** One user's emoji, on or off; it may be known already. */
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
