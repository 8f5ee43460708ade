// The settings of the server that concern the page, which the server writes into the page.

const DEFAULTS = {
  name: 'Parley', provider: null, passwords: true, signUp: true, login: null, logout: null, profile: null, visibility: 'public',
};

/**
 * @param text the JSON in the page, if there is any
 * @returns `{name, provider, passwords, signUp, login, logout, profile, visibility}`: the name of the app; the name of the
 * OpenID provider, or `null`; whether there are forms for passwords, and for new accounts; the addresses of the site that
 * the app belongs to, or `null`; and the visibility of new rooms
 */
export function siteOf(text) {
  try {
    return { ...DEFAULTS, ...JSON.parse(text ?? '{}') };
  } catch {
    return DEFAULTS;
  }
}

export const site = siteOf(globalThis.document?.documentElement?.dataset?.site);
