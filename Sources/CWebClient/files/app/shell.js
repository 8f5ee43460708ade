// The environment of the app: the service worker and its events.

// Service workers require HTTPS or this machine.
const container = navigator.serviceWorker;

/**
 * @param handlers `onUpdated()` when a newer version is ready; `onOpen(thread)` after a click on a notification;
 * `isLooking(thread)` says whether the user looks at the thread of a push
 */
export function startShell({ onUpdated, onOpen, isLooking }) {
  container?.addEventListener('message', ({ data, ports }) => {
    if (data?.type === 'updated') onUpdated();
    if (data?.type === 'open') onOpen(data.thread);
    if (data?.type === 'looking') ports[0]?.postMessage(isLooking(data.thread));
  });
}

/** Installs the service worker. It loads all files once more, so it does not compete with the first visit's login. */
export function installShell() {
  container?.register('serviceWorker.js', { updateViaCache: 'none' }).catch(() => {});
}

/** Checks for a newer version after the server was unavailable. */
export function lookForUpdate() {
  container?.controller?.postMessage({ type: 'refresh' });
}
