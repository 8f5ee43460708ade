// Completion of `@name`, as values.

/** Names offered at once. */
const MOST = 6;

/** The beginning of a mention that the cursor is in: `{from, prefix}`, or `null`. */
export function mentionAt(text, cursor) {
  const found = text.slice(0, cursor).match(/(^|[^\p{L}\p{N}_@])@([\p{L}\p{N}.+_-]{0,40})$/u);
  return found ? { from: cursor - found[2].length - 1, prefix: found[2] } : null;
}

/** The text with the mention completed, and the cursor after it. */
export function completed(text, cursor, { from }, name) {
  const before = `${text.slice(0, from)}@${name} `;
  return { text: before + text.slice(cursor).replace(/^ /, ''), cursor: before.length };
}

/** The names that begin with `prefix`, those of recent senders first. */
export function candidates(prefix, names, me) {
  const wanted = prefix.toLowerCase();
  return [...new Set(names)].filter((name) => name !== me && name.toLowerCase().startsWith(wanted)).slice(0, MOST);
}
