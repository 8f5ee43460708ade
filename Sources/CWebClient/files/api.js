// The calls of the REST API (PROTOCOL, "REST"), authenticated by the session cookie.

import { S } from './strings.js';

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
    throw new APIError(0, S.noConnection);
  }
  let answer = null;
  try {
    answer = JSON.parse(body);
  } catch {
    // A proxy may respond with an HTML page; only the status counts then.
  }
  if (response.ok) return answer ?? {};
  const seconds = Number(response.headers.get('Retry-After')) || 0;
  throw new APIError(response.status, answer?.error?.message ?? S.serverAnswered(response.status), seconds * 1000);
}

/** @returns `{id, username}` */
export const signUp = (username, password) => call('POST', '/auth/signup', { username, password });

/** @returns `{id, username}` */
export const logIn = (username, password) => call('POST', '/auth/login', { username, password });

export const logOut = () => call('POST', '/auth/logout');

const id = encodeURIComponent;
const query = (fields) => new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined));

/** @returns `{id, username, display_name?, avatar_url?}` */
export const me = () => call('GET', '/v1/me');

/** @param fields `display_name`, or `password` and `old_password` */
export const changeMe = (fields) => call('PATCH', '/v1/me', fields);

/** Where the user is logged in. */
export const sessions = async () => (await call('GET', '/v1/me/sessions')).sessions;

export const endSession = (sessionID) => call('DELETE', `/v1/me/sessions/${id(sessionID)}`);

export const user = (userID) => call('GET', `/v1/users/${id(userID)}`);

/** Users whose names begin with `prefix`. */
export const users = async (prefix) => (await call('GET', `/v1/users?${query({ prefix, limit: 20 })}`)).users;

/** @returns `{threads, next_cursor}` */
export const threads = (cursor) => call('GET', `/v1/threads?${query({ cursor })}`);

export const thread = (threadID) => call('GET', `/v1/threads/${id(threadID)}`);

/** Rooms to join whose titles begin with `prefix`. */
export const joinable = async (prefix, limit = 50) =>
  (await call('GET', `/v1/threads/joinable?${query({ prefix, limit })}`)).threads;

/** Joins the room of that title, or creates it. @returns the thread */
export const join = (title) => call('POST', '/v1/threads', { title });

/** @returns the direct thread with a user */
export const direct = (userID) => call('POST', '/v1/direct', { user: userID });

export const rename = (threadID, title) => call('PATCH', `/v1/threads/${id(threadID)}`, { title });

export const deleteRoom = (threadID) => call('DELETE', `/v1/threads/${id(threadID)}`);

/** @returns `{members: [{user, role}], next_cursor}` */
export const members = (threadID, cursor) => call('GET', `/v1/threads/${id(threadID)}/members?${query({ cursor, limit: 200 })}`);

/** Adds a member, or changes the role. */
export const setMember = (threadID, user, role) => call('POST', `/v1/threads/${id(threadID)}/members`, { user, ...(role && { role }) });

export const removeMember = (threadID, user) => call('DELETE', `/v1/threads/${id(threadID)}/members/${id(user)}`);

/** @returns `{results, has_more}` */
export const search = (q, threadID) => call('GET', `/v1/search?${query({ q, thread: threadID, limit: 50 })}`);
