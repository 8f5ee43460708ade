// The inbox as a value: a list of `{id, title, last_message, unread_count}`, newest activity first.
// Every function takes a list and returns a list; the one it was given stays as it is.

/** Whether `message` is news to a thread whose last message is `last`. */
function isNewer(message, last) {
  if (!last) return true;
  // Messages from a Django group may come without `seq`; those are always new.
  if (message.seq === undefined || last.seq === undefined) return message.id !== last.id;
  return message.seq > last.seq;
}

/**
 * The inbox after `message` came in: its thread is on top, with one more unread, or none if I sent it myself, since
 * sending moves the sender's own cursor. Unchanged if the thread is unknown or has this message already.
 * @param me my user id
 */
export function withMessage(threads, message, me) {
  const thread = threads.find((each) => each.id === message.thread_id);
  if (!thread || !isNewer(message, thread.last_message)) return threads;
  const unread = message.sender_id === me ? 0 : thread.unread_count + 1;
  const changed = { ...thread, last_message: message, unread_count: unread };
  return [changed, ...threads.filter((each) => each.id !== thread.id)];
}

/**
 * The inbox as the server told it, and on top of it the messages that came in while it was telling: those that its
 * answer does not know yet are counted, the others are not counted twice.
 */
export function fromServer(threads, messagesSince, me) {
  return messagesSince.reduce((all, message) => withMessage(all, message, me), threads);
}

/** The inbox with nothing unread in thread `id`. */
export function withRead(threads, id) {
  if (!threads.some((each) => each.id === id && each.unread_count > 0)) return threads;
  return threads.map((each) => (each.id === id ? { ...each, unread_count: 0 } : each));
}

/** The inbox with a thread that was joined just now; unchanged if it is there already. */
export function withThread(threads, { id, title }) {
  if (threads.some((each) => each.id === id)) return threads;
  return [{ id, title, last_message: null, unread_count: 0 }, ...threads];
}

/** How many messages are unread, over all threads but `except`. */
export function unreadTotal(threads, except = null) {
  return threads.reduce((sum, each) => sum + (each.id === except ? 0 : each.unread_count), 0);
}
