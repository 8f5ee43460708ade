/// The part of a thread that a ``MessageCollection`` shows.
struct Window: Sendable {
    let thread: String
    let signal: Signal
    /// The lowest place it shows.
    var low = 1
    /// The highest place it shows; `nil` if it follows the end of the thread.
    var high: Int?
    /// There are fewer messages on the device than a page, and older ones on the server.
    var needsPage = false
    var isFilling = false
}

/// What a window shows.
struct WindowContent: Hashable, Sendable {
    var messages: [ChatMessage] = []
    var hasOlder = false
    var hasNewer = false
    var notices: [ChatNotice] = []
}

/// The directions in which a window grows.
enum WindowDirection: Sendable { case older, newer }
