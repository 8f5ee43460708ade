// The files to send with the next message of each thread, and their preparation. No elements here.
import { BINARY, fileName, fileType, kindOf, MAX_FILES, problemOf } from './attachments.js';
import { isPhoto } from './picture.js';
import { S } from '../shared/strings.js';

export class ChosenFiles {
  /** `{files, isUnchanged}` by thread, until the files are sent or the page is closed. */
  #threads = new Map();
  #count = 0;
  #isPreparing = false;
  #photo;
  #limits;
  #onChange;

  /**
   * @param photo prepares a photo, see picture.js
   * @param limits returns the server's limits
   * @param onChange called with an optional notice when a file is prepared or refused
   */
  constructor({ photo, limits, onChange }) {
    this.#photo = photo;
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /**
   * The files of a thread, each `{key, name, type, original, blob, width?, height?, url?, note?}`. `blob` is `null`
   * until the file is prepared.
   */
  of(thread) {
    return this.#threads.get(thread)?.files ?? [];
  }

  /** Whether the photos of a thread are sent unchanged, as files. */
  isUnchanged(thread) {
    return this.#threads.get(thread)?.isUnchanged ?? false;
  }

  setUnchanged(thread, isUnchanged) {
    const chosen = this.#threads.get(thread);
    if (!chosen) return;
    chosen.isUnchanged = isUnchanged;
    for (const file of chosen.files) if (isPhoto(file.original.type)) file.blob = null;
    this.#prepareAll();
  }

  /** @returns the reasons that files were not accepted, as text; `null` if all were accepted */
  add(thread, originals) {
    const problems = [];
    const files = [...this.of(thread)];
    for (const original of originals) {
      const type = fileType(original.type);
      const name = fileName(original.name);
      // Photos become smaller, so their size is checked after preparation.
      const size = isPhoto(original.type) && original.size > 0 ? 1 : original.size;
      const problem = problemOf({ name, type, size }, this.#limits());
      if (problem) problems.push(problem);
      else if (files.length >= MAX_FILES) problems.push(S.mostFiles(MAX_FILES));
      else files.push(this.#entry(thread, original, name, type));
    }
    this.#keep(thread, files);
    this.#prepareAll();
    return problems[0] ?? null;
  }

  #entry(thread, original, name, type) {
    this.#count += 1;
    const url = kindOf(original.type) === 'picture' ? URL.createObjectURL(original) : null;
    return { key: `${this.#count}`, thread, original, name, type, url, blob: isPhoto(original.type) ? null : original };
  }

  #keep(thread, files) {
    if (files.length > 0) this.#threads.set(thread, { files, isUnchanged: this.isUnchanged(thread) });
    else this.#threads.delete(thread);
  }

  remove(file) {
    this.#keep(file.thread, this.of(file.thread).filter((each) => each !== file));
    if (file.url) URL.revokeObjectURL(file.url);
  }

  /** Removes the files of a thread after they were sent. */
  clear(thread) {
    for (const file of this.of(thread)) this.remove(file);
  }

  /** Removes all files at the end of the session. */
  clearAll() {
    for (const thread of [...this.#threads.keys()]) this.clear(thread);
  }

  // MARK: Preparing

  get #next() {
    return [...this.#threads.values()].flatMap(({ files }) => files).find((file) => !file.blob);
  }

  /** Prepares one file at a time, because a decoded photo takes a multiple of its size. */
  async #prepareAll() {
    if (this.#isPreparing) return;
    this.#isPreparing = true;
    for (let file = this.#next; file; file = this.#next) await this.#prepare(file);
    this.#isPreparing = false;
  }

  async #prepare(file) {
    const { thread, original } = file;
    const isUnchanged = this.isUnchanged(thread);
    const made = isUnchanged ? { blob: original, type: BINARY, name: original.name } : await this.#reencoded(original);
    // The file was removed in the meantime, or its kind has changed. In the second case it is the next one again.
    if (!this.of(thread).includes(file) || isUnchanged !== this.isUnchanged(thread)) return;
    Object.assign(file, { width: undefined, height: undefined, note: undefined }, made, { name: fileName(made.name) });
    const problem = problemOf({ name: file.name, type: file.type, size: file.blob.size }, this.#limits());
    if (problem) this.remove(file);
    this.#onChange(problem ?? (file.note && S.photoUnreadable(file.name)));
  }

  async #reencoded(original) {
    try {
      return await this.#photo(original) ?? { blob: original, type: fileType(original.type), name: original.name };
    } catch {
      // The photo still contains the metadata of the camera. It is therefore not shown in the conversation, and the
      // user is informed.
      return { blob: original, type: BINARY, name: original.name, note: S.unchanged };
    }
  }
}
