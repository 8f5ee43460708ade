import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceGlobal } from './support/globals.js';
import { uuidV7 } from '../../Sources/CWebClient/files/client/uuid.js';

const bytes = (value) => new Array(16).fill(value);

test('a client id is a UUIDv7 of its time', () => {
  assert.equal(uuidV7(0x0190b7c179b0, bytes(0xff)), '0190b7c1-79b0-7fff-bfff-ffffffffffff');
  assert.equal(uuidV7(0, bytes(0)), '00000000-0000-7000-8000-000000000000');
});

test('ids are in the order of their times, and no two are the same', () => {
  assert.ok(uuidV7() < uuidV7(Date.now() + 1));
  assert.equal(new Set(Array.from({ length: 10_000 }, () => uuidV7(1))).size, 10_000);
});

test('a time of 48 bits fills its place and one more bit does not spill into the version', () => {
  assert.equal(uuidV7(2 ** 48 - 1, bytes(0)), 'ffffffff-ffff-7000-8000-000000000000');
  assert.equal(uuidV7(2 ** 48, bytes(0)), '00000000-0000-7000-8000-000000000000');
});

test('the random bytes that are given stay as they are', () => {
  const random = bytes(0xff);
  uuidV7(0, random);
  assert.deepEqual(random, bytes(0xff));
});

test('without a global crypto, as in Node 18, the ids are just as different', (context) => {
  replaceGlobal(context, 'crypto', undefined);
  const ids = Array.from({ length: 1_000 }, () => uuidV7(1));
  assert.equal(new Set(ids).size, 1_000);
  assert.match(ids[0], /^00000000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
