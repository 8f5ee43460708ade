import ParleyModel

/// The newest frames on the connections of a scenario.
package struct Transcript: Sendable {
    package struct Frame: Hashable, Sendable {
        package let number: Int
        package let connection: Int
        /// The time since the start of the scenario.
        package let at: Duration
        /// `<` for a frame from the client, `>` for a frame to it, and `·` for another event.
        package let direction: Character
        package let content: String

        package var text: String {
            "\(number) [\(connection)] \(at.milliseconds) ms \(direction) \(content)"
        }
    }

    /// The maximum number of frames, and of bytes per frame.
    static let capacity = 200
    static let frameBytes = 600

    package private(set) var count = 0
    private var frames: [Frame] = []

    mutating func add(_ direction: Character, _ content: String, connection: Int, at: Duration) {
        count += 1
        let isLong = content.utf8.count > Self.frameBytes
        let shown = isLong ? String(content.prefix(Self.frameBytes / 4)) + "… (\(content.utf8.count) bytes)" : content
        frames.append(
            Frame(number: count, connection: connection, at: at, direction: direction, content: shown))
        if frames.count > Self.capacity { frames.removeFirst() }
    }

    /// The newest frames of the latest connection, at most 40, with some earlier ones.
    var newest: [Frame] {
        let last = frames.last?.connection
        let count = frames.count { $0.connection == last }
        return Array(frames.suffix(min(max(count, 12), 40)))
    }
}
