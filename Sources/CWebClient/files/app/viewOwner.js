// The dialog in which the owner hands a room or group over to another member.
import * as api from './api.js';
import { ask, labelled, openDialog } from './dialog.js';
import { element } from '../shared/dom.js';
import { explain } from '../shared/errors.js';
import { S } from '../shared/strings.js';

/** @param members `[{user, name}]` @param onDone called after the hand-over */
export function openOwner(thread, members, onDone) {
  const select = element('select', { id: 'new-owner' }, ...members.map(({ user, name }) => element('option', { value: user.id }, name)));
  const submit = element('button', { class: 'danger', type: 'submit', data: { action: 'hand-over' } }, S.handOver);
  const form = element('form', { class: 'stack' }, element('p', {}, S.handOverHint), labelled(S.newOwner, select), submit);
  const { close, note } = openDialog(S.handOverTitle, ...(members.length > 0 ? [form] : [element('p', { class: 'hint' }, S.noOtherMembers)]));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    note(null);
    const { name } = members.find(({ user }) => user.id === select.value);
    if (!(await ask(S.handOverQuestion(name), S.handOver))) return;
    submit.disabled = true;
    try {
      await api.entrances.setOwner(thread.id, api.byID(select.value));
      close();
      onDone();
    } catch (error) {
      submit.disabled = false;
      note(explain(error));
    }
  });
  if (members.length > 0) select.focus();
}
