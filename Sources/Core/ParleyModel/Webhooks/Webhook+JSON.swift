import ParleyJSON

/// The texts that stores keep.
extension WebhookSettings {
    package var stored: String {
        var members: [(String, JSONTree)] = [("url", .text(url)), ("batch", .integer(Int64(batch)))]
        if let names = eventKinds.names { members.append(("kinds", .array(names.map { .text($0) }))) }
        if let thread { members.append(("thread", .text(thread.text))) }
        if let user { members.append(("user", .text(user.text))) }
        members.append(("secrets", .array(secrets.map { .text($0) })))
        return JSONTree.ordered(members).canonical
    }

    /// - Throws: `StoreError.failed` for a text that no store has written.
    package init(stored text: String) throws(StoreError) {
        guard let tree = try? JSONTree(parsing: Array(text.utf8)), let url = tree["url"]?.text,
            let secrets = tree["secrets"]?.elements
        else { throw .failed("a row of webhooks has no settings") }
        var kinds = EventKinds()
        if let names = tree["kinds"]?.elements?.compactMap(\.text) {
            guard let known = EventKinds(names: names) else { throw .failed("a row of webhooks has unknown kinds") }
            kinds = known
        }
        self.init(
            url: url, kinds: kinds.log, rows: kinds.rows,
            thread: tree["thread"]?.text.flatMap { ThreadID($0) }, user: tree["user"]?.text.flatMap { UserID($0) },
            batch: Int(clamping: tree["batch"]?.integer ?? 1), secrets: secrets.compactMap(\.text))
    }
}

extension WebhookProgress {
    package var stored: String {
        var members: [(String, JSONTree)] = [("place", .text(place.text))]
        let waiting = self.waiting.sorted { $0.key.text < $1.key.text }.map { $0.value.tree(of: $0.key) }
        if !waiting.isEmpty { members.append(("waiting", .array(waiting))) }
        if let disabled { members.append(("disabled", .text(disabled))) }
        if let successMilliseconds { members.append(("success_ms", .integer(successMilliseconds))) }
        if let failureMilliseconds { members.append(("failure_ms", .integer(failureMilliseconds))) }
        if let failure { members.append(("failure", .text(failure))) }
        return JSONTree.ordered(members).canonical
    }

    /// - Throws: `StoreError.failed` for a text that no store has written.
    package init(stored text: String) throws(StoreError) {
        guard let tree = try? JSONTree(parsing: Array(text.utf8)),
            let place = tree["place"]?.text.flatMap({ EventCursor($0) })
        else { throw .failed("a row of webhooks has no progress") }
        self.init(place: place)
        for each in tree["waiting"]?.elements ?? [] {
            guard let thread = each["thread"]?.text.flatMap({ ThreadID($0) }), let wait = WebhookWait(each) else {
                throw .failed("a row of webhooks has no progress of a thread")
            }
            waiting[thread] = wait
        }
        disabled = tree["disabled"]?.text
        successMilliseconds = tree["success_ms"]?.integer
        failureMilliseconds = tree["failure_ms"]?.integer
        failure = tree["failure"]?.text
    }
}

extension WebhookWait {
    fileprivate func tree(of thread: ThreadID) -> JSONTree {
        var members: [(String, JSONTree)] = [("thread", .text(thread.text)), ("place", .text(place.text))]
        if let delivered { members.append(("delivered", .text(delivered))) }
        members.append(("attempts", .integer(Int64(attempts))))
        if let firstFailure { members.append(("first_ms", .integer(firstFailure))) }
        members.append(("next_ms", .integer(next)))
        return .ordered(members)
    }

    fileprivate init?(_ tree: JSONTree) {
        guard let place = tree["place"]?.text.flatMap({ EventCursor($0) }), let attempts = tree["attempts"]?.integer,
            let next = tree["next_ms"]?.integer
        else { return nil }
        self.init(
            place: place, delivered: tree["delivered"]?.text, attempts: Int(clamping: attempts),
            firstFailure: tree["first_ms"]?.integer, next: next)
    }
}
