package import ParleyModel

/// User ids of guests, who have no account.
package enum GuestID {
    /// The id of a guest name, the same on every node and at all times. No account has such an id unless a back end
    /// imports one.
    package static func make(name: String) -> UserID {
        UserID(trusted: "guest." + FNV1a128.hex(of: name))
    }

    /// The id under which the guests of an address share budgets.
    package static func make(address: String) -> UserID {
        UserID(trusted: "guests." + FNV1a128.hex(of: address))
    }
}
