package import NIOCore
package import ParleyModel

/// The line dialect: lines over TCP as in the raw-socket article.
package enum LineCodec {
    /// Reads `iam:NAME` or `msg:TEXT`; the text may contain colons and may be empty.
    /// - Parameter line: one line without its line end.
    package static func decode(_ line: ByteBuffer) throws(CommandError) -> ClientCommand {
        let text = line.withUnsafeReadableBytes { raw in
            String(validating: raw.bindMemory(to: UInt8.self), as: UTF8.self)
        }
        guard let text else { throw .badText }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .unknown(text) }
        let rest = String(text[text.utf8.index(after: colon)...])
        switch text[..<colon] {
        case "iam":
            guard GuestName.allows(rest) else { throw .badName }
            return .introduce(name: rest)
        case "msg":
            return .say(text: rest)
        case let name:
            throw .unknown(name)
        }
    }

    /// The line sent to everyone in the lobby, with its line end; `nil` for events that this dialect does not
    /// represent.
    package static func encode(_ event: LogEvent) -> ByteBuffer? {
        switch event.body {
        case .message(let message): line(message.sender.name, message.text)
        case .joined(let user, _): line(user.name, "has joined")
        case .left(let user, _): line(user.name, "has left")
        case .edited, .deleted, .reaction, .renamed, .role, .visibility: nil
        }
    }

    /// The line sent to everyone in the lobby, with its line end; `nil` for events that this dialect does not
    /// represent.
    package static func encode(_ event: EphemeralEvent) -> ByteBuffer? {
        switch event {
        case .guestJoined(let name): line(name, "has joined")
        case .guestLeft(let name): line(name, "has left")
        case .typing, .read, .stored: nil
        }
    }

    /// The line `error:…`, with its line end.
    package static func encode(_ error: LineError) -> ByteBuffer {
        line("error", error.text)
    }

    /// `name:text` and a line feed.
    private static func line(_ name: String, _ text: String) -> ByteBuffer {
        var line = ByteBufferAllocator().buffer(capacity: name.utf8.count + text.utf8.count + 2)
        line.writeString(plain(name))
        line.writeInteger(UInt8(ascii: ":"))
        line.writeString(plain(text))
        line.writeInteger(UInt8(ascii: "\n"))
        return line
    }

    /// Replaces control characters except tabs by spaces: a line end would forge another line, and the terminal that
    /// shows this one would obey an escape sequence.
    private static func plain(_ text: String) -> String {
        // C0 and DEL are bytes of their own; a character of C1 begins with C2.
        let mayHaveControls = text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }
        guard mayHaveControls else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            plain.append(scalar.properties.generalCategory == .control && scalar != "\t" ? " " : scalar)
        }
        return String(plain)
    }
}
