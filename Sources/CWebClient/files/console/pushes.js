// The services for pushes: the nodes with their keys, and the outcomes of the attempts.
import * as api from './api.js';
import { rowsOf, senderText } from './pushesText.js';
import { byID, element, reconcile, setNote, setText } from '../shared/dom.js';

const LABELS = ['Service', 'Key', 'Delivered', 'Gone', 'Retried', 'Refused', 'Misconfigured'];

export class PushesView {
  /** Counts look-ups, so that the answer to an earlier one is ignored. */
  #turn = 0;
  #nodes = [];

  constructor() {
    byID('pushes').addEventListener('toggle', () => this.refresh(this.#nodes));
  }

  /** Forgets everything for another login. */
  clear() {
    this.#turn += 1;
    this.#nodes = [];
    byID('pushes').open = false;
    byID('push-rows').replaceChildren();
    setNote(byID('push-note'), null);
  }

  /**
   * Shows the outcomes and the process that sends, if the list is open.
   * @param nodes the nodes of the overview
   */
  async refresh(nodes) {
    this.#nodes = nodes;
    if (!byID('pushes').open) return;
    this.#render(rowsOf(nodes));
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const groups = await api.eventGroups();
      if (turn === this.#turn) setNote(byID('push-note'), senderText(groups, Date.now()));
    } catch (error) {
      if (turn === this.#turn) setNote(byID('push-note'), error.message);
    }
  }

  #render(rows) {
    reconcile(byID('push-rows'), rows.map(({ kind, ...row }) => ({ key: kind, ...row })), () => {
      const row = element('tr', {}, ...LABELS.map((label) => element('td', { data: { label } })));
      for (const cell of [...row.children].slice(2)) cell.classList.add('number');
      return row;
    }, (row, { cells, isBad }) => {
      for (const [index, text] of cells.entries()) {
        setText(row.children[index], text);
        row.children[index].classList.toggle('none', text === '–');
      }
      row.lastElementChild.classList.toggle('bad-text', isBad);
    });
  }
}
