import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What the web client does with things that only a browser has: elements, pictures, IndexedDB, locks between tabs.
    /// The rules without them are tested by Node, in `Tests/WebClientTests`.
    @Suite struct BrowserFeatureTests {
        /// A JavaScript expression and its value. In scope are `message` and `page`, which make events of a thread `a`.
        struct Fact: Sendable {
            let name: String
            let script: String
            let value: JSONValue

            init(_ name: String, _ script: String, _ value: JSONValue) {
                self.name = name
                self.script = script
                self.value = value
            }
        }

        private static let facts: [Fact] = [
            Fact(
                "a picture of a user that cannot be loaded leaves the initials until the connection is back, but not those of another user",
                """
                await (async () => {
                    const { avatar, retryAvatars, showAvatar } = await import(`${location.origin}/shared/dom.js`);
                    const node = avatar('a', 'Ann');
                    document.body.append(node);
                    const shown = () => node.querySelector('img')?.getAttribute('src') ?? node.textContent;
                    const show = (id, name, url) => {
                        showAvatar(node, id, name, url);
                        return node.querySelector('img');
                    };
                    const fail = (image) => image.dispatchEvent(new Event('error'));
                    fail(show('a', 'Ann', '/shared/icon-192.png?a'));
                    show('a', 'Ann', '/shared/icon-192.png?a');
                    const seen = [shown()];
                    retryAvatars(document);
                    const old = show('a', 'Ann', '/shared/icon-192.png?a');
                    seen.push(shown());
                    show('b', 'Bob', '/shared/icon-192.png?b');
                    fail(old);
                    seen.push(shown());
                    node.remove();
                    return seen;
                })()
                """, ["A", "/shared/icon-192.png?a", "/shared/icon-192.png?b"]),
            Fact(
                "a photo that this browser cannot decode is not taken for one that is sent as it is",
                """
                await (async () => {
                    const { photo } = await import(`${location.origin}/app/picture.js`);
                    const outcome = (type, text) => photo(new File([text], 'x', { type })).catch(() => 'failed');
                    const sequence = '\\0\\0\\0\\u0018ftypavif\\0\\0\\0\\0avismif1';
                    return [await outcome('image/avif', 'x'), await outcome('image/jpeg', 'x'), await outcome('image/gif', 'x'), await outcome('image/avif', sequence)];
                })()
                """, ["failed", "failed", .null, .null]),
            Fact(
                "what the device had no room for is not hidden by what it keeps next",
                """
                await (async () => {
                    const [{ Cache }, { Database }] = await Promise.all(['cache', 'database'].map((name) => import(`${location.origin}/client/${name}.js`)));
                    const database = await Database.open('full');
                    const cache = new Cache(database);
                    cache.page('a', page(1, 2), {}, 0);
                    await cache.flush();
                    const { put } = IDBObjectStore.prototype;
                    IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };
                    cache.event(message(3));
                    await cache.flush();
                    IDBObjectStore.prototype.put = put;
                    cache.event(message(4));
                    const after = await cache.timeline('a');
                    cache.page('a', page(1, 2, 3, 4), {}, 0);
                    const again = await cache.timeline('a');
                    database.close();
                    return [after && seqs(after), seqs(again), cache.positions.get('a').seq];
                })()
                """, [.null, [1, 2, 3, 4], 4]),
            Fact(
                "a browser that never opens the database does not keep the page from starting",
                """
                await (async () => {
                    const { Database } = await import(`${location.origin}/client/database.js`);
                    const { open } = IDBFactory.prototype;
                    IDBFactory.prototype.open = () => ({});
                    const database = await Database.open('never');
                    IDBFactory.prototype.open = open;
                    return [database.isOpen, await database.transact(['rows'], 'readonly', () => 1, 'nothing')];
                })()
                """, [false, "nothing"]),
            Fact(
                "a tab that is shown takes the lead from one that the system puts to sleep later",
                """
                await (async () => {
                    const { Hub } = await import(`${location.origin}/client/hub.js`);
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
                    const { Hub } = await import(`${location.origin}/client/hub.js`);
                    const silent = { onLead: () => {}, onRequest: async () => null, onLeader: () => {}, onDeposed: () => {} };
                    const lead = new Promise((resolve) => {
                        const first = new Hub('parley-test', { ...silent, onLead: () => resolve(first), onMessage: () => first.stop() });
                    });
                    const first = await lead;
                    const heard = new Promise((resolve) => {
                        const second = new Hub('parley-test', { ...silent, onMessage: (message) => { second.stop(); resolve(message); } });
                    });
                    first.broadcast({ signedOut: true });
                    return Promise.race([heard, new Promise((resolve) => { setTimeout(resolve, 15000, null); })]);
                })()
                """, ["signedOut": true]),
        ]

        private static let preamble = """
            const message = (seq) =>
                ({ type: 'message', id: `m${seq}`, seq, thread_id: 'a', sender_id: 'x', text: 'hi', epoch: 'e1', date_ms: seq * 1000 });
            const page = (...seqs) =>
                ({ epoch: 'e1', events: seqs.map(message), has_more_before: false, has_more_after: false, head_seq: seqs.at(-1) });
            const seqs = ({ rows }) => rows.map((row) => row.seq);

            """

        @Test("pictures, storage and locks of a real browser are used as they are meant")
        func facts() async throws {
            let parley = try await ParleyProcess.start()
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                try await browser.open(parley.baseURL)
                for fact in Self.facts {
                    let value = try await browser.runAsync(Self.preamble + "return \(fact.script);")
                    #expect(value == fact.value, "\(fact.name)")
                }
            }
        }
    }
}
