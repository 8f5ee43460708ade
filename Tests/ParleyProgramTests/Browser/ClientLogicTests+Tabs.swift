import ParleyTestSupport

/// Rules between tabs, and between this device and the server. Each script makes what it needs of fakes.
extension ProgramTests.ClientLogicTests {
    static let tabs: [Fact] = [
        Fact(
            "a jump that cannot be loaded leaves the window where it is, and is made when the connection is back",
            """
            await (async () => {
                const { Conversations } = await import(`${location.origin}/conversations.js`);
                const host = {
                    isConnected: true, isOver: false, kept: async () => null, head: () => ({ seq: 20, epoch: 'e1' }), changed: () => {},
                    history: async (id, bounds) => {
                        if (bounds.after === undefined) return page([18, 19, 20], { hasBefore: true });
                        if (!host.isConnected) throw Object.assign(new Error(), { isRetryable: true });
                        return { ...page([4, 5, 6], { hasAfter: true }), head_seq: 20 };
                    },
                };
                const all = new Conversations(host);
                all.open('a');
                await all.sync('a');
                host.isConnected = false;
                await all.jump(5);
                const offline = [all.target, seqs(all.timeline)];
                host.isConnected = true;
                await all.connected();
                for (let turns = 0; turns < 100 && all.target === null; turns += 1) await Promise.resolve();
                return [...offline, all.target, seqs(all.timeline)];
            })()
            """, [.null, [18, 19, 20], 5, [4, 5, 6]]),
        Fact(
            "a tab that has lost the lead keeps nothing of what it had not kept yet",
            """
            await (async () => {
                const { Cache } = await import(`${location.origin}/cache.js`);
                const written = [];
                const database = { transact: async (names, mode, body, fallback) => {
                    if (mode === 'readwrite') written.push(names);
                    return mode === 'readonly' ? [{ id: 'a', epoch: 'e1', from: 1, to: 4 }] : fallback;
                } };
                const counts = [];
                for (const end of ['flush', 'abandon']) {
                    written.length = 0;
                    const cache = new Cache(database);
                    await cache.load();
                    cache.event(message(5));
                    await cache[end]();
                    cache.event(message(6));
                    if (end === 'abandon') await cache.flush();
                    counts.push(written.length);
                }
                return counts;
            })()
            """, [1, 0]),
        Fact(
            "what the device had no room for is not hidden by what it keeps next",
            """
            await (async () => {
                const [{ Cache }, { Database }] = await Promise.all(['cache', 'database'].map((name) => import(`${location.origin}/${name}.js`)));
                const database = await Database.open('full');
                const cache = new Cache(database);
                cache.page('a', page([1, 2]), {}, 0);
                await cache.flush();
                const { put } = IDBObjectStore.prototype;
                IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };
                cache.event(message(3));
                await cache.flush();
                IDBObjectStore.prototype.put = put;
                cache.event(message(4));
                const after = await cache.timeline('a');
                cache.page('a', page([1, 2, 3, 4]), {}, 0);
                const again = await cache.timeline('a');
                database.close();
                return [after && seqs(after), seqs(again), cache.positions.get('a').seq];
            })()
            """, [.null, [1, 2, 3, 4], 4]),
        Fact(
            "a browser that never opens the database does not keep the page from starting",
            """
            await (async () => {
                const { Database } = await import(`${location.origin}/database.js`);
                const { open } = IDBFactory.prototype;
                IDBFactory.prototype.open = () => ({});
                const database = await Database.open('never');
                IDBFactory.prototype.open = open;
                return [database.isOpen, await database.transact(['rows'], 'readonly', () => 1, 'nothing')];
            })()
            """, [false, "nothing"]),
        Fact(
            "presence is watched for the people of the newest 20 tabs, 500 of them",
            """
            await (async () => {
                const { Watches } = await import(`${location.origin}/watches.js`);
                const [few, many] = [new Watches(), new Watches()];
                for (let tab = 0; tab < 30; tab += 1) few.set(`${tab}`, [`u${tab}`, 'all']);
                few.set('10', ['again']);
                for (let tab = 0; tab < 3; tab += 1) many.set(`${tab}`, Array.from({ length: 300 }, (_, index) => `${tab}-${index}`));
                return [few.users.length, few.users[0], few.users.includes('u9'), few.users.includes('u11'), many.users.length, many.users[0]];
            })()
            """, [21, "again", false, true, 500, "2-0"]),
        Fact(
            "a tab that is shown takes the lead from one that the system puts to sleep later",
            """
            await (async () => {
                const { Hub } = await import(`${location.origin}/hub.js`);
                const log = [];
                const watch = { silence: 100, tick: 50, answer: 200 };
                const handlers = { onLead: () => {}, onRequest: async () => true, onLeader: () => {}, onDeposed: () => {}, onMessage: () => {} };
                let asleep = false;
                let deposed;
                const isDeposed = new Promise((resolve) => { deposed = resolve; });
                const first = await new Promise((resolve) => {
                    const hub = new Hub('parley-sleep', {
                        ...handlers, onLead: () => resolve(hub), onDeposed: deposed,
                        onRequest: () => (asleep ? new Promise(() => {}) : Promise.resolve(log.push('asked'))),
                    }, watch);
                });
                const led = new Promise((resolve) => {
                    const hub = new Hub('parley-sleep', { ...handlers, onLead: () => resolve(hub) }, watch);
                });
                const asked = () => new Promise((resolve) => {
                    const timer = setInterval(() => { if (log.length >= 2) resolve(clearInterval(timer)); }, 10);
                });
                await asked();
                const wasLeader = first.isLeader;
                asleep = true;
                const second = await led;
                await isDeposed;
                const isLeader = [wasLeader, first.isLeader, second.isLeader];
                second.stop();
                first.stop();
                return isLeader;
            })()
            """, [true, false, true]),
        Fact(
            "what makes the leading tab stop reaches the other tabs as well",
            """
            await (async () => {
                const { Hub } = await import(`${location.origin}/hub.js`);
                const silent = { onLead: () => {}, onRequest: async () => null, onLeader: () => {}, onDeposed: () => {} };
                const lead = new Promise((resolve) => {
                    const first = new Hub('parley-test', { ...silent, onLead: () => resolve(first), onMessage: () => first.stop() });
                });
                const first = await lead;
                const heard = new Promise((resolve) => {
                    const second = new Hub('parley-test', { ...silent, onMessage: (message) => { second.stop(); resolve(message); } });
                });
                first.broadcast({ signedOut: true });
                return Promise.race([heard, new Promise((resolve) => { setTimeout(resolve, 3000, null); })]);
            })()
            """, ["signedOut": true]),
    ]
}
