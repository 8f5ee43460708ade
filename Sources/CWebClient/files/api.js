// The classic REST calls (PROTOCOL, "REST: Classic"), authenticated by the session cookie.

/** Maximum duration of a call, in milliseconds. */
const PATIENCE = 15_000;

/** A call that failed or got no response. */
export class APIError extends Error {
  /**
   * @param status the HTTP status; 0 without a response
   * @param message the server's error text, if any
   * @param retryAfter in milliseconds; 0 if the server gives none
   */
  constructor(status, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  get isSignedOut() {
    return this.status === 401;
  }
}

async function call(method, path, fields) {
  let response;
  let body;
  try {
    response = await fetch(path, {
      method, cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(PATIENCE),
      ...(fields && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) }),
    });
    body = await response.text();
  } catch {
    throw new APIError(0, 'No connection to the server.');
  }
  let answer = null;
  try {
    answer = JSON.parse(body);
  } catch {
    // A proxy may respond with an HTML page; only the status counts then.
  }
  if (response.ok && answer) return answer;
  const seconds = Number(response.headers.get('Retry-After')) || 0;
  throw new APIError(response.status, answer?.error?.message ?? `The server answered ${response.status}.`, seconds * 1000);
}

/** @returns `{id, username}` */
export const signUp = (username, password) => call('POST', '/auth/signup', { username, password });

/** @returns `{id, username}` */
export const logIn = (username, password) => call('POST', '/auth/login', { username, password });

export const logOut = () => call('POST', '/auth/logout');

/** @returns the threads, newest activity first */
export async function inbox() {
  return (await call('GET', '/messaging/load-inbox')).threads;
}

/**
 * A page of messages, newest first. The server marks the thread as read.
 * @param bounds `before_seq` or `after_seq`, or none for the newest page
 * @returns `{messages, end}`; `end`: there are no more messages in that direction
 */
export const messages = (id, bounds = {}) =>
  call('GET', `/messaging/load-messages?${new URLSearchParams({ id, ...bounds })}`);

/** @returns `{id, title}` of the room of that title, of which the user is now a member */
export const join = (title) => call('POST', '/messaging/add-chatroom', { title });
