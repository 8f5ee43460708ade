import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginAddress, logoutRequest, nextStep, providerAddress, takeLoginError } from '../../Sources/CWebClient/files/app/entrance.js';
import { siteOf } from '../../Sources/CWebClient/files/shared/site.js';

const own = siteOf(undefined);
const django = siteOf('{"name":"Shop","signUp":false,"login":"/login/","logout":"/logout/"}');
const me = { id: '1', username: 'alice' };
const step = (fields) => nextStep({ known: null, site: django, sentAt: NaN, isFramed: false, now: 100_000, ...fields });

test('the settings in the page replace the defaults, and damaged ones change nothing', () => {
  assert.deepEqual(own, { name: 'Parley', provider: null, passwords: true, signUp: true, login: null, logout: null, profile: null, visibility: 'public' });
  assert.deepEqual(django, { name: 'Shop', provider: null, passwords: true, signUp: false, login: '/login/', logout: '/logout/', profile: null, visibility: 'public' });
  assert.deepEqual(siteOf('{'), own);
});

test('whoever the server knows enters, whatever the device remembers', () => {
  for (const site of [own, django]) {
    for (const known of [null, me, { id: '2', username: 'bob' }]) assert.equal(step({ answer: { me }, known, site }), 'enter');
  }
});

test('an app with its own login shows its form', () => {
  assert.equal(step({ answer: { isSignedOut: true }, site: own }), 'form');
  assert.equal(step({ answer: { isSignedOut: true }, site: own, known: me }), 'form');
  assert.equal(step({ answer: { error: {} }, site: own }), 'form');
});

test('without an answer a known user reads what the device has kept', () => {
  for (const site of [own, django]) assert.equal(step({ answer: { error: {} }, known: me, site }), 'open');
  assert.equal(step({ answer: { error: {} } }), 'retry');
});

test('a site receives the visitor, but not again and again, and not in a frame', () => {
  const answer = { isSignedOut: true };
  assert.equal(step({ answer }), 'send');
  assert.equal(step({ answer, sentAt: 40_001 }), 'invite');
  assert.equal(step({ answer, sentAt: 40_000 }), 'send');
  assert.equal(step({ answer, isFramed: true }), 'invite');
});

test('the way to the login leads back to the same conversation', () => {
  assert.equal(loginAddress('/login/', 'https://shop.example/messenger/?a=b#/t/c'),
    'https://shop.example/login/?next=%2Fmessenger%2F%3Fa%3Db%23%2Ft%2Fc');
  assert.equal(loginAddress('https://id.example/in?x=1', 'https://shop.example/'),
    'https://id.example/in?x=1&next=https%3A%2F%2Fshop.example%2F');
});

test('the logout carries the token of the site, and goes to no other site with it', () => {
  const here = 'https://shop.example/messenger/';
  assert.deepEqual(logoutRequest('/logout/', here, 'a=b; csrftoken=t0k; c=d'),
    { method: 'post', address: 'https://shop.example/logout/', fields: { csrfmiddlewaretoken: 't0k' } });
  assert.deepEqual(logoutRequest('/logout/', here, 'xcsrftoken=1'), { method: 'get', address: 'https://shop.example/logout/', fields: {} });
  assert.deepEqual(logoutRequest('https://id.example/out', here, 'csrftoken=t0k'),
    { method: 'get', address: 'https://id.example/out', fields: {} });
});

test('the way to the OpenID provider leads back to the same conversation, if its address is short enough', () => {
  assert.equal(providerAddress('https://chat.example/messenger/?a=b#/t/c'), '/auth/oidc?next=%2Fmessenger%2F%3Fa%3Db%23%2Ft%2Fc');
  assert.equal(providerAddress(`https://chat.example/#${'x'.repeat(1022)}`), `/auth/oidc?next=%2F%23${'x'.repeat(1022)}`);
  assert.equal(providerAddress(`https://chat.example/#${'x'.repeat(1023)}`), '/auth/oidc?next=%2F');
});

test('the reason of a failed login is taken out of the address, and is one of the known texts', () => {
  assert.deepEqual(takeLoginError('https://chat.example/?login_error=oidc_denied#/t/c'), { code: 'oidc_denied', place: '/#/t/c' });
  assert.deepEqual(takeLoginError('https://chat.example/m/?a=b'), { code: null, place: '/m/?a=b' });
  for (const odd of ['', 'nameTaken', 'oidc_<b>', '__proto__']) {
    assert.equal(takeLoginError(`https://chat.example/?login_error=${encodeURIComponent(odd)}`).code, 'oidc_rejected');
  }
});
