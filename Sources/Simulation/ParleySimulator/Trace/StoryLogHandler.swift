import Logging

/// Tells the log lines of a node.
struct StoryLogHandler: LogHandler {
    private let name: String
    private let story: StoryReference
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    private struct StoryReference: @unchecked Sendable {
        // `@unchecked Sendable`: the simulator has one thread.
        let story: Story
    }

    init(_ name: String, _ story: Story) {
        self.name = name
        self.story = StoryReference(story: story)
        logLevel = story.isPrinted ? .debug : .critical
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        story.story.remark(name, "[\(event.level)] \(event.message) \(fields.joined(separator: " "))")
    }
}
