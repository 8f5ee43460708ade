import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const text = readFileSync(new URL('../../examples/web/chat.js', import.meta.url), 'utf8');

test('the example is a chat in at most 40 lines, on the entries of the package alone', () => {
  assert.ok(text.trimEnd().split('\n').length <= 40);
  assert.deepEqual([...text.matchAll(/from '([^']+)'/g)].map(([, path]) => path), ['@parley/client', '@parley/client/storage']);
});
