// The subscription of this browser for pushes, and its registration as a device of the user.

/** The bytes of a text in base64url. */
export const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));

/** Whether the server has the key that a subscription was made for. Some browsers do not tell. */
function isFor(subscription, key) {
  const own = subscription.options?.applicationServerKey;
  if (!own) return true;
  const bytes = new Uint8Array(own);
  return bytes.length === key.length && bytes.every((byte, index) => byte === key[index]);
}

/**
 * Registers this browser, also if it is registered already. The permission of the user is asked for before.
 * @param registration of the service worker, with `pushManager`; `null` without one
 * @param rest `call(method, path, fields)`
 * @returns `{id}` of the device; or `{lacks}`, `server` or `browser`. Throws if the push service or the server fails.
 */
export async function register(registration, rest) {
  if (!registration?.pushManager) return { lacks: 'browser' };
  const { web } = await rest.call('GET', '/v1/push');
  if (!web) return { lacks: 'server' };
  const key = bytesOf(web.public_key);
  let subscription = await registration.pushManager.getSubscription();
  if (subscription && !isFor(subscription, key)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { id } = await rest.call('POST', '/v1/me/devices', { kind: 'web', ...subscription.toJSON() });
  return { id };
}
