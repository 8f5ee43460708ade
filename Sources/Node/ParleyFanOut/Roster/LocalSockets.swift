/// The sockets of one user on one event loop.
///
/// Most users have one socket, which needs no array.
package struct LocalSockets: RandomAccessCollection {
    private enum Storage {
        case one(any RosterMember)
        /// No sockets, or several.
        case list([any RosterMember])
    }

    private var storage = Storage.list([])

    package init() {}

    package var startIndex: Int { 0 }

    package var endIndex: Int {
        switch storage {
        case .one: 1
        case .list(let sockets): sockets.count
        }
    }

    package subscript(index: Int) -> any RosterMember {
        switch storage {
        case .one(let socket):
            precondition(index == 0, "there is one socket")
            return socket
        case .list(let sockets):
            return sockets[index]
        }
    }

    package mutating func append(_ socket: any RosterMember) {
        storage = isEmpty ? .one(socket) : .list(self + [socket])
    }

    package mutating func remove(_ socket: any RosterMember) {
        let others = filter { $0 !== socket }
        storage = others.count == 1 ? .one(others[0]) : .list(others)
    }
}
