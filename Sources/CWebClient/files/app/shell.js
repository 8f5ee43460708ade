// The environment of the app: the service worker and its events.

// Service workers require HTTPS or this machine.
const container = navigator.serviceWorker;

/** @param handlers `onUpdated()` when a newer version is ready; `onOpen(thread)` after a click on a notification */
export function startShell({ onUpdated, onOpen }) {
  container?.addEventListener('message', ({ data }) => {
    if (data?.type === 'updated') onUpdated();
    if (data?.type === 'open') onOpen(data.thread);
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
