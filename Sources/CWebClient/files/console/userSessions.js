// The sessions of a user, one for each login, which an operator may end.
import * as api from './api.js';
import { confirm } from './confirm.js';
import { sessionText } from './format.js';
import { byID, element, reconcile, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

/** The list below a user. */
export class UserSessions {
  #user = null;
  #onChanged;

  /** @param onChanged called after a change with what happened */
  constructor(onChanged) {
    this.#onChanged = onChanged;
  }

  /** Forgets the user and the list before another subject is shown. */
  forget() {
    this.#user = null;
    byID('sessions').replaceChildren();
    for (const note of ['sessions-empty', 'sessions-more']) byID(note).hidden = true;
    setNote(byID('sessions-error'), null);
  }

  /** Reads the list when a user is opened, not at each poll. */
  render(user) {
    const isOther = this.#user?.id !== user.id;
    this.#user = user;
    if (isOther) this.load();
  }

  /** Reads the list again, after a change. */
  async load() {
    const id = this.#user?.id;
    if (!id) return;
    try {
      const found = await api.sessions(id);
      if (id === this.#user?.id) this.#show(found);
    } catch (error) {
      if (id === this.#user?.id) setNote(byID('sessions-error'), error.message);
    }
  }

  #show({ sessions, next_cursor: more }) {
    byID('sessions-empty').hidden = sessions.length > 0;
    byID('sessions-more').hidden = !more;
    const now = Date.now();
    reconcile(byID('sessions'), sessions.map((session) => ({ key: session.id, session })), ({ session }) => {
      const end = element('button', { type: 'button', class: 'link' }, 'End');
      end.setAttribute('aria-label', `End the session ${session.id}`);
      end.addEventListener('click', () => this.#end(end, session.id));
      return element('li', {}, element('span', { class: 'pill' }, session.id), element('span', { class: 'hint' }), end);
    }, (row, { session }) => setText(row.children[1], sessionText(session, now)));
  }

  async #end(button, session) {
    const user = this.#user;
    button.disabled = true;
    setNote(byID('sessions-error'), null);
    try {
      const isMeant = await confirm({
        title: `End this session of ${visible(user.username)}?`,
        text: 'Its sockets close with 4001. Other sessions stay, and the user can log in again.',
        action: 'End',
      });
      if (!isMeant) return;
      await api.endSession(user.id, session);
      await this.#onChanged('The session is ended.');
      if (user.id === this.#user?.id) await this.load();
    } catch (error) {
      // Another user may be shown in the meantime.
      if (user.id === this.#user?.id) setNote(byID('sessions-error'), error.message);
    } finally {
      button.disabled = false;
    }
  }
}
