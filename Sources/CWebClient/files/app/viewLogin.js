// The page for login and sign-up.
import * as api from './api.js';
import { providerAddress } from './entrance.js';
import { explain } from '../shared/errors.js';
import { byID, setNote, setText } from '../shared/dom.js';
import { site } from '../shared/site.js';
import { S } from '../shared/strings.js';

/** Shows the form in `#login`, and reports `{id, username}` after a login. */
export class LoginView {
  #onEntered;
  #isSigningUp = false;

  constructor(onEntered) {
    this.#onEntered = onEntered;
    byID('login-passwords').hidden = !site.passwords;
    byID('login-submit').hidden = !site.passwords;
    byID('login-other').hidden = !site.signUp;
    const provider = byID('login-provider');
    provider.hidden = !site.provider;
    if (site.provider) {
      setText(provider, S.logInWith(site.provider));
      provider.classList.toggle('primary', !site.passwords);
      provider.classList.toggle('secondary', site.passwords);
      // The page may be at another conversation by then.
      provider.addEventListener('click', () => { provider.href = providerAddress(location.href); });
    }
    byID('login-switch').addEventListener('click', () => {
      this.#isSigningUp = !this.#isSigningUp;
      setNote(byID('login-error'), null);
      this.#render();
      byID('username').focus();
    });
    byID('login-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** @param notice the reason that a login is required, if it needs an explanation */
  show(notice = null) {
    this.#isSigningUp = false;
    setNote(byID('login-notice'), notice);
    setNote(byID('login-error'), null);
    this.#render();
    if (site.provider) byID('login-provider').href = providerAddress(location.href);
    byID('login').hidden = false;
    byID(site.passwords ? 'username' : 'login-provider').focus();
  }

  hide() {
    byID('login').hidden = true;
    byID('password').value = '';
  }

  #render() {
    const isNew = this.#isSigningUp;
    document.title = S.pageTitle(isNew ? S.signUp : S.logIn);
    setText(byID('login-heading'), isNew ? S.signUpTitle : S.logInTitle);
    setText(byID('login-submit'), isNew ? S.signUp : S.logIn);
    setText(byID('login-question'), isNew ? S.beenHere : S.newHere);
    setText(byID('login-switch'), isNew ? S.logIn : S.signUpTitle);
    byID('password').autocomplete = isNew ? 'new-password' : 'current-password';
    byID('password-hint').hidden = !isNew;
  }

  async #submit() {
    const button = byID('login-submit');
    if (button.disabled) return;
    button.disabled = true;
    setNote(byID('login-error'), null);
    try {
      const enter = this.#isSigningUp ? api.signUp : api.logIn;
      const me = await enter(byID('username').value, byID('password').value);
      this.hide();
      this.#onEntered(me);
    } catch (error) {
      setNote(byID('login-error'), explain(error, this.#isSigningUp ? 'signUp' : 'logIn'));
      byID('password').select();
      byID('password').focus();
    } finally {
      button.disabled = false;
    }
  }
}
