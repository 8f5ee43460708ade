import ParleyJSON

/// The known state of invitations and requests. Frames report only that lists may have changed.
struct EntranceState: Sendable {
    /// The user's invitations, as they were loaded last.
    var invitations: [ChatMyInvitation] = []
    /// Whether an observer has asked for the user's invitations.
    var isWanted = false
    /// Whether they must be loaded, or loaded again.
    var needsLoading = false
    var loading: Task<Void, Never>?
    /// The numbers of the latest change, of the latest hello, and of the threads that have changed since.
    private var latest = 1
    private var greeted = 1
    private var changed: [String: Int] = [:]

    func number(of thread: String) -> Int { changed[thread] ?? greeted }

    /// Notes that changes of all threads may have been missed.
    mutating func noteHello() {
        latest += 1
        greeted = latest
        changed = [:]
    }

    mutating func note(_ thread: String) {
        latest += 1
        changed[thread] = latest
    }
}

/// Invitations and requests.
extension Engine {
    /// Takes over what an output says about invitations and requests.
    func noteEntrances(_ output: MachineOutput) {
        if output.isGreeted { entranceState.noteHello() }
        for thread in output.entrances.sorted() { entranceState.note(thread) }
        if output.isGreeted || !output.entrances.isEmpty { entrances.raise() }
        if output.isInvitationsChanged {
            entranceState.needsLoading = true
            loadInvitationsIfNeeded()
        }
        guard output.changes.contains(.clear) else { return }
        entranceState.invitations = []
        invitations.raise()
    }

    /// Returns the invitations that are known. The first call begins to load them.
    func openInvitations() -> [ChatMyInvitation] {
        if !entranceState.isWanted {
            entranceState.isWanted = true
            entranceState.needsLoading = true
            loadInvitationsIfNeeded()
        }
        return entranceState.invitations
    }

    func myInvitations() async throws -> [ChatMyInvitation] {
        try await list(["v1", "me", "invitations"], "invitations") { ChatMyInvitation($0) }
    }

    /// Loads the user's invitations until it succeeds or the connection ends. The next connection continues.
    private func loadInvitationsIfNeeded() {
        guard entranceState.isWanted, entranceState.needsLoading, entranceState.loading == nil, core.isGreeted else {
            return
        }
        entranceState.loading = Task {
            var backoff = FullJitterBackoff(configuration.reconnect)
            while entranceState.needsLoading, core.isGreeted {
                entranceState.needsLoading = false
                if let loaded = try? await myInvitations() {
                    if entranceState.invitations != loaded {
                        entranceState.invitations = loaded
                        invitations.raise()
                    }
                    continue
                }
                entranceState.needsLoading = true
                let pause = backoff.next(using: &random)
                guard await sleep(pause) else { break }
            }
            entranceState.loading = nil
            loadInvitationsIfNeeded()
        }
    }

    /// Requests a list page by page.
    /// - Parameter name: The name of the array in an answer.
    func list<Item>(_ path: [String], _ name: String, _ read: (JSONTree) -> Item?) async throws -> [Item] {
        var (all, cursor): ([Item], String?) = ([], nil)
        repeat {
            let query = [("limit", "200")] + (cursor.map { [("cursor", $0)] } ?? [])
            let tree = try await call("GET", path, query: query)
            all += (tree[name]?.elements ?? []).compactMap(read)
            cursor = tree["next_cursor"]?.text
        } while cursor != nil
        return all
    }
}
