// The pictures of unsent messages, as blob URLs.
import { kindOf } from './attachments.js';

export class Previews {
  #urls = new Map();
  #load;
  #onChange;

  /** @param load resolves to the blob of a file, by message ID and index */
  constructor(load, onChange) {
    this.#load = load;
    this.#onChange = onChange;
  }

  /** Adds a file of this tab. */
  set(id, index, blob) {
    this.#urls.set(`${id} ${index}`, URL.createObjectURL(blob));
  }

  /** Adds a file of this tab if it is a picture. */
  added(id, index, { blob, type }) {
    if (kindOf(type) === 'picture') this.set(id, index, blob);
  }

  /** The URL; `null` until the file is read. */
  get(id, index) {
    const key = `${id} ${index}`;
    if (!this.#urls.has(key)) {
      this.#urls.set(key, null);
      this.#load(id, index).then((blob) => {
        if (!blob || !this.#urls.has(key)) return;
        this.#urls.set(key, URL.createObjectURL(blob));
        this.#onChange();
      });
    }
    return this.#urls.get(key);
  }

  /** Releases the URLs of removed messages. @param ids the remaining messages */
  keep(ids) {
    for (const [key, url] of this.#urls) {
      if (ids.has(key.split(' ')[0])) continue;
      if (url) URL.revokeObjectURL(url);
      this.#urls.delete(key);
    }
  }
}
