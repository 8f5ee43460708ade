// The groups of readers of the stream of events: who reads, their lag, and moves of their places.
import * as api from './api.js';
import { confirm } from './confirm.js';
import { moveText, placeOf, rowOf } from './eventGroupsText.js';
import { byID, element, reconcile, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

export class EventGroupsView {
  /** Counts look-ups, so that the answer to an earlier one is ignored. */
  #turn = 0;

  constructor() {
    byID('event-groups').addEventListener('toggle', () => this.refresh());
    byID('event-place').addEventListener('change', () => this.#showCursor());
    byID('event-move').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#run(byID('event-move-submit'), () => this.#move());
    });
  }

  /** Forgets the groups for another login. */
  clear() {
    this.#turn += 1;
    byID('event-groups').open = false;
    byID('event-move').reset();
    this.#showCursor();
    byID('event-rows').replaceChildren();
    byID('event-group').replaceChildren();
    for (const note of ['event-note', 'event-error']) setNote(byID(note), null);
  }

  /** Reads the groups, if the list is open. */
  async refresh() {
    if (!byID('event-groups').open) return;
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const groups = await api.eventGroups();
      if (turn !== this.#turn) return;
      this.#render(groups);
      setNote(byID('event-note'), groups.length ? null : 'No back end reads as a group.');
    } catch (error) {
      if (turn === this.#turn) setNote(byID('event-note'), error.message);
    }
  }

  #render(groups) {
    for (const id of ['event-table', 'event-move']) byID(id).hidden = groups.length === 0;
    const now = Date.now();
    reconcile(byID('event-rows'), groups.map((group) => ({ key: group.name, group })), ({ group }) => {
      const labels = ['Group', 'Reads', 'Behind', 'Acknowledged', 'Cursor'];
      const row = element('tr', {}, ...labels.map((label) => element('td', { data: { label } })));
      const remove = element('button', { type: 'button', class: 'link' }, 'Delete');
      remove.setAttribute('aria-label', `Delete the group ${visible(group.name)}`);
      remove.addEventListener('click', () => this.#run(remove, () => this.#delete(group.name)));
      row.append(element('td', {}, remove));
      return row;
    }, (row, { group }) => {
      for (const [index, text] of rowOf(group, now).entries()) setText(row.children[index], text);
    });
    reconcile(byID('event-group'), groups.map(({ name }) => ({ key: name })), ({ key }) => element('option', { value: key }, visible(key)), () => {});
  }

  #showCursor() {
    const isCursor = byID('event-place').value === 'cursor';
    byID('event-cursor-part').hidden = !isCursor;
    byID('event-cursor').required = isCursor;
  }

  async #move() {
    const [group, place] = [byID('event-group').value, byID('event-place').value];
    const cursor = placeOf(place, byID('event-cursor').value);
    const isMeant = await confirm({ ...moveText(visible(group), place), action: 'Move' });
    if (!isMeant) return;
    await api.moveEventGroup(group, cursor);
    byID('event-cursor').value = '';
  }

  async #delete(group) {
    const isMeant = await confirm({
      title: `Delete the group ${visible(group)}?`,
      text: 'Its place is forgotten, and its worker ends. A worker that asks for the group makes it again, and may read everything again.',
      action: 'Delete',
      name: group,
    });
    if (isMeant) await api.deleteEventGroup(group);
  }

  async #run(button, action) {
    button.disabled = true;
    setNote(byID('event-error'), null);
    try {
      await action();
      await this.refresh();
    } catch (error) {
      setNote(byID('event-error'), error.message);
    } finally {
      button.disabled = false;
    }
  }
}
