import ParleyModel

/// The cursor of a thread list: `<milliseconds>.<thread id>`, opaque to clients.
extension ThreadPlace {
    var text: String { "\(activity).\(thread)" }

    /// `nil` if the text was not made by `text`.
    init?(_ text: String) {
        guard let dot = text.firstIndex(of: "."), let activity = Int64(text[..<dot]),
            let thread = ThreadID(String(text[text.index(after: dot)...]))
        else { return nil }
        self.init(activity: activity, thread: thread)
    }
}
