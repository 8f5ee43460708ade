package import Foundation

/// The content of a ``MessageCollection``: a part of a thread that moves and grows.
package protocol MessageWindow: Sendable {
    /// Returns the current content; `nil` if the window is closed.
    func content() async -> WindowContent?
    /// Adds a page.
    /// - Returns: Whether messages were added.
    func load(_ direction: WindowDirection) async throws -> Bool
    func jump(toSeq seq: Int) async throws
    func jump(to date: Date) async throws
    func jumpToNewest() async
    func close() async
}

/// The content of a window.
package struct WindowContent: Hashable, Sendable {
    package var messages: [ChatMessage]
    package var hasOlder: Bool
    package var hasNewer: Bool
    package var notices: [ChatNotice]

    package init(
        messages: [ChatMessage] = [], hasOlder: Bool = false, hasNewer: Bool = false, notices: [ChatNotice] = []
    ) {
        self.messages = messages
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
        self.notices = notices
    }
}

/// The directions in which a window can grow.
package enum WindowDirection: Sendable { case older, newer }

/// A window over the cache of a client.
struct CacheWindow: MessageWindow {
    let engine: Engine
    let number: Int

    func content() async -> WindowContent? { await engine.content(of: number) }
    func load(_ direction: WindowDirection) async throws -> Bool { try await engine.load(direction, in: number) }
    func jump(toSeq seq: Int) async throws { try await engine.jump(toSeq: seq, in: number) }
    func jump(to date: Date) async throws { try await engine.jump(to: date, in: number) }
    func jumpToNewest() async { await engine.jumpToNewest(in: number) }
    func close() async { await engine.closeWindow(number) }
}
