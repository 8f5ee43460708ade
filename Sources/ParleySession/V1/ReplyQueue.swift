import ParleyModel
import ParleyWire

/// The answers to a client's commands, in the order of the commands, however they come in.
struct ReplyQueue: Sendable {
    /// A command that has begun.
    struct Command: Hashable, Sendable {
        var ref: Int64?
        /// Of a send.
        var level: V1Send.Level?
        var clientID: String?
    }

    private enum Slot: Sendable {
        case open(Command)
        /// `nil`: nothing is to be said.
        case filled(V1Frame?)
    }

    /// In order; empty, without memory, when nothing is under way.
    private var slots: [Slot] = []
    /// The number of the first slot.
    private var first: UInt64 = 0

    /// How many commands are not answered.
    var count: Int { slots.count }
    var isEmpty: Bool { slots.isEmpty }

    /// A command begins.
    /// - Returns: its number, never one that was there before.
    mutating func open(_ command: Command) -> UInt64 {
        slots.append(.open(command))
        return first + UInt64(slots.count - 1)
    }

    /// What is known of a command that is not answered; `nil` for any other number.
    func command(_ number: UInt64) -> Command? {
        guard let index = index(number), case .open(let command) = slots[index] else { return nil }
        return command
    }

    /// The answer to a command has gone out.
    func isReleased(_ number: UInt64) -> Bool {
        number < first
    }

    /// A command is answered; not twice.
    /// - Returns: the frames that can go out now.
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
