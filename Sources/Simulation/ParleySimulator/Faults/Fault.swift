/// Something that goes wrong for a while.
package struct Fault: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The process of a node is killed, and started again at the end.
        case kill(node: String)
        /// The machine of a node fails: its peers are told nothing.
        case crash(node: String)
        case pause(node: String)
        /// All connections between a node and Redis break.
        case cutRedis(node: String)
        /// Redis does not hear a node, the node does not hear Redis, or both.
        case muteRedis(node: String, toServer: Bool, toNode: Bool)
        /// One delivery in so many of Redis to the subscriber of a node is lost, without an end of the connection.
        case lossyBus(node: String, onceIn: Int)
        /// The database does not answer a node.
        case muteDatabase(node: String)
        /// Redis is killed, and started again with what it had.
        case killRedis
        /// The machine of Redis fails: what its disk had not synced is lost.
        case powerFailure
        /// Redis comes back without data, or with the data of some time ago.
        case emptyRedis
        case olderRedis(by: Int64)
        case databaseAway
        case databaseRestarts
        case databaseSlow
        /// One write in so many is rolled back, or committed without an answer.
        case databaseUnreliable(onceIn: Int)
        /// All connections of users to a node break.
        case cutUsers(node: String)
        /// Data between users and a node is held up.
        case freezeUsers(node: String)
    }

    package var kind: Kind
    /// Virtual nanoseconds after the beginning.
    package var at: Int64
    package var lasts: Int64
}

extension Fault: CustomStringConvertible {
    package var description: String {
        "\(at / 1_000_000) ms, for \(lasts / 1_000_000) ms: \(kind)"
    }
}
