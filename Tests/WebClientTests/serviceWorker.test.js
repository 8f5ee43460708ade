import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startWorker } from './support/serviceWorker.js';

const SAFARI = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15';
const message = (fields) => ({
  kind: 'message', thread: 'lobby', id: 'm7', mention: false, title: 'Lobby', body: 'Ann: Hello', seq: 7, unread: { thread: 2, total: 5 }, at_ms: 1000, ...fields,
});
const clear = (fields) => ({ kind: 'clear', thread: 'lobby', seq: 7, unread: { thread: 0, total: 3 }, at_ms: 2000, ...fields });
const textsOf = ({ shown }) => [...shown.values()].map(({ title, body, tag }) => [title, body, tag]);

test('the payload of the documents is shown: the room, the sender and the text', async () => {
  const text = readFileSync(new URL('../../docs/protocol/push-payloads.md', import.meta.url), 'utf8');
  const [, payload] = text.match(/## Web Push[^]*?```json\n([^]*?)```/);
  const worker = startWorker({ root: '/messenger/' });
  await worker.push(payload);
  assert.deepEqual(textsOf(worker), [['Ann', 'Hello', 'parley-lobby']]);
  const { data, icon, renotify } = worker.shown.get('parley-lobby');
  assert.deepEqual([JSON.parse(JSON.stringify(data)), icon, renotify], [{ thread: 'lobby', seq: 7 }, '/messenger/app/logo', true]);
  assert.deepEqual(worker.badges, [5]);
});

test('a newer message replaces the one of its thread, and an older or repeated one shows nothing', async () => {
  const worker = startWorker();
  await worker.push(message());
  await worker.push(message({ thread: 'garden', seq: 3 }));
  await worker.push(message({ seq: 9, body: 'Ann: Still there?' }));
  await worker.push(message({ seq: 8, body: 'late' }));
  await worker.push(message({ seq: 9, body: 'twice' }));
  assert.deepEqual(textsOf(worker), [['Lobby', 'Ann: Still there?', 'parley-lobby'], ['Lobby', 'Ann: Hello', 'parley-garden']]);
});

test('a push without content, or with another one, says only that there is a message', async () => {
  for (const content of [undefined, 'no JSON', '[]', {}, message({ title: '', body: undefined, thread: '../x' })]) {
    const worker = startWorker();
    await worker.push(content);
    assert.deepEqual(textsOf(worker), [['New message', '', 'parley']], JSON.stringify(content));
    await worker.click({ ...worker.shown.get('parley').data });
    assert.deepEqual(worker.opened, ['/']);
  }
  const german = startWorker({ language: 'de-AT' });
  await german.push();
  assert.deepEqual(textsOf(german), [['Neue Nachricht', '', 'parley']]);
});

test('characters that change the direction of the text are left out', async () => {
  const worker = startWorker();
  await worker.push(message({ title: 'a\u202eb', body: 'c\u2066d\u200f' }));
  assert.deepEqual(textsOf(worker), [['ab', 'cd', 'parley-lobby']]);
});

test('a thread that was read elsewhere loses its notification, and an older message does not come back', async () => {
  const worker = startWorker();
  await worker.push(message());
  await worker.push(message({ thread: 'garden', seq: 3 }));
  await worker.push(clear());
  assert.deepEqual(textsOf(worker).map(([, , tag]) => tag), ['parley-garden']);
  await worker.push(message({ seq: 6 }));
  await worker.push(message({ seq: 7 }));
  assert.equal(worker.shown.size, 1);
  await worker.push(message({ seq: 8 }));
  assert.equal(worker.shown.size, 2);
  // What is newer than the read mark stays.
  await worker.push(clear());
  assert.equal(worker.shown.size, 2);
});

test('what was cleared is known to a worker that has been stopped meanwhile, for a bounded number of threads', async () => {
  const worker = startWorker();
  for (let index = 0; index < 120; index += 1) await worker.push(clear({ thread: `t${index}`, seq: 5 }));
  const [[, entry]] = worker.caches.stored.get('parley-push');
  const { clears } = await entry.clone().json();
  assert.deepEqual([clears.length, clears[0], clears.at(-1)], [100, ['t20', 5], ['t119', 5]]);
  const next = startWorker();
  next.caches.stored.set('parley-push', worker.caches.stored.get('parley-push'));
  await next.push(message({ thread: 't119', seq: 5 }));
  assert.equal(next.shown.size, 0);
  await next.push(message({ thread: 't0', seq: 5 }));
  assert.equal(next.shown.size, 1);
});

test('the badge is that of the newest counts', async () => {
  const worker = startWorker();
  await worker.push(message());
  await worker.push(clear());
  await worker.push(message({ thread: 'garden', unread: { thread: 1, total: 9 }, at_ms: 1500 }));
  await worker.push(clear({ unread: { thread: 0, total: 0 }, at_ms: 3000 }));
  assert.deepEqual(worker.badges, [5, 3, 0]);
});

test('nothing is shown of a thread that the user looks at', async () => {
  const app = { url: '/#/t/lobby', focused: true };
  const cases = [
    [[{ ...app, looksAt: 'lobby' }], 0], [[{ ...app, looksAt: 'garden' }], 1], [[{ ...app, focused: false, looksAt: 'lobby' }], 1],
    // A page of another kind, and one that does not answer.
    [[{ ...app, url: '/console', looksAt: 'lobby' }], 1], [[app], 1], [[], 1],
    [[{ ...app, looksAt: 'garden' }, { ...app, looksAt: 'lobby' }], 0],
  ];
  for (const [pages, count] of cases) {
    const worker = startWorker({ pages });
    await worker.push(message());
    assert.equal(worker.shown.size, count, JSON.stringify(pages));
  }
});

test('Safari, which revokes the permission of a site whose pushes show nothing, is shown a silent notification that is closed', async () => {
  const worker = startWorker({ userAgent: SAFARI });
  await worker.push(clear());
  assert.deepEqual([worker.shown.size, worker.closed], [0, ['parley-nothing']]);
  const other = startWorker();
  await other.push(clear());
  assert.equal(other.count, 0);
});

test('a click opens the thread in the page that is there, or else in a new one', async () => {
  const cases = [
    [[], [], ['/#/t/lobby']], [[{ url: '/console' }, { url: '/docs' }], [], ['/#/t/lobby']],
    [[{ url: '/', visibilityState: 'hidden' }, { url: '/#/t/garden' }], [1], []],
    [[{ url: '/' }, { url: '/', focused: true }], [1], []],
  ];
  for (const [pages, focused, opened] of cases) {
    const worker = startWorker({ pages });
    await worker.click({ thread: 'lobby', seq: 7 });
    assert.deepEqual([worker.focused, worker.opened], [focused, opened], JSON.stringify(pages));
    assert.deepEqual(worker.posted, focused.map((index) => ({ index, type: 'open', thread: 'lobby' })));
  }
  const below = startWorker({ root: '/messenger/', pages: [{ url: '/' }] });
  await below.click({ thread: 'lobby' });
  assert.deepEqual(below.opened, ['/messenger/#/t/lobby']);
});

test('another address of the browser replaces the one that the server has, unless no user is logged in', async () => {
  const ended = [];
  const made = (endpoint) => ({ toJSON: () => ({ endpoint, keys: { p256dh: 'p', auth: 'a' } }), unsubscribe: async () => { ended.push(endpoint); } });
  const worker = startWorker();
  await worker.subscriptionChange({ newSubscription: made('https://push.example/2') });
  assert.deepEqual([worker.calls[0].path, JSON.parse(worker.calls[0].body)], ['/v1/me/devices', { kind: 'web', endpoint: 'https://push.example/2', keys: { p256dh: 'p', auth: 'a' } }]);
  const asked = [];
  const again = startWorker({ status: 401, subscribe: async (options) => {
    asked.push(options);
    return made('https://push.example/3');
  } });
  await again.subscriptionChange({ oldSubscription: { options: { userVisibleOnly: true } } });
  assert.deepEqual([asked, again.calls.length, ended], [[{ userVisibleOnly: true }], 1, ['https://push.example/3']]);
  await again.subscriptionChange({});
  assert.equal(again.calls.length, 1);
});
