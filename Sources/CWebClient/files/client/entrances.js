// The ways into threads that are not public: groups, invitations, requests and links, and the hand-over of a room.
import { query } from './rest.js';

const id = encodeURIComponent;
const of = (thread, ...parts) => ['/v1/threads', thread, ...parts].map((part, index) => (index === 0 ? part : id(part))).join('/');

export class Entrances {
  #call;
  #entered;

  /**
   * @param rest makes the calls
   * @param entered takes a thread that the user has entered, and returns what the caller gets
   */
  constructor(rest, entered = (thread) => thread) {
    this.#call = (...parameters) => rest.call(...parameters);
    this.#entered = entered;
  }

  async #enter(path, fields) { return this.#entered(await this.#call('POST', path, fields)); }

  // MARK: Rooms and groups

  /** Creates a room, or joins the one with the title. @param fields `title`, `visibility` and `history` */
  createRoom(fields) { return this.#enter('/v1/threads', fields); }

  /** Creates a group. @param fields `members`, `title` and `history` */
  createGroup(fields) { return this.#enter('/v1/threads', { kind: 'group', ...fields }); }

  /** Changes a room. @param fields `title`, `visibility` and `history` */
  changeRoom(thread, fields) { return this.#call('PATCH', of(thread), fields); }

  setOwner(thread, user) { return this.#call('POST', of(thread, 'owner'), { user }); }

  // MARK: Invitations

  /** @param fields `text` and `seconds` */
  invite(thread, user, fields = {}) { return this.#call('PUT', of(thread, 'invitations', user), fields); }

  invitations(thread, cursor) { return this.#call('GET', `${of(thread, 'invitations')}?${query({ cursor, limit: 200 })}`); }

  withdrawInvitation(thread, user) { return this.#call('DELETE', of(thread, 'invitations', user)); }

  myInvitations(cursor) { return this.#call('GET', `/v1/me/invitations?${query({ cursor, limit: 200 })}`); }

  acceptInvitation(thread) { return this.#enter(`/v1/me/invitations/${id(thread)}/accept`); }

  declineInvitation(thread) { return this.#call('DELETE', `/v1/me/invitations/${id(thread)}`); }

  // MARK: Requests

  /** @param fields `text` */
  request(thread, fields = {}) { return this.#call('POST', of(thread, 'requests'), fields); }

  myRequests() { return this.#call('GET', '/v1/me/requests'); }

  withdrawRequest(thread) { return this.#call('DELETE', `/v1/me/requests/${id(thread)}`); }

  requests(thread, cursor) { return this.#call('GET', `${of(thread, 'requests')}?${query({ cursor, limit: 200 })}`); }

  acceptRequest(thread, user) { return this.#call('POST', of(thread, 'requests', user, 'accept')); }

  refuseRequest(thread, user) { return this.#call('DELETE', of(thread, 'requests', user)); }

  // MARK: Links

  /** @param fields `seconds` and `uses` */
  createLink(thread, fields = {}) { return this.#call('POST', of(thread, 'links'), fields); }

  links(thread) { return this.#call('GET', of(thread, 'links')); }

  revokeLink(thread, link) { return this.#call('DELETE', of(thread, 'links', link)); }

  link(code) { return this.#call('GET', `/v1/links/${id(code)}`); }

  joinLink(code) { return this.#enter(`/v1/links/${id(code)}`); }
}
