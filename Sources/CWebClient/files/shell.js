// The page around the app: the service worker, and what it reports.

/** @param handlers `onUpdated()` when a newer version is ready; `onOpen(thread)` when a notification was clicked */
export function startShell({ onUpdated, onOpen }) {
  // Only on HTTPS and on this machine.
  const container = navigator.serviceWorker;
  if (!container) return;
  container.register('/serviceWorker.js', { updateViaCache: 'none' }).catch(() => {});
  container.addEventListener('message', ({ data }) => {
    if (data?.type === 'updated') onUpdated();
    if (data?.type === 'open') onOpen(data.thread);
  });
}

/** Looks for a newer version, after the server was away. */
export function lookForUpdate() {
  navigator.serviceWorker?.controller?.postMessage({ type: 'refresh' });
}
