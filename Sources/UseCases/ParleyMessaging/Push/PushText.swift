/// Cuts texts to what the JSON of a payload has room for.
package enum PushText {
    /// The maximum size of a title in a payload, in bytes of JSON.
    package static let maximumTitle = 256

    private static let ellipsis = "…"

    /// The size of a text in JSON, without the quotes.
    package static func size(_ text: some Sequence<UInt8>) -> Int {
        text.reduce(0) { $0 + jsonSize($1) }
    }

    /// Returns the text, or its longest beginning that fits with an ellipsis behind it.
    ///
    /// It never divides a character, such as a flag, or a letter with its combining marks. It reads no further than the
    /// first character that does not fit.
    /// - Parameter limit: The maximum size in JSON. Below 3 bytes, which the ellipsis has, a text that is cut is empty.
    package static func cut(_ text: String, to limit: Int) -> String {
        let room = limit - ellipsis.utf8.count
        var kept = ""
        var used = 0
        for character in text {
            used += size(character.utf8)
            if used > limit { return room < 0 ? "" : kept + ellipsis }
            if used <= room { kept.append(character) }
        }
        return text
    }

    private static func jsonSize(_ byte: UInt8) -> Int {
        switch byte {
        case 0x22, 0x5C, 0x09, 0x0A, 0x0D: 2
        case 0..<0x20: 6
        default: 1
        }
    }
}

/// Room in a payload for the two texts of a notification.
struct PushPayload: Sendable {
    /// Writes a payload with a title and a body.
    let write: @Sendable (_ title: String, _ body: String) -> [UInt8]

    /// Returns the payload with the texts cut so that it has at most `limit` bytes; `nil` if it has more without texts.
    func bytes(title: String, body: String, limit: Int) -> [UInt8]? {
        let room = limit - write("", "").count
        guard room >= 0 else { return nil }
        let title = PushText.cut(title, to: min(room, PushText.maximumTitle))
        return write(title, PushText.cut(body, to: room - PushText.size(title.utf8)))
    }
}
