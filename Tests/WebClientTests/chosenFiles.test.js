import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './support/globals.js';
import { ChosenFiles } from '../../Sources/CWebClient/files/app/chosenFiles.js';

const file = (name, type = 'image/jpeg') => new File(['original'], name, { type });
/** A picker without limits, for a browser that can read no photo. */
const plain = (options) => new ChosenFiles({ limits: () => undefined, onChange: () => {}, photo: async () => null, ...options });

test('photos are prepared one at a time; what cannot be read is sent as a file that is not shown, and said so', async () => {
  let [running, most] = [0, 0];
  const said = [];
  const chosen = plain({
    limits: () => ({ max_bytes: 100, types: ['*/*'] }), onChange: (text) => { if (text) said.push(text); },
    photo: async ({ name }) => {
      running += 1;
      most = Math.max(most, running);
      await null;
      running -= 1;
      if (name === 'broken.jpg') throw new Error();
      return name === 'moving.webp' ? null : { blob: new Blob(['small']), type: 'image/jpeg', name, width: 2, height: 1 };
    },
  });
  const originals = [
    file('1.jpg'), file('broken.jpg'), file('moving.webp', 'image/webp'), file('a.pdf', 'application/pdf'), file('2.avif', 'image/avif'),
  ];
  assert.equal(chosen.add('a', originals), null);
  assert.deepEqual(chosen.of('a').filter(({ blob }) => blob).map(({ name }) => name), ['a.pdf']);
  await settled();
  assert.equal(most, 1);
  assert.equal(said.length, 1);
  assert.match(said[0], /^This browser cannot read “broken.jpg”/);
  assert.deepEqual(chosen.of('a').map(({ type, blob, width = 0, note }) => [type, blob.size, width, note !== undefined]), [
    ['image/jpeg', 5, 2, false], ['application/octet-stream', 8, 0, true], ['image/webp', 8, 0, false],
    ['application/pdf', 8, 0, false], ['image/jpeg', 5, 2, false],
  ]);
});

test('whether photos are sent unchanged is said for each thread, also while one is being prepared', async () => {
  const waiting = [];
  const chosen = plain({
    photo: () => new Promise((resolve) => { waiting.push(() => resolve({ blob: new Blob(['small']), type: 'image/jpeg', name: 'x.jpg' })); }),
  });
  const next = async () => {
    waiting.shift()?.();
    await settled(20);
  };
  const sizes = () => ['a', 'b'].map((thread) => chosen.of(thread).map(({ blob }) => blob?.size ?? null));
  chosen.add('a', [file('1.jpg')]);
  chosen.add('b', [file('2.jpg')]);
  chosen.setUnchanged('a', true);
  await next();
  assert.deepEqual(sizes(), [[8], [null]]);
  await next();
  assert.deepEqual(sizes(), [[8], [5]]);
  chosen.setUnchanged('a', false);
  chosen.setUnchanged('b', true);
  await next();
  assert.deepEqual(sizes(), [[5], [8]]);
  chosen.clear('b');
  chosen.add('b', [file('3.jpg')]);
  await next();
  assert.deepEqual(sizes(), [[5], [5]]);
  assert.equal(chosen.isUnchanged('b'), false);
});

test('addresses of chosen pictures are released when they are removed, sent, or the session ends', (context) => {
  const released = [];
  context.mock.method(URL, 'revokeObjectURL', (url) => released.push(url));
  const chosen = plain();
  for (const thread of ['a', 'b', 'c']) chosen.add(thread, [file('x.gif', 'image/gif'), file('x.zip', '')]);
  const all = ['a', 'b', 'c'].map((thread) => chosen.of(thread)[0].url);
  const ends = [() => chosen.remove(chosen.of('a')[0]), () => chosen.clear('b'), () => chosen.clearAll()];
  const counts = ends.map((end) => {
    end();
    return released.length;
  });
  assert.deepEqual(counts, [1, 2, 3]);
  assert.deepEqual(released, all);
  assert.deepEqual(chosen.of('a'), []);
});

test('a message takes ten files, and those beyond are refused in words', () => {
  const chosen = plain();
  const files = (count) => Array.from({ length: count }, (_, index) => file(`${index}.zip`, ''));
  assert.equal(chosen.add('a', files(10)), null);
  assert.equal(chosen.add('a', files(1)), 'A message has at most 10 files.');
  assert.deepEqual([chosen.of('a').length, chosen.add('b', files(11)), chosen.of('b').length], [10, 'A message has at most 10 files.', 10]);
});

test('of several files those that the server refuses are left out, and the first reason is said', () => {
  const chosen = plain({ limits: () => ({ max_bytes: 8, types: ['image/*'] }) });
  const empty = new File([], 'empty.gif', { type: 'image/gif' });
  assert.equal(chosen.add('a', [file('x.pdf', 'application/pdf'), empty, file('x.gif', 'image/gif')]), '“x.pdf” is of a type that this server does not take.');
  assert.deepEqual(chosen.of('a').map(({ name }) => name), ['x.gif']);
  assert.equal(plain({ limits: () => null }).add('a', [file('x.gif', 'image/gif')]), 'This server takes no files.');
});

test('a photo that is still too large when it was made smaller is left out, and said so', async () => {
  const said = [];
  const chosen = plain({
    limits: () => ({ max_bytes: 4, types: ['*/*'] }), onChange: (text) => said.push(text), photo: async ({ name }) => ({ blob: new Blob(['small']), type: 'image/jpeg', name }),
  });
  assert.equal(chosen.add('a', [file('1.jpg')]), null);
  await settled();
  assert.deepEqual([chosen.of('a'), said.length], [[], 1]);
  assert.match(said[0], /too large/);
});

test('a photo that is removed while it is prepared does not come back', async () => {
  let prepared;
  const chosen = plain({ photo: () => new Promise((resolve) => { prepared = resolve; }) });
  chosen.add('a', [file('1.jpg')]);
  await settled();
  chosen.clear('a');
  prepared({ blob: new Blob(['small']), type: 'image/jpeg', name: '1.jpg' });
  await settled();
  assert.deepEqual(chosen.of('a'), []);
});
