import ParleyRedisClient

/// An argument of a command of a script: bytes, a text, or a number as Lua passes it.
protocol ScriptArgument {
    var redisBytes: Bytes { get }
}

extension Bytes: ScriptArgument {
    var redisBytes: Bytes { self }
}

extension ArraySlice<UInt8>: ScriptArgument {
    var redisBytes: Bytes { Array(self) }
}

extension String: ScriptArgument {
    var redisBytes: Bytes { Array(utf8) }
}

extension Int: ScriptArgument {
    var redisBytes: Bytes { Array(String(self).utf8) }
}

extension Int64: ScriptArgument {
    var redisBytes: Bytes { Array(String(self).utf8) }
}

extension Double: ScriptArgument {
    var redisBytes: Bytes { redisText }
}

/// The calls that scripts make.
extension Engine {
    /// `redis.call`.
    @discardableResult
    mutating func call(_ arguments: any ScriptArgument...) throws(CommandError) -> RESPValue {
        try executeInScript(arguments.map(\.redisBytes))
    }

    /// `redis.pcall`.
    @discardableResult
    mutating func pcall(_ arguments: any ScriptArgument...) -> RESPValue {
        do throws(CommandError) {
            return try executeInScript(arguments.map(\.redisBytes))
        } catch {
            return .error(error.text)
        }
    }

    /// `redis.call` with arguments that are already bytes.
    @discardableResult
    mutating func call(all arguments: [Bytes]) throws(CommandError) -> RESPValue {
        try executeInScript(arguments)
    }

    /// `GET` of a string.
    mutating func get(_ key: Bytes) throws(CommandError) -> Bytes? { try call("GET", key).bytes }

    /// The entries of a stream, as `XRANGE` replies them.
    mutating func entries(
        _ key: Bytes, from first: any ScriptArgument, through last: any ScriptArgument = "+", count: Int? = nil
    ) throws(CommandError) -> [RESPValue] {
        let reply =
            if let count {
                try call("XRANGE", key, first, last, "COUNT", count)
            } else {
                try call("XRANGE", key, first, last)
            }
        return reply.elements ?? []
    }
}

/// The keys and arguments of one run of a script.
struct ScriptInput {
    let keys: [Bytes]
    let arguments: [Bytes]

    /// `KEYS[number]`, from 1 on.
    func key(_ number: Int) throws(CommandError) -> Bytes {
        guard keys.indices.contains(number - 1) else { throw .notModelled("a script without its key \(number)") }
        return keys[number - 1]
    }

    /// `ARGV[number]`, from 1 on; `nil` if there are fewer.
    func optional(_ number: Int) -> Bytes? { arguments.indices.contains(number - 1) ? arguments[number - 1] : nil }

    func argument(_ number: Int) throws(CommandError) -> Bytes {
        guard let argument = optional(number) else { throw .notModelled("a script without its argument \(number)") }
        return argument
    }

    /// `tonumber(ARGV[number])`, or its use as a number.
    func number(_ number: Int) throws(CommandError) -> Int64 {
        guard let value = Int64(canonical: try argument(number)) else {
            throw .notModelled("a script whose argument \(number) is no integer")
        }
        return value
    }
}

extension RESPValue {
    /// A boolean of Lua, as a script replies it.
    static func lua(_ isTrue: Bool) -> RESPValue { .integer(isTrue ? 1 : 0) }

    /// The fields of an entry of a stream.
    var entryFields: [Bytes] { elements?.last?.elements?.compactMap(\.bytes) ?? [] }
    /// The id of an entry of a stream.
    var entryID: Bytes { elements?.first?.bytes ?? [] }
}
