// Notifications of the system while a page is open.
import { keep, kept } from '../shared/localStore.js';

const keyOf = (userID) => `parley.notify.${userID}`;
const lockOf = (userID) => `parley-visible-${userID}`;

const isGranted = () => globalThis.Notification?.permission === 'granted';

export const areOn = (userID) => isGranted() && kept(keyOf(userID)) === 'on';

/** Turns notifications on or off. @returns whether the browser allows them */
export async function setNotifications(userID, on) {
  if (on && !isGranted()) await Notification.requestPermission();
  keep(keyOf(userID), on && isGranted() ? 'on' : null);
  return !on || isGranted();
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
export async function notify({ title, body, thread }) {
  const options = { body, tag: `parley-${thread}`, icon: new URL('app/logo', location.href).href, data: { thread } };
  const registration = await navigator.serviceWorker?.getRegistration();
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
