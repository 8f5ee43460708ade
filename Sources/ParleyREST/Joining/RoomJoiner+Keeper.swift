package import ParleyModel

/// What sockets ask of a `RoomJoiner`.
extension RoomJoiner: MembershipKeeper {
    package func join(_ user: User, roomTitled title: String) async throws(MembershipFailure) -> ThreadInfo {
        let roomTitle: RoomTitle
        do {
            roomTitle = try RoomTitle(title)
        } catch {
            throw .badRequest(error.explanation)
        }
        do {
            return try await join(user, roomTitled: roomTitle)
        } catch {
            throw .unavailable
        }
    }

    package func leave(_ thread: ThreadID, _ user: User) async throws(MembershipFailure) -> Receipt? {
        throw .unavailable
    }
}
