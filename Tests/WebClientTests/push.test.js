import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, register } from '../../Sources/CWebClient/files/app/push.js';

const KEY = 'BAH-_w';
const OTHER = 'BAH-_A';

/** A browser with a push service, and a server. @param subscribedFor the key of a subscription that is there */
function environment({ subscribedFor = null, key = KEY, tells = true, refusal = null } = {}) {
  const log = [];
  const made = (own) => ({
    options: tells ? { applicationServerKey: own.buffer } : {},
    unsubscribe: async () => { log.push('unsubscribe'); },
    toJSON: () => ({ endpoint: 'https://push.example/1', expirationTime: null, keys: { p256dh: 'p', auth: 'a' } }),
  });
  const pushManager = {
    getSubscription: async () => subscribedFor && made(bytesOf(subscribedFor)),
    subscribe: async ({ userVisibleOnly, applicationServerKey }) => {
      log.push(['subscribe', userVisibleOnly, [...applicationServerKey]]);
      if (refusal) throw refusal;
      return made(applicationServerKey);
    },
  };
  const rest = {
    call: async (method, path, fields) => {
      log.push([method, path, ...(fields ? [fields] : [])]);
      return path === '/v1/push' ? { web: key && { public_key: key }, apns: false, fcm: false } : { id: 'd1', kind: 'web' };
    },
  };
  return { log, rest, registration: { pushManager } };
}

const offer = ['GET', '/v1/push'];
const subscribe = ['subscribe', true, [4, 1, 254, 255]];
const post = ['POST', '/v1/me/devices', { kind: 'web', endpoint: 'https://push.example/1', expirationTime: null, keys: { p256dh: 'p', auth: 'a' } }];

test('a key in base64url has bytes', () => {
  assert.deepEqual([...bytesOf(KEY)], [4, 1, 254, 255]);
  assert.deepEqual([...bytesOf('')], []);
});

test('a browser is subscribed with the key of the server, and registered as a device', async () => {
  const { log, rest, registration } = environment();
  assert.deepEqual(await register(registration, rest), { id: 'd1' });
  assert.deepEqual(log, [offer, subscribe, post]);
});

test('a subscription is used again, unless it is for another key of the server', async () => {
  const cases = [[{ subscribedFor: KEY }, [offer, post]], [{ subscribedFor: OTHER }, [offer, 'unsubscribe', subscribe, post]], [{ subscribedFor: OTHER, tells: false }, [offer, post]]];
  for (const [fields, expected] of cases) {
    const { log, rest, registration } = environment(fields);
    assert.deepEqual(await register(registration, rest), { id: 'd1' });
    assert.deepEqual(log, expected);
  }
});

test('what lacks is told: the service of the browser, or the key of the server', async () => {
  const { log, rest, registration } = environment({ key: null });
  assert.deepEqual(await register(registration, rest), { lacks: 'server' });
  assert.deepEqual(log, [offer]);
  for (const none of [null, undefined, {}]) assert.deepEqual(await register(none, rest), { lacks: 'browser' });
  assert.equal(log.length, 1);
});

test('a push service that refuses leaves no device', async () => {
  const { log, rest, registration } = environment({ refusal: new Error('no service') });
  await assert.rejects(register(registration, rest), /no service/);
  assert.deepEqual(log, [offer, subscribe]);
});
