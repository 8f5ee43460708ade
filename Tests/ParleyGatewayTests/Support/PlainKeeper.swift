import ParleyModel

/// Takes users into rooms without a word in the log.
struct PlainKeeper: MembershipKeeper {
    let store: any AccountStore
    let bus: any ThreadBus
    let clock: WallClock

    func join(_ user: User, roomTitled title: String) async throws(MembershipFailure) -> ThreadInfo {
        do {
            let joined = try await store.joinRoom(
                titled: title, user: user.id, newID: ThreadID(trusted: "room-\(title)"), at: clock.milliseconds)
            bus.publish(.added(joined.membership, after: 0), to: user.id)
            return joined.membership.thread
        } catch {
            throw .unavailable
        }
    }

    func leave(_ thread: ThreadID, _ user: User) async throws(MembershipFailure) -> Receipt? {
        throw .unavailable
    }
}
