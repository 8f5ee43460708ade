// The calls of the REST API (docs/protocol/rest.md), authenticated by the session cookie.

import { Entrances } from '../client/entrances.js';
import { query, Rest } from '../client/rest.js';
import { S } from '../shared/strings.js';

/** The calls that the client itself makes. */
export const rest = new Rest({ describe: (status) => (status === 0 ? S.noConnection : S.serverAnswered(status)) });

/** The calls of groups, invitations, requests and links. */
export const entrances = new Entrances(rest);

const call = (method, path, fields) => rest.call(method, path, fields);

/** @returns `{id, username}` */
export const signUp = (username, password) => call('POST', '/auth/signup', { username, password });

/** @returns `{id, username}` */
export const logIn = (username, password) => call('POST', '/auth/login', { username, password });

export const logOut = () => call('POST', '/auth/logout');

const id = encodeURIComponent;

/** @returns `{id, username, display_name?, avatar_url?}` */
export const me = () => rest.me();

/** @param fields `display_name`, `avatar_url`, or `password` and `old_password`; `null` removes a value */
export const changeMe = (fields) => call('PATCH', '/v1/me', fields);

/** The sessions of the user. @returns `{sessions, next_cursor}` */
export const sessions = (cursor) => call('GET', `/v1/me/sessions?${query({ cursor, limit: 20 })}`);

export const endOtherSessions = () => call('DELETE', '/v1/me/sessions');

export const endSession = (sessionID) => call('DELETE', `/v1/me/sessions/${id(sessionID)}`);

export const user = (userID) => call('GET', `/v1/users/${id(userID)}`);

/** Users whose names begin with `prefix`. */
export const users = async (prefix) => (await call('GET', `/v1/users?${query({ prefix, limit: 20 })}`)).users;

/** @returns `{threads, next_cursor}` */
export const threads = (cursor) => rest.threads(cursor);

export const thread = (threadID) => rest.thread(threadID);

/** The rooms to join whose titles begin with `prefix`. */
export const joinable = async (prefix, limit = 50) =>
  (await call('GET', `/v1/threads/joinable?${query({ prefix, limit })}`)).threads;

/** Joins the room with a title, or creates it. @param fields `visibility` and `history` of a new room @returns the thread */
export const join = (title, fields = {}) => call('POST', '/v1/threads', { title, ...fields });

/** References to a user that the server resolves unambiguously, whatever IDs and names exist. */
export const byID = (userID) => `id:${userID}`;
export const byName = (name) => `name:${name}`;

/** @returns the direct thread with a user */
export const direct = (userID) => call('POST', '/v1/direct', { user: byID(userID) });

/** @param fields of the room, any number of them @returns the thread */
export const changeRoom = (threadID, fields) => call('PATCH', `/v1/threads/${id(threadID)}`, fields);

export const deleteRoom = (threadID) => call('DELETE', `/v1/threads/${id(threadID)}`);

/** @returns `{members: [{user, role}], next_cursor}` */
export const members = (threadID, cursor) => call('GET', `/v1/threads/${id(threadID)}/members?${query({ cursor, limit: 200 })}`);

/** Adds a member, or changes the role. @param user `byID` or `byName` */
export const setMember = (threadID, user, role) => call('POST', `/v1/threads/${id(threadID)}/members`, { user, ...(role && { role }) });

export const removeMember = (threadID, userID) =>
  call('DELETE', `/v1/threads/${id(threadID)}/members/${id(byID(userID))}`);

/** The mutes and bans of a room. @returns `{sanctions: [{user, kind, since_ms, until_ms?, reason?}], next_cursor}` */
export const sanctions = (threadID, cursor) => call('GET', `/v1/threads/${id(threadID)}/sanctions?${query({ cursor, limit: 200 })}`);

const sanctionPath = (threadID, userID, kind) => `/v1/threads/${id(threadID)}/sanctions/${id(byID(userID))}/${kind}`;

/** Mutes a user, in place of an earlier mute. @param fields `seconds`, without which it has no end, and `reason` */
export const mute = (threadID, userID, fields) => call('PUT', sanctionPath(threadID, userID, 'mute'), fields);

export const unmute = (threadID, userID) => call('DELETE', sanctionPath(threadID, userID, 'mute'));

/** Removes a user, who may not return before the end of the ban. @param fields see `mute` */
export const ban = (threadID, userID, fields) => call('PUT', sanctionPath(threadID, userID, 'ban'), fields);

export const unban = (threadID, userID) => call('DELETE', sanctionPath(threadID, userID, 'ban'));

/** Uploads a small file in one request. @returns the attachment */
export const uploadSmall = (blob, name) => rest.request('POST', `/v1/attachments?${query({ name, type: blob.type })}`, { headers: { 'Content-Type': blob.type }, body: blob });

/** @returns `{results, has_more}` */
export const search = (q, threadID) => call('GET', `/v1/search?${query({ q, thread: threadID, limit: 50 })}`);
