import ParleyRedisClient

/// A command that works on keys or channels, from a client or from a script.
struct Command: Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: Int

        static let write = Flags(rawValue: 1)
        /// Refused above the memory limit.
        static let denyOOM = Flags(rawValue: 2)
        /// Permitted while the server loads its data.
        static let loading = Flags(rawValue: 4)
        /// Not permitted in scripts.
        static let noScript = Flags(rawValue: 8)
        /// A replica gets it too, though it does not change keys.
        static let replicated = Flags(rawValue: 16)
    }

    typealias Body = @Sendable (inout Engine, _ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue

    let name: String
    /// The number of arguments with the name; negative for a minimum.
    let arity: Int
    let flags: Flags
    let body: Body

    init(_ name: String, _ arity: Int, _ flags: Flags = [], _ body: @escaping Body) {
        self.name = name
        self.arity = arity
        self.flags = flags
        self.body = body
    }

    /// The command of that name in any case. Scripts and nodes write capital letters, which need no copy.
    static func named(_ name: Bytes) -> Command? { all[name] ?? all[name.capitals] }

    func accepts(count: Int) -> Bool { arity >= 0 ? count == arity : count >= -arity }

    /// The commands by their names in capital letters.
    static let all: [Bytes: Command] = {
        let groups = [
            keyCommands, stringCommands, hashCommands, listCommands, sortedSetCommands, streamCommands, otherCommands,
        ]
        return groups.joined().reduce(into: [:]) { $0[Array($1.name.uppercased().utf8)] = $1 }
    }()
}

extension Bytes {
    /// With ASCII letters in upper case.
    var capitals: Bytes {
        map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 }
    }

}
