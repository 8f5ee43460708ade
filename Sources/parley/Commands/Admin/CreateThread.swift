import ArgumentParser
import ParleyModel
import ParleyREST

/// `parley admin create-thread`
struct CreateThread: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a room, or add members to one that is there.",
        discussion: "Live sockets of new members hear of it when they connect again; REST tells them at once.")

    @Argument(help: "The title: 1 to 64 characters.")
    var title: String

    @Option(help: "The id; made if not given. 1 to 90 characters of A-Z a-z 0-9 . _ -, not ending in .events")
    var id: String?

    @Option(name: .customLong("member"), help: "A member's name or id; repeat it for several.")
    var members: [String] = []

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        let title: RoomTitle
        do throws(RoomTitle.Flaw) {
            title = try RoomTitle(self.title)
        } catch {
            throw ValidationError(error.explanation)
        }
        let wanted = try id.map { text in
            guard let id = ThreadID(text) else { throw ValidationError("an id has 1 to 90 of A-Z a-z 0-9 . _ -") }
            if let flaw = ThreadInfo.flaw(inRoomID: id) { throw ValidationError(flaw) }
            return id
        }
        try await flags.withDatabase { database in
            let now = WallClock.system.milliseconds
            let room = try await database.room(titled: title.text, newID: wanted ?? ThreadID(UUIDv7(.system)), at: now)
            if let wanted, room.id != wanted { throw ValidationError("the title is taken by \(room.id)") }
            let records = members.map { ImportRecord.member(thread: room.id, user: $0, role: nil) }
            let outcomes = records.isEmpty ? [] : try await database.importRecords(records, at: now)
            print("id: \(room.id)")
            for (member, outcome) in zip(members, outcomes) {
                if case .refused(let reason) = outcome { throw ValidationError("\(member): \(reason)") }
            }
        }
    }
}
