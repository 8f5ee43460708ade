// The files to send with the next message: chosen, dropped or pasted, and shown above the field.
import { ChosenFiles } from './chosenFiles.js';
import { byID, element, icon, iconButton, reconcile, setNote, setText } from '../shared/dom.js';
import { sizeText } from '../shared/format.js';
import { isPhoto, photo } from './picture.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

export class Tray {
  #chat;
  #onChange;
  #chosen;

  /** @param onChange called with a text to show, `''` for none, or nothing to keep the previous one */
  constructor(chat, onChange, signal) {
    this.#chat = chat;
    this.#onChange = onChange;
    this.#chosen = new ChosenFiles({ photo, limits: () => chat.limits, onChange });
    signal.addEventListener('abort', () => this.#chosen.clearAll());
    const on = (node, type, action) => node.addEventListener(type, action, { signal });
    const input = byID('file');
    on(byID('add-file'), 'click', () => input.click());
    on(input, 'change', () => {
      const files = [...input.files];
      input.value = '';
      this.#add(files);
    });
    on(byID('as-files'), 'change', ({ target }) => {
      this.#chosen.setUnchanged(chat.openID, target.checked);
      onChange();
    });
    on(byID('text'), 'paste', (event) => this.#pasted(event));
    this.#takeDrops(on);
  }

  get #files() {
    return this.#chosen.of(this.#chat.openID);
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

  /** Removes the files after they were sent. */
  clear() {
    this.#chosen.clear(this.#chat.openID);
  }

  render({ isHidden }) {
    byID('add-file').hidden = this.#chat.limits === null || isHidden;
    byID('tray').hidden = this.isEmpty || isHidden;
    byID('as-files-label').hidden = byID('tray').hidden || !this.#files.some((file) => isPhoto(file.original.type));
    byID('as-files').checked = this.#chosen.isUnchanged(this.#chat.openID);
    reconcile(byID('tray'), this.#files, (file) => this.#create(file), (node, file) => {
      node.classList.toggle('busy', !file.blob);
      setText(node.querySelector('.file-size'), sizeText((file.blob ?? file.original).size));
      setNote(node.querySelector('.file-note'), file.note);
    });
  }

  get #mayAdd() {
    return this.#chat.limits !== null && !byID('add-file').hidden && !byID('add-file').disabled;
  }

  #add(originals) {
    const before = this.#files.length;
    const problem = this.#chosen.add(this.#chat.openID, originals);
    this.#onChange(problem ?? S.filesAdded(this.#files.length - before));
  }

  // MARK: Elements

  #create(file) {
    const remove = iconButton('close', S.removeFile(file.name));
    remove.addEventListener('click', () => {
      const next = remove.closest('li').nextElementSibling ?? remove.closest('li').previousElementSibling;
      this.#chosen.remove(file);
      this.#onChange('');
      (next?.querySelector('button') ?? byID('text')).focus();
    });
    return element('li', { class: 'tray-file' },
      file.url ? element('img', { class: 'thumbnail', src: file.url, alt: '' }) : element('span', { class: 'thumbnail' }, icon('file')),
      element('span', { class: 'file-text' }, element('strong', {}, file.name), element('span', { class: 'file-size' }),
        element('span', { class: 'file-note', hidden: true })), remove);
  }

  // MARK: Dropping and pasting

  #pasted(event) {
    const { files, types } = event.clipboardData;
    // Office programs add a picture of the copied text.
    const isText = types.includes('text/plain') && types.includes('text/html');
    if (files.length === 0 || isText || !this.#mayAdd) return;
    event.preventDefault();
    this.#add([...files]);
  }

  #takeDrops(on) {
    const thread = byID('thread');
    const hint = byID('drop-hint');
    const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
    // Without this, a drop elsewhere would make the browser leave the page and open the file.
    for (const type of ['dragover', 'drop']) on(document, type, (event) => { if (hasFiles(event)) event.preventDefault(); });
    const show = (event) => {
      if (!hasFiles(event) || !this.#mayAdd || document.querySelector('dialog')) return;
      setText(hint, S.dropFiles(visible(this.#chat.openThread?.title ?? S.thread)));
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
