package import ParleyModel
import ParleyStorage

extension ModelDatabase: MessageSearch {
    package func search(
        _ words: String, of user: UserID, in thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> SearchPage {
        guard !words.utf8.contains(0) else { return SearchPage(messages: [], hasMore: false) }
        let limit = min(max(limit, 1), SearchPage.maximumLimit)
        let wanted = Self.words(of: words)
        return try await read(.page) { tables in
            guard !wanted.isEmpty else { return SearchPage(messages: [], hasMore: false) }
            let threads = tables.threads(of: user).filter { thread ?? $0 == $0 }
            let found = threads.flatMap { id in
                let start = tables.member(user, of: id)?.visibleFrom ?? 0
                return (tables.logs[id]?.messages ?? []).lazy.filter { row in
                    !row.text.isEmpty && row.seq >= start && !tables.isErasing(row.sender)
                        && Self.begin(wanted, wordsOf: row.text)
                }.map { (id, $0) }
            }
            .sorted { ($1.1.milliseconds, $0.0.text, $1.1.seq) < ($0.1.milliseconds, $1.0.text, $0.1.seq) }
            return SearchPage(
                messages: try found.prefix(limit).map { try tables.event(of: $0.1, in: $0.0) },
                hasMore: found.count > limit)
        }
    }

    private static func words(of text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }

    /// Whether each of the wanted words begins a word of the text; a single character must be a whole one.
    private static func begin(_ wanted: Set<String>, wordsOf text: String) -> Bool {
        let words = words(of: text)
        return wanted.allSatisfy { part in
            words.contains(part) || (part.count > 1 && words.contains { $0.hasPrefix(part) })
        }
    }

    package func message(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace? {
        try await read(.history) { tables in
            tables.logs[thread]?.message(id).map { row in
                MessagePlace(
                    seq: row.seq, sender: row.sender, isGone: row.isGone || tables.isErasing(row.sender))
            }
        }
    }

    package func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey> {
        guard !keys.isEmpty else { return [] }
        return try await read(.history) { tables in
            Set(
                keys.filter { key in
                    tables.logs[key.thread]?.message(key.message).map { $0.isGone || tables.isErased($0.sender) }
                        ?? false
                })
        }
    }

    package func export(
        of user: UserID, after place: ExportPlace?, limit: Int
    ) async throws(StoreError) -> ExportPage {
        let limit = min(max(limit, 1), ExportPage.maximumLimit)
        return try await read(.page) { tables in
            var (named, others): ([Tables.Sent], [Tables.Sent]) = ([], [])
            var last: (thread: ThreadID, seq: Int64)?
            switch place {
            case .message(let thread, let seq): last = (thread, seq)
            case .clientID(let clientID): named = tables.named(by: user, after: clientID, limit: limit + 1)
            case nil: named = tables.named(by: user, after: nil, limit: limit + 1)
            }
            others = tables.unnamed(by: user, after: last, limit: limit + 1 - named.count)
            return ExportPage(
                named: try named.map { try tables.event(of: $0.row, in: $0.thread) },
                others: try others.map { try tables.event(of: $0.row, in: $0.thread) }, limit: limit)
        }
    }
}
