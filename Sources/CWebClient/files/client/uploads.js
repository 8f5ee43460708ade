// The uploads of the leading tab: the files of a message, one after another, each in pieces at the server's offset.
import { APIError } from './rest.js';

/** The type of files without a more specific type, which are downloads. */
export const BINARY = 'application/octet-stream';

/** The number of bytes in a request, equal to a part of S3, so that no storage has to combine pieces. */
const PIECE = 8_388_608;
/** The maximum number of corrections of the offset in one upload. */
const MAX_CORRECTIONS = 5;
/** The time that progress is collected for, in milliseconds. */
const DELAY = 150;
/** The maximum number of messages with concurrent uploads. */
const MAX_MESSAGES = 2;

/** An upload that did not complete. With `isRetryable` it continues later. */
export class UploadError extends Error {
  /** @param failure of a refused file, `{status, file}`; without a status its bytes are lost */
  constructor(message, { code, failure, isRetryable = false, retryAfter = 0 }) {
    super(message);
    this.code = code;
    this.failure = failure;
    this.isRetryable = isRetryable;
    this.retryAfter = retryAfter;
  }
}

export class Uploads {
  #database;
  #handlers;
  #rest;
  #active = new Map();
  /** The files of messages that IndexedDB could not store. */
  #unkept = new Map();

  /**
   * @param handlers `onFile(id, index, change)` when state of a file must be stored; `onProgress({id, sent, total})`
   */
  constructor(database, handlers, rest) {
    this.#database = database;
    this.#handlers = handlers;
    this.#rest = rest;
  }

  get isBusy() {
    return this.#active.size >= MAX_MESSAGES;
  }

  /** Adds files that are only in memory. */
  hold(id, blobs) {
    this.#unkept.set(id, blobs);
  }

  /** Removes files without a message, which remain when a page is closed between two steps. */
  sweep() {
    return this.#database.transact(['outbox', 'files'], 'readwrite', async (store) => {
      const [entries, files] = await Promise.all([store('outbox').keys(), store('files').keys()]);
      const present = new Set(entries);
      for (const key of files) if (!present.has(key[0])) store('files').delete(key);
    });
  }

  /** Resolves when the server has all files of an entry. Throws `UploadError`. */
  async upload(entry) {
    const controller = new AbortController();
    this.#active.set(entry.id, controller);
    const files = entry.files.slice();
    const total = files.reduce((sum, file) => sum + file.size, 0);
    let before = 0;
    try {
      for (const [index, file] of files.entries()) {
        const progress = this.#progress(entry.id, before, total);
        if (!file.isComplete) await this.#file(entry.id, index, file, progress, controller.signal);
        before += file.size;
      }
    } finally {
      if (this.#active.get(entry.id) === controller) this.#active.delete(entry.id);
    }
  }

  /** Stops the upload of a removed message, and removes its files from the server. */
  cancel({ id, files = [] }) {
    this.#active.get(id)?.abort();
    this.#unkept.delete(id);
    // If this fails, the server removes the files after a day.
    for (const { attachment } of files) if (attachment) this.#rest.discardAttachment(attachment).catch(() => {});
  }

  forget(id) {
    this.#unkept.delete(id);
  }

  stop() {
    for (const controller of this.#active.values()) controller.abort();
  }

  /** Whether the server still has all files of an entry. */
  async hasAll({ files }) {
    for (const { attachment } of files) if (await this.#rest.uploadOffset(attachment) === null) return false;
    return true;
  }

  #progress(id, before, total) {
    let at = 0;
    return (sent) => {
      const now = performance.now();
      if (now - at < DELAY) return;
      at = now;
      this.#handlers.onProgress({ id, sent: before + sent, total });
    };
  }

  async #blob(id, index) {
    const held = this.#unkept.get(id)?.[index];
    return held ?? (await this.#database.transact(['files'], 'readonly', (store) => store('files').get([id, index])))?.blob;
  }

  async #file(id, index, file, progress, signal) {
    const blob = await this.#blob(id, index);
    if (!blob) throw new UploadError('', { code: 'file_lost', failure: { file } });
    let { type, attachment } = file;
    const change = (fields) => this.#handlers.onFile(id, index, fields);
    try {
      let offset = attachment ? await this.#rest.uploadOffset(attachment) : null;
      for (let corrections = 0; corrections <= MAX_CORRECTIONS;) {
        if (offset === null) {
          ({ id: attachment } = await this.#rest.declareAttachment({ name: file.name, type, size: blob.size }));
          if (signal.aborted) {
            this.#rest.discardAttachment(attachment).catch(() => {});
            throw new APIError(0, '');
          }
          change({ attachment, type });
          offset = 0;
        }
        const from = offset;
        const answer = await this.#rest.uploadPiece(attachment, blob.slice(from, from + PIECE), from, {
          signal, onProgress: (count) => progress(from + count),
        });
        if (answer.isComplete || (answer.isConflict && answer.offset === blob.size)) {
          change({ isComplete: true });
          return;
        }
        if (answer.isConflict && answer.offset === from) throw new APIError(409, '', 1_000);
        if (answer.isRefused && type !== BINARY) {
          // The content does not match the type, so the file is sent as a download.
          type = BINARY;
          corrections += 1;
        } else if (answer.isRefused) {
          throw new APIError(400, '');
        } else if (answer.isConflict || answer.offset === null) {
          corrections += 1;
        }
        ({ offset } = answer);
      }
    } catch (error) {
      throw this.#failure(error, { ...file, type });
    }
    throw new UploadError('', { isRetryable: true });
  }

  #failure(error, file) {
    const { status, message, retryAfter } = error;
    const isRefused = [400, 403, 404, 413].includes(status);
    if (!isRefused) return new UploadError(message, { isRetryable: true, retryAfter });
    return new UploadError(message, { code: 'file_refused', failure: { status, file } });
  }
}
