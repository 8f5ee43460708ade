public import Foundation

/// A live window of a thread's messages, oldest first.
///
/// The window begins with the newest page and grows on request. It opens with the content of the device and needs no
/// connection. It either follows the end of the thread, so that new messages appear in it, or ends earlier after a
/// jump; ``ChatUpdate/hasNewer`` is then `true`. It contains at most ``ChatConfiguration/windowLimit`` messages. The
/// window is closed when its last reference is released.
public final class MessageCollection: AsyncSequence, Sendable {
    /// The type of the snapshots.
    public typealias Element = ChatUpdate<ChatMessage>

    /// The ID of the thread.
    public let threadID: ChatThread.ID
    private let source: any MessageWindow
    private let signal: Signal

    /// - Parameters:
    ///   - threadID: The ID of the thread.
    ///   - source: The window.
    ///   - signal: Raised after each change of the window.
    package init(threadID: ChatThread.ID, source: any MessageWindow, signal: Signal) {
        self.threadID = threadID
        self.source = source
        self.signal = signal
    }

    deinit {
        Task { [source] in await source.close() }
    }

    /// Returns the current messages, all of them as inserted.
    public func current() async -> ChatUpdate<ChatMessage> {
        let content = await source.content() ?? WindowContent()
        return ChatUpdate(
            items: content.messages, previous: [], hasOlder: content.hasOlder, hasNewer: content.hasNewer,
            notices: content.notices)
    }

    /// Adds a page of older messages from the device or the server.
    /// - Returns: `true` if messages were added.
    /// - Throws: ``ChatError``, for example `offline` if the messages are not on the device.
    @discardableResult
    public func loadOlder() async throws -> Bool { try await source.load(.older) }

    /// Adds a page of newer messages from the device or the server. At the end of the thread, the window follows it
    /// again.
    /// - Returns: `true` if messages were added.
    /// - Throws: ``ChatError``, for example `offline` if the messages are not on the device.
    @discardableResult
    public func loadNewer() async throws -> Bool { try await source.load(.newer) }

    /// Moves the window to a message and its neighbors.
    /// - Parameter seq: The `seq` of a message, for example ``ChatMessage/replyTo`` or that of a search result.
    /// - Throws: ``ChatError``; the window does not move.
    public func jump(toSeq seq: Int) async throws { try await source.jump(toSeq: seq) }

    /// Moves the window to the newest message at or before a date, and its neighbors.
    ///
    /// This method requires a connection.
    /// - Parameter date: The date to show.
    /// - Throws: ``ChatError``; the window does not move.
    public func jump(to date: Date) async throws { try await source.jump(to: date) }

    /// Moves the window to the end of the thread, and follows it.
    public func jumpToNewest() async { await source.jumpToNewest() }

    /// An iterator over the snapshots, beginning with the current one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let collection: MessageCollection
        var seen = 0
        var previous: WindowContent?

        /// Waits for a snapshot that differs from the previous one.
        /// - Returns: The snapshot; `nil` if the client is shut down or the task is cancelled.
        public mutating func next() async -> ChatUpdate<ChatMessage>? {
            while let version = await collection.signal.next(after: seen) {
                seen = version
                guard let content = await collection.source.content() else { return nil }
                guard content != previous else { continue }
                defer { previous = content }
                return ChatUpdate(
                    items: content.messages, previous: previous?.messages ?? [], hasOlder: content.hasOlder,
                    hasNewer: content.hasNewer, notices: content.notices)
            }
            return nil
        }
    }

    /// Returns an iterator that begins with the current snapshot.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(collection: self) }
}
