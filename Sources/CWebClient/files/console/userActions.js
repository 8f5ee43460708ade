// The actions of an operator on an account: suspension, password, operator rights, erasure.
import * as api from './api.js';
import { confirm } from './confirm.js';
import { fields, rest } from './restrict.js';
import { byID, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

/** The actions below a user. */
export class UserActions {
  #user = null;
  #found = null;
  #onChanged;

  /** @param onChanged called after a change with what happened */
  constructor(onChanged) {
    this.#onChanged = onChanged;
    this.#submit('suspend-form', () => this.#suspend());
    this.#submit('password-form', () => this.#setPassword());
    byID('unsuspend').addEventListener('click', () => this.#run(byID('unsuspend'), () => this.#endSuspension()));
    byID('operator').addEventListener('click', () => this.#run(byID('operator'), () => this.#setOperator()));
    byID('erase').addEventListener('click', () => this.#run(byID('erase'), () => this.#erase()));
  }

  /** Forgets the user and the entries before another subject is shown. */
  forget() {
    this.#user = null;
    this.#reset();
  }

  /** @param found an answer about a user */
  render(found) {
    this.#found = found;
    this.#user = found.user;
    const { suspension, is_operator: isOperator } = found;
    setText(byID('suspension'), suspension ? `Suspended ${rest(suspension, Date.now())}` : '');
    byID('suspension').hidden = !suspension;
    byID('unsuspend').hidden = !suspension;
    setText(byID('suspend-submit'), suspension ? 'Replace the suspension' : 'Suspend');
    setText(byID('operator'), isOperator ? 'Take operator rights' : 'Make an operator');
  }

  #reset() {
    for (const form of ['suspend-form', 'password-form']) byID(form).reset();
    setNote(byID('user-error'), null);
  }

  get #name() {
    return visible(this.#user.username);
  }

  async #suspend() {
    const wanted = fields(byID('suspend-hours').value, byID('suspend-reason').value);
    const isMeant = await confirm({
      title: `Suspend ${this.#name}?`,
      text: 'Every login and request is refused, and all sockets close with 4003. The user reads the reason. Nothing is lost.',
      action: 'Suspend',
    });
    if (!isMeant) return null;
    await api.suspend(this.#user.id, wanted);
    this.#reset();
    return `${this.#name} is suspended.`;
  }

  async #endSuspension() {
    await api.endSuspension(this.#user.id);
    return 'The suspension is ended.';
  }

  async #setPassword() {
    const isMeant = await confirm({
      title: `Set another password for ${this.#name}?`,
      text: 'All sessions end, and all sockets close with 4001. Pass the new password on to the user.',
      action: 'Set the password',
    });
    if (!isMeant) return null;
    await api.setPassword(this.#user.id, byID('new-password').value);
    this.#reset();
    return 'The password is set, and all sessions are ended.';
  }

  async #setOperator() {
    const isGrant = !this.#found.is_operator;
    const isMeant = await confirm({
      title: isGrant ? `Make ${this.#name} an operator?` : `Take operator rights from ${this.#name}?`,
      text: isGrant ? 'Operators use this console, and may do all that it offers.'
        : 'Users named in PARLEY_AUTH_ADMINS or by a JWT claim stay operators.',
      action: isGrant ? 'Make an operator' : 'Take the rights',
    });
    if (!isMeant) return null;
    await api.setOperator(this.#user.id, isGrant);
    return isGrant ? `${this.#name} is an operator.` : `${this.#name} has no granted rights.`;
  }

  async #erase() {
    const isMeant = await confirm({
      title: `Erase ${this.#name}?`,
      text: 'Name, profile, sessions, memberships and the texts of all messages are removed. This cannot be undone.',
      action: 'Erase',
      name: this.#user.username,
    });
    if (!isMeant) return null;
    const name = this.#name;
    await api.eraseUser(this.#user.id);
    return { isGone: true, text: `${name} was erased.` };
  }

  #submit(form, action) {
    byID(form).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#run(byID(form).querySelector('button'), action);
    });
  }

  async #run(button, action) {
    const user = this.#user;
    button.disabled = true;
    setNote(byID('user-error'), null);
    try {
      const done = await action();
      if (done) await this.#onChanged(done);
    } catch (error) {
      // Another user may be shown in the meantime.
      if (user.id === this.#user?.id) setNote(byID('user-error'), error.message);
    } finally {
      button.disabled = false;
    }
  }
}
