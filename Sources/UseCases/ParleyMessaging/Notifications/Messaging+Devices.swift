import ParleyAccounts
package import ParleyModel

/// The devices on which a user is notified.
extension Messaging {
    /// Registers a device of the caller, or notes that it is in use. A device of another user becomes the caller's. It ends with
    /// the session of the request; without a session of Parley's own it ends when the credentials version of the user rises.
    /// - Returns: The device, and whether the caller did not have it before.
    /// - Throws: `unauthorized` if the login has ended; `rateLimited`, `unavailable`.
    package func registerDevice(
        at address: PushAddress, by caller: Caller
    ) async throws(MessagingError) -> (device: PushDevice, isNew: Bool) {
        try await budgets.charge(caller.user.id)
        let store = try notificationStore()
        let device = NewDevice(
            id: DeviceID(UUIDv7(clock)), user: caller.user.id, address: address, digest: address.digest,
            login: caller.login)
        let outcome = try await commit { try await store.registerDevice(device, at: clock.milliseconds) }
        switch outcome {
        case .registered(let device, let isNew): return (device, isNew)
        case .loginEnded: throw .unauthorized("the login has ended; log in again")
        }
    }

    /// Returns the devices of the caller, the last used first, at most `PushDevice.mostOfUser`.
    /// - Throws: `unavailable`.
    package func devices(of caller: Caller) async throws(MessagingError) -> [PushDevice] {
        let store = try notificationStore()
        return try await read { try await store.devices(of: caller.user.id, at: clock.milliseconds) }
    }

    /// Ends a device of the caller.
    /// - Throws: `notFound` if the caller has no such device; `rateLimited`, `unavailable`.
    package func deleteDevice(_ id: DeviceID, by caller: Caller) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        let store = try notificationStore()
        guard try await commit({ try await store.deleteDevice(id, of: caller.user.id) }) else { throw Self.noDevice }
    }

    package static let noDevice = MessagingError.notFound("no such device")

    func notificationStore() throws(MessagingError) -> any DeviceStore & NotificationStore {
        guard let store = ports.notifications else { throw .unavailable("this process serves no devices") }
        return store
    }
}

extension Caller {
    /// The login that a device of the caller ends with.
    fileprivate var login: NewDevice.Login {
        if let session = identity?.session, !session.isForeign { return .session(session) }
        return .other(credentialsVersion: identity?.credentialsVersion)
    }
}
