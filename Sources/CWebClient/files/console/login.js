// The login page of the console, by API key or as an operator.
import * as api from './api.js';
import { byID, setNote } from '../shared/dom.js';

/** Shows the forms in `#login`, and reports when credentials have been entered. */
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

  /** @param error the reason that the login failed, if it did */
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
