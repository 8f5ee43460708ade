import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hub } from '../../Sources/CWebClient/files/client/hub.js';
import { Device } from './simulation/device.js';
import { Scheduler } from './simulation/scheduler.js';

/**
 * The tabs of a device in virtual time. `said` are the messages that each has received, `asks` is how often it was told
 * of another leader, and `delay` is the time in which it answers, in milliseconds.
 */
async function tabsOf(context, count, seed = 1) {
  const scheduler = new Scheduler(seed);
  const device = new Device(scheduler, 'device');
  scheduler.install({
    navigator: { get locks() { return device.locks; } }, document: undefined,
    BroadcastChannel: class { constructor(name) { return device.channel(name); } },
  });
  context.after(() => scheduler.uninstall());
  const tabs = [];
  for (let index = 0; index < count; index += 1) {
    const tab = { process: device.launch(), said: [], asks: 0, delay: 0, isDeposed: false };
    tabs.push(tab);
    await scheduler.run(tab.process, () => {
      tab.hub = new Hub('tabs', {
        onLead: () => {}, onLeader: () => { tab.asks += 1; },
        onRequest: (body) => new Promise((resolve) => { setTimeout(resolve, tab.delay, body); }),
        onMessage: (message) => {
          tab.said.push(message);
          if (message === tab.stopsAt) tab.hub.stop();
        },
        onDeposed: () => { tab.isDeposed = true; },
      });
    });
    await scheduler.pass(100);
  }
  const leaders = () => tabs.filter(({ hub, process }) => hub.isLeader && !process.isDead);
  return { scheduler, device, tabs, leaders };
}

test('the first tab leads, and another one when it is gone', async (context) => {
  const { scheduler, device, tabs, leaders } = await tabsOf(context, 2);
  assert.deepEqual(leaders(), [tabs[0]]);
  device.kill(tabs[0].process);
  await scheduler.pass(100);
  assert.deepEqual(leaders(), [tabs[1]]);
});

test('of tabs that take over from a suspended one at the same time one leads, and the suspended one when it is alone', async (context) => {
  const { scheduler, device, tabs, leaders } = await tabsOf(context, 3);
  tabs[0].process.asleepUntil = scheduler.now + 60_000;
  await scheduler.pass(50_000);
  assert.equal(leaders().filter(({ process }) => process !== tabs[0].process).length, 1);
  await scheduler.pass(20_000);
  assert.equal(leaders().length, 1);
  assert.ok(tabs[0].isDeposed);
  for (const { process } of tabs.slice(1)) device.kill(process);
  await scheduler.pass(1_000);
  assert.deepEqual(leaders(), [tabs[0]]);
});

test('what a leader says that does not know yet that another one has taken over is ignored', async (context) => {
  const { scheduler, tabs, leaders } = await tabsOf(context, 2);
  const [first, second] = tabs;
  await scheduler.run(first.process, () => first.hub.broadcast('before'));
  await scheduler.pass(100);
  first.process.asleepUntil = scheduler.now + 60_000;
  // It is the first to run when it wakes up.
  scheduler.at(1, first.process, () => first.hub.broadcast('outdated'));
  await scheduler.pass(59_000);
  assert.deepEqual(leaders().includes(second), true);
  await scheduler.pass(10_000);
  await scheduler.run(second.process, () => second.hub.broadcast('new'));
  await scheduler.pass(100);
  assert.deepEqual(second.said, ['before', 'new']);
  assert.deepEqual(first.said, ['before', 'outdated', 'new']);
});

test('the message that makes a leader stop reaches the other tabs once, also the one that leads next', async (context) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { scheduler, tabs, leaders } = await tabsOf(context, 3, seed);
    const [first, ...others] = tabs;
    if (seed % 2) await scheduler.run(first.process, () => first.hub.broadcast('before'));
    await scheduler.pass(100);
    first.stopsAt = 'signed out';
    await scheduler.run(first.process, () => first.hub.broadcast('signed out'));
    await scheduler.pass(1_000);
    for (const { said } of others) assert.deepEqual(said, [...(seed % 2 ? ['before'] : []), 'signed out'], `seed ${seed}`);
    assert.equal(leaders().filter((tab) => tab !== first).length, 1);
    for (const { process, hub } of others) await scheduler.run(process, () => hub.stop());
    scheduler.uninstall();
  }
});

test('a tab that begins to lead while it is suspended is not taken for the leader after another one has taken over', async (context) => {
  const { scheduler, device, tabs } = await tabsOf(context, 4);
  const [first, second, ...others] = tabs;
  second.delay = 50;
  second.process.asleepUntil = scheduler.now + 60_000;
  device.kill(first.process);
  await scheduler.pass(59_000);
  const [leader, other] = others.sort((one, another) => another.hub.isLeader - one.hub.isLeader);
  assert.deepEqual([leader.hub.isLeader, second.isDeposed], [true, false]);
  other.asks = 0;
  // It says that it leads, that it does not lead any longer, and then answers what the others asked.
  await scheduler.pass(2_000);
  assert.deepEqual([second.isDeposed, other.asks], [true, 2]);
  await scheduler.run(leader.process, () => leader.hub.broadcast('new'));
  let answer;
  await scheduler.run(other.process, () => other.hub.request('ask').then((body) => { answer = body; }, ({ code }) => { answer = code; }));
  await scheduler.pass(100);
  assert.deepEqual([other.said, answer], [['new'], 'ask']);
});
