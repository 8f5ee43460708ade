import ParleyTestSupport

/// Rules about what is on its way to the server. Each script makes what it needs of fakes.
extension ProgramTests.ClientLogicTests {
    static let outgoing: [Fact] = [
        Fact(
            "an upload that something else than the server answers fails, and can be tried again",
            """
            await (async () => {
                const { uploadPiece } = await import(`${location.origin}/api.js`);
                const original = globalThis.XMLHttpRequest;
                const upload = (responseText) => {
                    globalThis.XMLHttpRequest = class {
                        upload = {};
                        status = 200;
                        responseText = responseText;
                        open() {}
                        setRequestHeader() {}
                        getResponseHeader() { return '3'; }
                        send() { queueMicrotask(() => this.onload()); }
                    };
                    const silence = new Promise((resolve) => { setTimeout(resolve, 3000, 'never settled'); });
                    const options = { signal: new AbortController().signal, onProgress: () => {} };
                    return Promise.race([silence, uploadPiece('a', new Blob(['abc']), 0, options).catch(({ status }) => status)]);
                };
                const answers = [];
                for (const text of ['<html>Log in</html>', '', 'null', '{"complete":true}']) answers.push(await upload(text));
                globalThis.XMLHttpRequest = original;
                return answers;
            })()
            """, [0, 0, 0, ["offset": 3, "isComplete": true]]),
        Fact(
            "photos are prepared one at a time; what cannot be read is sent as a file that is not shown, and said so",
            """
            await (async () => {
                const { ChosenFiles } = await import(`${location.origin}/chosenFiles.js`);
                let [running, most] = [0, 0];
                const said = [];
                const chosen = new ChosenFiles({
                    limits: () => ({ max_bytes: 100, types: ['*/*'] }), onChange: (text) => { if (text) said.push(text.split(/ [“i]/)[0]); },
                    photo: async ({ name }) => {
                        running += 1;
                        most = Math.max(most, running);
                        await null;
                        running -= 1;
                        if (name === 'broken.jpg') throw new Error();
                        return name === 'moving.webp' ? null : { blob: new Blob(['small']), type: 'image/jpeg', name, width: 2, height: 1 };
                    },
                });
                const file = (name, type) => new File(['original'], name, { type });
                const problem = chosen.add('a', [
                    file('1.jpg', 'image/jpeg'), file('broken.jpg', 'image/jpeg'), file('moving.webp', 'image/webp'),
                    file('a.pdf', 'application/pdf'), file('2.avif', 'image/avif'),
                ]);
                const before = chosen.of('a').filter(({ blob }) => blob).map(({ name }) => name);
                for (let turn = 0; turn < 100; turn += 1) await null;
                const after = chosen.of('a').map(({ type, blob, width = 0, note }) => [type, blob.size, width, note !== undefined]);
                return [problem, before, most, said, after];
            })()
            """,
            [
                .null, ["a.pdf"], 1, ["This browser cannot read"],
                [
                    ["image/jpeg", 5, 2, false], ["application/octet-stream", 8, 0, true], ["image/webp", 8, 0, false],
                    ["application/pdf", 8, 0, false], ["image/jpeg", 5, 2, false],
                ],
            ]),
        Fact(
            "whether photos are sent unchanged is said for each thread, also while one is being prepared",
            """
            await (async () => {
                const { ChosenFiles } = await import(`${location.origin}/chosenFiles.js`);
                const waiting = [];
                const chosen = new ChosenFiles({
                    limits: () => undefined, onChange: () => {},
                    photo: () => new Promise((resolve) => { waiting.push(() => resolve({ blob: new Blob(['small']), type: 'image/jpeg', name: 'x.jpg' })); }),
                });
                const file = (name) => new File(['original'], name, { type: 'image/jpeg' });
                const next = async () => {
                    waiting.shift()?.();
                    for (let turn = 0; turn < 20; turn += 1) await null;
                };
                const sizes = () => ['a', 'b'].map((thread) => chosen.of(thread).map(({ blob }) => blob?.size ?? null));
                const seen = [];
                chosen.add('a', [file('1.jpg')]);
                chosen.add('b', [file('2.jpg')]);
                chosen.setUnchanged('a', true);
                for (let step = 0; step < 2; step += 1) { await next(); seen.push(sizes()); }
                chosen.setUnchanged('a', false);
                chosen.setUnchanged('b', true);
                await next();
                seen.push(sizes());
                chosen.clear('b');
                chosen.add('b', [file('3.jpg')]);
                await next();
                return [...seen, sizes(), chosen.isUnchanged('b')];
            })()
            """, [[[8], [.null]], [[8], [5]], [[5], [8]], [[5], [5]], false]),
        Fact(
            "addresses of chosen pictures are released when they are removed, sent, or the session ends",
            """
            await (async () => {
                const { ChosenFiles } = await import(`${location.origin}/chosenFiles.js`);
                const chosen = new ChosenFiles({ limits: () => undefined, onChange: () => {}, photo: async () => null });
                const original = URL.revokeObjectURL;
                const released = [];
                URL.revokeObjectURL = (url) => released.push(url);
                for (const thread of ['a', 'b', 'c']) chosen.add(thread, [new File(['x'], 'x.gif', { type: 'image/gif' }), new File(['x'], 'x.zip')]);
                const all = ['a', 'b', 'c'].map((thread) => chosen.of(thread)[0].url);
                const counts = [];
                for (const end of [() => chosen.remove(chosen.of('a')[0]), () => chosen.clear('b'), () => chosen.clearAll()]) {
                    end();
                    counts.push(released.length);
                }
                URL.revokeObjectURL = original;
                return [...counts, released.join() === all.join(), chosen.of('a').length];
            })()
            """, [1, 2, 3, true, 0]),
        Fact(
            "a photo that this browser cannot decode is not taken for one that is sent as it is",
            """
            await (async () => {
                const { photo } = await import(`${location.origin}/picture.js`);
                const outcome = (type, text) => photo(new File([text], 'x', { type })).catch(() => 'failed');
                const sequence = '\\0\\0\\0\\u0018ftypavif\\0\\0\\0\\0avismif1';
                return [await outcome('image/avif', 'x'), await outcome('image/jpeg', 'x'), await outcome('image/gif', 'x'), await outcome('image/avif', sequence)];
            })()
            """, ["failed", "failed", .null, .null]),
        Fact(
            "a message that another tab has sent with files of its own is done; what is refused otherwise has failed",
            """
            await (async () => {
                const { Engine } = await import(`${location.origin}/engine.js`);
                const original = globalThis.WebSocket;
                const after = async (code) => {
                    globalThis.WebSocket = class {
                        constructor() { queueMicrotask(() => this.answer({ type: 'hello', user: { id: 'me' }, threads: [] })); }
                        answer(frame) { this.onmessage({ data: JSON.stringify(frame) }); }
                        send(text) {
                            const { ref, message } = JSON.parse(text);
                            if (message) queueMicrotask(() => this.answer({ type: 'error', ref, code, message: '', retryable: false }));
                        }
                        close() {}
                    };
                    let outbox = [];
                    const database = { transact: async (names, mode, body, fallback) => fallback };
                    const engine = new Engine({ id: 'me' }, database, (message) => { outbox = message.outbox ?? outbox; }, () => {});
                    await engine.start();
                    await engine.handle({ do: 'enqueue', entry: { id: 'c', op: 'message', thread: 'a', text: 'hi', at: 1, order: 1 } });
                    const before = outbox.length;
                    for (let turn = 0; turn < 100; turn += 1) await null;
                    engine.stop();
                    return [before, ...outbox.map(({ state }) => state)];
                };
                const states = [await after('conflict'), await after('forbidden')];
                globalThis.WebSocket = original;
                return states;
            })()
            """, [[1], [1, "failed"]]),
        Fact(
            "a message that is still being kept on this device stays in the outbox of its tab, whatever the leading tab has",
            """
            await (async () => {
                const { Outgoing } = await import(`${location.origin}/outgoing.js`);
                let [keep, handOver] = [];
                const requests = [];
                const outgoing = new Outgoing({
                    isOver: false, changed: () => {},
                    transact: () => new Promise((resolve) => { keep = () => resolve(true); }),
                    request: (body) => { requests.push(body.entry); return new Promise((resolve) => { handOver = () => resolve(true); }); },
                });
                const other = { id: 'other', op: 'message', thread: 'a', state: 'waiting' };
                const turns = async () => { for (let turn = 0; turn < 20; turn += 1) await null; };
                const counts = [];
                const count = () => counts.push(outbox.unsentCount(outgoing.outbox));
                outgoing.send('a', 'hi', {});
                outgoing.replaced([other]);
                count();
                keep();
                await turns();
                outgoing.replaced([]);
                count();
                outgoing.replaced([other, ...requests]);
                count();
                handOver();
                await turns();
                outgoing.replaced([other]);
                count();
                outgoing.send('a', 'hi', {});
                outgoing.stop();
                count();
                return counts;
            })()
            """, [2, 1, 2, 1, 0]),
        Fact(
            "what is sent now comes after what waits, also in the next page, even if the clock was ahead or one is tried again",
            """
            await (async () => {
                const { Outgoing } = await import(`${location.origin}/outgoing.js`);
                const outgoing = new Outgoing({ isOver: false, changed: () => {}, transact: async () => true, request: async () => true });
                const ahead = [1, 2].map((number) => ({ id: `${number}`, op: 'message', thread: 'a', state: 'failed', order: (Date.now() + 3_600_000) * 1000 + number }));
                outgoing.replaced(outbox.withRetry(ahead, '1'));
                outgoing.send('a', 'hi', {});
                const inOrder = [...outgoing.outbox].sort((one, other) => one.order - other.order);
                return inOrder.map((each) => each.text ?? each.id);
            })()
            """, ["2", "1", "hi"]),
    ]
}
