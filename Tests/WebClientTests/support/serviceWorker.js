// The service worker in a scope of its own, with stand-ins for what browsers give it.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const source = readFileSync(new URL('../../../Sources/CWebClient/files/app/serviceWorker.js', import.meta.url), 'utf8');

/** Caches in memory, of the calls that pushes use. */
function memoryCaches() {
  const stored = new Map();
  return {
    stored,
    async open(name) {
      if (!stored.has(name)) stored.set(name, new Map());
      const entries = stored.get(name);
      return { match: async (path) => entries.get(path)?.clone(), put: async (path, response) => { entries.set(path, response); } };
    },
    keys: async () => [...stored.keys()],
    delete: async (name) => stored.delete(name),
  };
}

/**
 * @param pages the windows of the server: `{url, focused, visibilityState, looksAt}`; those without `looksAt` do not answer
 * @returns `{push, click, subscriptionChange, shown, closed, badges, posted, opened, focused, calls, caches}`
 */
export function startWorker({ root = '/', pages = [], userAgent = 'Mozilla/5.0 Chrome/140.0 Safari/537.36', language = 'en', subscribe, status = 201 } = {}) {
  const origin = 'https://chat.example';
  const listeners = new Map();
  const result = { shown: new Map(), closed: [], badges: [], posted: [], opened: [], focused: [], calls: [], caches: memoryCaches(), count: 0 };
  const windows = pages.map((page, index) => ({
    visibilityState: 'visible', focused: false, ...page, url: `${origin}${page.url}`,
    postMessage: (message, ports) => {
      result.posted.push({ index, ...message });
      if (message.type === 'looking' && page.looksAt !== undefined) ports[0].postMessage(page.looksAt === message.thread);
    },
    focus: async () => { result.focused.push(index); },
  }));
  const registration = {
    async showNotification(title, options) {
      result.count += 1;
      result.shown.set(options.tag, {
        title, ...options,
        close() {
          result.shown.delete(options.tag);
          result.closed.push(options.tag);
        },
      });
    },
    getNotifications: async ({ tag } = {}) => [...result.shown.values()].filter((each) => tag === undefined || each.tag === tag),
    pushManager: { subscribe },
  };
  const scope = {
    URL, Response, MessageChannel, JSON, caches: result.caches, registration, skipWaiting: () => {},
    // The limit of an answer comes at once.
    setTimeout: (action) => setImmediate(() => setImmediate(() => setImmediate(action))),
    location: new URL(`${origin}${root}serviceWorker.js`),
    addEventListener: (type, listener) => listeners.set(type, listener),
    navigator: {
      userAgent, language,
      setAppBadge: async (count) => { result.badges.push(count); }, clearAppBadge: async () => { result.badges.push(0); },
    },
    clients: { matchAll: async () => windows, openWindow: async (url) => { result.opened.push(url); }, claim: async () => {} },
    fetch: async (path, options) => {
      result.calls.push({ path, ...options });
      return { status };
    },
  };
  vm.runInNewContext(source, scope);
  const dispatch = async (type, event) => {
    let waiting;
    listeners.get(type)({ ...event, waitUntil: (promise) => { waiting = promise; } });
    await waiting;
  };
  const data = (content) => (content === undefined ? null : { json: () => JSON.parse(typeof content === 'string' ? content : JSON.stringify(content)) });
  return Object.assign(result, {
    /** @param content an object; a text as it is; nothing for a push without content */
    push: (content) => dispatch('push', { data: data(content) }),
    click: (notificationData) => dispatch('notificationclick', { notification: { data: notificationData, close: () => {} } }),
    subscriptionChange: (event) => dispatch('pushsubscriptionchange', event),
  });
}
