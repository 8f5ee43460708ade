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
                "the range of a close code is the rule",
                """
                [1000, 1001, 1006, 1012, 1002, 1009, 1013, 4000, 4001, 4002, 4099, 4100, 4199, 4200, 4299, 4300, 4399, 4400]
                    .map(policy.closeRule)
                """,
                [
                    "backOff", "backOff", "backOff", "backOff", "later", "later", "later", "signedOut", "signedOut",
                    "stop", "stop", "renew", "renew", "backOff", "backOff", "now", "now", "backOff",
                ]),
            Fact(
                "the wait is anything up to a bound that doubles and ends at 30 s",
                """
                [[0, 'backOff', 0], [0, 'backOff', 0.999], [1, 'backOff', 0.999], [5, 'backOff', 0.5],
                    [6, 'backOff', 0.999], [1e9, 'backOff', 0.999], [0, 'later', 0.999]]
                    .map(([attempt, rule, random]) => policy.waitBefore(attempt, rule, random))
                """,
                [0, 499, 999, 8000, 29970, 29970, 4995]),
            Fact(
                "at once is at once only once",
                "[policy.waitBefore(0, 'now', 0.999), policy.waitBefore(1, 'now', 0.999)]", [0, 999]),
        ]

        static let inbox: [Fact] = [
            Fact(
                "a message puts its thread on top and counts, unless it is known or mine",
                """
                [
                    [message(5, 'b'), message(6, 'b')], [message(5, 'b'), message(5, 'b')], [message(4, 'b')],
                    [message(5, 'b'), message(6, 'b', 'me')], [message(5, 'nowhere')],
                ].map((news) => news.reduce((all, each) => inbox.withMessage(all, each, 'me'), [
                    { id: 'a', title: 'A', last_message: message(9, 'a'), unread_count: 1 },
                    { id: 'b', title: 'B', last_message: message(4, 'b'), unread_count: 0 },
                ]).map((thread) => thread.id + thread.unread_count).join())
                """,
                ["b2,a1", "b1,a1", "a1,b0", "b0,a1", "a1,b0"]),
            Fact(
                "what came in while the server was asked is counted once, whether its answer has it or not",
                """
                [3, 4, 5].map((last) => inbox.fromServer(
                    [{ id: 'b', title: 'B', last_message: message(last, 'b'), unread_count: last - 3 }],
                    [message(4, 'b'), message(5, 'b')], 'me')[0].unread_count)
                """,
                [2, 2, 2]),
            Fact(
                "a message without seq, from a Django group, counts",
                """
                inbox.withMessage([{ id: 'b', title: 'B', last_message: message(4, 'b'), unread_count: 0 }],
                    { id: 'x', thread_id: 'b', text: 'hi' }, 'me')[0].unread_count
                """, 1),
            Fact(
                "what is read counts nothing in the sum",
                """
                [inbox.unreadTotal(threads), inbox.unreadTotal(threads, 'a'), inbox.unreadTotal(inbox.withRead(threads, 'b'))]
                """, [5, 3, 2]),
        ]

        static let outbox: [Fact] = [
            Fact(
                "an echo confirms the first entry of its text, and never two",
                """
                [
                    [message(8, 'a', 'me', 'ok')], [message(8, 'a', 'me', 'ok'), message(8, 'a', 'me', 'ok')],
                    [message(8, 'a', 'me', 'ok'), message(9, 'a', 'me', 'ok')],
                    [message(7, 'a', 'me', 'ok')], [message(8, 'b', 'me', 'ok')], [message(8, 'a', 'me', 'other')],
                ].map((news) => news.reduce(outbox.withEcho, sent('ok', 'ok')).map((each) => each.key).join())
                """,
                ["1", "1", "", "0,1", "0,1", "0,1"]),
            Fact(
                "what a broken socket took is sent again only after history was read, and in order",
                """
                [
                    outbox.due(outbox.interrupted(sent('one'))),
                    outbox.due(outbox.withEntry(outbox.interrupted(sent('one')), { key: 'n', thread: 'a', text: 'two', at: 0 })),
                    outbox.due(outbox.withEntry(outbox.interrupted(sent('one')), { key: 'n', thread: 'b', text: 'two', at: 0 })),
                    outbox.due(outbox.withHistoryRead(
                        outbox.withEntry(outbox.interrupted(sent('one')), { key: 'n', thread: 'a', text: 'two', at: 0 }), 'a')),
                ].map((due) => due.map((each) => each.key).join())
                """,
                ["", "", "n", "0,n"]),
            Fact(
                "what stays unconfirmed makes the socket suspect, and fails at the second attempt",
                """
                [
                    outbox.isOverdue(sent('one'), outbox.PATIENCE),
                    outbox.isOverdue(sent('one'), outbox.PATIENCE + 1),
                    outbox.withFailures(sent('one'), outbox.PATIENCE + 1)[0].status,
                    outbox.withFailures(outbox.withWritten(sent('one'), '0', 9, 0), outbox.PATIENCE + 1)[0].status,
                ]
                """,
                [false, true, "sent", "failed"]),
            Fact(
                "it is full at 50",
                """
                (() => {
                    let all = [];
                    for (let n = 0; n < outbox.CAPACITY; n += 1) all = outbox.withEntry(all, { key: `${n}` });
                    return [all.length, outbox.withEntry(all, { key: 'more' })];
                })()
                """, [50, .null]),
        ]

        static let timeline: [Fact] = [
            Fact(
                "a newest page forgets what may lie behind a gap and keeps what came in live",
                """
                seqs(timeline.withNewestPage(
                    [message(3), message(30)].reduce(timeline.withLiveMessage, timeline.EMPTY),
                    page([10, 11, 12], false), true))
                """, [10, 11, 12, 30]),
            Fact(
                "an older page is taken only where it fits",
                """
                [10, 11].map((before) => seqs(timeline.withOlderPage(loaded([10, 11]), page([8, 9], true), before)))
                """, [[8, 9, 10, 11], [10, 11]]),
            Fact(
                "another epoch voids what is known",
                """
                (({ isLoaded, messages }) => [isLoaded, messages.length])(
                    timeline.withLiveMessage(loaded([10, 11]), { ...message(40), epoch: 'e2' }))
                """, [false, 1]),
            Fact(
                "messages without seq stay where they came in",
                """
                [{ id: 'x', text: 'hi' }, message(12), { id: 'x', text: 'hi' }]
                    .reduce(timeline.withLiveMessage, loaded([10, 11])).messages.map((each) => each.id)
                """, ["m10", "m11", "x", "m12"]),
            Fact(
                "trimming keeps the newest, and nothing of what may have a gap",
                """
                [loaded([1, 2, 3]), timeline.interrupted(loaded([1, 2, 3]))].map((each) => seqs(timeline.trimmed(each, 2)))
                """, [[2, 3], []]),
        ]

        static let format: [Fact] = [
            Fact(
                "days are divided, senders are grouped, unread ones are marked",
                """
                format.rows([at(1, 'x', 0), at(2, 'x', 60), at(3, 'x', 600), at(4, 'y', 610), at(5, 'y', 86400 + 620)],
                    [{ key: 'p', at: 0 }], { me: 'y', firstUnread: 'm4', now: 0 })
                    .map((row) => row.kind[0] + (row.isFirst ? '*' : '') + (row.isOwn ? '!' : '')).join(' ')
                """, "d m* m m* n m*! d m*! p!"),
            Fact(
                "only http and https become links, without the punctuation after them",
                """
                ['see https://a.example/b?c=1.', 'javascript:alert(1)', '(http://x.example)', 'https://']
                    .map((text) => format.withLinks(text).map((piece) => piece.href ? `[${piece.href}]` : piece.text).join(''))
                """,
                ["see [https://a.example/b?c=1].", "javascript:alert(1)", "([http://x.example])", "https://"]),
            Fact("scalars are counted, not UTF-16 units", "['a', '👍', '👩‍🚀', ''].map(format.scalarCount)", [1, 1, 3, 0]),
            Fact(
                "what the server refuses is taken out before sending",
                #"['a\0b', ' a \n', '\uD83D', ' \n ', '\n\n a'].map(format.sendable)"#,
                ["ab", " a", "\u{FFFD}", "", " a"]),
            Fact(
                "the first unread is counted from the end, my own left out",
                """
                [0, 1, 2, 9].map((count) => format.firstOfUnread([at(1, 'x', 0), at(2, 'x', 0), at(3, 'me', 0)], count, 'me'))
                """, [.null, "m2", "m1", "m1"]),
            Fact(
                "a name has initials", "['Weekend hike', 'ops', '42', '…', ''].map(format.initials)",
                ["WH", "O", "4", "#", "#"]),
        ]

        @Test("each rule holds")
        func facts() async throws {
            let all = Self.closeCodes + Self.inbox + Self.outbox + Self.timeline + Self.format
            try await inBrowser { browser in
                for fact in all {
                    let value = try await browser.runAsync(Self.preamble + "return \(fact.script);")
                    #expect(value == fact.value, "\(fact.name)")
                }
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

        private static let preamble = """
            const names = ['policy', 'inbox', 'outbox', 'timeline', 'format'];
            const [policy, inbox, outbox, timeline, format] =
                await Promise.all(names.map((name) => import(`${location.origin}/${name}.js`)));
            const message = (seq, thread = 'a', sender = 'x', text = 'hi') =>
                ({ id: `m${seq}`, seq, thread_id: thread, sender_id: sender, text, epoch: 'e1', date_ms: seq * 1000 });
            const at = (seq, sender, seconds) => ({ ...message(seq, 'a', sender), date_ms: 1.7e12 + seconds * 1000 });
            const page = (seqs, end) => ({ messages: seqs.map((seq) => message(seq)).reverse(), end });
            const seqs = ({ messages }) => messages.map((each) => each.seq);
            const loaded = (all) => timeline.withNewestPage(timeline.EMPTY, page(all, false), true);
            const threads = [{ id: 'a', unread_count: 2 }, { id: 'b', unread_count: 3 }];
            // Messages to thread a, each written at time 0 when message 7 was the newest.
            const sent = (...texts) => texts.reduce((all, text, index) => outbox.withWritten(
                outbox.withEntry(all, { key: `${index}`, thread: 'a', text, at: 0 }), `${index}`, 7, 0), []);

            """

        /// A server with a log in which numbers are missing (other events have them), and a client whose socket breaks
        /// at any moment, whose pages are short and late. At the end, when it is connected and has asked for what is
        /// newer, it must have everything from its first message on. Answers with what went wrong, or `null`.
        private static let simulation = """
            const random = (count) => {
                seed = (seed * 48271) % 2147483647;
                return seed % count;
            };
            const LENGTH = 3;
            for (let run = 0; run < 500; run += 1) {
                let log = [];
                let mine = timeline.EMPTY;
                let generation = 0;
                let isOpen = false;
                let asked = null;
                const write = () => {
                    const last = log.at(-1) ?? 0;
                    log.push(last + 1 + random(2));
                    if (isOpen) mine = timeline.withLiveMessage(mine, message(log.at(-1)));
                };
                const answer = (request) => {
                    const all = request.after === undefined ? log.slice(-LENGTH) : log.filter((seq) => seq > request.after);
                    const part = request.after === undefined ? all : all.slice(0, LENGTH);
                    const end = request.after === undefined ? log.length <= LENGTH : all.length <= LENGTH;
                    return page(part, end);
                };
                const ask = () => {
                    asked = { generation, isLive: isOpen, after: mine.isLoaded ? mine.through : undefined };
                    // The server reads its store at some moment between question and answer.
                    asked.page = answer(asked);
                };
                const take = () => {
                    const isLive = asked.isLive && isOpen && asked.generation === generation;
                    const take = asked.after === undefined ? timeline.withNewestPage : timeline.withNewerPage;
                    mine = take(mine, asked.page, isLive);
                    asked = null;
                };
                const steps = [
                    write, write,
                    () => { if (!isOpen) { isOpen = true; generation += 1; } },
                    () => { isOpen = false; mine = timeline.interrupted(mine); },
                    () => { if (!asked && mine.isStale) ask(); },
                    () => { if (asked) take(); },
                ];
                for (let step = 0; step < 60; step += 1) steps[random(steps.length)]();
                if (asked) take();
                if (!isOpen) { isOpen = true; generation += 1; }
                for (let rounds = 0; mine.isStale && rounds < 200; rounds += 1) { ask(); take(); }
                write();
                const expected = log.filter((seq) => seq >= mine.messages[0].seq);
                if (JSON.stringify(seqs(mine)) !== JSON.stringify(expected)) return { run, has: seqs(mine), expected };
            }
            return null;
            """
    }
}
