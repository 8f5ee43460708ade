package import ParleyAccounts
package import ParleyModel

/// What sockets ask for by `join` and `leave`: the same as over REST.
package struct SocketMemberships: MembershipKeeper {
    private let joiner: RoomJoiner
    private let changer: ThreadChanger
    private let directory: BatchedDirectory

    package init(
        accounts: any AccountStore, log: any MessageLog, bus: any ThreadBus, directory: BatchedDirectory,
        clock: WallClock
    ) {
        joiner = RoomJoiner(accounts: accounts, log: log, bus: bus, directory: directory, clock: clock)
        changer = ThreadChanger(accounts: accounts, log: log, bus: bus, directory: directory, clock: clock)
        self.directory = directory
    }

    package func join(_ user: User, roomTitled title: String) async throws(MembershipFailure) -> ThreadInfo {
        let roomTitle: RoomTitle
        do {
            roomTitle = try RoomTitle(title)
        } catch {
            throw .badRequest(error.explanation)
        }
        do {
            return try await joiner.join(user, roomTitled: roomTitle).membership.thread
        } catch {
            throw .unavailable
        }
    }

    package func leave(_ thread: ThreadID, _ user: User) async throws(MembershipFailure) -> Receipt? {
        do {
            let membership = try await directory.memberships(of: user.id, fresh: true).first { $0.thread.id == thread }
            guard let membership else { return nil }
            return try await changer.remove(user, from: membership, by: user.id)
        } catch {
            throw .unavailable
        }
    }
}
