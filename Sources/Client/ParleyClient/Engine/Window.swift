/// The part of a thread that a ``MessageCollection`` shows.
struct Window: Sendable {
    let thread: String
    let signal: Signal
    /// The lowest `seq` of the window.
    var low = 1
    /// The highest `seq` of the window; `nil` if the window follows the end of the thread.
    var high: Int?
    /// Whether the device has less than a page of messages, and the server has older ones.
    var needsPage = false
    var isFilling = false
    /// Whether the thread was not known when the window was moved to its end.
    var isUnknown = false
}
