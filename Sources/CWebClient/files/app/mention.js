// Completion of `@name`, as values.

/** The maximum number of suggested names. */
const MAX_NAMES = 6;

/** The unfinished mention at the cursor: `{from, prefix}`, or `null`. */
export function mentionAt(text, cursor) {
  const found = text.slice(0, cursor).match(/(^|[^\p{L}\p{N}_@])@([\p{L}\p{N}.+_-]{0,40})$/u);
  return found ? { from: cursor - found[2].length - 1, prefix: found[2] } : null;
}

/** The text with the completed mention, and the cursor after it. */
export function completed(text, cursor, { from }, name) {
  const before = `${text.slice(0, from)}@${name} `;
  return { text: before + text.slice(cursor).replace(/^ /, ''), cursor: before.length };
}

/**
 * The users whose username, display name, or a later word of it begins with `prefix`, in their order.
 * @param users `{username, name}`
 */
export function candidates(prefix, users) {
  const wanted = prefix.toLowerCase();
  const begins = (text) => text.toLowerCase().startsWith(wanted);
  return users.filter(({ username, name }) => begins(username) || (name ?? '').split(/\s+/).some(begins)).slice(0, MAX_NAMES);
}
