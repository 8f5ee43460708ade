// The REST API of the simulated server: the user, tickets, threads and files.

const ATTACHMENTS = '/v1/attachments';

export class RestAPI {
  /** Whether requests without a token are authorized by a cookie. */
  hasCookies = false;
  #server;
  /** The uploaded files by ID, `{size, received, isUsed}`. */
  #files = new Map();
  #count = 0;
  #hasForgotten = false;

  constructor(server) {
    this.#server = server;
  }

  /** Whether a file is complete. */
  has(id) {
    const file = this.#files.get(id);
    return file !== undefined && file.received === file.size;
  }

  use(ids) { for (const id of ids) this.#files.get(id).isUsed = true; }

  /** Files that no message has used are removed; once, since a client gives up if that happens again and again. */
  forgetFiles() {
    if (this.#hasForgotten || this.#files.size === 0) return;
    this.#hasForgotten = true;
    for (const [id, { isUsed }] of this.#files) if (!isUsed) this.#files.delete(id);
  }

  /** Like the `fetch` of browsers: requests and answers take some time, and are lost. */
  fetch = (url, { method, headers, body, signal }) => new Promise((resolve, reject) => {
    const { scheduler } = this.#server;
    const process = scheduler.current;
    const delay = () => 1 + scheduler.random(60);
    const fail = () => scheduler.at(delay(), process, () => reject(new TypeError('failed')));
    signal?.addEventListener('abort', () => reject(new Error('AbortError')), { once: true });
    scheduler.at(delay(), null, () => {
      const path = url.replace('http://server', '');
      const isLost = scheduler.chance(this.#server.faults);
      if (this.#server.isDown || (isLost && scheduler.chance(50))) {
        fail();
        return;
      }
      const answer = this.#answer(method, path, headers.Authorization, body);
      if (isLost) {
        fail();
        return;
      }
      const { status = 200, fields = {}, json } = answer;
      const response = { ok: status < 300, status, headers: new Headers(fields), text: async () => (json === undefined ? '' : JSON.stringify(json)) };
      scheduler.at(delay(), process, () => resolve(response));
    });
  });

  #answer(method, path, authorization, body) {
    const { scheduler, faults } = this.#server;
    if (scheduler.chance(faults)) return { status: scheduler.pick([429, 503]), fields: { 'Retry-After': '1' } };
    if (authorization ? !this.#server.isValid(authorization) : !this.hasCookies) return { status: 401, json: { error: { code: 'unauthorized', message: '' } } };
    const [route, query = ''] = path.split('?');
    if (route.startsWith(ATTACHMENTS)) return this.#file(method, route.slice(ATTACHMENTS.length + 1), body, path);
    if (route === '/v1/me') return { json: { id: 'me', username: 'me' } };
    if (route === '/v1/tickets') return { status: 201, json: { ticket: this.#server.ticket(30_000, true), expires_in: 30 } };
    const rooms = [...this.#server.rooms.values()];
    for (const room of rooms) this.#server.muteOf(room);
    if (rooms.some(({ isUnavailable }) => isUnavailable)) return { status: 503, fields: {} };
    if (route === '/v1/threads') {
      const at = Number(new URLSearchParams(query).get('cursor') ?? 0);
      return { json: { threads: [rooms[at].listed], next_cursor: at + 1 < rooms.length ? `${at + 1}` : null } };
    }
    const room = this.#server.rooms.get(route.slice('/v1/threads/'.length));
    return room ? { json: room.listed } : { status: 404, json: { error: { code: 'not_found', message: '' } } };
  }

  #file(method, id, body, path) {
    if (path === ATTACHMENTS && method === 'GET') return { json: { max_bytes: 1e9, types: [] } };
    if (path === ATTACHMENTS) {
      this.#count += 1;
      this.#files.set(`f${this.#count}`, { size: JSON.parse(body).size, received: 0, isUsed: false });
      return { status: 201, json: { id: `f${this.#count}` } };
    }
    const file = this.#files.get(id);
    if (!file) return { status: 404 };
    const offset = () => ({ 'Upload-Offset': `${file.received}` });
    if (method === 'HEAD') return { fields: offset() };
    if (method === 'DELETE') {
      if (!file.isUsed) this.#files.delete(id);
      return { status: 204 };
    }
    if (this.#server.scheduler.chance(this.#server.faults)) return { status: 409, fields: {} };
    if (body.from !== file.received) return { status: 409, fields: offset() };
    // An interrupted request may have brought a part.
    const isHalf = this.#server.scheduler.chance(this.#server.faults);
    file.received += isHalf ? Math.floor(body.size / 2) : body.size;
    if (isHalf) return { status: 503, fields: { 'Retry-After': '1' } };
    return { fields: offset(), json: { complete: file.received === file.size } };
  }
}

/** A file of a number of bytes, whose content does not matter. */
export class SimulatedFile {
  name = 'a.png';
  type = 'image/png';

  constructor(size, from = 0) {
    Object.assign(this, { size, from });
  }

  slice(from, to) { return new SimulatedFile(Math.min(to, this.size) - from, from); }
}
