// The classic REST calls (PROTOCOL, "REST: Classic"). The session travels in the cookie.

/** How long a call may take, in milliseconds. */
const PATIENCE = 15_000;

/** A call that was refused or got no answer. */
export class APIError extends Error {
  /**
   * @param status the HTTP status; 0 if there was no answer
   * @param message the server's own words, if it had any
   * @param retryAfter in milliseconds, 0 if the server does not say
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
    // A proxy on the way may answer with a page; only the status counts then.
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
 * A page of messages, newest first; the server marks the thread read.
 * @param bounds `before_seq` or `after_seq`, or none for the newest
 * @returns `{messages, end}`; `end`: there is nothing further in that direction
 */
export const messages = (id, bounds = {}) =>
  call('GET', `/messaging/load-messages?${new URLSearchParams({ id, ...bounds })}`);

/** @returns `{id, title}` of the room of that title, which I am a member of now */
export const join = (title) => call('POST', '/messaging/add-chatroom', { title });
