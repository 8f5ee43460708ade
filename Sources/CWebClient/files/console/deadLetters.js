// The dead letters of an endpoint, page by page, which are sent again or deleted.
import * as api from './api.js';
import { confirm } from './confirm.js';
import { letterRow, replayText } from './webhooksText.js';
import { byID, element, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

const LABELS = ['Event', 'Thread', 'Last attempt', 'Attempts', 'Reason'];

export class DeadLettersView {
  #id = null;
  #cursor = null;
  /** Counts look-ups, so that the answer to an earlier one is ignored. */
  #turn = 0;
  #onChanged;

  /** @param onChanged called after a change */
  constructor(onChanged) {
    this.#onChanged = onChanged;
    byID('letters-more').addEventListener('click', () => this.#run(byID('letters-more'), () => this.#load()));
    byID('letters-reload').addEventListener('click', () => this.#run(byID('letters-reload'), () => this.#reload()));
    byID('letters-replay').addEventListener('click', () => this.#run(byID('letters-replay'), () => this.#replayAll()));
  }

  /** Shows the newest dead letters of an endpoint. */
  open(id) {
    this.clear();
    this.#id = id;
    this.#run(byID('letters-reload'), () => this.#reload());
  }

  /** Forgets the endpoint and its dead letters. */
  clear() {
    this.#turn += 1;
    this.#id = null;
    this.#cursor = null;
    byID('letters-rows').replaceChildren();
    for (const id of ['letters-table', 'letters-more', 'letters-replay']) byID(id).hidden = true;
    for (const note of ['letters-note', 'letters-error']) setNote(byID(note), null);
  }

  #reload() {
    this.#cursor = null;
    return this.#load();
  }

  async #load() {
    this.#turn += 1;
    const [turn, cursor] = [this.#turn, this.#cursor];
    const { dead_letters: letters, next_cursor: next } = await api.deadLetters(this.#id, cursor);
    if (turn !== this.#turn) return;
    if (!cursor) byID('letters-rows').replaceChildren();
    this.#cursor = next;
    byID('letters-rows').append(...letters.map((letter) => this.#row(letter)));
    byID('letters-more').hidden = !next;
    this.#showCount();
    setNote(byID('letters-note'), byID('letters-rows').children.length ? null : 'It has no dead letters.');
  }

  #showCount() {
    const isEmpty = byID('letters-rows').children.length === 0;
    for (const id of ['letters-table', 'letters-replay']) byID(id).hidden = isEmpty;
  }

  #row(letter) {
    const cells = letterRow(letter).map((text, index) => element('td', { data: { label: LABELS[index] } }, text));
    cells[3].classList.add('number');
    const [replay, remove] = ['Send again', 'Delete'].map((name) => {
      const button = element('button', { type: 'button', class: 'link' }, name);
      button.setAttribute('aria-label', `${name}: the event ${visible(letter.event)}`);
      return button;
    });
    replay.hidden = letter.replayed;
    const row = element('tr', {}, ...cells, element('td', { data: { label: '' } }, element('span', { class: 'row' }, replay, remove)));
    replay.addEventListener('click', () => this.#run(replay, () => this.#replay(letter, row)));
    remove.addEventListener('click', () => this.#run(remove, () => this.#delete(letter, row)));
    return row;
  }

  async #replay(letter, row) {
    await this.#change(api.replayDeadLetters(this.#id, [letter.id]), (count) => {
      setText(row.children[4], letterRow({ ...letter, replayed: true })[4]);
      row.querySelector('button').hidden = true;
      // The focus would be lost with its button.
      row.querySelector('button:not([hidden])').focus();
      setNote(byID('letters-note'), replayText(count));
    });
  }

  async #replayAll() {
    const isMeant = await confirm({
      title: 'Send all dead letters again?',
      text: 'Each one is sent once, in their order. Those that are accepted or no longer exist are removed.',
      action: 'Send again',
    });
    if (!isMeant) return;
    await this.#change(api.replayDeadLetters(this.#id), async (count) => {
      await this.#reload();
      setNote(byID('letters-note'), replayText(count));
    });
  }

  async #delete(letter, row) {
    const isMeant = await confirm({
      title: 'Delete this dead letter?',
      text: `The endpoint does not get the event ${visible(letter.event)}.`,
      action: 'Delete',
    });
    if (!isMeant) return;
    await this.#change(api.deleteDeadLetter(this.#id, letter.id), () => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector('button:not([hidden])') ?? byID('letters-reload')).focus();
      this.#showCount();
      setNote(byID('letters-note'), 'The dead letter was deleted.');
    });
  }

  /** Shows the effect of a call, unless another endpoint was opened in the meantime. */
  async #change(call, show) {
    const id = this.#id;
    const answer = await call;
    if (id !== this.#id) return;
    await show(answer);
    await this.#onChanged();
  }

  async #run(button, action) {
    const id = this.#id;
    button.disabled = true;
    setNote(byID('letters-error'), null);
    try {
      await action();
    } catch (error) {
      if (id === this.#id) setNote(byID('letters-error'), error.message);
    } finally {
      button.disabled = false;
    }
  }
}
