import ParleyTerminal

/// A screen, and what it has asked for.
struct ScreenHarness {
    var screen: ChatScreen
    private(set) var effects: [ScreenEffect] = []
    private(set) var columns = 0

    init(columns: Int = 80, rows: Int = 24, user: String = "alice") {
        screen = ChatScreen(server: "http://server", user: user)
        send(.resized(columns: columns, rows: rows))
    }

    /// A connected screen with an open room of these messages.
    static func room(_ messages: [ShownMessage], columns: Int = 80, rows: Int = 24) -> ScreenHarness {
        var harness = ScreenHarness(columns: columns, rows: rows)
        harness.send(
            .threads([ShownThread(id: "t", title: "Garden"), ShownThread(id: "u", title: "bob", isDirect: true)]))
        harness.send(.connection(.connected, unsent: 0))
        harness.show(messages)
        _ = harness.taken()
        return harness
    }

    mutating func send(_ event: ScreenEvent) {
        if case .resized(let columns, _) = event { self.columns = columns }
        effects += screen.handle(event)
    }

    mutating func show(_ messages: [ShownMessage], hasOlder: Bool = false, hasNewer: Bool = false) {
        send(.messages(thread: "t", messages, hasOlder: hasOlder, hasNewer: hasNewer))
    }

    mutating func press(_ keys: Key...) { for key in keys { send(.key(key)) } }

    mutating func type(_ text: String) { for character in text { press(.text(String(character))) } }

    /// The effects since the last call, without those of typing.
    mutating func taken() -> [ScreenEffect] {
        defer { effects = [] }
        return effects.filter { if case .typing = $0 { false } else { true } }
    }

    var lines: [String] {
        let frame = screen.frame
        return frame.lines.indices.map { frame.text($0) }
    }

    var text: String { lines.joined(separator: "\n") }

    /// The line that contains a text.
    func line(_ text: String) -> String? { lines.first { $0.contains(text) } }

    static func message(
        _ seq: Int?, _ text: String, by sender: String = "bob", state: DeliveryState = .stored
    ) -> ShownMessage {
        ShownMessage(
            id: seq.map { "m\($0)" } ?? text, thread: "t", seq: seq, senderID: sender, sender: sender,
            isOwn: sender == "alice", text: text, time: LocalTime(2026, 11, 23, 14, 3), state: state)
    }

    static func many(_ range: ClosedRange<Int>) -> [ShownMessage] { range.map { message($0, "number \($0).") } }
}
