// The admin calls (docs/protocol/admin.md), with an API key, which stays in this tab, or with an operator's session cookie.

/** The timeout of a call in milliseconds. Up to one second of it is spent on other nodes. */
const TIMEOUT = 10_000;
const KEY = 'parley-console-key';

/** A call that failed or received no response. */
export class APIError extends Error {
  /**
   * @param status the HTTP status; 0 without a response
   * @param message the server's error text, if any
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
      method, headers, cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(TIMEOUT),
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
    // A proxy may respond with an HTML page. In that case only the status is used.
  }
  if (response.ok && answer) return answer;
  throw new APIError(response.status, answer?.error?.message ?? `The server answered ${response.status}.`);
}

const part = encodeURIComponent;
/** A user by ID, whatever names exist. */
const userPart = (id) => part(`id:${id}`);

export const logIn = (username, password) => call('POST', '/auth/login', { username, password });
export const logOut = () => call('POST', '/auth/logout');

/** The status of the cluster and its nodes. */
export const overview = () => call('GET', '/v1/admin/overview');

export const topThreads = async () => (await call('GET', '/v1/admin/threads/top?limit=10')).threads;

/** @returns `{users, threads}` whose names begin with the text */
export const search = (text) => call('GET', `/v1/admin/search?${new URLSearchParams({ q: text })}`);

export const user = (id) => call('GET', `/v1/admin/users/${userPart(id)}`);
export const thread = (id, limit) => call('GET', `/v1/admin/threads/${part(id)}?${new URLSearchParams({ limit })}`);

/** @param fields `username`, and optionally `password` and `id` */
export const makeUser = (fields) => call('POST', '/v1/admin/users', fields);

/** @param fields `title`, and optionally `id` */
export const makeThread = (fields) => call('POST', '/v1/admin/threads', fields);

/** @param user the operator's input: an ID, or a name that cannot be an ID */
export const addMember = (thread, user, role) =>
  call('POST', `/v1/admin/threads/${part(thread)}/members`, { user, role });
export const removeMember = (thread, user) =>
  call('DELETE', `/v1/admin/threads/${part(thread)}/members/${userPart(user)}`);
export const revokeSessions = (user) => call('POST', `/v1/admin/users/${userPart(user)}/revoke-sessions`, {});

/** @returns `{sessions, next_cursor}`: at most 50 logins, the newest first */
export const sessions = (user) => call('GET', `/v1/admin/users/${userPart(user)}/sessions?limit=50`);
export const endSession = (user, session) => call('DELETE', `/v1/admin/users/${userPart(user)}/sessions/${part(session)}`);
export const setPassword = (user, password) => call('PUT', `/v1/admin/users/${userPart(user)}/password`, { password });

/** @param fields `seconds` and `reason`, both optional */
export const suspend = (user, fields) => call('PUT', `/v1/admin/users/${userPart(user)}/suspension`, fields);
export const endSuspension = (user) => call('DELETE', `/v1/admin/users/${userPart(user)}/suspension`);
export const setOperator = (user, isOperator) => call(isOperator ? 'PUT' : 'DELETE', `/v1/admin/users/${userPart(user)}/operator`);
export const eraseUser = (user) => call('DELETE', `/v1/admin/users/${userPart(user)}`);

/** @param fields `visibility` or `history` */
export const changeThread = (thread, fields) => call('PATCH', `/v1/admin/threads/${part(thread)}`, fields);
export const deleteThread = (thread) => call('DELETE', `/v1/admin/threads/${part(thread)}`);
export const deleteMessage = (thread, message) => call('DELETE', `/v1/admin/threads/${part(thread)}/messages/${part(message)}`);

/** @returns `{sanctions, next_cursor}`: at most 200 mutes and bans in force */
export const sanctions = (thread) => call('GET', `/v1/admin/threads/${part(thread)}/sanctions?limit=200`);

/**
 * @param user the operator's input: an ID, or a name that cannot be an ID
 * @param kind `mute` or `ban`
 * @param fields `seconds` and `reason`, both optional
 */
export const sanction = (thread, user, kind, fields) =>
  call('PUT', `/v1/admin/threads/${part(thread)}/sanctions/${part(user)}/${kind}`, fields);
export const endSanction = (thread, user, kind) =>
  call('DELETE', `/v1/admin/threads/${part(thread)}/sanctions/${userPart(user)}/${kind}`);
export const links = async (thread) => (await call('GET', `/v1/admin/threads/${part(thread)}/links`)).links;
export const revokeLink = (thread, link) => call('DELETE', `/v1/admin/threads/${part(thread)}/links/${part(link)}`);

/** The load of the last hour: `{date_ms, step_ms, samples, silent_nodes}`. */
export const history = () => call('GET', '/v1/admin/history');

/**
 * @param filter `thread`, `user`, `actor`, `action`, `from_ms` and `to_ms`, all optional
 * @returns `{entries, next_cursor}`
 */
export const audit = (filter) => call('GET', `/v1/admin/audit?${new URLSearchParams(filter)}`);
/** The groups of readers of the stream of events, by name. */
export const eventGroups = async () => (await call('GET', '/v1/admin/event-groups')).groups;
/** @param cursor `start`, `end`, or a cursor */
export const moveEventGroup = (group, cursor) => call('PUT', `/v1/admin/event-groups/${part(group)}`, { cursor });
export const deleteEventGroup = (group) => call('DELETE', `/v1/admin/event-groups/${part(group)}`);

/** The endpoints that are sent stored events, by ID. These calls need an API key. */
export const webhooks = async () => (await call('GET', '/v1/admin/webhooks')).webhooks;

/** @returns the endpoint with its `secret` */
export const addWebhook = (fields) => call('POST', '/v1/admin/webhooks', fields);
export const changeWebhook = (id, fields) => call('PATCH', `/v1/admin/webhooks/${part(id)}`, fields);
export const deleteWebhook = (id) => call('DELETE', `/v1/admin/webhooks/${part(id)}`);
/** @param key `hmac-sha256` or `ed25519` */
export const addWebhookSecret = async (id, key) => (await call('POST', `/v1/admin/webhooks/${part(id)}/secrets`, { key })).secret;
export const endWebhookSecret = (id) => call('DELETE', `/v1/admin/webhooks/${part(id)}/secrets`);

/**
 * @param cursor the end of an earlier page; `null` for the newest
 * @returns `{dead_letters, next_cursor}`: at most 50
 */
export const deadLetters = (id, cursor) =>
  call('GET', `/v1/admin/webhooks/${part(id)}/dead-letters?${new URLSearchParams({ limit: 50, ...(cursor && { cursor }) })}`);

/**
 * @param letters the IDs of dead letters; all if absent
 * @returns the number of dead letters that are sent again
 */
export const replayDeadLetters = async (id, letters) =>
  (await call('POST', `/v1/admin/webhooks/${part(id)}/dead-letters/replay`, letters ? { ids: letters } : {})).replayed;
export const deleteDeadLetter = (id, letter) => call('DELETE', `/v1/admin/webhooks/${part(id)}/dead-letters/${part(letter)}`);

export const drain = (instance) => call('POST', `/v1/admin/nodes/${part(instance)}/drain`, {});
