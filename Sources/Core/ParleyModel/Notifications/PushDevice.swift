/// A device that a user has registered for push notifications.
package struct PushDevice: Hashable, Sendable {
    /// The maximum number of devices of a user. Another one replaces the device that was used longest ago.
    package static let mostOfUser = 20
    /// The maximum number of users whose devices one call returns.
    package static let mostUsers = 500
    /// The maximum number of devices that one call returns, for `mostUsers` users.
    package static let mostAtOnce = 10_000

    package let id: DeviceID
    package let user: UserID
    package let address: PushAddress
    /// The digest of `PushAddress.identity`; no two devices in the stores have the same.
    package let digest: TokenHash
    /// When the user registered it first, in Unix milliseconds.
    package let created: Int64
    /// When the user registered it last, in Unix milliseconds. It rises with each registration.
    package let lastUsed: Int64

    package init(
        id: DeviceID, user: UserID, address: PushAddress, digest: TokenHash, created: Int64, lastUsed: Int64
    ) {
        self.id = id
        self.user = user
        self.address = address
        self.digest = digest
        self.created = created
        self.lastUsed = lastUsed
    }
}

/// A registration of a device.
package struct NewDevice: Hashable, Sendable {
    /// The ID for a device that the user does not have yet.
    package let id: DeviceID
    package let user: UserID
    package let address: PushAddress
    /// The digest of `PushAddress.identity`.
    package let digest: TokenHash
    package let login: Login

    /// The credentials that the device ends with.
    package enum Login: Hashable, Sendable {
        /// A session of Parley's own.
        case session(TokenHash)
        /// Anything else, with the credentials version that was checked; `nil` if none was.
        case other(credentialsVersion: Int64?)
    }

    package init(id: DeviceID, user: UserID, address: PushAddress, digest: TokenHash, login: Login) {
        self.id = id
        self.user = user
        self.address = address
        self.digest = digest
        self.login = login
    }

    /// The session that the device ends with; `nil` if there is none.
    package var session: TokenHash? { if case .session(let hash) = login { hash } else { nil } }
    /// The credentials version that the user must have; `nil` for any.
    package var credentialsVersion: Int64? { if case .other(let version) = login { version } else { nil } }

    /// Makes the row of a registration.
    /// - Parameter known: The row of the same digest, which may belong to another user.
    package func device(replacing known: PushDevice?, at milliseconds: Int64) -> PushDevice {
        let own = known.flatMap { $0.user == user ? $0 : nil }
        return PushDevice(
            id: own?.id ?? id, user: user, address: address, digest: digest, created: own?.created ?? milliseconds,
            lastUsed: max(milliseconds, known.map { $0.lastUsed + 1 } ?? milliseconds))
    }
}

/// The result of a registration.
package enum DeviceOutcome: Hashable, Sendable {
    /// The device is registered.
    /// - isNew: Whether the user did not have it before.
    case registered(PushDevice, isNew: Bool)
    /// The session or the credentials have ended, or the user is unknown or erased.
    case loginEnded
}
