// The files that are to be sent with the next message of each thread, and how they are prepared. No elements here.
import { BINARY, fileName, fileType, kindOf, MOST_FILES, problemOf } from './attachments.js';
import { isPhoto } from './picture.js';
import { S } from './strings.js';

export class ChosenFiles {
  /** `{files, isUnchanged}` by thread, until they are sent or the page ends. */
  #threads = new Map();
  #count = 0;
  #isPreparing = false;
  #photo;
  #limits;
  #onChange;

  /**
   * @param photo makes a photo as it is sent, see picture.js; @param limits returns those of the server
   * @param onChange called when a file is prepared or refused, with what is to be said about it, if anything
   */
  constructor({ photo, limits, onChange }) {
    this.#photo = photo;
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /** Those of a thread, each `{key, name, type, original, blob, width?, height?, url?, note?}`; `blob` is `null` until it is prepared. */
  of(thread) {
    return this.#threads.get(thread)?.files ?? [];
  }

  /** Whether the photos of a thread are sent as files, with every byte. */
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

  /** @returns why some were not taken, in words; `null` if all were */
  add(thread, originals) {
    const problems = [];
    const files = [...this.of(thread)];
    for (const original of originals) {
      const type = fileType(original.type);
      const name = fileName(original.name);
      // Photos become smaller, so their size is looked at afterwards.
      const size = isPhoto(original.type) && original.size > 0 ? 1 : original.size;
      const problem = problemOf({ name, type, size }, this.#limits());
      if (problem) problems.push(problem);
      else if (files.length >= MOST_FILES) problems.push(S.mostFiles(MOST_FILES));
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

  /** They are sent. */
  clear(thread) {
    for (const file of this.of(thread)) this.remove(file);
  }

  /** The session has ended. */
  clearAll() {
    for (const thread of [...this.#threads.keys()]) this.clear(thread);
  }

  // MARK: Preparing

  get #next() {
    return [...this.#threads.values()].flatMap(({ files }) => files).find((file) => !file.blob);
  }

  /** One after the other: a decoded photo takes many times its size. */
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
    // Removed meanwhile, or to be sent as another kind: then it is the next one again.
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
      // It still has what the camera wrote into it, so it is not shown in the conversation, and the user is told.
      return { blob: original, type: BINARY, name: original.name, note: S.unchanged };
    }
  }
}
