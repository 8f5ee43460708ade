// Serves the files of the app from a cache, so that it opens at once and without a network. Everything else is not its
// business. The files of one version belong together: a newer set is fetched whole, and used from the next start on.

const FILES = [
  '/', '/style.css', '/conversation.css', '/files.css', '/dialogs.css',
  '/icon.svg', '/icons.svg', '/icon-192.png', '/icon-512.png', '/manifest.webmanifest',
  ...[
    'api', 'attachments', 'avatars', 'cache', 'chat', 'chosenFiles', 'conversations', 'database', 'dialog', 'dom', 'drafts', 'emojis', 'engine', 'fold', 'format', 'hub', 'localStore', 'main',
    'markdown', 'mention', 'names', 'notify', 'outbox', 'outgoing', 'picture', 'policy', 'previews', 'roster', 'rows', 'shell', 'socket', 'strings', 'timeline',
    'titles', 'typing', 'uploads', 'uuid', 'viewAvatar', 'viewComposer', 'viewEmoji', 'viewInbox', 'viewList', 'viewLogin', 'viewMembers', 'viewNew',
    'viewParts', 'viewPicture', 'viewRow', 'viewSearch', 'viewSettings', 'viewText', 'viewThread', 'viewTools', 'viewTray', 'visible', 'watches', 'windowing',
  ].map((name) => `/${name}.js`),
];
const PREFIX = 'parley-shell-';
/** How often a newer version is looked for, in milliseconds. */
const INTERVAL = 60_000;

let refreshing = null;
let refreshedAt = 0;

/** The complete set in use; the newest, since an older one is deleted only after it. */
async function currentName() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX)).sort();
  for (const name of names.reverse()) {
    if (await (await caches.open(name)).match('/complete')) return name;
  }
  return null;
}

/** Fetches all files; if one differs from those in use, they become the current set. */
async function refresh() {
  refreshedAt = Date.now();
  const responses = await Promise.all(FILES.map((path) => fetch(path, { cache: 'no-cache' })));
  if (responses.some((response) => !response.ok)) throw new Error('incomplete');
  const version = responses.map((response) => response.headers.get('ETag') ?? '').join();
  const used = await currentName();
  const usedVersion = used && await (await (await caches.open(used)).match('/complete')).text();
  if (used && usedVersion === version) return;
  const name = `${PREFIX}${Date.now()}`;
  const cache = await caches.open(name);
  await Promise.all(responses.map((response, index) => cache.put(FILES[index], response)));
  await cache.put('/complete', new Response(version));
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
  // The console and /docs share some modules, and have the other files of their version from the server.
  const client = request.mode === 'navigate' ? null : await clients.get(clientId);
  if (client && new URL(client.url).pathname !== '/') return fetch(request);
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
    if (!page) return clients.openWindow(`/#/t/${thread}`);
    page.postMessage({ type: 'open', thread });
    return page.focus();
  })());
});
