import ParleyModel

/// Where a list of threads goes on, as clients hand it back: `<milliseconds>.<thread id>`, which they need not read.
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
