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
