package import ParleyModel

/// The user id of somebody without an account.
package enum GuestID {
    /// The same name has the same id, on every node and for ever; no account has an id like it unless a back end
    /// brings one.
    package static func make(name: String) -> UserID {
        UserID(trusted: "guest." + FNV1a128.hex(of: name))
    }
}
