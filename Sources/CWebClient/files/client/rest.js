// The calls of the REST API (docs/protocol/rest.md) that the client itself needs, and the transport of all others.

/** Maximum duration of a call, in milliseconds. */
const TIMEOUT = 15_000;
/**
 * The time after which an upload without progress is aborted. At the end of an upload the server reads the whole file
 * once more.
 */
const UPLOAD_TIMEOUT = 60_000;

/** A call that failed or received no response. */
export class APIError extends Error {
  /**
   * @param status the HTTP status; 0 without a response
   * @param message the server's error text, if any
   * @param retryAfter the requested delay in milliseconds; 0 if there is none
   * @param code the server's error code; `no_connection` or `http_<status>` if there is none
   * @param details of a suspension: `until_ms` and `reason`
   */
  constructor(status, message, retryAfter = 0, code = status === 0 ? 'no_connection' : `http_${status}`, details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    const { until_ms: untilMs, reason } = details;
    this.suspension = code === 'suspended' ? { ...(Number.isFinite(untilMs) && { untilMs }), ...(reason && { reason: `${reason}` }) } : null;
  }

  get isSignedOut() {
    return this.status === 401;
  }

  get isRetryable() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const id = encodeURIComponent;

/** The query of a path, without fields that are `undefined`. */
export const query = (fields) => new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined));

const pause = (text) => (Number(text) || 0) * 1000;

export class Rest {
  #base;
  #fetch;
  #authorization;
  #describe;

  /**
   * @param base the origin of the server; empty for the page's own
   * @param fetch a function like `globalThis.fetch`, the default
   * @param authorization resolves to the `Authorization` header; `null` uses the session cookie
   * @param describe returns the text of a status for which the server has none
   */
  constructor({ base = '', fetch, authorization = async () => null, describe = () => '' } = {}) {
    this.#base = base;
    this.#fetch = fetch;
    this.#authorization = authorization;
    this.#describe = describe;
  }

  call(method, path, fields) {
    return this.request(method, path, fields && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) });
  }

  /** @returns the JSON of the response. Throws `APIError`. */
  async request(method, path, content = {}) {
    const { response, text } = await this.send(method, path, content);
    return this.answer(response, text);
  }

  /** The JSON of a response. Throws `APIError` if the server has refused the request. */
  answer(response, text) {
    let answer = null;
    try {
      answer = JSON.parse(text);
    } catch {
      // A proxy may respond with an HTML page. In that case only the status is used.
    }
    if (response.ok) return answer ?? {};
    const { message = this.#describe(response.status), code, ...details } = answer?.error ?? {};
    throw new APIError(response.status, message, pause(response.headers.get('Retry-After')), code, details);
  }

  /** Sends a request. Resolves to `{response, text}`, whatever the status. Throws `APIError` without a response. */
  async send(method, path, { headers = {}, authorization, ...content } = {}) {
    try {
      const value = authorization === undefined ? await this.#authorization() : authorization;
      const response = await (this.#fetch ?? globalThis.fetch)(`${this.#base}${path}`, {
        method, cache: 'no-store', credentials: this.#credentials(value), signal: AbortSignal.timeout(TIMEOUT),
        headers: value ? { ...headers, Authorization: value } : headers, ...content,
      });
      return { response, text: await response.text() };
    } catch (error) {
      throw error instanceof APIError ? error : new APIError(0, this.#describe(0));
    }
  }

  #credentials(authorization) {
    if (authorization) return 'omit';
    return this.#base === '' ? 'same-origin' : 'include';
  }

  me() { return this.call('GET', '/v1/me'); }

  thread(threadID) { return this.call('GET', `/v1/threads/${id(threadID)}`); }

  threads(cursor) { return this.call('GET', `/v1/threads?${query({ cursor })}`); }

  /** A ticket that opens one socket. */
  async ticket() { return (await this.call('POST', '/v1/tickets')).ticket; }

  // MARK: Files

  /** The limits for uploads, `{max_bytes, types, …}`; `null` if the server does not accept files. */
  async attachmentLimits() {
    try {
      return await this.call('GET', '/v1/attachments');
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  /** @param fields `name`, `type` and `size` @returns the attachment, ready for its bytes */
  declareAttachment(fields) { return this.call('POST', '/v1/attachments', fields); }

  /** Removes a file that no message refers to. */
  discardAttachment(attachment) { return this.call('DELETE', `/v1/attachments/${id(attachment)}`); }

  /** The number of bytes of a file that the server has; `null` if it does not have the file. */
  async uploadOffset(attachment) {
    const { response } = await this.send('HEAD', `/v1/attachments/${id(attachment)}`);
    if (response.status === 404) return null;
    if (!response.ok) throw new APIError(response.status, this.#describe(response.status));
    return Number(response.headers.get('Upload-Offset'));
  }

  /**
   * Appends bytes to an upload.
   * @returns `{offset, isComplete}`. With `isConflict` the upload continues at another offset, or another request is
   * active. With `isRefused` the file differs from its declaration. `offset` is `null` if the server does not have the
   * file.
   */
  async uploadPiece(attachment, bytes, offset, { signal, onProgress }) {
    const path = `/v1/attachments/${id(attachment)}`;
    const headers = { 'Upload-Offset': `${offset}`, 'Content-Type': 'application/octet-stream' };
    // `fetch` does not report progress.
    const send = globalThis.XMLHttpRequest && !this.#fetch ? this.#sendReporting : this.#sendPiece;
    const { status, text, header } = await send.call(this, path, headers, bytes, { signal, onProgress });
    const at = Number(header('Upload-Offset'));
    if (status === 409) return { offset: header('Upload-Offset') ? at : offset, isConflict: true };
    if (status === 404) return { offset: null };
    if (status === 400) return { offset: null, isRefused: true };
    if (status !== 200) throw new APIError(status, this.#describe(status), pause(header('Retry-After')));
    try {
      return { offset: at, isComplete: JSON.parse(text).complete };
    } catch {
      // The response does not come from the server, but from the login page of a network.
      throw new APIError(0, this.#describe(0));
    }
  }

  async #sendPiece(path, headers, body, { signal, onProgress }) {
    const limit = AbortSignal.timeout(UPLOAD_TIMEOUT);
    const both = new AbortController();
    for (const each of [signal, limit]) each.addEventListener('abort', () => both.abort(), { once: true });
    if (signal.aborted) both.abort();
    const { response, text } = await this.send('PATCH', path, { headers, body, signal: both.signal });
    onProgress(body.size);
    return { status: response.status, text, header: (name) => response.headers.get(name) };
  }

  async #sendReporting(path, headers, bytes, { signal, onProgress }) {
    const authorization = await this.#authorization();
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      let timer = null;
      const cut = () => request.abort();
      const listen = () => {
        clearTimeout(timer);
        timer = setTimeout(cut, UPLOAD_TIMEOUT);
      };
      const end = (action, value) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cut);
        action(value);
      };
      request.upload.onprogress = ({ loaded }) => {
        listen();
        onProgress(loaded);
      };
      request.onerror = () => end(reject, new APIError(0, this.#describe(0)));
      request.onabort = request.onerror;
      request.onload = () => {
        const header = (name) => request.getResponseHeader(name);
        end(resolve, { status: request.status, text: request.responseText, header });
      };
      request.open('PATCH', `${this.#base}${path}`);
      request.withCredentials = this.#credentials(authorization) === 'include';
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      if (authorization) request.setRequestHeader('Authorization', authorization);
      if (signal.aborted) {
        request.onerror();
        return;
      }
      signal.addEventListener('abort', cut);
      listen();
      request.send(bytes);
    });
  }
}
