// The uploads of the leading tab: the files of a message, one after the other, each in pieces at the server's offset.
import * as api from './api.js';
import { BINARY, refusalOf } from './attachments.js';
import { S } from './strings.js';

/** Bytes of one request: a part of S3, so that no storage has to put pieces together. */
const PIECE = 8_388_608;
/** How often an offset may be corrected by the server in one upload. */
const MOST_CORRECTIONS = 5;
/** How long progress is collected, in milliseconds. */
const REST = 150;
/** Messages whose files are uploaded at the same time. */
const MOST = 2;

/** An upload that did not end. `isRetryable` ones continue later. */
export class UploadError extends Error {
  constructor(message, { isRetryable = false, retryAfter = 0 } = {}) {
    super(message);
    this.isRetryable = isRetryable;
    this.retryAfter = retryAfter;
  }
}

export class Uploads {
  #database;
  #handlers;
  #active = new Map();
  /** The files of messages that IndexedDB did not take. */
  #unkept = new Map();
  /** Those of the server, if it has told them. */
  limits;

  /**
   * @param handlers `onFile(id, index, change)` when something is known of a file that must be kept;
   *   `onProgress({id, sent, total})`
   */
  constructor(database, handlers) {
    this.#database = database;
    this.#handlers = handlers;
  }

  get isBusy() {
    return this.#active.size >= MOST;
  }

  /** Files that are only in memory. */
  hold(id, blobs) {
    this.#unkept.set(id, blobs);
  }

  /** Removes files whose messages are gone: those of a page that ended between two steps. */
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

  /** Stops an upload whose message is gone, and removes what the server has of it. */
  cancel({ id, files = [] }) {
    this.#active.get(id)?.abort();
    this.#unkept.delete(id);
    // What cannot be removed now, the server removes after a day.
    for (const { attachment } of files) if (attachment) api.discardAttachment(attachment).catch(() => {});
  }

  forget(id) {
    this.#unkept.delete(id);
  }

  stop() {
    for (const controller of this.#active.values()) controller.abort();
  }

  /** Whether the server still has all files of an entry. */
  async hasAll({ files }) {
    for (const { attachment } of files) if (await api.uploadOffset(attachment) === null) return false;
    return true;
  }

  #progress(id, before, total) {
    let at = 0;
    return (sent) => {
      const now = performance.now();
      if (now - at < REST) return;
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
    if (!blob) throw new UploadError(S.fileLost(file.name));
    let { type, attachment } = file;
    const change = (fields) => this.#handlers.onFile(id, index, fields);
    try {
      let offset = attachment ? await api.uploadOffset(attachment) : null;
      for (let corrections = 0; corrections <= MOST_CORRECTIONS;) {
        if (offset === null) {
          ({ id: attachment } = await api.declareAttachment({ name: file.name, type, size: blob.size }));
          if (signal.aborted) {
            api.discardAttachment(attachment).catch(() => {});
            throw new api.APIError(0, '');
          }
          change({ attachment, type });
          offset = 0;
        }
        const from = offset;
        const answer = await api.uploadPiece(attachment, blob.slice(from, from + PIECE), from, {
          signal, onProgress: (count) => progress(from + count),
        });
        if (answer.isComplete || (answer.isConflict && answer.offset === blob.size)) {
          change({ isComplete: true });
          return;
        }
        if (answer.isConflict && answer.offset === from) throw new api.APIError(409, '', 1_000);
        if (answer.isRefused && type !== BINARY) {
          // Not what its name says: it is sent as a download.
          type = BINARY;
          corrections += 1;
        } else if (answer.isRefused) {
          throw new api.APIError(400, '');
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
    return new UploadError(refusalOf(status, message, file, this.limits));
  }
}
