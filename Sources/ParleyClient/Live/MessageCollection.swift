public import Foundation

/// A window of a thread's messages, oldest first, as they change: a page of the newest at first, more on request.
///
/// It opens with what the device has, without a connection. The window either reaches to the end of the thread, so that
/// new messages appear in it, or, after a jump, ends earlier; then `hasNewer` is true. It holds at most
/// ``ChatConfiguration/windowLimit`` messages. Released when the last reference is.
public final class MessageCollection: AsyncSequence, Sendable {
    public typealias Element = ChatUpdate<ChatMessage>

    /// The thread.
    public let threadID: String
    private let engine: Engine
    private let window: Int
    private let signal: Signal

    init(threadID: String, engine: Engine, window: Int, signal: Signal) {
        self.threadID = threadID
        self.engine = engine
        self.window = window
        self.signal = signal
    }

    deinit {
        Task { [engine, window] in await engine.closeWindow(window) }
    }

    /// The messages now, with all of them as inserted.
    public func current() async -> ChatUpdate<ChatMessage> {
        let content = await engine.content(of: window) ?? WindowContent()
        return ChatUpdate(
            items: content.messages, previous: [], hasOlder: content.hasOlder, hasNewer: content.hasNewer,
            notices: content.notices)
    }

    /// Adds a page of older messages, from the device or the server.
    /// - Returns: Whether messages were added.
    /// - Throws: ``ChatError``, for example `offline` if they are not on the device.
    @discardableResult
    public func loadOlder() async throws -> Bool { try await engine.load(.older, in: window) }

    /// Adds a page of newer messages, from the device or the server; at the end, the window follows the thread again.
    /// - Returns: Whether messages were added.
    /// - Throws: ``ChatError``, for example `offline` if they are not on the device.
    @discardableResult
    public func loadNewer() async throws -> Bool { try await engine.load(.newer, in: window) }

    /// Moves the window to a message and its neighbours.
    /// - Parameter seq: Of a message, for example ``ChatMessage/replyTo`` or of a search result.
    /// - Throws: ``ChatError``; the window stays where it was.
    public func jump(toSeq seq: Int) async throws { try await engine.jump(toSeq: seq, in: window) }

    /// Moves the window to the newest message of this time or earlier, and its neighbours.
    /// - Throws: ``ChatError``; needs a connection. The window stays where it was.
    public func jump(to date: Date) async throws { try await engine.jump(to: date, in: window) }

    /// Moves the window to the end of the thread, which it then follows.
    public func jumpToNewest() async { await engine.jumpToNewest(in: window) }

    /// Iterates over the snapshots, the current one first.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let collection: MessageCollection
        var seen = 0
        var previous: WindowContent?

        /// The next snapshot that differs from the previous one; `nil` when the client is shut down or the task
        /// cancelled.
        public mutating func next() async -> ChatUpdate<ChatMessage>? {
            while let version = await collection.signal.next(after: seen) {
                seen = version
                guard let content = await collection.engine.content(of: collection.window) else { return nil }
                guard content != previous else { continue }
                defer { previous = content }
                return ChatUpdate(
                    items: content.messages, previous: previous?.messages ?? [], hasOlder: content.hasOlder,
                    hasNewer: content.hasNewer, notices: content.notices)
            }
            return nil
        }
    }

    /// Starts with the current snapshot.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(collection: self) }
}
