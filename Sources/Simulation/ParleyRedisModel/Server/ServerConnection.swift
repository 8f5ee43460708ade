/// The state of a client of a server.
struct ServerConnection: Sendable {
    var reader = RequestReader()
    var isAuthenticated: Bool
    var database = 0
    /// The connection waits for a key, and its later commands wait with it.
    var isBlocked = false
}

/// A client that waits for an element of one of its keys.
struct BlockedClient: Sendable {
    enum Wish: Sendable {
        case listElement(fromFront: Bool)
        case lowestMember
    }

    let connection: ServerConnectionID
    let keys: [StoredKey]
    let wish: Wish
    /// The Unix time in microseconds at which it gets a reply without an element; `nil` for never.
    let deadline: Int64?

    /// The command that takes the element of a key.
    func command(_ key: StoredKey) -> [Bytes] {
        switch wish {
        case .listElement(let fromFront): [(fromFront ? "LPOP" : "RPOP").redisBytes, key.name]
        case .lowestMember: ["ZPOPMIN".redisBytes, key.name]
        }
    }

    /// The type that a key must have, as `TYPE` replies it.
    var typeName: String {
        switch wish {
        case .listElement: "list"
        case .lowestMember: "zset"
        }
    }
}
