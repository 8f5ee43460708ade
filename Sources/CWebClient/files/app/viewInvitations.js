// The invitations of the user, above the list of threads.
import * as api from './api.js';
import { byID, element, reconcile, setNote, setText } from '../shared/dom.js';
import { explain } from '../shared/errors.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';
import { announce } from './viewList.js';
import { invitationText } from './waysIn.js';

export class InvitationsView {
  #chat;
  #onOpened;
  /** The threads whose invitations are being answered. */
  #busy = new Set();

  /** @param onOpened called with the ID of a thread that the user has entered */
  constructor(chat, onOpened) {
    this.#chat = chat;
    this.#onOpened = onOpened;
  }

  render() {
    const now = Date.now();
    const invitations = this.#chat.invitations.current(now);
    byID('invitations').hidden = invitations.length === 0;
    if (invitations.length === 0) setNote(byID('invitations-error'), null);
    const items = invitations.map((invitation) => ({ key: invitation.thread.id, invitation, now }));
    reconcile(byID('invitation-list'), items, (item) => this.#row(item), (node, item) => this.#update(node, item));
  }

  #row({ invitation: { thread } }) {
    const title = visible(thread.title);
    const button = (action, label, name, perform, className) => {
      const result = element('button', { class: className, type: 'button', data: { action }, attributes: { 'aria-label': name } }, label);
      result.addEventListener('click', () => this.#answer(thread.id, perform));
      return result;
    };
    return element('li', { class: 'invitation' },
      element('strong', { dir: 'auto' }, title), element('span', { class: 'hint', dir: 'auto' }),
      element('div', { class: 'dialog-actions' },
        button('accept', S.accept, S.acceptInvitation(title), () => this.#accept(thread.id), 'primary'),
        button('decline', S.decline, S.declineInvitation(title), () => api.entrances.declineInvitation(thread.id), 'secondary')));
  }

  #update(node, { invitation, now }) {
    setText(node.querySelector('strong'), visible(invitation.thread.title));
    setText(node.querySelector('.hint'), invitationText(invitation, now));
    for (const button of node.querySelectorAll('button')) button.disabled = this.#busy.has(invitation.thread.id);
  }

  async #accept(id) {
    await api.entrances.acceptInvitation(id);
    this.#chat.client.refresh();
    this.#onOpened(id);
  }

  async #answer(id, perform) {
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    this.render();
    setNote(byID('invitations-error'), null);
    try {
      await perform();
      this.#chat.invitations.answered(id);
      announce(S.invitationAnswered);
    } catch (error) {
      // It was withdrawn, or has expired.
      if (error.status === 404) this.#chat.invitations.answered(id);
      setNote(byID('invitations-error'), error.status === 404 ? S.invitationGone : explain(error, 'join'));
    } finally {
      this.#busy.delete(id);
      this.render();
    }
    // The row that had the focus is gone.
    if (document.activeElement === document.body) (document.querySelector('#invitation-list button') ?? byID('inbox-heading')).focus();
  }
}
