package import ParleyRedis
import ParleyRedisClient

/// The scripts that a server of the model can run, found by the SHA-1 of their texts.
///
/// A text that is not among them is refused. So is every script if one of them has changed since its effect was written
/// (`ScriptPins`).
package struct ScriptLibrary: Sendable {
    private let scripts: [Bytes: ModelledScript]
    /// The scripts whose texts have changed since their effects were written.
    package let changed: [String]

    /// - Parameter settings: the settings of all nodes that will use a server; they are part of some texts.
    package init(_ settings: [RedisSettings]) {
        let all = ModelledScript.fixed + settings.flatMap { ModelledScript.appends($0) }
        scripts = all.reduce(into: [:]) { $0[$1.script.sha.redisBytes] = $1 }
        changed = ScriptPins.changed
    }

    /// The script of this text.
    func script(text: Bytes) throws(CommandError) -> ModelledScript {
        guard changed.isEmpty else {
            throw .notModelled("the scripts \(changed.joined(separator: ", ")) have changed, and ScriptPins have not")
        }
        guard let script = scripts[RedisScript.sha(of: text).redisBytes] else {
            throw .notModelled("a script that begins with \(text.prefix(80).text)")
        }
        return script
    }

    /// The script with this SHA-1.
    func script(sha: Bytes) -> ModelledScript? { scripts[sha] }

    /// The name of a script in `RedisScripts`, for traces.
    package func name(sha: String) -> String? { scripts[sha.redisBytes]?.name }
}

extension Collection<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
