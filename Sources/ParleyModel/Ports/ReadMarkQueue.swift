/// Read marks that wait to be written, and who wants to know what becomes of them; a value.
///
/// Of the marks of one user and thread only the last is kept. Everybody who asked is told, so what is bounded is how
/// many asked, not how many marks there are: one client that reads the same thread again and again fills it too.
package struct ReadMarkQueue: Sendable {
    package typealias Completion = @Sendable (Bool) -> Void

    /// A mark to be written, and whom to tell.
    package struct Entry: Sendable {
        package fileprivate(set) var mark: ReadMark
        package fileprivate(set) var completions: [Completion]
    }

    private struct Reader: Hashable {
        let thread: ThreadID
        let user: UserID
    }

    private let limit: Int
    private var entries: [Reader: Entry] = [:]
    private var count = 0

    /// - Parameter limit: the most calls of `put` between two of `takeAll`.
    package init(limit: Int) {
        self.limit = limit
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// - Returns: `false` if there is no room; then the mark is not kept and nobody will be told.
    package mutating func put(_ mark: ReadMark, _ completion: @escaping Completion) -> Bool {
        guard count < limit else { return false }
        count += 1
        let reader = Reader(thread: mark.thread, user: mark.user)
        entries[reader, default: Entry(mark: mark, completions: [])].mark = mark
        entries[reader]?.completions.append(completion)
        return true
    }

    /// Everything that waits, which waits no more.
    package mutating func takeAll() -> [Entry] {
        defer {
            entries = [:]
            count = 0
        }
        return Array(entries.values)
    }
}
