import ParleyRedis
import ParleyRedisClient

/// A script of Parley, with what it does written in Swift.
struct ModelledScript: Sendable {
    typealias Effect = @Sendable (inout Engine, ScriptInput) throws(CommandError) -> RESPValue

    /// Its name in `RedisScripts`.
    let name: String
    let script: RedisScript
    let effect: Effect

    /// All scripts that do not depend on the settings.
    static let fixed: [ModelledScript] =
        sendScripts + logScripts + ingestScripts + checkScripts + nameScripts + rateScripts + presenceScripts
        + nodeScripts + queueScripts

    /// The scripts that append events.
    static func appends(_ settings: RedisSettings) -> [ModelledScript] {
        let scripts = RedisScripts(settings)
        let variants: [(String, RedisScript, isMessage: Bool, isAwaited: Bool, isGuarded: Bool)] = [
            ("message", scripts.message, true, false, false),
            ("awaitedMessage", scripts.awaitedMessage, true, true, false),
            ("guardedMessage", scripts.guardedMessage, true, false, true),
            ("guardedAwaitedMessage", scripts.guardedAwaitedMessage, true, true, true),
            ("otherEvent", scripts.otherEvent, false, false, false),
            ("deletion", scripts.deletion, false, true, false),
        ]
        return variants.map { name, script, isMessage, isAwaited, isGuarded in
            let effect = AppendEffect(settings, isMessage: isMessage, isAwaited: isAwaited, isGuarded: isGuarded)
            return ModelledScript(name: name, script: script) { engine, input throws(CommandError) in
                try effect.run(&engine, input)
            }
        }
    }
}
