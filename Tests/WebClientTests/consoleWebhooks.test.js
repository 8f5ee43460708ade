import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf, senderText } from '../../Sources/CWebClient/files/console/pushesText.js';
import {
  additionOf, changesOf, factsOf, filterText, hostOf, isFailing, letterRow, placeText, replayText, rowOf, secretText, settingsOf,
  stateText, threadOf, valuesOf,
} from '../../Sources/CWebClient/files/console/webhooksText.js';

const NOW = 1_790_000_000_000;
const webhook = {
  id: 'wh_0123456789abcdef0123', url: 'https://shop.example:8443/hook', kinds: null, thread: null, user: null, batch: 1, secrets: 1,
  created_ms: NOW - 86_400_000, enabled: true, disabled: null, cursor: '0100', waiting_threads: 0, dead_letters: 0,
  lag_ms: null, success_ms: NOW - 60_000, failure_ms: null, failure: null,
};

test('an endpoint has its URL, filters, state, lag, waiting threads and dead letters', () => {
  assert.deepEqual(rowOf(webhook, NOW), ['https://shop.example:8443/hook', 'all kinds', 'enabled', 'nothing', '0', '0']);
  const busy = { ...webhook, url: 'https://a/\u202e', lag_ms: 90_000, waiting_threads: 3, dead_letters: 12_000 };
  assert.deepEqual(rowOf(busy, NOW), ['https://a/‹U+202E›', 'all kinds', 'enabled, some threads wait', '1 min', '3', '12k']);
  assert.equal(filterText({ kinds: ['edited', 'message'], thread: 't1', user: 'u1', batch: 10 }),
    'edited, message; thread t1; user u1; up to 10 at a time');
});

test('the state of an endpoint has the reason that it gets nothing', () => {
  const failing = { ...webhook, failure_ms: NOW - 5000, failure: 'status 500' };
  assert.equal(stateText(failing, NOW), 'failing, nothing accepted since 1 min; last failure 5 s ago: status 500');
  assert.equal(stateText({ ...failing, success_ms: null }, NOW), 'failing, nothing was accepted yet; last failure 5 s ago: status 500');
  assert.equal(stateText({ ...failing, success_ms: NOW }, NOW), 'enabled');
  const gone = { ...failing, enabled: false, disabled: 'status 410' };
  assert.equal(stateText(gone, NOW), 'disabled: status 410');
  assert.equal(stateText({ ...gone, disabled: 'disabled by a back end' }, NOW), 'disabled by a back end');
  assert.deepEqual([webhook, failing, { ...failing, success_ms: NOW }, gone].map(isFailing), [false, true, false, false]);
});

test('an opened endpoint has its times, its secrets and its cursor', () => {
  assert.deepEqual(Object.fromEntries(factsOf(webhook, NOW)), {
    State: 'enabled', Added: '1 d ago', 'Last accepted': '1 min ago', 'Last failure': 'never', Behind: 'nothing',
    'Threads that wait': '0', Secrets: 'one', Cursor: '0100',
  });
  const facts = Object.fromEntries(factsOf({ ...webhook, secrets: 2, success_ms: null, failure_ms: NOW, failure: 'x' }, NOW));
  assert.deepEqual([facts.Secrets, facts['Last accepted'], facts['Last failure']], ['a new and an old one', 'never', 'now: x']);
});

test('a form for a new endpoint sends what was entered, and refuses other numbers', () => {
  const values = { url: ' https://a.example ', kinds: ' message,edited  deleted', thread: ' ', user: ' ann', batch: '20' };
  const choices = { after: 'end', key: 'ed25519', enabled: false };
  assert.deepEqual(additionOf(values, choices),
    { url: 'https://a.example', kinds: ['message', 'edited', 'deleted'], user: 'ann', batch: 20, ...choices });
  assert.equal(settingsOf({ ...values, batch: ' ' }).batch, 1);
  for (const batch of ['0', '201', '1.5', 'x']) assert.throws(() => settingsOf({ ...values, batch }), /Enter 1 to 200 events/);
  assert.throws(() => settingsOf({ ...values, url: ' ' }), /Enter the URL/);
});

test('a change sends only what differs, and null for a filter that was removed', () => {
  const known = { ...webhook, kinds: ['edited', 'message'], user: 'u1' };
  const values = valuesOf(known);
  assert.deepEqual(values, { url: known.url, kinds: 'edited, message', thread: '', user: 'u1', batch: '1' });
  assert.throws(() => changesOf({ ...values, kinds: 'message edited' }, known), /Nothing differs/);
  assert.deepEqual(changesOf({ ...values, user: '', kinds: '' }, known), { kinds: null, user: null });
  assert.deepEqual(changesOf({ ...values, thread: 't1', kinds: 'message', batch: '5' }, known), { kinds: ['message'], thread: 't1', batch: 5 });
});

test('questions name the host, and say what a move and a new secret mean', () => {
  assert.deepEqual([hostOf(webhook.url), hostOf('x y')], ['shop.example:8443', 'x y']);
  assert.deepEqual(placeText(webhook, 'end'), {
    title: 'Send new events only to shop.example:8443?',
    text: 'What it has not got yet is left out. Threads that wait do not wait any longer.',
  });
  assert.match(placeText({ ...webhook, enabled: false }, 'start').text, /again or for the first time\. .* The endpoint is enabled\.$/);
  assert.match(placeText(webhook, 'cursor').title, /^Send the events after this cursor to/);
  assert.match(secretText(webhook).text, /and the present one, until you end that\.$/);
  assert.match(secretText({ ...webhook, secrets: 2 }).text, /The oldest one ends now\.$/);
});

test('a dead letter has its event, thread, time, attempts and reason', () => {
  const letter = { id: 7, event: 'a:b:k3f9:43', attempts: 12, reason: 'status 500', failed_ms: NOW, replayed: false };
  assert.deepEqual(letterRow(letter), ['a:b:k3f9:43', 'a:b', new Date(NOW).toLocaleString(), '12', 'status 500']);
  assert.equal(letterRow({ ...letter, replayed: true })[4], 'is sent again; status 500');
  assert.equal(threadOf('0190a1:k3f9:43'), '0190a1');
  assert.deepEqual([0, 1, 12].map(replayText),
    ['They were about to be sent already.', '1 event is sent again.', '12 events are sent again.']);
});

const counts = (delivered, misconfigured = 0) => ({ delivered, gone: 1, retry: 2, refused: 3, misconfigured });

test('pushes are added up over the nodes that have the key of a service', () => {
  const nodes = [
    { node: 'gateway1' },
    { node: 'p1', persister: {}, pushes: { apns: counts(5), web: counts(7, 1) } },
    { node: 'p2', persister: {}, pushes: { apns: counts(10) } },
  ];
  assert.deepEqual(rowsOf(nodes), [
    { kind: 'apns', cells: ['Apple (APNs)', 'yes', '15', '2', '4', '6', '0'], isBad: false },
    { kind: 'fcm', cells: ['Google (FCM)', 'no', '–', '–', '–', '–', '–'], isBad: false },
    { kind: 'web', cells: ['browsers (Web Push)', 'only on p1', '7', '1', '2', '3', '1'], isBad: true },
  ]);
  assert.deepEqual(rowsOf([]).map(({ cells }) => cells[1]), ['no', 'no', 'no']);
});

test('the process that sends pushes is named while its lease lasts', () => {
  const group = { name: 'parley.push', worker: 'p1.7', lease_until_ms: NOW + 1, lag_ms: 12_000 };
  assert.equal(senderText([{ name: 'crm' }], NOW), 'No process has sent pushes yet.');
  assert.equal(senderText([group], NOW), 'p1.7 sends; the oldest unread event is 12 s old.');
  assert.equal(senderText([{ ...group, lag_ms: null, lease_until_ms: NOW }], NOW), 'No process sends at present; nothing is unread.');
});
