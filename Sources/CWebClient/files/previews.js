// The pictures of messages that are not sent yet, as addresses of blobs.

export class Previews {
  #urls = new Map();
  #load;
  #onChange;

  /** @param load resolves to the blob of a file, by the id of the message and the index */
  constructor(load, onChange) {
    this.#load = load;
    this.#onChange = onChange;
  }

  /** A file of this tab. */
  set(id, index, blob) {
    this.#urls.set(`${id} ${index}`, URL.createObjectURL(blob));
  }

  /** The address, or `null` until the file is read. */
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

  /** Releases those of messages that are gone. @param ids of the messages that are not */
  keep(ids) {
    for (const [key, url] of this.#urls) {
      if (ids.has(key.split(' ')[0])) continue;
      if (url) URL.revokeObjectURL(url);
      this.#urls.delete(key);
    }
  }
}
