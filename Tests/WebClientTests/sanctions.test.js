import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayActOn, muteText, REASON_LIMIT, requestOf, sanctionText, SECONDS } from '../../Sources/CWebClient/files/app/sanctions.js';
import { english } from '../../Sources/CWebClient/files/shared/english.js';
import { german } from '../../Sources/CWebClient/files/shared/german.js';

/** A moment of 27 November 2026, in the zone of the machine. */
const at = (hour, minute, day = 27, year = 2026) => new Date(year, 10, day, hour, minute).getTime();
const NOW = at(13, 55);

test('the notice says until when the user is muted, and why, if it is known', () => {
  const cases = [
    [{ untilMs: at(14, 5), reason: 'spam' }, 'A moderator has muted you here until 14:05. Reason: spam'],
    [{ untilMs: at(14, 5) }, 'A moderator has muted you here until 14:05.'],
    [{ reason: 'spam' }, 'A moderator has muted you here. Reason: spam'],
    [{}, 'A moderator has muted you here.'],
    [{ reason: 'a\u202eb' }, 'A moderator has muted you here. Reason: a‹U+202E›b'],
  ];
  for (const [mute, text] of cases) assert.equal(muteText(mute, NOW), text);
  assert.equal(german.muted('14:05', 'Spam'), 'Die Moderation hat dich hier bis 14:05 stummgeschaltet. Grund: Spam');
  assert.equal(german.muted(null, undefined), 'Die Moderation hat dich hier stummgeschaltet.');
});

test('an end on another day has its date, and in another year the year', () => {
  const until = (ms) => muteText({ untilMs: ms }, NOW).match(/until (.*)\.$/)[1];
  assert.equal(until(at(23, 59)), '23:59');
  assert.match(until(at(0, 5, 28)), /^28 November\b.* 00:05$/);
  assert.match(until(at(14, 5, 27, 2027)), /^27 November 2027\b.* 14:05$/);
});

test('the list of moderators tells mutes and bans apart', () => {
  assert.equal(sanctionText({ kind: 'mute', until_ms: at(14, 5), reason: 'spam' }, NOW), 'Muted until 14:05. Reason: spam');
  assert.equal(sanctionText({ kind: 'ban' }, NOW), 'Banned.');
});

test('an owner may act on everyone, a moderator on plain members and on others who are not members, and the rest on no one', () => {
  const roles = ['owner', 'moderator', 'member', 'read_only', undefined];
  const acts = (own) => roles.filter((role) => mayActOn(role, own));
  assert.deepEqual(acts('owner'), roles);
  assert.deepEqual(acts('moderator'), ['member', 'read_only', undefined]);
  for (const own of ['member', 'read_only', undefined]) assert.deepEqual(acts(own), []);
});

test('a request has the seconds of its duration, unless it has no end, and a reason, if there is one', () => {
  assert.deepEqual(Object.keys(SECONDS).map((duration) => requestOf(duration, ' ')), [{ seconds: 600 }, { seconds: 3600 }, { seconds: 86_400 }, { seconds: 604_800 }, {}]);
  assert.deepEqual(requestOf('endless', ' spam \n'), { reason: 'spam' });
  assert.deepEqual([Object.keys(english.durations), REASON_LIMIT], [Object.keys(SECONDS), 500]);
});
