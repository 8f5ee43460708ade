import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceGlobal } from './support/globals.js';
import { areOn, clearNotifications, endDevice, forgetNotifications, keepChoice, keepDevice, notify, unsubscribe } from '../../Sources/CWebClient/files/app/notify.js';

/** A browser with a service worker, and a server. @param status of the server's answers */
function browser(context, { permission = 'granted', status = 204, hasWorker = true } = {}) {
  const state = { storage: new Map(), shown: new Map(), calls: [], caches: new Set(['parley-push', 'parley-shell-1']), isSubscribed: true };
  const registration = {
    showNotification: async (title, options) => { state.shown.set(options.tag, { title, ...options, close: () => state.shown.delete(options.tag) }); },
    getNotifications: async ({ tag }) => [...state.shown.values()].filter((each) => !tag || each.tag === tag),
    pushManager: { getSubscription: async () => (state.isSubscribed ? { unsubscribe: async () => { state.isSubscribed = false; } } : null) },
  };
  replaceGlobal(context, 'navigator', { serviceWorker: hasWorker ? { getRegistration: async () => registration } : undefined });
  replaceGlobal(context, 'Notification', { permission });
  replaceGlobal(context, 'location', new URL('https://chat.example/messenger/#/t/a'));
  replaceGlobal(context, 'localStorage', {
    getItem: (key) => state.storage.get(key) ?? null, setItem: (key, value) => state.storage.set(key, value), removeItem: (key) => state.storage.delete(key),
  });
  replaceGlobal(context, 'caches', { delete: async (name) => state.caches.delete(name) });
  replaceGlobal(context, 'fetch', async (path, { method }) => {
    state.calls.push([method, path]);
    return new Response(null, { status });
  });
  return state;
}

test('notifications are on for one user, if the browser allows them', (context) => {
  browser(context);
  keepChoice('u1', true);
  assert.deepEqual([areOn('u1'), areOn('u2')], [true, false]);
  globalThis.Notification.permission = 'denied';
  assert.equal(areOn('u1'), false);
});

test('a message has the tag of its thread, and disappears when the thread is opened', async (context) => {
  const { shown } = browser(context);
  for (const thread of ['a', 'b']) await notify({ title: 'Ann', body: 'Hello', thread, seq: 7 });
  const { body, icon, data } = shown.get('parley-a');
  assert.deepEqual([body, icon, data], ['Hello', 'https://chat.example/messenger/app/logo', { thread: 'a', seq: 7 }]);
  await clearNotifications('a');
  assert.deepEqual([...shown.keys()], ['parley-b']);
});

test('a user who leaves is told nothing more on this device', async (context) => {
  const state = browser(context);
  keepDevice('u1', 'd 1');
  await notify({ title: 'Ann', body: 'Hello', thread: 'a', seq: 7 });
  await endDevice('u1');
  await endDevice('u1');
  assert.deepEqual(state.calls, [['DELETE', '/v1/me/devices/d%201']]);
  await forgetNotifications('u1');
  assert.deepEqual([state.shown.size, state.isSubscribed, [...state.caches], state.storage.size], [0, false, ['parley-shell-1'], 0]);
});

test('a server that does not answer, and a browser without a service worker, do not keep a user from leaving', async (context) => {
  const state = browser(context, { hasWorker: false, status: 503 });
  keepDevice('u1', 'd1');
  await endDevice('u1');
  await forgetNotifications('u1');
  await unsubscribe();
  await clearNotifications('a');
  assert.deepEqual([state.calls.length, state.storage.size], [1, 0]);
});
