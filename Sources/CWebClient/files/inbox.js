// The inbox as a value: a list of `{id, title, last_message, unread_count}`, newest activity first.
// Every function takes a list and returns a new one.

/** Whether `message` is newer than a thread's last message `last`. */
function isNewer(message, last) {
  if (!last) return true;
  // Messages from a Django group may come without `seq`; those are always new.
  if (message.seq === undefined || last.seq === undefined) return message.id !== last.id;
  return message.seq > last.seq;
}

/**
 * The inbox after `message` arrived: its thread is on top, with one more unread, or none for the user's own message,
 * since sending moves the sender's cursor. Unchanged if the thread is unknown or has this message already.
 * @param me the user's own id
 */
export function withMessage(threads, message, me) {
  const thread = threads.find((each) => each.id === message.thread_id);
  if (!thread || !isNewer(message, thread.last_message)) return threads;
  const unread = message.sender_id === me ? 0 : thread.unread_count + 1;
  const changed = { ...thread, last_message: message, unread_count: unread };
  return [changed, ...threads.filter((each) => each.id !== thread.id)];
}

/**
 * The inbox from the server, merged with the messages that arrived during the request: those missing in the response
 * are counted, the others are not counted twice.
 */
export function fromServer(threads, messagesSince, me) {
  return messagesSince.reduce((all, message) => withMessage(all, message, me), threads);
}

/** The inbox with thread `id` marked as read. */
export function withRead(threads, id) {
  if (!threads.some((each) => each.id === id && each.unread_count > 0)) return threads;
  return threads.map((each) => (each.id === id ? { ...each, unread_count: 0 } : each));
}

/** The inbox with a newly joined thread; unchanged if it is listed already. */
export function withThread(threads, { id, title }) {
  if (threads.some((each) => each.id === id)) return threads;
  return [{ id, title, last_message: null, unread_count: 0 }, ...threads];
}

/** The number of unread messages in all threads except `except`. */
export function unreadTotal(threads, except = null) {
  return threads.reduce((sum, each) => sum + (each.id === except ? 0 : each.unread_count), 0);
}
