import ParleyTerminal
import Testing

@Suite struct ScreenSizeTests {
    private typealias Harness = ScreenHarness

    private static let hostile =
        "evil\u{1B}[2J\u{9B}31m\u{202E}\u{07}\r\nsecond 日本語日本語日本語 👨‍👩‍👧 \(String(repeating: "W", count: 300))"

    private static func full(columns: Int, rows: Int) -> ScreenHarness {
        var message = Harness.message(3, hostile, by: hostile)
        message.reactions = (0..<30).map { ShownReaction(emoji: "\u{1B}[3\($0)m👍", count: $0) }
        message.replyTo = 1
        message.parts = [
            .file(kind: "file", name: hostile, url: hostile, mediaType: "x", size: 1),
            .location(latitude: 1, longitude: .nan),
        ]
        let failed = Harness.message(nil, "x", by: "alice", state: .failed(reason: hostile, retryable: false))
        var harness = Harness.room(
            [Harness.message(1, hostile), message, failed], columns: columns, rows: rows)
        harness.send(
            .threads([
                ShownThread(
                    id: "t", title: hostile, unread: 1234, typing: [hostile, "b"],
                    mute: ShownMute(until: LocalTime(2026, 1, 1), reason: hostile)),
                ShownThread(id: "u", title: hostile, isDirect: true, isOnline: true),
            ]))
        return harness
    }

    /// What the screen can show.
    private static func frames(_ columns: Int, _ rows: Int) -> [Frame] {
        var frames: [Frame] = []
        func add(_ change: (inout ScreenHarness) -> Void) {
            var harness = full(columns: columns, rows: rows)
            change(&harness)
            frames.append(harness.screen.frame)
        }
        add { _ in }
        add { $0.press(.up, .up) }
        add { $0.press(.up, .up, .up, .text("r")) }
        add { harness in
            harness.show([Harness.message(1, hostile, by: "alice")])
            harness.press(.up, .text("e"))
        }
        add { $0.press(.tab) }
        add { $0.press(.function(1)) }
        add { $0.press(.pageUp, .pageUp) }
        add { $0.press(.paste(hostile + hostile)) }
        add { $0.send(.notice(hostile)) }
        add { $0.send(.list(title: hostile, [hostile])) }
        add { $0.send(.found(words: hostile, [Harness.message(1, hostile)], hasMore: true)) }
        add {
            $0.press(.control("o"), .paste(hostile))
            $0.send(.suggestions(.room, prefix: SafeText.lines(hostile), [hostile]))
        }
        add { $0.press(.up, .text("+")) }
        add { $0.send(.connection(.offline(retry: LocalTime(2026, 1, 1)), unsent: 12345)) }
        return frames
    }

    @Test(
        "at every size each frame fits, and nothing of others reaches the terminal as it is",
        arguments: [(1, 1), (19, 5), (20, 6), (21, 7), (30, 8), (40, 12), (59, 24), (60, 24), (80, 24), (200, 50)])
    func sizes(_ columns: Int, _ rows: Int) {
        for (index, frame) in Self.frames(columns, rows).enumerated() {
            #expect(frame.lines.count == rows, "\(index)")
            for row in frame.lines.indices {
                let text = frame.text(row)
                #expect(DisplayWidth.of(text) <= columns, "\(index), \(row): \(text)")
                #expect(
                    text.unicodeScalars.allSatisfy {
                        $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) && !$0.properties.isBidiControl
                    }, "\(index), \(row)")
            }
            if let cursor = frame.cursor {
                #expect((0..<rows).contains(cursor.row) && (0...columns).contains(cursor.column), "\(index)")
            }
        }
    }

    @Test("any keys at any size leave a frame that fits", arguments: 0..<100)
    func random(_ seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let keys: [Key] = [
            .up, .down, .enter, .escape, .tab, .pageUp, .pageDown, .home, .end, .text("y"), .text("r"), .text("e"),
            .text("+"), .text("1"), .text("日"), .control("f"), .control("o"), .control("n"), .function(1), .newline,
            .backspace, .wordLeft, .paste(Self.hostile), .control("c"), .text("l"), .text("d"), .alt("a"), .left,
        ]
        var harness = Self.full(columns: 80, rows: 24)
        var newest = 3
        for _ in 0..<300 {
            switch next(20) {
            case 0: harness.send(.resized(columns: 1 + next(120), rows: 1 + next(40)))
            case 1:
                newest += next(40)
                harness.show(
                    Harness.many(max(1, newest - 60)...newest), hasOlder: next(2) == 0, hasNewer: next(3) == 0)
            case 2: harness.send(.found(words: "x", Harness.many(1...3), hasMore: false))
            case 3: harness.send(.threads(next(3) == 0 ? [] : [ShownThread(id: "t", title: "Garden", unread: next(2))]))
            default: harness.press(keys[next(keys.count)])
            }
            let frame = harness.screen.frame
            for row in frame.lines.indices {
                let width = DisplayWidth.of(frame.text(row))
                #expect(width <= harness.columns, "\(frame.text(row))")
            }
        }
    }
}
