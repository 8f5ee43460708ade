// The page to get into the console, by API key or as an operator.
import * as api from './consoleAPI.js';
import { byID, setNote } from './dom.js';

/** Shows the forms in `#login`, and says when somebody may have got in. */
export class LoginView {
  #onEntered;

  constructor(onEntered) {
    this.#onEntered = onEntered;
    byID('key-form').addEventListener('submit', (event) => {
      event.preventDefault();
      api.setKey(byID('key').value.trim());
      byID('key').value = '';
      this.#onEntered();
    });
    byID('login-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#logIn();
    });
  }

  /** @param error why one is not in, if it needs saying */
  show(error = null) {
    setNote(byID('login-error'), error);
    byID('login').hidden = false;
    byID('key').focus();
  }

  hide() {
    byID('login').hidden = true;
    byID('password').value = '';
    setNote(byID('login-error'), null);
  }

  async #logIn() {
    const button = byID('login-submit');
    button.disabled = true;
    setNote(byID('login-error'), null);
    try {
      await api.logIn(byID('username').value, byID('password').value);
      this.#onEntered();
    } catch (error) {
      setNote(byID('login-error'), error.message);
      byID('password').select();
    } finally {
      button.disabled = false;
    }
  }
}
