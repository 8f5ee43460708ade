// Notifications of the system on this device, shown by an open page. The service worker shows pushes, and
// viewNotifications.js has the settings.
import { rest } from './api.js';
import { keep, kept } from '../shared/localStore.js';

const keyOf = (userID) => `parley.notify.${userID}`;
const deviceOf = (userID) => `parley.device.${userID}`;
const lockOf = (userID) => `parley-visible-${userID}`;
/** As in `serviceWorker.js`. */
const tagOf = (thread) => `parley-${thread}`;
const STATE = 'parley-push';

const registered = async () => await navigator.serviceWorker?.getRegistration() ?? null;

const isGranted = () => globalThis.Notification?.permission === 'granted';

export const areOn = (userID) => isGranted() && kept(keyOf(userID)) === 'on';

/** Remembers whether the user wants notifications on this device. */
export const keepChoice = (userID, isOn) => keep(keyOf(userID), isOn ? 'on' : null);

/** Remembers the ID of this device on the server; `null` if it has none. */
export const keepDevice = (userID, id) => keep(deviceOf(userID), id);

/** Ends this device on the server, while the user is still logged in. */
export async function endDevice(userID) {
  const id = kept(deviceOf(userID));
  keepDevice(userID, null);
  if (id) await rest.call('DELETE', `/v1/me/devices/${encodeURIComponent(id)}`).catch(() => {});
}

/** Ends the subscription for pushes. The push service tells the server when it sends the next one. */
export async function unsubscribe() {
  const subscription = await (await registered())?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}

/** Removes what is shown, and ends what could be shown later, when the user leaves. */
export async function forgetNotifications(userID) {
  keepDevice(userID, null);
  await Promise.allSettled([clearNotifications(), unsubscribe(), globalThis.caches?.delete(STATE)]);
}

/** Removes the notification of a thread, which the user has opened; without a thread, all of them. */
export async function clearNotifications(thread) {
  const options = thread ? { tag: tagOf(thread) } : {};
  for (const each of await (await registered())?.getNotifications(options) ?? []) each.close();
}

/** Holds a lock while the page is visible, so that the leading tab knows that the user sees a page. */
export class Visibility {
  #name;
  #release = null;

  constructor(userID) {
    this.#name = lockOf(userID);
  }

  update() {
    const isVisible = document.visibilityState === 'visible';
    if (isVisible && !this.#release) {
      const held = new Promise((resolve) => { this.#release = resolve; });
      navigator.locks?.request(this.#name, { mode: 'shared' }, () => held).catch(() => {});
    } else if (!isVisible) {
      this.end();
    }
  }

  end() {
    this.#release?.();
    this.#release = null;
  }

  async isSomebodyLooking() {
    if (!navigator.locks) return document.visibilityState === 'visible';
    const { held } = await navigator.locks.query();
    return held.some((lock) => lock.name === this.#name);
  }
}

/** Shows a message, instead of an earlier one of the same thread. */
export async function notify({ title, body, thread, seq }) {
  const options = { body, tag: tagOf(thread), icon: new URL('app/logo', location.href).href, data: { thread, seq } };
  const registration = await registered();
  if (registration) {
    await registration.showNotification(title, options);
    return;
  }
  const notification = new Notification(title, options);
  notification.onclick = () => {
    focus();
    location.hash = `#/t/${thread}`;
    notification.close();
  };
}
