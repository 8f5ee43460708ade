import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The rules of the web client, which are functions of values. They run where they will be used: in a browser.
    @Suite struct ClientLogicTests {
        /// A JavaScript expression and its value. In scope are the modules, `message` and `page`.
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

        static let closeCodes: [Fact] = [
            Fact(
                "the wait is anything up to a bound that doubles and ends at 30 s",
                """
                [[0, 'back-off', 0], [0, 'back-off', 0.999], [1, 'back-off', 0.999], [5, 'back-off', 0.5],
                    [6, 'back-off', 0.999], [1e9, 'back-off', 0.999], [0, 'later', 0.999], [0, 'moment', 0.999]]
                    .map(([attempt, rule, random]) => policy.waitBefore(attempt, rule, () => random))
                """,
                [0, 499, 999, 8000, 29970, 29970, 1499, 2497]),
            Fact(
                "at once is at once only once",
                "['now', 'renew'].flatMap((each) => [0, 1].map((attempt) => policy.waitBefore(attempt, each, () => 0.999)))",
                [0, 999, 0, 999]),
            Fact(
                "a refused command waits as long as the server says, and otherwise for a random while",
                "[[700, 0.5], [0, 0], [0, 0.999]].map(([asked, random]) => policy.pauseAfterRefusal(asked, () => random))",
                [700, 200, 1998]),
        ]

        static let identifiers: [Fact] = [
            Fact(
                "a client id is a UUIDv7 of its time",
                """
                [
                    uuid.uuidV7(0x0190b7c179b0, new Array(16).fill(0xff)), uuid.uuidV7(0, new Array(16).fill(0)),
                    uuid.uuidV7() < uuid.uuidV7(Date.now() + 1), uuid.uuidV7() === uuid.uuidV7(),
                ]
                """,
                ["0190b7c1-79b0-7fff-bfff-ffffffffffff", "00000000-0000-7000-8000-000000000000", true, false])
        ]

        static let outbox: [Fact] = [
            Fact(
                "of each thread one entry is sent at a time, in order, and what was refused holds up nothing",
                """
                [
                    due(entries), due(outbox.withChange(entries, '1', { state: 'sending' })),
                    due(outbox.withChange(entries, '1', { state: 'failed' })),
                    due(outbox.withChange(entries, '1', { state: 'accepted' })),
                    due(outbox.withChange(entries, '1', { state: 'waiting', notBefore: 11 })),
                ]
                """, ["1,3", "3", "2,3", "2,3", "3"]),
            Fact(
                "after a cut everything that is not stored is sent again, under the same id, but not what was refused",
                """
                due(outbox.interrupted(outbox.withChange(outbox.withChange(entries, '1', { state: 'accepted' }), '3', { state: 'failed' })))
                """, "1"),
            Fact(
                "a retry is the newest of its thread; a read mark replaces the one before",
                """
                [
                    outbox.withRetry(outbox.withChange(entries, '1', { state: 'failed' }), '1').map((each) => each.id).join(),
                    outbox.withEntry(outbox.withEntry([], { id: 'read:a', seq: 1 }), { id: 'read:a', seq: 2 }).map((each) => each.seq),
                ]
                """, ["2,3,1", [2]]),
            Fact(
                "it is full at 200",
                """
                (() => {
                    let all = [];
                    for (let n = 0; n < outbox.CAPACITY; n += 1) all = outbox.withEntry(all, { id: `${n}` });
                    return [all.length, outbox.withEntry(all, { id: 'more' })];
                })()
                """, [200, .null]),
            Fact(
                "commands are those of the protocol",
                """
                [
                    { op: 'message', id: 'c', thread: 'a', text: 'hi', replyTo: 3 }, { op: 'edit', thread: 'a', messageID: 'm', text: 'ho' },
                    { op: 'delete', thread: 'a', messageID: 'm' }, { op: 'react', thread: 'a', messageID: 'm', emoji: 'x', on: true },
                    { op: 'read', id: 'read:a', thread: 'a', seq: 7 },
                ].map(outbox.commandOf)
                """,
                [
                    ["message": ["id": "a", "text": "hi", "client_id": "c", "ack": "stored", "reply_to": 3]],
                    ["edit": ["id": "a", "message_id": "m", "text": "ho"]],
                    ["delete": ["id": "a", "message_id": "m"]],
                    ["react": ["id": "a", "message_id": "m", "emoji": "x", "on": true]],
                    ["read": ["id": "a", "seq": 7]],
                ]),
            Fact(
                "a message shows its waiting edit and reaction, and a waiting deletion wins",
                """
                [
                    [{ op: 'edit', text: 'new', at: 5 }, { op: 'react', emoji: 'x', on: true }], [{ op: 'edit', text: 'new' }, { op: 'delete' }],
                ].map((changes) => outbox.overlaid(message(1), changes, 'me')).map(({ text, deleted, reactions }) =>
                    [text, deleted === true, reactions?.[0]?.users ?? null])
                """, [["new", false, ["me"]], ["", true, .null]]),
        ]

        static let roster: [Fact] = [
            Fact(
                "unread messages are counted once, own ones never, and read marks of any device count",
                """
                [[live(5)], [live(5), live(5)], [live(5, 'me')], [live(3)], [live(5), read(5)], [live(5), read(5), live(6)]]
                    .map((frames) => after(frames).unread)
                """, [3, 3, 0, 2, 0, 1]),
            Fact(
                "an older mark, or a deletion of what was unread, is asked for",
                """
                [[read(4)], [read(3)], [{ type: 'deleted', thread_id: 'a', epoch: 'e1', seq: 5, message_seq: 4 }]]
                    .map((frames) => [...rosterAfter(frames).unsure].length)
                """, [0, 1, 1]),
            Fact(
                "ranges that were not sent move the end, and a numbering that starts over is asked about",
                """
                [
                    { type: 'behind', threads: { a: { from: 5, to: 9 }, other: { from: 1, to: 2 } } },
                    { type: 'resumed', threads: { a: { state: 'page', epoch: 'e1', from: 5, to: 4100 } } },
                    { type: 'resumed', threads: { a: { state: 'rolled_back', epoch: 'e2', from: 3, to: 3 } } },
                    { type: 'resumed', threads: { a: { state: 'live', epoch: 'e1', from: 5, to: 4 } } },
                ].map((frame) => rosterAfter([frame])).map((all) => [all.get('a').epoch, all.get('a').seq, all.unsure.size])
                """, [["e1", 9, 1], ["e1", 4100, 1], ["e2", 3, 1], ["e1", 4, 0]]),
            Fact(
                "a thread that is gone or denied is no longer listed",
                """
                ['gone', 'denied', 'replayed'].map((state) =>
                    rosterAfter([{ type: 'resumed', threads: { a: { state, epoch: 'e1', from: 1, to: 4 } } }]).list.length)
                """, [0, 0, 1]),
            Fact(
                "a thread that the server cannot reach keeps its end, and has the present count of unread messages",
                """
                [{ id: 'a', title: 'A', kind: 'room', role: 'member', epoch: '', seq: 0, unread: 2, read_seq: 1, unavailable: true }]
                    .map((thread) => rosterAfter([{ type: 'hello', threads: [thread] }]).get('a'))
                    .map((thread) => [thread.epoch, thread.seq, thread.unread])
                """, [["e1", 4, 2]]),
            Fact(
                "the other user of a direct thread is in its id",
                "['direct.6.0190c2.me', 'direct.2.me.0190c2', 'room'].map((id) => roster.otherUser(id, 'me'))",
                ["0190c2", "0190c2", .null]),
        ]

        static let timeline: [Fact] = [
            Fact(
                "a page covers its part of the log, although numbers may be missing in it",
                """
                [
                    [page([11, 12], { hasBefore: true }), {}], [page([2, 3]), {}], [page([]), {}],
                    [page([5, 6], { hasBefore: true }), { before: 8 }], [page([5, 6], { hasAfter: true }), { after: 3 }], [page([5], {}), { after: 4 }],
                    [page([19, 20]), { after: 18, before: 210 }],
                ].map(([each, bounds]) => timeline.pageRange({ ...each, head_seq: 20 }, bounds)).map(({ from, to }) => [from, to])
                """, [[11, 20], [1, 20], [1, 20], [5, 7], [4, 6], [5, 20], [19, 20]]),
            Fact(
                "an older page is taken only where it fits, and a live event only if it is the next one",
                """
                [
                    seqs(timeline.withOlder(loaded, page([8, 9]), { before: 10 })), seqs(timeline.withOlder(loaded, page([8, 9]), { before: 11 })),
                    seqs(timeline.withEvent(loaded, message(12))), seqs(timeline.withEvent(loaded, message(13))),
                    seqs(timeline.withEvent(loaded, { ...message(12), epoch: 'other' })),
                ]
                """, [[8, 9, 10, 11], [10, 11], [10, 11, 12], [10, 11], [10, 11]]),
            Fact(
                "edits, deletions and reactions change their message; a deleted one stays deleted",
                """
                [
                    [change('edited', { text: 'new' })], [change('edited', { text: '' })], [change('deleted')],
                    [change('deleted'), change('edited', { text: 'new' })],
                    [change('reaction', { user_id: 'x', emoji: '+', on: true }), change('reaction', { user_id: 'x', emoji: '+', on: true })],
                    [change('reaction', { user_id: 'x', emoji: '+', on: true }), change('reaction', { user_id: 'x', emoji: '+', on: false })],
                ].map((changes) => changes.reduce(
                    (all, each, index) => timeline.withEvent(all, { ...each, seq: 12 + index }), loaded).rows[1])
                    .map(({ text, deleted, reactions }) => [text, deleted === true, reactions?.map((each) => each.count) ?? null])
                """,
                [
                    ["new", false, .null], ["hi", false, .null], ["", true, .null], ["", true, .null],
                    ["hi", false, [1]], ["hi", false, []],
                ]),
        ]

        static let format: [Fact] = [
            Fact(
                "days are divided, senders are grouped, unread ones are marked",
                """
                rows.withPending(rows.rowsOf([at(1, 'x', 0), at(2, 'x', 60), at(3, 'x', 600), at(4, 'y', 610), at(5, 'y', 86400 + 620)],
                    { changes: new Map(), me: 'y', dividerSeq: 2, now: 0 }), [{ id: 'p', at: 0 }], 'y')
                    .map((row) => row.kind[0] + (row.isFirst ? '*' : '') + (row.isOwn ? '!' : '')).join(' ')
                """, "d m* m n m* m*! d m*! p!"),
            Fact("scalars are counted, not UTF-16 units", "['a', '👍', '👩‍🚀', ''].map(format.scalarCount)", [1, 1, 3, 0]),
            Fact(
                "what the server refuses is taken out before sending",
                #"['a\0b', ' a \n', '\uD83D', ' \n ', '\n\n a'].map(format.sendable)"#,
                ["ab", " a", "\u{FFFD}", "", " a"]),
            Fact(
                "a name has initials", "['Weekend hike', 'ops', '42', '…', ''].map(format.initials)",
                ["WH", "O", "4", "#", "#"]),
            Fact(
                "rows of unknown height are found by their place",
                """
                (() => {
                    const heights = new windowing.Heights(() => 10);
                    heights.reset(Array.from({ length: 100 }, (_, index) => ({ key: `${index}` })));
                    heights.measured(3, 60);
                    return [heights.total, heights.offset(4), heights.indexAt(0), heights.indexAt(35), heights.indexAt(95), heights.range(100, 120)];
                })()
                """, [1050, 90, 0, 3, 4, [5, 8]]),
        ]

        static let markdown: [Fact] = [
            Fact(
                "marks of emphasis, code and links become pieces, and nothing else does",
                """
                ['**a** b', '*a* and _b_', '~~a~~', '`**a**`', '[x](https://a.example/b)', '2 * 3 * 4', 'a_b_c', '** a **', '**a *b* c**',
                    '<b>x</b>', '[x](javascript:alert(1))', 'javascript:alert(1)', '@bob hi', 'a@b.example']
                    .map((text) => markdown.pieces(text).map(({ text: inner, ...style }) =>
                        `${Object.entries(style).map(([name, value]) => name[0] + (value === true ? '' : `=${value}`)).join('+')}:${inner}`).join('|'))
                """,
                [
                    "b:a|: b", "i:a|: and |i:b", "s:a", "c:**a**", "h=https://a.example/b:x", ":2 * 3 * 4", ":a_b_c",
                    ":** a **",
                    "b:a |b+i:b|b: c", ":<b>x</b>", ":[x](javascript:alert(1))", ":javascript:alert(1)",
                    "m=bob:@bob|: hi", ":a@b.example",
                ]),
            Fact(
                "only http and https become links, without the punctuation after them",
                """
                ['see https://a.example/b?c=1.', '(http://x.example)', 'https://', '**https://a.example**']
                    .map((text) => markdown.pieces(text).map((piece) => piece.href ? `[${piece.href}]` : piece.text).join(''))
                """,
                ["see [https://a.example/b?c=1].", "([http://x.example])", "https://", "[https://a.example]"]),
            Fact(
                "an address is no link to another host",
                """
                ['[https://a.example](https://b.example/)', '[see www.a.example/x](https://b.example)', '[https://A.example/x](https://a.example/y)', '[README.md](https://b.example)']
                    .map((text) => markdown.pieces(text).map((piece) => piece.href ? `<${piece.text}>` : piece.text).join(''))
                """,
                [
                    "[https://a.example](<https://b.example/>)", "[see www.a.example/x](<https://b.example>)",
                    "<https://A.example/x>", "<README.md>",
                ]),
            Fact(
                "lines become blocks",
                """
                ['a|b', '```|*x*|```|after', '> q|> > r|text', '- a|- b', '```|open', '>'.repeat(50)]
                    .map((text) => markdown.blocks(text.replaceAll('|', String.fromCharCode(10))).map((block) => block.type).join())
                """, ["text", "code,text", "quote,text", "list", "text", "quote"]),
            Fact(
                "a preview has the words without the marks",
                "['a **b** `c`', '- x|- y', '> q|z', '', '<b>'].map((text) => markdown.plain(text.replaceAll('|', String.fromCharCode(10))))",
                ["a b c", "x, y", "q z", "", "<b>"]),
            Fact(
                "a long text of marks takes no time",
                """
                (() => {
                    const begin = performance.now();
                    for (const mark of ['*', '_', '~~', '`', '[', '> ', '@', '**a', '[a](https://']) markdown.blocks(mark.repeat(4096 / mark.length));
                    return performance.now() - begin < 2000;
                })()
                """, true),
        ]

        static let titles: [Fact] = [
            Fact(
                "rooms that look alike are found, and others are not",
                """
                [['garden', 'Garden'], ['Garden', 'Gаrden'], ['Garden', 'Gardn'], ['garden ', 'Gärden'], ['team-chat', 'Team chat'],
                    ['Garden', 'Garden'], ['Garden', 'Kitchen'], ['Sprint 12', 'Sprint 13'], ['ops', 'dev'], ['东京', '京都']]
                    .map(([title, other]) => titles.lookAlikes(title, [{ title: other }]).length)
                """, [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]),
            Fact(
                "a mention is completed where the cursor is",
                """
                [
                    mention.mentionAt('hi @bo', 6), mention.mentionAt('a@b', 3),
                    mention.candidates('b', ['bob', 'me', 'Bea', 'carl', 'bob'], 'me'),
                    mention.completed('hi @bo there', 6, { from: 3 }, 'bob').text,
                ]
                """, [["from": 3, "prefix": "bo"], .null, ["bob", "Bea"], "hi @bob there"]),
        ]

        @Test("each rule holds")
        func facts() async throws {
            let groups = [
                Self.closeCodes, Self.identifiers, Self.outbox, Self.roster, Self.timeline, Self.format, Self.markdown,
                Self.titles, Self.visibleNames, Self.tabs, Self.files, Self.outgoing,
            ]
            try await inBrowser { browser in
                for fact in groups.joined() {
                    let value = try await browser.runAsync(Self.preamble + "return \(fact.script);")
                    #expect(value == fact.value, "\(fact.name)")
                }
            }
        }

        @Test("delays, deadlines and reactions to close codes are those that every client follows")
        func behaviour() async throws {
            let file = try Repository.text("Tests/Fixtures/client-behaviour.json")
            let script = """
                const file = \(file);
                const { backOffCapOfBots, ...wanted } = file.milliseconds;
                const reactionOf = (code) =>
                    file.closeCodes.find(({ from, to }) => from <= code && code <= to)?.reaction ?? 'back-off';
                const durations = [...new Set([...Object.keys(wanted), ...Object.keys(policy.MILLISECONDS)])];
                return [
                    [...Array(5000).keys()].filter((code) => policy.closeReaction(code) !== reactionOf(code)),
                    durations.filter((name) => wanted[name]?.value !== policy.MILLISECONDS[name]),
                ];
                """
            try await inBrowser { browser in
                let differences = try await browser.runAsync(Self.preamble + script)
                #expect(differences == [[], []])
            }
        }

        @Test("however the socket breaks and the pages come, a thread has each message once and in order")
        func interruptions() async throws {
            let seed = Int.random(in: 1...1_000_000)
            print("seed: \(seed)")
            try await inBrowser { browser in
                let failure = try await browser.runAsync(Self.preamble + "let seed = \(seed);" + Self.simulation)
                #expect(failure == .null, "seed \(seed)")
            }
        }

        private func inBrowser(_ body: (Browser) async throws -> Void) async throws {
            let parley = try await ParleyProcess.start()
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                try await browser.open(parley.baseURL)
                try await body(browser)
            }
        }
    }
}
