// The part of the dialog for a new conversation that makes a group with members.
import * as api from './api.js';
import { historySelect, labelled } from './dialog.js';
import { element, iconButton, setNote } from '../shared/dom.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

/** The most members that a group begins with, besides its owner. */
const MAX_MEMBERS = 50;

/** @param attempt runs a call that resolves to the thread, and opens it @param find see `peoplePanel` */
export function groupPanel(panel, attempt, find) {
  const title = element('input', { id: 'group-title', maxLength: 64, autocomplete: 'off' });
  const history = historySelect('group-history', 'all');
  const chosen = new Map();
  const list = element('ul', { class: 'chosen', attributes: { 'aria-label': S.groupMembers } });
  const hint = element('p', { class: 'hint', attributes: { role: 'status' } });
  const submit = element('button', { id: 'group-create', class: 'primary', type: 'submit' }, S.createGroup);
  const people = element('div', { class: 'stack' });
  const form = element('form', { class: 'stack' }, labelled(S.groupTitle, title), labelled(S.history, history), submit);
  panel.append(people, list, form, hint);

  const show = () => {
    list.replaceChildren(...[...chosen.values()].map((user) => {
      const name = visible(user.username);
      const remove = iconButton('close', S.removeMember(name), { data: { action: 'unchoose' } });
      remove.addEventListener('click', () => {
        chosen.delete(user.id);
        show();
        panel.querySelector('input').focus();
      });
      return element('li', {}, element('span', { dir: 'auto' }, name), remove);
    }));
    submit.disabled = chosen.size === 0;
    setNote(hint, chosen.size === 0 ? S.groupHint : S.memberCount(chosen.size + 1));
  };
  find(people, S.add, (user) => {
    if (chosen.size < MAX_MEMBERS) chosen.set(user.id, user);
    show();
    if (chosen.size >= MAX_MEMBERS) setNote(hint, S.groupFull(MAX_MEMBERS));
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const name = title.value.trim();
    const members = [...chosen.keys()].map(api.byID);
    attempt(() => api.entrances.createGroup({ members, history: history.value, ...(name && { title: name }) }));
  });
  show();
}
