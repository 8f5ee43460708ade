import ParleyModel
import ParleyTestContracts
import ParleyTestSupport

extension StorePairRun {
    mutating func changeMembers() async throws {
        let (user, by, thread, milliseconds) = (user(), user().id, thread(), milliseconds)
        let authorize = authorization()
        switch roll(11) {
        case 6: try await changeLinks()
        case 8, 9: try await changeEntrances()
        case 10: try await changeBlocks()
        case ..<2:
            let (title, id, visibility) = (title(), ThreadID(trusted: "r\(number())"), visibility())
            let entries = try await pair.change("join \(title) \(visibility)") { store in
                try await store.join(
                    user, roomTitled: title, newID: id, visibility: visibility, at: milliseconds, authorize: authorize)
            }
            outbox += entries
            for entry in entries { note(entry.thread) }
        case 2:
            let role = role()
            outbox += try await pair.change("setMember \(user) of \(thread)") { store in
                try await store.setMember(
                    user, of: thread, role: role, by: by, at: milliseconds, authorize: authorize)
            }
        case 3:
            let isRemoval = isOneOf(2)
            outbox += try await pair.change("removeMember \(user) from \(thread)") { store in
                try await store.removeMember(
                    user, from: thread, by: by, isRemoval: isRemoval, at: milliseconds, authorize: authorize)
            }
        case 4:
            let kind = pick(Sanction.Kind.allCases)
            let end = pick([nil, milliseconds - 1, milliseconds + Int64(roll(20_000))])
            let sanction = Sanction(kind, until: end, reason: isOneOf(2) ? "reason \(number())" : nil)
            // No other author has a row.
            let author = users.contains { $0.id == by } ? by : nil
            outbox += try await pair.change("sanction \(user) in \(thread): \(sanction)") { store in
                try await store.sanction(
                    user, in: thread, sanction, author: author, by: by, at: milliseconds, authorize: authorize)
            }
        case 5:
            let kind = pick(Sanction.Kind.allCases)
            outbox += try await pair.change("endSanction \(kind) of \(user) in \(thread)") { store in
                try await store.endSanction(kind, of: user, in: thread, by: by, authorize: authorize)
            }
        default:
            let id = ThreadInfo.directID(user.id, by)
            let opened = try await pair.ask("openDirect \(user) \(by)") { store in
                try await store.openDirect(id, of: user.id, with: by, at: milliseconds)
            }
            if opened != nil { note(id) }
        }
    }

    /// Codes are few, so that they meet links, and ids many, since a store may refuse one that is taken.
    private mutating func changeLinks() async throws {
        let (user, thread, milliseconds, authorize) = (user(), thread(), milliseconds, authorization())
        switch roll(4) {
        case 0:
            // No other author has a row, and no other code is free.
            guard users.contains(where: { $0.id == user.id }) else { return }
            let link = RoomLink(
                id: LinkID(trusted: "l\(number())"), author: user.id, since: milliseconds,
                until: pick([nil, milliseconds - 1, milliseconds + Int64(roll(20_000))]), uses: pick([nil, 1, 2]))
            links.append((link.id, thread))
            outbox += try await pair.change("addLink \(link) to \(thread)") { store in
                try await store.addLink(
                    link, code: TokenHash("code of \(link.id)"), to: thread, authorize: authorize)
            }
        case 1:
            guard let (link, thread) = pickRecent(links) else { return }
            outbox += try await pair.change("removeLink \(link) of \(thread)") { store in
                try await store.removeLink(link, of: thread, by: user.id, authorize: authorize)
            }
        default:
            guard let (link, thread) = pickRecent(links) else { return }
            try await pair.ask("linkedRoom \(link)") { store in
                try await store.linkedRoom(TokenHash("code of \(link)"), for: user.id)
            }
            try await pair.ask("links of \(thread)") { try await $0.links(of: thread, at: milliseconds) }
            let entries = try await pair.change("follow \(link) by \(user)") { store in
                try await store.follow(
                    TokenHash("code of \(link)"), by: user, at: milliseconds, authorize: authorize)
            }
            outbox += entries
            for entry in entries { note(entry.thread) }
        }
    }

    mutating func changeThread() async throws {
        let (by, thread, title, milliseconds) = (user().id, thread(), title(), milliseconds)
        let authorize = authorization()
        switch roll(7) {
        case 6:
            let history = isOneOf(2) ? RoomHistory.all : .sinceJoining
            outbox += try await pair.change("setHistory \(history) of \(thread)") { store in
                try await store.setHistory(history, of: thread, by: by, authorize: authorize)
            }
        case 0:
            outbox += try await pair.change("deleteThread \(thread)") { store in
                try await store.deleteThread(thread, by: by, authorize: authorize)
            }
        case 1:
            let id = isOneOf(3) ? thread : ThreadID(trusted: "r\(number())")
            let room = try await pair.ask("room \(title) \(id)") { store in
                try await store.room(titled: title, newID: id, at: milliseconds)
            }
            if let room { note(room.id) }
        case ..<4:
            let visibility = visibility()
            outbox += try await pair.change("setVisibility \(visibility) of \(thread)") { store in
                try await store.setVisibility(visibility, of: thread, by: by, authorize: authorize)
            }
        default:
            outbox += try await pair.change("rename \(thread) to \(title)") { store in
                try await store.rename(thread, to: title, by: by, at: milliseconds, authorize: authorize)
            }
        }
    }

    mutating func readThreads() async throws {
        let (user, other, thread, title, milliseconds) = (user(), user(), thread(), title(), milliseconds)
        switch roll(8) {
        case 7: try await readEntrances()
        case 0: try await pair.ask("inbox of \(user)") { try await $0.inbox(of: user.id) }
        case 1:
            let all = try await pair.ask("threads of \(user)") { store in
                try await store.threads(of: user.id, after: nil, limit: 100)
            }
            guard let place = pickRecent(all ?? [])?.place else { return }
            try await pair.ask("threads of \(user) after") { try await $0.threads(of: user.id, after: place, limit: 3) }
        case 2: try await pair.ask("thread of \(user)") { try await $0.thread(thread, of: user.id) }
        case 3: try await pair.ask("readStates") { try await $0.readStates(of: [user.id, other.id], limit: 3) }
        case 4:
            let after = isOneOf(2) ? other.id : nil
            try await pair.ask("members of \(thread)") { try await $0.members(of: thread, after: after, limit: 3) }
        case 5:
            try await pair.ask("rooms") {
                try await $0.joinableRooms(prefix: "room", for: user.id, at: milliseconds, limit: 5)
            }
            let place = isOneOf(2) ? SanctionPlace(user: other.id, kind: pick(Sanction.Kind.allCases)) : nil
            try await pair.ask("sanctions in \(thread)") {
                try await $0.sanctions(in: thread, at: milliseconds, after: place, limit: 3)
            }
            try await pair.ask("threads of prefix") { try await $0.threads(prefix: title, limit: 5) }
        default:
            try await pair.ask("threads") { try await $0.threads([thread, ThreadID(trusted: "none")]) }
            try await pair.ask("rooms titled") { try await $0.rooms(titled: [title, "none", "\0"]) }
        }
    }

    // MARK: Outbox and cleanups

    /// Has events of the outbox stored, late or repeatedly, or completes entries.
    mutating func relay() async throws {
        let thread = isOneOf(2) ? thread() : nil
        try await pair.ask("outboxEntries") { try await $0.outboxEntries(of: thread, limit: 20) }
        try await pair.ask("overdueEntries") { try await $0.overdueEntries(age: 600_000, after: 0, limit: 20) }
        guard !outbox.isEmpty else { return }
        let index = isOneOf(2) ? 0 : roll(outbox.count)
        let entry = outbox[index]
        if !isOneOf(4) { outbox.remove(at: index) }
        switch entry.content {
        case .append(let body):
            if isOneOf(8) { return try await complete([entry]) }
            var event = event(body, in: entry.thread)
            event.outboxID = entry.id
            try await write([.event(event)])
        case .forgetThread:
            let epochs = [epoch, Epoch("e\(roll(9))")]
            try await pair.ask("completeForgotten") { store in
                try await store.completeForgotten(entry, epochs: epochs)
                return true
            }
        case .redactUser, .unreadable: try await complete([entry])
        }
    }

    private func complete(_ entries: [OutboxEntry]) async throws {
        try await pair.ask("complete") { store in
            try await store.complete(entries)
            return true
        }
    }

    mutating func erase() async throws {
        let (user, milliseconds) = (user(), milliseconds)
        outbox += try await pair.change("eraseUser \(user)") { try await $0.eraseUser(user.id, at: milliseconds) }
    }

    mutating func finishCleanups() async throws {
        let limit = 1 + roll(3)
        let (real, model) = (
            try await pair.real.claimCleanups(limit: 1000), try await pair.model.claimCleanups(limit: 1000)
        )
        guard Set(real.map(\.subject)) == Set(model.map(\.subject)) else {
            throw StorePair.Difference(description: "claims: \(real.map(\.subject)), \(model.map(\.subject))")
        }
        let isAway = isOneOf(4)
        for cleanup in real.prefix(limit) {
            guard let twin = model.first(where: { $0.subject == cleanup.subject }) else { continue }
            let logs = (real: ForgottenSends(), model: ForgottenSends())
            for log in [logs.real, logs.model] { log.setAway(isAway) }
            try await pair.compare(
                "finish \(cleanup.subject)",
                real: {
                    try await pair.real.finish(cleanup, forgetting: logs.real)
                    return logs.real.clientIDs
                },
                model: {
                    try await pair.model.finish(twin, forgetting: logs.model)
                    return logs.model.clientIDs
                })
        }
        try await database.apply(.setCleanupsDue(5))
        try await modelDatabase.apply(.setCleanupsDue(5))
        // The entries of cleanups are found here only.
        let entries = try await pair.ask("overdueEntries") { store in
            try await store.overdueEntries(age: 600_000, after: 0, limit: 50)
        }
        let known = Set(outbox.map(\.id))
        outbox += (entries ?? []).filter { !known.contains($0.id) }
    }

    // MARK: Change feed

    mutating func compareFeed() async throws {
        let limit = 1 + roll(6)
        let one = try await pair.real.changes(since: marks.real, limit: limit)
        let other = try await pair.model.changes(since: marks.model, limit: limit)
        guard one.users == other.users, one.apiKeys == other.apiKeys, one.profiles == other.profiles,
            one.entrances == other.entrances, one.hasMore == other.hasMore, one.isReset == other.isReset
        else { throw StorePair.Difference(description: "changes: \(one), \(other)") }
        marks = (one.mark, other.mark)
    }
}
