// Serves the files of the app from a cache, so that it opens immediately and without a network. The files of one version
// belong together: a newer set is fetched completely, and used from the next start.
//
// Keeps the pictures that the page has shown, for times without a network. The page makes the cache for its user, and
// deletes it when the user leaves; without it nothing is kept. All other requests are ignored.
//
// Shows the messages of pushes (docs/protocol/push-payloads.md), and opens their threads.

/** The path of the page, which the files are below. */
const ROOT = new URL('./', location.href).pathname;
const FILES = [
  '', 'app/bundle.css', 'app/bundle.js', 'app/viewEntrances.bundle.js', 'app/viewNotifications.bundle.js', 'app/viewRoom.bundle.js',
  'app/logo', 'app/manifest.webmanifest', 'shared/icons.svg',
].map((name) => `${ROOT}${name}`);
const PREFIX = 'parley-shell-';
/** The entry that marks a complete set. The server has no such file. */
const COMPLETE = `${ROOT}complete`;
/** The cache of pictures, followed by the ID of the user; see `pictures.js`. */
const PICTURES = 'parley-pictures-';
/** The entry that the page has put there. */
const OWNED = `${ROOT}owned`;
/** The limits of the cache: pictures, bytes of one, bytes of all. The oldest leave it. */
const MAX_PICTURES = 300;
const MAX_PICTURE_BYTES = 5_000_000;
const MAX_BYTES = 100_000_000;
/** The cache of what is known of pushes, `{at, clears}` in its one entry. The page deletes it; see `notify.js`. */
const PUSHES = 'parley-push';
const PUSH_STATE = `${ROOT}push`;
/** The maximum number of threads whose last `clear` is known. */
const MAX_CLEARS = 100;
/** The time that a page has to say whether its user looks at a thread, in milliseconds. */
const ANSWER = 1_000;
/** The interval of checks for a newer version, in milliseconds. */
const INTERVAL = 60_000;

let refreshing = null;
let refreshedAt = 0;
let trimming = Promise.resolve();

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
  if (isPicture(request, url)) event.respondWith(picture(event));
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

// Pictures

const isPicture = ({ method, destination }, { origin, pathname, search }) =>
  method === 'GET' && destination === 'image' && origin === location.origin && !search && /^\/v1\/attachments\/[\w.-]{1,90}$/.test(pathname);

async function pictureCache() {
  const name = (await caches.keys()).find((each) => each.startsWith(PICTURES));
  const cache = name && await caches.open(name);
  if (!cache) return null;
  if (await cache.match(OWNED)) return cache;
  // The page deleted it in this moment, and `open` made it again.
  await caches.delete(name);
  return null;
}

/** From the server, which knows whether the user may still see it; from the cache if the server cannot be reached. */
async function picture(event) {
  const { request } = event;
  const cache = await pictureCache();
  const keptOne = () => cache?.match(request.url, { ignoreVary: true });
  try {
    const response = await fetch(request);
    if (response.status >= 500) return await keptOne() ?? response;
    if (cache) event.waitUntil(keep(cache, request.url, response.clone()).catch(() => {}));
    return response;
  } catch (error) {
    const kept = await keptOne();
    if (kept) return kept;
    throw error;
  }
}

async function keep(cache, url, response) {
  const size = sizeOf(response);
  if (!response.ok || response.type !== 'basic' || !(size <= MAX_PICTURE_BYTES)) {
    // It was deleted, or the user is no longer a member.
    await cache.delete(url, { ignoreVary: true });
    return;
  }
  const kept = await cache.match(url, { ignoreVary: true });
  if (kept?.headers.get('ETag') && kept.headers.get('ETag') === response.headers.get('ETag')) return;
  await cache.put(url, response);
  trimming = trimming.then(() => trim(cache)).catch(() => {});
  await trimming;
}

const sizeOf = (response) => Number(response.headers.get('Content-Length') ?? NaN);

/** Deletes the oldest pictures beyond the limits. */
async function trim(cache) {
  const requests = (await cache.keys()).filter(({ url }) => new URL(url).pathname !== OWNED).reverse();
  const kept = await Promise.all(requests.slice(0, MAX_PICTURES).map((request) => cache.match(request, { ignoreVary: true })));
  let bytes = 0;
  for (const [index, request] of requests.entries()) {
    bytes += (kept[index] && sizeOf(kept[index])) || 0;
    if (index >= MAX_PICTURES || bytes > MAX_BYTES) await cache.delete(request, { ignoreVary: true });
  }
}

addEventListener('message', (event) => {
  if (event.data?.type === 'refresh') event.waitUntil(refreshOnce());
});

// Pushes

const NEW = (navigator.language ?? '').startsWith('de') ? 'Neue Nachricht' : 'New message';
const isThread = (text) => typeof text === 'string' && /^[A-Za-z0-9._-]{1,90}$/.test(text);
const tagOf = (thread) => (thread ? `parley-${thread}` : 'parley');
/** A text without the characters that change its direction. */
const written = (text) => (typeof text === 'string' ? text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '') : '');

/** One after the other, since each reads and changes what is known. */
let pushing = Promise.resolve();

addEventListener('push', (event) => {
  pushing = pushing.then(() => pushed(contentOf(event.data))).catch(() => {});
  event.waitUntil(pushing);
});

/** The members of a push; none if it has no content, or another form. */
function contentOf(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

/** @returns `{at, clears}`: the time of the counts in the badge, and the last `clear` of threads, as pairs of ID and `seq` */
async function pushState() {
  try {
    return await (await (await caches.open(PUSHES)).match(PUSH_STATE)).json();
  } catch {
    return { at: 0, clears: [] };
  }
}

async function keepPushState(state) {
  await (await caches.open(PUSHES)).put(PUSH_STATE, new Response(JSON.stringify(state)));
}

async function pushed({ kind, title, body, seq, unread, at_ms: at, thread: named }) {
  const thread = isThread(named) ? named : null;
  const state = await pushState();
  const clears = new Map(state.clears);
  const shown = await registration.getNotifications({ tag: tagOf(thread) });
  // Pushes may come late, twice and out of order.
  if (at >= state.at) {
    state.at = at;
    showBadge(unread?.total);
  }
  if (kind === 'clear') {
    const upTo = Math.max(seq, clears.get(thread) ?? 0);
    clears.delete(thread);
    clears.set(thread, upTo);
    state.clears = [...clears].slice(-MAX_CLEARS);
  }
  await keepPushState(state).catch(() => {});
  if (kind === 'clear') {
    for (const each of shown) if (!(each.data?.seq > seq)) each.close();
    await showNothing();
  } else if (shown.some((each) => each.data?.seq >= seq)) {
    // A newer message of the thread is shown.
  } else if (seq <= clears.get(thread) || await isLookedAt(thread)) {
    await showNothing();
  } else {
    const options = { tag: tagOf(thread), renotify: true, icon: `${ROOT}app/logo`, data: { thread, seq } };
    await registration.showNotification(written(title) || NEW, { ...options, body: written(body) });
  }
}

function showBadge(total) {
  if (total > 0) navigator.setAppBadge?.(total).catch(() => {});
  else if (total === 0) navigator.clearAppBadge?.().catch(() => {});
}

/** Safari revokes the permission of a site whose pushes show nothing. There a notification is shown without a sound, and closed. */
async function showNothing() {
  if (!/^(?!.*(Chrom|Android)).*Safari/.test(navigator.userAgent)) return;
  const options = { tag: 'parley-nothing', silent: true };
  await registration.showNotification(NEW, options);
  for (const each of await registration.getNotifications({ tag: options.tag })) each.close();
}

/** The pages of the app. The console and /docs are not among them. */
async function pages() {
  const all = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  return all.filter(({ url }) => new URL(url).pathname === ROOT);
}

/** Whether the user looks at a thread. Browsers do not agree on whether the address of a page tells it, so pages are asked. */
async function isLookedAt(thread) {
  const asked = (await pages()).filter(({ focused }) => focused).map((page) => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const answered = (isLooking) => {
      port1.close();
      resolve(isLooking);
    };
    port1.onmessage = ({ data }) => answered(data === true);
    setTimeout(() => answered(false), ANSWER);
    page.postMessage({ type: 'looking', thread }, [port2]);
  }));
  return (await Promise.all(asked)).includes(true);
}

addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { thread } = event.notification.data ?? {};
  event.waitUntil((async () => {
    const open = await pages();
    const page = open.find(({ focused }) => focused) ?? open.find(({ visibilityState }) => visibilityState === 'visible') ?? open[0];
    if (!page) return clients.openWindow(isThread(thread) ? `${ROOT}#/t/${thread}` : ROOT);
    if (isThread(thread)) page.postMessage({ type: 'open', thread });
    return page.focus();
  })());
});

// The browser has ended a subscription, and the next one has another address.
addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event).catch(() => {})));

async function renew({ oldSubscription, newSubscription }) {
  const options = oldSubscription?.options;
  const subscription = newSubscription ?? (options && await registration.pushManager.subscribe(options));
  if (!subscription) return;
  const body = JSON.stringify({ kind: 'web', ...subscription.toJSON() });
  const { status } = await fetch('/v1/me/devices', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  if (status === 401) await subscription.unsubscribe();
}
