import ParleyWire

/// Puts the replies to a client's commands into the order of the commands, whatever order they complete in.
struct ReplyQueue: Sendable {
    /// A command in progress.
    struct Command: Hashable, Sendable {
        var ref: Int64?
        /// Only for a send.
        var level: V1Send.Level?
        var clientID: String?
    }

    private enum Slot: Sendable {
        case open(Command)
        /// `nil` if there is no reply.
        case filled(V1Frame?)
    }

    /// In order; empty, without memory, when no command is in progress.
    private var slots: [Slot] = []
    /// The number of the first slot.
    private var first: UInt64 = 0

    /// The number of commands without a reply.
    var count: Int { slots.count }
    var isEmpty: Bool { slots.isEmpty }

    /// Starts a command.
    /// - Returns: its number, which is never reused.
    mutating func open(_ command: Command) -> UInt64 {
        slots.append(.open(command))
        return first + UInt64(slots.count - 1)
    }

    /// The command of this number; `nil` if it has been answered or does not exist.
    func command(_ number: UInt64) -> Command? {
        guard let index = index(number), case .open(let command) = slots[index] else { return nil }
        return command
    }

    /// Whether the reply to a command has been sent.
    func isReleased(_ number: UInt64) -> Bool {
        number < first
    }

    /// Sets the reply to a command; at most once.
    /// - Returns: the frames that can be sent now.
    mutating func fill(_ number: UInt64, _ frame: V1Frame?) -> [V1Frame] {
        guard let index = index(number), case .open = slots[index] else { return [] }
        slots[index] = .filled(frame)
        guard index == 0 else { return [] }
        var ready: [V1Frame] = []
        var end = 0
        while end < slots.count, case .filled(let frame) = slots[end] {
            if let frame { ready.append(frame) }
            end += 1
        }
        first += UInt64(end)
        if end == slots.count { slots = [] } else { slots.removeFirst(end) }
        return ready
    }

    private func index(_ number: UInt64) -> Int? {
        guard number >= first, number - first < UInt64(slots.count) else { return nil }
        return Int(number - first)
    }
}
