import Foundation
import ParleyJSON

/// The windows of message collections over the cache.
extension Engine {
    /// Opens a window at the end of a thread.
    func openWindow(_ thread: String, signal: Signal) -> Int {
        lastWindow += 1
        guard !isShutDown else {
            signal.finish()
            return lastWindow
        }
        windows[lastWindow] = Window(thread: thread, signal: signal)
        anchor(lastWindow)
        return lastWindow
    }

    func closeWindow(_ id: Int) { windows[id] = nil }

    /// Moves windows that were opened before their threads were known, for example before the first connection.
    func showNewThreads() {
        for (id, window) in windows where window.isUnknown && core.threads[window.thread] != nil {
            anchor(id)
            window.signal.raise()
        }
    }

    /// Shows the newest page that is on the device.
    func anchor(_ id: Int) {
        guard var window = windows[id] else { return }
        window.high = nil
        window.isUnknown = core.threads[window.thread] == nil
        let position = core.threads[window.thread]?.seq ?? 0
        window.low = position + 1
        window.needsPage = position > 0
        if let range = try? storage.range(in: window.thread, containing: position) {
            let page = newest(in: range, of: window.thread)
            let isFull = page.count >= configuration.pageSize
            window.low = isFull ? page.first?.seq ?? range.lowerBound : range.lowerBound
            window.needsPage = !isFull && range.lowerBound > 1
        }
        windows[id] = window
        fillIfNeeded(id)
    }

    private func newest(in range: ClosedRange<Int>, of thread: String) -> [StoredMessage] {
        let messages = try? storage.messages(
            in: thread, from: range.lowerBound, to: range.upperBound, limit: configuration.pageSize, newest: true)
        return messages ?? []
    }

    /// Loads the first page of a window from the server while there is a connection. After a failure, tries again after
    /// a pause or on the next connection.
    func fillIfNeeded(_ id: Int) {
        guard let window = windows[id], window.needsPage, !window.isFilling, core.isGreeted else { return }
        windows[id]?.isFilling = true
        Task {
            let isFilled = await fill(id)
            if !isFilled, core.isGreeted { _ = await sleep(Self.pauseAfterFailure) }
            windows[id]?.isFilling = false
            fillIfNeeded(id)
        }
    }

    /// - Returns: Whether no request failed.
    private func fill(_ id: Int) async -> Bool {
        for _ in 0..<Self.pagesAtOnce {
            guard let window = windows[id], window.needsPage else { return true }
            guard (try? await load(.older, in: id)) != nil else { return false }
            let count = content(of: id)?.messages.count ?? 0
            if count >= configuration.pageSize || (windows[id]?.low ?? 1) <= 1 { windows[id]?.needsPage = false }
        }
        windows[id]?.needsPage = false
        return true
    }

    /// The core has already tried a refused page several times.
    private static let pauseAfterFailure = Duration.seconds(5)

    /// The maximum number of log pages that are read for one page of messages, because other events may lie between
    /// messages.
    private static let pagesAtOnce = 10

    // MARK: Reading

    /// Reads the cache. Errors of the database become ``ChatError/storage(_:)``.
    private func cachedRange(in thread: String, _ seq: Int) throws(ChatError) -> ClosedRange<Int>? {
        do {
            return try storage.range(in: thread, containing: seq)
        } catch {
            throw .storage("\(error)")
        }
    }

    private func cachedMessages(
        in thread: String, from: Int, to: Int, limit: Int, newest: Bool
    ) throws(ChatError) -> [StoredMessage] {
        do {
            return try storage.messages(in: thread, from: from, to: to, limit: limit, newest: newest)
        } catch {
            throw .storage("\(error)")
        }
    }

    // MARK: Moving

    /// - Returns: Whether the window contains more messages than before.
    func load(_ direction: WindowDirection, in id: Int) async throws -> Bool {
        for _ in 0..<Self.pagesAtOnce {
            guard let window = windows[id] else { throw ChatError.shutDown }
            switch direction {
            case .older:
                guard window.low > 1 else { return false }
                if try extendDown(id) { return true }
                guard let low = windows[id]?.low, low > 1 else { return false }
                guard try cachedRange(in: window.thread, low - 1) == nil else { continue }
                _ = try await history(of: window.thread, before: low, after: nil, limit: limit)
            case .newer:
                guard window.high != nil else { return false }
                if try extendUp(id) { return true }
                guard let high = windows[id]?.high else { return false }
                guard try cachedRange(in: window.thread, high + 1) == nil else { continue }
                _ = try await history(of: window.thread, before: nil, after: high, limit: limit)
            }
        }
        return false
    }

    /// The number of events in a page of the log that is expected to contain a page of messages.
    private var limit: Int { min(200, configuration.pageSize * 2) }

    /// Adds older messages from the cache.
    private func extendDown(_ id: Int) throws -> Bool {
        guard var window = windows[id],
            let range = try cachedRange(in: window.thread, window.low - 1)
        else { return false }
        let page = try cachedMessages(
            in: window.thread, from: range.lowerBound, to: window.low - 1, limit: configuration.pageSize, newest: true)
        let isFull = page.count >= configuration.pageSize
        window.low = isFull ? page.first?.seq ?? range.lowerBound : range.lowerBound
        // The window is full, so its newest messages are removed.
        let kept = try cachedMessages(
            in: window.thread, from: window.low, to: end(of: window), limit: configuration.windowLimit + 1,
            newest: false)
        if kept.count > configuration.windowLimit { window.high = kept[configuration.windowLimit - 1].seq }
        windows[id] = window
        window.signal.raise()
        return !page.isEmpty
    }

    /// Adds newer messages from the cache. At the end of the thread, the window follows it.
    private func extendUp(_ id: Int) throws -> Bool {
        guard var window = windows[id], let high = window.high else { return false }
        let position = core.threads[window.thread]?.seq ?? 0
        guard high < position else {
            windows[id]?.high = nil
            window.signal.raise()
            return false
        }
        guard let range = try cachedRange(in: window.thread, high + 1) else { return false }
        let page = try cachedMessages(
            in: window.thread, from: high + 1, to: range.upperBound, limit: configuration.pageSize, newest: false)
        let isFull = page.count >= configuration.pageSize
        let reached = isFull ? page.last?.seq ?? range.upperBound : range.upperBound
        window.high = reached >= position ? nil : reached
        let kept = try cachedMessages(
            in: window.thread, from: window.low, to: reached, limit: configuration.windowLimit, newest: true)
        if kept.count >= configuration.windowLimit, let first = kept.first { window.low = first.seq }
        windows[id] = window
        window.signal.raise()
        return !page.isEmpty
    }

    private func end(of window: Window) -> Int {
        window.high ?? core.threads[window.thread]?.seq ?? 0
    }

    func jump(toSeq seq: Int, in id: Int) async throws {
        guard let window = windows[id] else { throw ChatError.shutDown }
        guard Int.places.contains(seq) else { throw ChatError.unknown("no message has the seq \(seq)") }
        let half = max(1, configuration.pageSize / 2)
        if try cachedRange(in: window.thread, seq) == nil {
            _ = try await history(
                of: window.thread, before: seq + half + 1, after: max(0, seq - half - 1),
                limit: min(200, 2 * half + 1))
        }
        guard let range = try cachedRange(in: window.thread, seq), windows[id] != nil else {
            throw ChatError.unknown("no message has the seq \(seq)")
        }
        let older = try cachedMessages(
            in: window.thread, from: range.lowerBound, to: seq, limit: half + 1, newest: true)
        let newer = try cachedMessages(
            in: window.thread, from: seq + 1, to: range.upperBound, limit: half, newest: false)
        windows[id]?.low = older.count > half ? older.first?.seq ?? seq : range.lowerBound
        let high = newer.count >= half ? newer.last?.seq ?? seq : range.upperBound
        windows[id]?.high = high >= core.threads[window.thread]?.seq ?? 0 ? nil : high
        windows[id]?.needsPage = false
        window.signal.raise()
    }

    func jump(to date: Date, in id: Int) async throws {
        guard let window = windows[id] else { throw ChatError.shutDown }
        let page = try await call(
            "GET", ["v1", "threads", window.thread, "messages"],
            query: [("at", "\(date.milliseconds)"), ("limit", "1")])
        let seq = page["messages"]?.elements?.last?["seq"]?.place ?? 1
        try await jump(toSeq: seq, in: id)
    }

    func jumpToNewest(in id: Int) {
        anchor(id)
        windows[id]?.signal.raise()
    }
}
