import ParleyModel

/// The cursor of a thread list: `<milliseconds>.<thread id>`, which is opaque to clients.
extension ThreadPlace {
    var text: String { "\(activity).\(thread)" }

    /// Returns `nil` if `text` did not make the cursor.
    init?(_ text: String) {
        guard let dot = text.firstIndex(of: "."), let activity = Int64(text[..<dot]),
            let thread = ThreadID(String(text[text.index(after: dot)...]))
        else { return nil }
        self.init(activity: activity, thread: thread)
    }
}
