import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, invitationFields, invitationText, linkAddress, linkFields, linkText } from '../../Sources/CWebClient/files/app/waysIn.js';
import { explain } from '../../Sources/CWebClient/files/shared/errors.js';

test('a code is found in the address of a link, and in nothing else', () => {
  const code = 'Zk3vX0_-'.repeat(5);
  assert.equal(codeOf(`#/join/${code}`), code);
  for (const hash of ['', '#/', '#/t/a', '#/join/', '#/join/a/b', '#/join/a%2Fb', '#/join/<b>', `#/join/${'x'.repeat(129)}`]) assert.equal(codeOf(hash), null, hash);
  assert.equal(linkAddress('c1', 'https://chat.example/chat/?login_error=x#/t/a/5'), 'https://chat.example/chat/#/join/c1');
  assert.equal(codeOf(new URL(linkAddress(code, 'https://chat.example/')).hash), code);
});

test('what has no end or no limit is left out of a call', () => {
  assert.deepEqual([linkFields('endless', 'any'), linkFields('day', 'ten')], [{}, { seconds: 86_400, uses: 10 }]);
  assert.deepEqual([invitationFields('endless', '  '), invitationFields('hour', ' Come ')], [{}, { seconds: 3_600, text: 'Come' }]);
});

test('a link says how much of it is left', () => {
  const now = 1_000;
  const cases = [
    [{ used: 3 }, 'Used 3 times.'], [{ used: 3, uses: 10 }, 'Used 3 of 10 times.'], [{ used: 10, uses: 10 }, 'Used up.'],
    [{ used: 10, uses: 10, until_ms: 1_000 }, 'Expired.'], [{ used: 0, until_ms: 999 }, 'Expired.'],
  ];
  for (const [link, text] of cases) assert.equal(linkText(link, now), text);
  assert.match(linkText({ used: 0, until_ms: 60_000 }, now), /^Used 0 times, valid until .+\.$/);
});

test('an invitation says whose it is, with signs in place of characters that cannot be seen', () => {
  assert.equal(invitationText({ by: { username: 'alice' } }, 0), 'Invited by alice.');
  assert.equal(invitationText({ by: { username: 'a\u202Eb' }, text: 'Come' }, 0), 'Invited by a‹U+202E›b. “Come”');
});

test('a suspended user reads the reason and the end, wherever the call was made', () => {
  const error = { code: 'suspended', message: 'for developers', suspension: { reason: 'spam' } };
  assert.equal(explain(error), 'Your account is suspended. Reason: spam');
  assert.equal(explain(error, 'logIn'), 'Your account is suspended. Reason: spam');
  assert.equal(explain({ suspension: {} }), 'Your account is suspended.');
  assert.match(explain({ suspension: { untilMs: Date.now() + 60_000 } }), /^Your account is suspended until .+\.$/);
});
