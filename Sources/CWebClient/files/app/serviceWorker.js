// Serves the files of the app from a cache, so that it opens immediately and without a network. It ignores all other
// requests. The files of one version belong together: a newer set is fetched completely, and used from the next start.

/** The path of the page, which the files are below. */
const ROOT = new URL('./', location.href).pathname;
const FILES = [
  '', 'app/bundle.css', 'app/bundle.js', 'app/logo', 'app/manifest.webmanifest', 'shared/icons.svg',
].map((name) => `${ROOT}${name}`);
const PREFIX = 'parley-shell-';
/** The entry that marks a complete set. The server has no such file. */
const COMPLETE = `${ROOT}complete`;
/** The interval of checks for a newer version, in milliseconds. */
const INTERVAL = 60_000;

let refreshing = null;
let refreshedAt = 0;

/** The complete set in use. It is the newest, because an older set is only deleted after it is complete. */
async function currentName() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX)).sort();
  for (const name of names.reverse()) {
    if (await (await caches.open(name)).match(COMPLETE)) return name;
  }
  return null;
}

/** Fetches all files. If one has changed, they become the current set. */
async function refresh() {
  refreshedAt = Date.now();
  const responses = await Promise.all(FILES.map((path) => fetch(path, { cache: 'no-cache' })));
  if (responses.some((response) => !response.ok)) throw new Error('incomplete');
  const version = responses.map((response) => response.headers.get('ETag') ?? '').join();
  const used = await currentName();
  const usedVersion = used && await (await (await caches.open(used)).match(COMPLETE)).text();
  if (used && usedVersion === version) return;
  const name = `${PREFIX}${Date.now()}`;
  const cache = await caches.open(name);
  await Promise.all(responses.map((response, index) => cache.put(FILES[index], response)));
  await cache.put(COMPLETE, new Response(version));
  for (const each of await caches.keys()) if (each.startsWith(PREFIX) && each !== name) await caches.delete(each);
  if (!used) return;
  for (const client of await clients.matchAll({ type: 'window' })) client.postMessage({ type: 'updated' });
}

function refreshOnce() {
  refreshing ??= refresh().catch(() => {}).finally(() => { refreshing = null; });
  return refreshing;
}

addEventListener('install', (event) => {
  skipWaiting();
  event.waitUntil(refresh());
});

addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin || !FILES.includes(url.pathname)) return;
  event.respondWith(answer(event, url.pathname));
  if (request.mode === 'navigate' && Date.now() - refreshedAt > INTERVAL) event.waitUntil(refreshOnce());
});

async function answer({ request, clientId }, path) {
  // The console and /docs share the icons. They load all files from the server, because the files of a version
  // belong together.
  const client = request.mode === 'navigate' ? null : await clients.get(clientId);
  if (client && new URL(client.url).pathname !== ROOT) return fetch(request);
  const name = await currentName();
  const cached = name && await (await caches.open(name)).match(path);
  return cached ?? fetch(request);
}

addEventListener('message', (event) => {
  if (event.data?.type === 'refresh') event.waitUntil(refreshOnce());
});

addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { thread } = event.notification.data ?? {};
  event.waitUntil((async () => {
    const [page] = await clients.matchAll({ type: 'window' });
    if (!page) return clients.openWindow(`${ROOT}#/t/${thread}`);
    page.postMessage({ type: 'open', thread });
    return page.focus();
  })());
});
