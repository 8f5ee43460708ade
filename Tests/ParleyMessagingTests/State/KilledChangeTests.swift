import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import Testing

/// A process killed at any of its calls of a store or a log leaves no change half done.
@Suite struct KilledChangeTests {
    enum Change: String, CaseIterable, Sendable {
        case makeRoom, join, leave, add, addModerator, role, remove, rename, erase, delete
    }

    struct Scene {
        let ann: User
        let bob: User
        let cat: User
        let room: ThreadID
    }

    /// Makes the change in some process, and returns its thread.
    private static func perform(_ change: Change, _ scene: Scene, _ changes: StateChanges) async throws {
        let (room, ann, bob, cat) = (scene.room, scene.ann, scene.bob, scene.cat)
        switch change {
        case .makeRoom: _ = try await changes.join(cat, roomTitled: "Milk")
        case .join: _ = try await changes.join(cat, roomTitled: "Tea")
        case .leave: _ = try await changes.leave(room, bob)
        case .add: _ = try await changes.setMember(cat.name, of: room, role: nil, by: ann)
        case .addModerator: _ = try await changes.setMember(cat.name, of: room, role: .moderator, by: ann)
        case .role: _ = try await changes.setMember(bob.name, of: room, role: .readOnly, by: ann)
        case .remove: try await changes.removeMember(bob.name, from: room, by: ann)
        case .rename: try await changes.rename(room, to: "Coffee", by: ann)
        case .erase: try await changes.erase(bob)
        case .delete: try await changes.deleteThread(room, by: ann)
        }
    }

    @Test(
        "members and titles agree with the log, each event once, wherever the process was killed",
        arguments: Change.allCases)
    func killed(change: Change) async throws {
        var (call, isOver) = (0, false)
        while !isOver {
            for isAfter in [false, true] {
                let cut = Knife.Cut(call: call, isAfter: isAfter)
                let knife = Knife(cut)
                try await Town.run { town in
                    let scene = try await Self.scene(town)
                    try? await Self.perform(change, scene, town.changes(knife))
                    try await Self.check(town, scene, "\(change), \(cut)")
                    // A repeated call succeeds, and the change is made once.
                    try? await Self.perform(change, scene, town.changes())
                    try await Self.check(town, scene, "\(change), \(cut), called again")
                }
                isOver = !knife.hasStruck
            }
            call += 1
            try #require(call < 20)
        }
        // The transaction, the read of the outbox, the append.
        #expect(call > 3)
    }

    private static func scene(_ town: Town) async throws -> Scene {
        let (ann, bob, cat) = (try await town.user("ann"), try await town.user("bob"), try await town.user("cat"))
        let changes = town.changes()
        let room = try await changes.join(ann, roomTitled: "Tea").membership.thread.id
        _ = try await changes.join(bob, roomTitled: "Tea")
        try await town.recover()
        return Scene(ann: ann, bob: bob, cat: cat, room: room)
    }

    private static func check(_ town: Town, _ scene: Scene, _ place: String) async throws {
        try await town.recover()
        #expect(try await town.outbox().isEmpty, "\(place)")
        let made = try await town.store.rooms(titled: ["Milk"])["Milk"]?.id
        for room in [scene.room, made].compactMap({ $0 }) {
            let events = try await town.events(in: room)
            #expect(events.map(\.position.seq) == (0..<events.count).map { Int64($0) + 1 }, "\(place)")
            let members = try await town.store.members(of: room, after: nil, limit: 100)
            guard let info = try await town.store.threads([room])[room] else {
                // Deleted: the log holds nothing of it.
                #expect(try await town.memory.events(in: room, after: 0, limit: 10).events.isEmpty, "\(place)")
                #expect(events.isEmpty && members.isEmpty, "\(place)")
                continue
            }
            var folded = FoldedLog(events)
            folded.title = folded.title ?? (room == scene.room ? "Tea" : "Milk")
            #expect(folded == FoldedLog(members, title: info.title), "\(place)")
            // Every event changes something, so no event is there twice.
            #expect(Set(events.map(\.body)).count == events.count, "\(place)")
        }
    }
}
