import Crypto
import ParleyModel

/// A Lua script, identified in Redis by the SHA-1 of its text.
package struct RedisScript: Sendable {
    package let source: String
    package let sha: String

    package init(_ source: String) {
        self.source = source
        sha = Self.sha(of: Array(source.utf8))
    }

    /// Returns the SHA-1 in Redis' hexadecimal form.
    package static func sha(of bytes: [UInt8]) -> String {
        Hex.encode(Insecure.SHA1.hash(data: bytes))
    }

    /// Begins an EVALSHA command. The caller appends the keys and then `arguments` arguments.
    package func command(keys: [String], arguments: Int, capacity: Int = 256) -> RESPCommand {
        var command = RESPCommand(count: 3 + keys.count + arguments, capacity: capacity)
        command.append("EVALSHA")
        command.append(sha)
        command.append(keys.count)
        for key in keys { command.append(key) }
        return command
    }
}
