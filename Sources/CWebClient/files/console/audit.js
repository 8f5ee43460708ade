// The audit log, with filters.
import * as api from './api.js';
import { actorText, filterOf, stateText } from './auditText.js';
import { byID, element, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

const NAMES = ['user', 'actor', 'thread', 'action', 'from', 'to'];

export class AuditView {
  #filter = {};
  #cursor = null;
  /** Counts look-ups, so that the answer to an earlier one is ignored. */
  #turn = 0;

  constructor() {
    byID('audit-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#find();
    });
    byID('audit-more').addEventListener('click', () => this.#load());
    byID('audit').addEventListener('toggle', () => {
      if (byID('audit').open && byID('audit-rows').children.length === 0) this.#find();
    });
  }

  /** Forgets the rows for another login. */
  clear() {
    this.#turn += 1;
    byID('audit').open = false;
    byID('audit-form').reset();
    byID('audit-rows').replaceChildren();
    setNote(byID('audit-note'), null);
  }

  #find() {
    this.#filter = filterOf(Object.fromEntries(NAMES.map((name) => [name, byID(`audit-${name}`).value])));
    this.#cursor = null;
    byID('audit-rows').replaceChildren();
    return this.#load();
  }

  async #load() {
    this.#turn += 1;
    const turn = this.#turn;
    setNote(byID('audit-note'), null);
    try {
      const { entries, next_cursor: cursor } = await api.audit({ ...this.#filter, ...(this.#cursor && { cursor: this.#cursor }) });
      if (turn !== this.#turn) return;
      this.#cursor = cursor;
      byID('audit-rows').append(...entries.map(row));
      byID('audit-more').hidden = !cursor;
      const isEmpty = byID('audit-rows').children.length === 0;
      byID('audit-table').hidden = isEmpty;
      if (isEmpty) setNote(byID('audit-note'), 'No entry matches.');
    } catch (error) {
      if (turn === this.#turn) setNote(byID('audit-note'), error.message);
    }
  }
}

function row(entry) {
  const cell = (label, ...children) => element('td', { data: { label } }, ...children);
  const user = entry.user_id && element('a', { href: `#/user/${encodeURIComponent(entry.user_id)}` }, visible(entry.user_id));
  const thread = entry.thread_id && element('a', { href: `#/thread/${encodeURIComponent(entry.thread_id)}` }, visible(entry.thread_id));
  const time = element('time', { dateTime: new Date(entry.at_ms).toISOString() });
  setText(time, new Date(entry.at_ms).toLocaleString());
  return element('tr', {}, cell('Time', time), cell('Action', entry.action.replaceAll('_', ' ')), cell('By', actorText(entry.actor)),
    cell('User', user ?? '–'), cell('Thread', thread ?? '–'), cell('Change', stateText(entry)));
}
