import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Previews } from '../../Sources/CWebClient/files/app/previews.js';
import { settled } from './support/globals.js';

/** The addresses that were made and not released. */
function addresses(context) {
  const all = new Set();
  let count = 0;
  context.mock.method(URL, 'createObjectURL', () => {
    count += 1;
    all.add(`blob:${count}`);
    return `blob:${count}`;
  });
  context.mock.method(URL, 'revokeObjectURL', (url) => all.delete(url));
  return all;
}

test('a file of this tab has its address at once, and one of another tab when it is read', async (context) => {
  addresses(context);
  let [loads, changes] = [0, 0];
  const previews = new Previews(async () => { loads += 1; return new Blob(['x']); }, () => { changes += 1; });
  previews.set('1', 0, new Blob(['x']));
  assert.equal(previews.get('1', 0), 'blob:1');
  assert.deepEqual([previews.get('2', 0), previews.get('2', 0)], [null, null]);
  await settled();
  assert.deepEqual([previews.get('2', 0), loads, changes], ['blob:2', 1, 1]);
});

test('addresses are released with their message, also when the file is read later', async (context) => {
  const all = addresses(context);
  const previews = new Previews(async () => new Blob(['x']), () => {});
  previews.set('1', 0, new Blob(['x']));
  previews.set('10', 0, new Blob(['x']));
  previews.get('2', 0);
  previews.keep(new Set(['10']));
  await settled();
  assert.deepEqual([...all], ['blob:2']);
});

test('a file that is gone has no address', async (context) => {
  addresses(context);
  const previews = new Previews(async () => undefined, () => { throw new Error('nothing has changed'); });
  previews.get('1', 0);
  await settled();
  assert.equal(previews.get('1', 0), null);
});
