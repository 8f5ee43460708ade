// The files that are to be sent with the next message: chosen, dropped or pasted, shown above the field.
import { BINARY, fileName, fileType, kindOf, MOST_FILES, problemOf } from './attachments.js';
import { byID, element, icon, iconButton, reconcile, setText } from './dom.js';
import { sizeText } from './format.js';
import { isPhoto, photo } from './picture.js';
import { S } from './strings.js';

export class Tray {
  #chat;
  #onChange;
  /** The files of each thread, until they are sent or the page ends. */
  #all = new Map();
  #count = 0;

  /** @param onChange called with a text to show, `''` for none, or nothing if the one before stays */
  constructor(chat, onChange, signal) {
    this.#chat = chat;
    this.#onChange = onChange;
    const on = (node, type, action) => node.addEventListener(type, action, { signal });
    const input = byID('file');
    on(byID('add-file'), 'click', () => input.click());
    on(input, 'change', () => {
      const files = [...input.files];
      input.value = '';
      this.#add(files);
    });
    on(byID('as-files'), 'change', () => this.#prepareAgain());
    on(byID('text'), 'paste', (event) => this.#pasted(event));
    this.#takeDrops(on);
  }

  get #files() {
    return this.#all.get(this.#chat.openID) ?? [];
  }

  get isEmpty() {
    return this.#files.length === 0;
  }

  /** Whether all files can be sent. */
  get isReady() {
    return this.#files.every((file) => file.blob);
  }

  /** The files to send. */
  files() {
    return this.#files.map(({ name, type, blob, width, height }) => ({ name, type, size: blob.size, blob, ...(width && { width, height }) }));
  }

  /** They are sent. */
  clear() {
    this.#files.forEach((file) => this.#remove(file));
    byID('as-files').checked = false;
  }

  render({ isHidden }) {
    byID('add-file').hidden = this.#chat.limits === null || isHidden;
    byID('tray').hidden = this.isEmpty || isHidden;
    byID('as-files-label').hidden = byID('tray').hidden || !this.#files.some((file) => isPhoto(file.original.type));
    reconcile(byID('tray'), this.#files, (file) => this.#create(file), (node, file) => {
      node.classList.toggle('busy', !file.blob);
      setText(node.querySelector('.file-size'), sizeText((file.blob ?? file.original).size));
    });
  }

  get #mayAdd() {
    return this.#chat.limits !== null && !byID('add-file').hidden && !byID('add-file').disabled;
  }

  // MARK: Adding

  async #add(originals) {
    const thread = this.#chat.openID;
    const problems = [];
    const added = [];
    for (const original of originals) {
      const name = fileName(original.name);
      const file = { key: `${this.#count += 1}`, original, name, thread };
      // Photos become smaller, so their size is looked at afterwards.
      const size = isPhoto(original.type) && original.size > 0 ? 1 : original.size;
      const problem = problemOf({ name, type: fileType(original.type), size }, this.#chat.limits);
      if (problem) problems.push(problem);
      else if (this.#files.length + added.length >= MOST_FILES) problems.push(S.mostFiles(MOST_FILES));
      else added.push(file);
    }
    if (added.length > 0) this.#all.set(thread, [...this.#files, ...added]);
    this.#onChange(problems[0] ?? S.filesAdded(added.length));
    await Promise.all(added.map((file) => this.#prepare(file)));
  }

  async #prepare(file) {
    const { original, thread } = file;
    const asFile = byID('as-files').checked && isPhoto(original.type);
    const type = fileType(original.type);
    file.blob = null;
    const smaller = asFile ? null : await photo(original).catch(() => null);
    const made = smaller ?? { blob: original, type: asFile ? BINARY : type, name: original.name };
    // Removed, or sent as another kind, meanwhile.
    if (!this.#all.get(thread)?.includes(file) || asFile !== (byID('as-files').checked && isPhoto(original.type))) return;
    Object.assign(file, { width: undefined, height: undefined }, made, { name: fileName(made.name) });
    const problem = problemOf({ name: file.name, type: file.type, size: file.blob.size }, this.#chat.limits);
    if (problem) this.#remove(file);
    this.#onChange(problem ?? undefined);
  }

  #prepareAgain() {
    this.#files.filter((file) => isPhoto(file.original.type)).forEach((file) => this.#prepare(file));
    this.#onChange();
  }

  #remove(file) {
    const files = (this.#all.get(file.thread) ?? []).filter((each) => each !== file);
    if (files.length > 0) this.#all.set(file.thread, files);
    else this.#all.delete(file.thread);
    if (file.url) URL.revokeObjectURL(file.url);
  }

  // MARK: Elements

  #create(file) {
    const isShown = kindOf(file.original.type) === 'picture';
    if (isShown) file.url ??= URL.createObjectURL(file.original);
    const remove = iconButton('close', S.removeFile(file.name));
    remove.addEventListener('click', () => {
      const next = remove.closest('li').nextElementSibling ?? remove.closest('li').previousElementSibling;
      this.#remove(file);
      this.#onChange('');
      (next?.querySelector('button') ?? byID('text')).focus();
    });
    return element('li', { class: 'tray-file' },
      isShown ? element('img', { class: 'thumbnail', src: file.url, alt: '' }) : element('span', { class: 'thumbnail' }, icon('file')),
      element('span', { class: 'file-text' }, element('strong', {}, file.name), element('span', { class: 'file-size' })), remove);
  }

  // MARK: Dropping and pasting

  #pasted(event) {
    const { files, types } = event.clipboardData;
    // Office programs add a picture of the text.
    const isText = types.includes('text/plain') && types.includes('text/html');
    if (files.length === 0 || isText || !this.#mayAdd) return;
    event.preventDefault();
    this.#add([...files]);
  }

  #takeDrops(on) {
    const thread = byID('thread');
    const hint = byID('drop-hint');
    const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
    // Anywhere else the browser would leave the page and open the file.
    for (const type of ['dragover', 'drop']) on(document, type, (event) => { if (hasFiles(event)) event.preventDefault(); });
    const show = (event) => {
      if (!hasFiles(event) || !this.#mayAdd || document.querySelector('dialog')) return;
      setText(hint, S.dropFiles(this.#chat.openThread?.title ?? S.thread));
      hint.hidden = false;
    };
    on(thread, 'dragenter', show);
    on(thread, 'dragover', show);
    on(thread, 'dragleave', (event) => { if (!thread.contains(event.relatedTarget)) hint.hidden = true; });
    on(document, 'drop', () => { hint.hidden = true; });
    on(thread, 'drop', (event) => {
      if (!hasFiles(event) || !this.#mayAdd) return;
      const items = [...event.dataTransfer.items].filter((item) => item.kind === 'file' && !item.webkitGetAsEntry?.()?.isDirectory);
      this.#add(items.map((item) => item.getAsFile()).filter(Boolean));
      byID('text').focus();
    });
  }
}
