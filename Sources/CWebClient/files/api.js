// The calls of the REST API (PROTOCOL, "REST"), authenticated by the session cookie.

import { S } from './strings.js';

/** Maximum duration of a call, in milliseconds. */
const PATIENCE = 15_000;
/** How long an upload may make no progress; at its end the server reads the file once more. */
const UPLOAD_PATIENCE = 60_000;

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

const call = (method, path, fields) =>
  request(method, path, fields && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) });

async function request(method, path, content = {}) {
  let response;
  let body;
  try {
    response = await fetch(path, {
      method, cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(PATIENCE), ...content,
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

/** @param fields `display_name`, `avatar_url`, or `password` and `old_password`; `null` removes one */
export const changeMe = (fields) => call('PATCH', '/v1/me', fields);

/** Where the user is logged in. @returns `{sessions, next_cursor}` */
export const sessions = (cursor) => call('GET', `/v1/me/sessions?${query({ cursor, limit: 20 })}`);

export const endOtherSessions = () => call('DELETE', '/v1/me/sessions');

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

/** References to a user that the server reads in one way only, whatever ids and names there are. */
export const byID = (userID) => `id:${userID}`;
export const byName = (name) => `name:${name}`;

/** @returns the direct thread with a user */
export const direct = (userID) => call('POST', '/v1/direct', { user: byID(userID) });

export const rename = (threadID, title) => call('PATCH', `/v1/threads/${id(threadID)}`, { title });

export const deleteRoom = (threadID) => call('DELETE', `/v1/threads/${id(threadID)}`);

/** @returns `{members: [{user, role}], next_cursor}` */
export const members = (threadID, cursor) => call('GET', `/v1/threads/${id(threadID)}/members?${query({ cursor, limit: 200 })}`);

/** Adds a member, or changes the role. @param user `byID` or `byName` */
export const setMember = (threadID, user, role) => call('POST', `/v1/threads/${id(threadID)}/members`, { user, ...(role && { role }) });

export const removeMember = (threadID, userID) =>
  call('DELETE', `/v1/threads/${id(threadID)}/members/${id(byID(userID))}`);

/** What may be uploaded: `{max_bytes, types, …}`; `null` if the server takes no files. */
export async function attachmentLimits() {
  try {
    return await call('GET', '/v1/attachments');
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** @param fields `name`, `type` and `size` @returns the attachment, whose bytes are uploaded next */
export const declareAttachment = (fields) => call('POST', '/v1/attachments', fields);

/** Uploads a small file in one request. @returns the attachment */
export const uploadSmall = (blob, name) => request('POST', `/v1/attachments?${query({ name, type: blob.type })}`, { headers: { 'Content-Type': blob.type }, body: blob });

/** Removes a file that no message refers to. */
export const discardAttachment = (attachment) => call('DELETE', `/v1/attachments/${id(attachment)}`);

/** How many bytes of a file the server has; `null` if it does not have the file. */
export async function uploadOffset(attachment) {
  let response;
  try {
    response = await fetch(`/v1/attachments/${id(attachment)}`, {
      method: 'HEAD', cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw new APIError(0, S.noConnection);
  }
  if (response.status === 404) return null;
  if (!response.ok) throw new APIError(response.status, S.serverAnswered(response.status));
  return Number(response.headers.get('Upload-Offset'));
}

/**
 * Appends bytes to an upload. Not by `fetch`, which tells nothing of its progress.
 * @returns `{offset, isComplete}`; with `isConflict` the upload continues elsewhere, or another request is at it; with
 *   `isRefused` the file is not what was declared. `offset` is `null` if the server does not have the file (any more).
 */
export function uploadPiece(attachment, bytes, offset, { signal, onProgress }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer = null;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), UPLOAD_PATIENCE);
    };
    const end = (action, value) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cut);
      action(value);
    };
    const cut = () => request.abort();
    const answerOf = (text, offset) => {
      try {
        return [resolve, { offset, isComplete: JSON.parse(text).complete }];
      } catch {
        // Not the server's: the page of a network that one has to log in to.
        return [reject, new APIError(0, S.noConnection)];
      }
    };
    request.upload.onprogress = ({ loaded }) => {
      listen();
      onProgress(loaded);
    };
    request.onerror = () => end(reject, new APIError(0, S.noConnection));
    request.onabort = request.onerror;
    request.onload = () => {
      const { status } = request;
      const at = Number(request.getResponseHeader('Upload-Offset'));
      if (status === 200) end(...answerOf(request.responseText, at));
      else if (status === 409) end(resolve, { offset: request.getResponseHeader('Upload-Offset') ? at : offset, isConflict: true });
      else if (status === 404) end(resolve, { offset: null });
      else if (status === 400) end(resolve, { offset: null, isRefused: true });
      else end(reject, new APIError(status, S.serverAnswered(status), (Number(request.getResponseHeader('Retry-After')) || 0) * 1000));
    };
    request.open('PATCH', `/v1/attachments/${id(attachment)}`);
    request.setRequestHeader('Upload-Offset', `${offset}`);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    if (signal.aborted) {
      end(reject, new APIError(0, S.noConnection));
      return;
    }
    signal.addEventListener('abort', cut);
    listen();
    request.send(bytes);
  });
}

/** @returns `{results, has_more}` */
export const search = (q, threadID) => call('GET', `/v1/search?${query({ q, thread: threadID, limit: 50 })}`);
