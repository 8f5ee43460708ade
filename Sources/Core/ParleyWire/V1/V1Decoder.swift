package import NIOCore
import ParleyJSON
import ParleyModel

/// Decodes the frames of v1 clients (PROTOCOL §3): one object with one command.
///
/// Unknown fields are ignored, in the frame and in the command. Two commands in one frame, or a duplicate field, are
/// errors, since they are ambiguous. Takes linear time.
package struct V1Decoder: Sendable {
    /// The commands, named as the field that holds them.
    package enum Name: String, CaseIterable, Sendable {
        // In order of frequency.
        case message, read, typing, react, ping, edit, delete, history, resume, watch, join, leave, auth
    }

    package init() {}

    /// - Parameter payload: the payload of a text message.
    /// - Throws: the first error, with the frame's `ref` wherever it occurs.
    package func decode(_ payload: ByteBuffer) throws(V1CommandError) -> V1Request {
        let bytes = Array(payload.readableBytesView)
        do {
            return try request(bytes)
        } catch {
            var violation = error
            violation.ref = Self.ref(in: bytes)
            throw violation
        }
    }

    private func request(_ json: [UInt8]) throws(V1CommandError) -> V1Request {
        var reader = V1FieldReader(json)
        var ref: Int64?
        var command: V1Command?
        var firstUnknown: String?
        try reader.enterObject(nil)
        while let key = try reader.nextKey() {
            if key == "ref" {
                try reader.read(key, into: &ref)
            } else if let name = Name(rawValue: key) {
                // A null command counts as absent.
                if try reader.isNull() { continue }
                guard command == nil else { throw .bad("two commands in one frame; one is allowed") }
                command = try self.command(name, &reader)
            } else {
                firstUnknown = firstUnknown ?? key
                try reader.skip()
            }
        }
        try reader.end()
        if let command { return V1Request(ref: ref, command) }
        throw Self.noCommand(firstUnknown)
    }

    private static func noCommand(_ firstUnknown: String?) -> V1CommandError {
        let allowed = "allowed are " + Name.allCases.map(\.rawValue).joined(separator: ", ")
        guard let firstUnknown else { return .bad("no command; \(allowed)") }
        return V1CommandError(
            code: .unknownCommand, message: "unknown command \"\(V1CommandError.cut(firstUnknown))\"; \(allowed)")
    }

    /// The `ref` of a frame that is not a command; `nil` if it cannot be read.
    private static func ref(in json: [UInt8]) -> Int64? {
        var reader = JSONReader(json)
        do throws(JSONError) {
            try reader.enterObject()
            while let key = try reader.nextKey() {
                if key == "ref" { return try reader.integer() }
                try reader.skip()
            }
        } catch {
            return nil
        }
        return nil
    }

    private func command(_ name: Name, _ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        switch name {
        case .message: .send(try send(&reader))
        case .edit: try edit(&reader)
        case .delete: try delete(&reader)
        case .react: try react(&reader)
        case .read: try read(&reader)
        case .typing: try typing(&reader)
        case .resume: .resume(try resume(&reader))
        case .history: .history(try history(&reader))
        case .join: try join(&reader)
        case .leave: try leave(&reader)
        case .watch: .watch(try watch(&reader))
        case .auth: try authenticate(&reader)
        case .ping: .ping(try Int64.read("ping", &reader))
        }
    }

    // MARK: Log

    private func edit(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        var thread: ThreadID?
        var message: MessageID?
        var text: String?
        try reader.enterObject("edit")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.read(key, into: &thread)
            case "message_id": try reader.read(key, into: &message)
            case "text": try reader.read(key, into: &text)
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "edit") }
        guard let message else { throw .missing("message_id", in: "edit") }
        guard let text else { throw .missing("text", in: "edit") }
        return .edit(thread: thread, message: message, text: text)
    }

    private func delete(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        var thread: ThreadID?
        var message: MessageID?
        try reader.enterObject("delete")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.read(key, into: &thread)
            case "message_id": try reader.read(key, into: &message)
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "delete") }
        guard let message else { throw .missing("message_id", in: "delete") }
        return .delete(thread: thread, message: message)
    }

    private func react(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        var thread: ThreadID?
        var message: MessageID?
        var emoji: String?
        var isOn: Bool?
        try reader.enterObject("react")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.read(key, into: &thread)
            case "message_id": try reader.read(key, into: &message)
            case "emoji": try reader.read(key, into: &emoji)
            case "on": try reader.read(key, into: &isOn)
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "react") }
        guard let message else { throw .missing("message_id", in: "react") }
        guard let emoji else { throw .missing("emoji", in: "react") }
        guard let isOn else { throw .missing("on", in: "react") }
        if let violation = Reaction.violation(inEmoji: emoji) { throw .bad(violation) }
        return .react(thread: thread, message: message, emoji: emoji, isOn: isOn)
    }

    // MARK: Threads

    /// A thread id, or an object with the id and a seq.
    private func read(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        if try reader.kind() == .string { return .read(thread: try ThreadID.read("read", &reader), seq: nil) }
        var thread: ThreadID?
        var seq: Int64?
        try reader.enterObject("read")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.read(key, into: &thread)
            case "seq": try reader.read(key, into: &seq)
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "read") }
        if let seq { try Self.check(seq, "seq", 0...Int64.max) }
        return .read(thread: thread, seq: seq)
    }

    private func typing(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        var thread: ThreadID?
        var isOn: Bool?
        try reader.enterObject("typing")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.read(key, into: &thread)
            case "on": try reader.read(key, into: &isOn)
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "typing") }
        guard let isOn else { throw .missing("on", in: "typing") }
        return .typing(thread: thread, isOn: isOn)
    }

    private func history(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1HistoryRequest {
        var thread: ThreadID?
        var (before, after, limit): (Int64?, Int64?, Int64?)
        try reader.enterObject("history")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.read(key, into: &thread)
            case "before": try reader.read(key, into: &before)
            case "after": try reader.read(key, into: &after)
            case "limit": try reader.read(key, into: &limit)
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "history") }
        if let before { try Self.check(before, "before", 0...Int64.max) }
        if let after { try Self.check(after, "after", 0...Int64.max) }
        if let limit { try Self.check(limit, "limit", 1...V1Limits.historyEvents) }
        return V1HistoryRequest(
            thread: thread, before: before, after: after, limit: limit ?? V1Limits.historyDefault)
    }

    private func join(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        var title: String?
        try reader.enterObject("join")
        while let key = try reader.nextKey() {
            switch key {
            case "title": try reader.read(key, into: &title)
            default: try reader.skip()
            }
        }
        guard let title else { throw .missing("title", in: "join") }
        return .join(title: title)
    }

    private func leave(_ reader: inout V1FieldReader) throws(V1CommandError) -> V1Command {
        var thread: ThreadID?
        try reader.enterObject("leave")
        while let key = try reader.nextKey() {
            switch key {
            case "id": try reader.read(key, into: &thread)
            default: try reader.skip()
            }
        }
        guard let thread else { throw .missing("id", in: "leave") }
        return .leave(thread: thread)
    }

    // MARK: Values

    static func check(_ value: Int64, _ name: String, _ allowed: ClosedRange<Int64>) throws(V1CommandError) {
        guard !allowed.contains(value) else { return }
        let range =
            allowed.upperBound == .max
            ? "at least \(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)"
        throw .bad(name, "is \(value); allowed is \(range)")
    }
}
