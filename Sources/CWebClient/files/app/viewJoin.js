// The page of a link: where it leads, and joining.
import * as api from './api.js';
import { openDialog } from './dialog.js';
import { element } from '../shared/dom.js';
import { explain } from '../shared/errors.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

/** @param onOpened called with the ID of the thread after joining @param onClosed called if the user does not join */
export async function openJoin(code, chat, onOpened, onClosed) {
  const status = element('p', { class: 'hint', attributes: { role: 'status' } }, S.loading);
  const body = element('div', { class: 'stack' }, status);
  const { dialog, close, note } = openDialog(S.joinByLink, body);
  let isIn = false;
  dialog.addEventListener('close', () => { if (!isIn) onClosed(); });
  const enter = (id) => {
    isIn = true;
    close();
    onOpened(id);
  };

  async function load() {
    note(null);
    try {
      show(await api.entrances.link(code));
    } catch (error) {
      status.remove();
      const again = element('button', { class: 'secondary', type: 'button' }, S.tryAgain);
      again.addEventListener('click', load);
      body.replaceChildren(...(error.status === 404 ? [] : [again]));
      note(error.status === 404 ? S.linkInvalid : explain(error));
    }
  }

  function show({ thread, members, is_member: isMember }) {
    const join = element('button', { class: 'primary', type: 'button', data: { action: 'join' } }, isMember ? S.open : S.join);
    join.addEventListener('click', async () => {
      if (isMember && thread.id) {
        enter(thread.id);
        return;
      }
      note(null);
      join.disabled = true;
      try {
        const { id } = await api.entrances.joinLink(code);
        chat.client.refresh();
        enter(id);
      } catch (error) {
        note(error.status === 404 ? S.linkInvalid : explain(error, 'join'));
        join.disabled = false;
      }
    });
    const facts = [S.memberCount(members), thread.kind === 'group' ? S.aGroup : S.visibilities[thread.visibility]];
    body.replaceChildren(
      element('p', { class: 'join-title', dir: 'auto' }, visible(thread.title)),
      element('p', { class: 'hint' }, facts.filter(Boolean).join(' · ')),
      ...(isMember ? [element('p', {}, S.alreadyMember)] : []), element('div', { class: 'dialog-actions' }, join));
    join.focus();
  }

  await load();
}
