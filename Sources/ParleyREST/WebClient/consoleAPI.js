// The admin calls (PROTOCOL §6). By API key, which stays in this tab, or by the session cookie of an operator.

/** How long a call may take, in milliseconds; nodes are asked for one second of it. */
const PATIENCE = 10_000;
const KEY = 'parley-console-key';

/** A call that was refused or got no answer. */
export class APIError extends Error {
  /**
   * @param status the HTTP status; 0 if there was no answer
   * @param message the server's own words, if it had any
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The API key of this tab; empty if there is none. */
export const key = () => sessionStorage.getItem(KEY) ?? '';

export function setKey(text) {
  if (text) sessionStorage.setItem(KEY, text);
  else sessionStorage.removeItem(KEY);
}

async function call(method, path, fields) {
  const headers = {};
  if (fields) headers['Content-Type'] = 'application/json';
  if (key()) headers.Authorization = `Bearer ${key()}`;
  let response;
  let body;
  try {
    response = await fetch(path, {
      method, headers, cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(PATIENCE),
      ...(fields && { body: JSON.stringify(fields) }),
    });
    body = await response.text();
  } catch {
    throw new APIError(0, 'No connection to the server.');
  }
  let answer = null;
  try {
    answer = body ? JSON.parse(body) : {};
  } catch {
    // A proxy on the way may answer with a page; only the status counts then.
  }
  if (response.ok && answer) return answer;
  throw new APIError(response.status, answer?.error?.message ?? `The server answered ${response.status}.`);
}

const part = encodeURIComponent;

export const logIn = (username, password) => call('POST', '/auth/login', { username, password });
export const logOut = () => call('POST', '/auth/logout');

/** How the cluster is, with its nodes. */
export const overview = () => call('GET', '/v1/admin/overview');

export const topThreads = async () => (await call('GET', '/v1/admin/threads/top?limit=10')).threads;

/** @returns `{users, threads}` whose names begin so */
export const search = (text) => call('GET', `/v1/admin/search?${new URLSearchParams({ q: text })}`);

export const user = (id) => call('GET', `/v1/admin/users/${part(id)}`);
export const thread = (id, limit) => call('GET', `/v1/admin/threads/${part(id)}?${new URLSearchParams({ limit })}`);

/** @param fields `username`, and `password` and `id` if wanted */
export const makeUser = (fields) => call('POST', '/v1/admin/users', fields);

/** @param fields `title`, and `id` if wanted */
export const makeThread = (fields) => call('POST', '/v1/admin/threads', fields);

export const addMember = (thread, user, role) =>
  call('POST', `/v1/admin/threads/${part(thread)}/members`, { user, role });
export const removeMember = (thread, user) =>
  call('DELETE', `/v1/admin/threads/${part(thread)}/members/${part(user)}`);
export const revokeSessions = (user) => call('POST', `/v1/admin/users/${part(user)}/revoke-sessions`, {});
export const drain = (instance) => call('POST', `/v1/admin/nodes/${part(instance)}/drain`, {});
