import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entrances } from '../../Sources/CWebClient/files/client/entrances.js';

/** Calls of a server that answers each with its method and path, and what they were. */
function recorded(entered) {
  const calls = [];
  const rest = {
    call: async (...parameters) => {
      calls.push(parameters.filter((each) => each !== undefined));
      return { id: parameters.slice(0, 2).join(' ') };
    },
  };
  return { entrances: new Entrances(rest, entered), calls };
}

test('rooms and groups are made, changed and handed over', async () => {
  const { entrances, calls } = recorded();
  await entrances.createRoom({ title: 'Garden', visibility: 'private', history: 'since_joining' });
  await entrances.createGroup({ members: ['name:bob'], title: 'Feast' });
  await entrances.changeRoom('a/b', { history: 'all' });
  await entrances.setOwner('a', 'id:7');
  assert.deepEqual(calls, [
    ['POST', '/v1/threads', { title: 'Garden', visibility: 'private', history: 'since_joining' }],
    ['POST', '/v1/threads', { kind: 'group', members: ['name:bob'], title: 'Feast' }],
    ['PATCH', '/v1/threads/a%2Fb', { history: 'all' }], ['POST', '/v1/threads/a/owner', { user: 'id:7' }],
  ]);
});

test('invitations have their places, and a body where the server wants one', async () => {
  const { entrances, calls } = recorded();
  await entrances.invite('a/b', 'id:u&1', { text: 'Come', seconds: 60 });
  await entrances.invite('a', 'id:7');
  await entrances.invitations('a', 'c 1');
  await entrances.withdrawInvitation('a', 'id:7');
  await entrances.myInvitations();
  await entrances.acceptInvitation('a/b');
  await entrances.declineInvitation('a');
  assert.deepEqual(calls, [
    ['PUT', '/v1/threads/a%2Fb/invitations/id%3Au%261', { text: 'Come', seconds: 60 }], ['PUT', '/v1/threads/a/invitations/id%3A7', {}],
    ['GET', '/v1/threads/a/invitations?cursor=c+1&limit=200'], ['DELETE', '/v1/threads/a/invitations/id%3A7'],
    ['GET', '/v1/me/invitations?limit=200'], ['POST', '/v1/me/invitations/a%2Fb/accept'], ['DELETE', '/v1/me/invitations/a'],
  ]);
});

test('requests and links have their places', async () => {
  const { entrances, calls } = recorded();
  await entrances.request('a');
  await entrances.request('a', { text: 'Please' });
  await entrances.myRequests();
  await entrances.withdrawRequest('a/b');
  await entrances.requests('a');
  await entrances.acceptRequest('a', 'id:7');
  await entrances.refuseRequest('a', 'id:7');
  await entrances.createLink('a');
  await entrances.createLink('a', { seconds: 60, uses: 3 });
  await entrances.links('a');
  await entrances.revokeLink('a', 'l/1');
  await entrances.link('x/y');
  await entrances.joinLink('x/y');
  assert.deepEqual(calls, [
    ['POST', '/v1/threads/a/requests', {}], ['POST', '/v1/threads/a/requests', { text: 'Please' }], ['GET', '/v1/me/requests'],
    ['DELETE', '/v1/me/requests/a%2Fb'], ['GET', '/v1/threads/a/requests?limit=200'], ['POST', '/v1/threads/a/requests/id%3A7/accept'],
    ['DELETE', '/v1/threads/a/requests/id%3A7'], ['POST', '/v1/threads/a/links', {}], ['POST', '/v1/threads/a/links', { seconds: 60, uses: 3 }],
    ['GET', '/v1/threads/a/links'], ['DELETE', '/v1/threads/a/links/l%2F1'], ['GET', '/v1/links/x%2Fy'], ['POST', '/v1/links/x%2Fy'],
  ]);
});

test('a thread that the user comes into is passed on, and no other answer is', async () => {
  const passed = [];
  const { entrances } = recorded((thread) => {
    passed.push(thread.id);
    return 'listed';
  });
  const answers = [
    await entrances.createRoom({ title: 'x' }), await entrances.createGroup({ members: ['y'] }), await entrances.acceptInvitation('a'), await entrances.joinLink('c'),
  ];
  assert.deepEqual(answers, ['listed', 'listed', 'listed', 'listed']);
  for (const call of [entrances.link('c'), entrances.request('a'), entrances.changeRoom('a', {}), entrances.acceptRequest('a', 'u')]) assert.ok((await call).id);
  assert.deepEqual(passed, ['POST /v1/threads', 'POST /v1/threads', 'POST /v1/me/invitations/a/accept', 'POST /v1/links/c']);
});
