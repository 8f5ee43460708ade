// The page of an app whose users log in elsewhere: a line, and the way there.
import { loginAddress, logoutRequest } from './entrance.js';
import { byID, element, setText } from '../shared/dom.js';
import { site } from '../shared/site.js';
import { S } from '../shared/strings.js';

/** The time at which this tab was sent to the site's login, in the session storage. */
const SENT = 'parley.sent';

export const isFramed = globalThis.window !== globalThis.window?.top;

/** The address that the login leads back to: that of the outer page, if it may be read. */
function place() {
  try {
    return window.top.location.href;
  } catch {
    return location.href;
  }
}

export class EntranceView {
  /** @param onRetry called when the user wants to try again */
  constructor(onRetry) {
    byID('entrance-retry').addEventListener('click', onRetry);
  }

  get sentAt() {
    try {
      return Number(sessionStorage.getItem(SENT) ?? NaN);
    } catch {
      return NaN;
    }
  }

  hide() {
    byID('entrance').hidden = true;
  }

  /** While the server is asked. */
  wait() { this.#show(S.connecting); }

  /** With a link to the site's login. */
  invite(text) { this.#show(text, { hasLink: true }); }

  retry(text) { this.#show(text, { canRetry: true }); }

  /** Sends the visitor to the site's login. */
  send() {
    this.wait();
    try {
      sessionStorage.setItem(SENT, `${Date.now()}`);
    } catch {
      // The worst case is a visitor whom the site sends back again and again, and who closes the page.
    }
    location.replace(loginAddress(site.login, place()));
  }

  /** A later visit without a login is sent there again. */
  entered() {
    this.hide();
    try {
      sessionStorage.removeItem(SENT);
    } catch {
      // Nothing was stored either.
    }
  }

  #show(text, { hasLink = false, canRetry = false } = {}) {
    document.title = S.appName;
    setText(byID('entrance-text'), text);
    const link = byID('entrance-login');
    link.hidden = !hasLink;
    if (hasLink) link.href = loginAddress(site.login, place());
    byID('entrance-retry').hidden = !canRetry;
    byID('entrance').hidden = false;
    if (hasLink) link.focus();
  }
}

/** Ends the login of the site, and leaves the page. */
export function leaveSite() {
  const { method, address, fields } = logoutRequest(site.logout, location.href, document.cookie);
  if (method === 'get') {
    if (isFramed) open(address, '_top');
    else location.assign(address);
    return;
  }
  const inputs = Object.entries(fields).map(([name, value]) => element('input', { type: 'hidden', name, value }));
  const form = element('form', { method, action: address, target: '_top', hidden: true }, ...inputs);
  document.body.append(form);
  form.submit();
}
