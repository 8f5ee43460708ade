// Who uses the page, and what follows from it. Values only.

/** A page that sends visitors to the login of its site does so once within this time, in milliseconds. */
const ONCE = 60_000;

/**
 * @param answer of `/v1/me`: `{me}`, `{isSignedOut}` or `{error}`
 * @param known the user that this device remembers, or `null`
 * @param site see `siteOf`
 * @param sentAt the time when this tab was last sent to the site's login; `NaN` if never
 * @param isFramed whether the page is in a frame, in which the site's login may refuse to appear
 * @returns what to do: `enter`, `open` (without a connection), `send` (to the site's login), `invite` (with a link to
 * it), `retry` or `form`
 */
export function nextStep({ answer, known, site, sentAt, isFramed, now }) {
  if (answer.me) return 'enter';
  if (!site.login) return answer.error && known ? 'open' : 'form';
  if (answer.error) return known ? 'open' : 'retry';
  // A site may consider a user logged in whom this server rejects, and send the page back immediately.
  return isFramed || now - sentAt < ONCE ? 'invite' : 'send';
}

/**
 * The address of the site's login that leads back.
 * @param place the address of the page; of the outer page, if this one is in a frame
 */
export function loginAddress(login, place) {
  const here = new URL(place);
  const there = new URL(login, here);
  const isSame = there.origin === here.origin;
  there.searchParams.set('next', isSame ? `${here.pathname}${here.search}${here.hash}` : here.href);
  return there.href;
}

/** The most that a login at the OpenID provider can lead back to, in characters. */
const LONGEST = 1024;

/**
 * The address that begins a login at the OpenID provider, and leads back.
 * @param place the address of the page
 */
export function providerAddress(place) {
  const { pathname, search, hash } = new URL(place);
  const whole = `${pathname}${search}${hash}`;
  return `/auth/oidc?next=${encodeURIComponent(whole.length > LONGEST ? pathname : whole)}`;
}

/**
 * Takes the reason that a login at the OpenID provider failed out of the address of the page.
 * @returns `{code, place}`: a code of `S.errors` or `null`, and the address without it
 */
export function takeLoginError(place) {
  const url = new URL(place);
  const found = url.searchParams.get('login_error');
  url.searchParams.delete('login_error');
  const code = found === null || /^oidc_[a-z_]{1,32}$/.test(found) ? found : 'oidc_rejected';
  return { code, place: `${url.pathname}${url.search}${url.hash}` };
}

/**
 * The request that ends the login of the site: a `POST` with Django's token, or a navigation if there is none.
 * @param cookies of the page
 * @returns `{method, address, fields}`
 */
export function logoutRequest(logout, place, cookies) {
  const there = new URL(logout, place);
  const token = cookies.split('; ').find((each) => each.startsWith('csrftoken='))?.slice('csrftoken='.length);
  if (!token || there.origin !== new URL(place).origin) return { method: 'get', address: there.href, fields: {} };
  return { method: 'post', address: there.href, fields: { csrfmiddlewaretoken: token } };
}
