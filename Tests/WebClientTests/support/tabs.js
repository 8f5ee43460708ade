// The tabs of a device on the simulated server, in virtual time.
import { createClient } from '../../../Sources/CWebClient/files/client/index.js';
import { Device } from '../simulation/device.js';
import { Scheduler } from '../simulation/scheduler.js';
import { Server } from '../simulation/server.js';

/** Tabs, each `{process, client, changes, ends}`, that share one connection. `sent` are the commands that the server received. */
export function tabsOf(context, options = {}) {
  const scheduler = new Scheduler(1);
  const server = new Server(scheduler);
  server.rest.hasCookies = true;
  const device = new Device(scheduler, 'device');
  scheduler.install({
    navigator: { get locks() { return device.locks; } }, document: undefined,
    BroadcastChannel: class { constructor(name) { return device.channel(name); } },
  });
  const [tabs, sent] = [[], []];
  context.after(() => {
    for (const { client } of tabs) client.close();
    scheduler.uninstall();
  });
  const WebSocket = class extends server.WebSocket {
    send(text) {
      sent.push(JSON.parse(text));
      super.send(text);
    }
  };
  const open = async () => {
    const tab = { process: device.launch(), changes: 0, ends: 0 };
    tabs.push(tab);
    await scheduler.run(tab.process, () => {
      tab.client = createClient({ url: 'http://server', storage: device.storage, tabs: true, WebSocket, fetch: server.fetch, ...options });
      tab.client.on('change', () => { tab.changes += 1; });
      tab.client.on('signedOut', () => { tab.ends += 1; });
      tab.client.ready.catch(() => {});
    });
    await scheduler.pass(5_000);
    return tab;
  };
  const living = () => tabs.filter(({ process }) => !process.isDead);
  return { scheduler, server, device, sent, open, living };
}
