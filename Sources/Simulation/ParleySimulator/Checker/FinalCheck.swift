import ParleyClientCore
import ParleyModel
import ParleyStoreModel

/// Compares what users were told with what is stored when everything is at rest.
struct FinalCheck {
    private let world: World

    init(_ world: World) { self.world = world }

    private var observations: Observations { world.observations }

    func run() {
        let logs = world.wait { [world] in try await Self.logs(of: world) }
        guard let logs else { return observations.violation("the database cannot be read") }
        var messages: [String: [Observations.Place]] = [:]
        for (room, events) in logs.sorted(by: { $0.key < $1.key }) {
            checkOrder(events, in: room)
            for event in events {
                let place = Observations.Place(
                    thread: room, epoch: event.position.epoch.text, seq: Int(event.position.seq))
                observations.saw(event.key, at: place, by: "the database")
                if let clientID = event.message?.clientID { messages[clientID, default: []].append(place) }
            }
        }
        for (clientID, places) in messages.sorted(by: { $0.key < $1.key }) where places.count > 1 {
            observations.violation("\(clientID) is stored \(places.count) times: \(places)")
        }
        checkAcknowledged(messages)
        checkShown(logs, messages)
        checkTitles(logs)
        checkUnread(logs)
    }

    /// All events that are stored, by room.
    private static func logs(of world: World) async throws -> [String: [LogEvent]] {
        var logs: [String: [LogEvent]] = [:]
        for room in world.rooms {
            guard let thread = ThreadID(room) else { continue }
            var (events, after, hasMore) = ([LogEvent](), Int64(0), true)
            while hasMore {
                let page = try await world.database.events(in: thread, after: after, limit: 1000)
                events += page.events
                after = page.events.last?.position.seq ?? after
                hasMore = page.hasMore && !page.events.isEmpty
            }
            logs[room] = events
        }
        return logs
    }

    private func checkOrder(_ events: [LogEvent], in room: String) {
        // The first events of a direct thread or of a group can be lost too.
        if let first = events.first, first.position.seq != 1, world.losses.isEmpty {
            observations.violation("\(room) begins with \(first.position.seq)")
        }
        for (one, next) in zip(events, events.dropFirst()) {
            // A new numbering may leave out what its predecessor gave to events that are lost, and what it gave to sends
            // that turn out to be stored already.
            if next.position.seq != one.position.seq + 1, world.losses.isEmpty {
                observations.violation("\(room) has nothing between \(one.position) and \(next.position)")
            }
            if next.milliseconds < one.milliseconds {
                observations.violation("\(room) \(next.position) has an earlier date than the event before it")
            }
        }
    }

    private func checkAcknowledged(_ messages: [String: [Observations.Place]]) {
        for (clientID, told) in observations.acknowledged.sorted(by: { $0.key < $1.key }) {
            if let place = messages[clientID]?.first {
                // After Redis has lost events, the store may move others above the events that it has.
                guard place != told.place, !world.losses.contains(where: { $0.lowerBound <= told.told }) else {
                    continue
                }
                observations.violation("\(clientID) was accepted at \(told.place), but is stored at \(place)")
            } else if told.isStored {
                observations.violation("\(clientID) of \(told.user), `stored` at \(told.place), is lost")
            } else if !mayBeLost(told) {
                observations.violation("\(clientID) of \(told.user), `accepted` at \(told.place), is lost")
            }
        }
    }

    /// Checks that everything users were shown is stored, unless Redis may have lost it before.
    private func checkShown(_ logs: [String: [LogEvent]], _ messages: [String: [Observations.Place]]) {
        let stored = logs.mapValues { Set($0.map(\.key)) }
        for (id, shown) in observations.shown.sorted(by: { $0.key < $1.key }) {
            // The second copy of a send that was repeated while the database could not be asked has an empty place.
            let isCopy = shown.clientID.map { messages[$0] != nil } ?? false
            let isStored = stored[shown.place.thread]?.contains("message \(id)") ?? false
            guard !isStored, !isCopy, !world.losses.contains(where: { $0.lowerBound <= shown.time }) else { continue }
            observations.violation("a message is not stored that \(shown.user) was shown at \(shown.place): \(id)")
        }
        guard world.losses.isEmpty else { return }
        for (place, key) in observations.meanings.sorted(by: { $0.value < $1.value }) where !key.hasPrefix("message ") {
            guard stored[place.thread]?.contains(key) == false else { continue }
            observations.violation("an event is not stored that users were shown at \(place): \(key)")
        }
    }

    /// The outbox keeps changes of the state until their events are stored, so that no loss of Redis excuses them.
    private func checkTitles(_ logs: [String: [LogEvent]]) {
        let titles = logs.mapValues { events in
            events.compactMap { event in
                if case .renamed(let title, _) = event.body { title } else { nil }
            }
        }
        for (thread, title) in observations.renamed {
            let count = titles[thread]?.count { $0 == title } ?? 0
            if count != 1 { observations.violation("a renaming is stored \(count) times: \(thread), \(title)") }
        }
        let threads = world.wait { [world] in try await world.database.threads(world.rooms.compactMap { ThreadID($0) })
        }
        for (thread, info) in (threads ?? [:]).sorted(by: { $0.key.text < $1.key.text }) {
            guard let last = titles[thread.text]?.last, last != info.title else { continue }
            observations.violation("a room has another title than the last in its log: \(info.title), not \(last)")
        }
    }

    /// Whether the send was accepted at a time from which Redis may have lost events.
    private func mayBeLost(_ told: Observations.Acknowledged) -> Bool {
        world.losses.contains { $0.overlaps(told.sent...max(told.sent, told.told)) }
    }

    private func checkUnread(_ logs: [String: [LogEvent]]) {
        for user in world.users {
            guard let id = UserID(user.id) else { continue }
            let states = world.wait { [world] in try await world.database.readStates(of: [id], limit: 100)[id] ?? [] }
            for state in states ?? [] {
                let events = logs[state.thread.text] ?? []
                let unread = events.filter {
                    $0.position.seq > state.readSeq && $0.message.map { !$0.isDeleted } ?? false
                }
                if Int64(unread.count) != state.unreadCount {
                    observations.violation(
                        "\(user.name) has \(state.unreadCount) unread in \(state.thread), but \(unread.count) are")
                }
            }
        }
    }

    /// The differences between the threads that users have and the stored ones.
    static func differences(of world: World) async throws -> [String] {
        let logs = try await logs(of: world)
        var differences: [String] = []
        for user in world.users {
            for (room, known) in user.threads.sorted(by: { $0.key < $1.key }) {
                guard let events = logs[room] else { continue }
                if let last = events.last, known.seq != Int(last.position.seq) {
                    differences.append("\(user.name) has \(room) up to \(known.seq) of \(last.position.seq)")
                    continue
                }
                for event in events where event.position.seq > Int64(known.begin) {
                    let place = Observations.Place(
                        thread: room, epoch: event.position.epoch.text, seq: Int(event.position.seq))
                    guard let message = event.message, !world.observations.reused.contains(place) else { continue }
                    guard let shown = known.messages[Int(event.position.seq)] else {
                        differences.append("\(user.name) lacks \(room) \(event.position)")
                        continue
                    }
                    if shown.id != message.id.text || shown.text != message.text
                        || shown.isDeleted != message.isDeleted
                    {
                        differences.append(
                            "\(user.name) shows \(shown.id) “\(shown.text)” at \(room) \(event.position.seq), "
                                + "stored is \(message.id) “\(message.text)”")
                    }
                }
            }
        }
        return differences
    }
}

extension LogEvent {
    /// As `ThreadEvent.key`.
    var key: String {
        switch body {
        case .message(let message): "message \(message.id)"
        case .edited(let edit): "edited \(edit.messageSeq)"
        case .deleted(let deletion): "deleted \(deletion.messageSeq)"
        case .reaction(let reaction):
            "reaction \(reaction.messageSeq) \(reaction.user) \(reaction.emoji) \(reaction.isOn)"
        case .joined(let user, _): "joined \(user.id)"
        case .left(let user, _): "left \(user.id)"
        case .renamed(let title, _): "renamed \(title)"
        case .role(let user, let role, _): "role \(user) \(role.rawValue)"
        case .visibility(let visibility, _): "visibility \(visibility.rawValue)"
        }
    }
}
