import ParleyRedisClient

extension ConnectionCommand {
    static let scriptCommands: [ConnectionCommand] = [
        ConnectionCommand("evalsha", -3) { server, _, arguments throws(CommandError) in
            try server.runScript(arguments)
        },
        ConnectionCommand("script", -2) { server, _, arguments throws(CommandError) in
            try server.script(arguments)
        },
    ]
}

extension RedisServerModel {
    /// Runs a script that was loaded.
    /// - Parameter arguments: SHA-1, number of keys, keys, arguments.
    fileprivate mutating func runScript(_ arguments: [Bytes]) throws(CommandError) -> RESPValue {
        guard let count = Int64(canonical: arguments[1]) else { throw .notInteger }
        let rest = arguments.dropFirst(2)
        guard count <= rest.count else {
            throw CommandError("ERR Number of keys can't be greater than number of args")
        }
        guard count >= 0 else { throw CommandError("ERR Number of keys can't be negative") }
        guard loadedScripts.contains(arguments[0]), let script = configuration.scripts.script(sha: arguments[0]) else {
            throw .noScript
        }
        let keys = Int(count)
        let input = ScriptInput(keys: Array(rest.prefix(keys)), arguments: Array(rest.dropFirst(keys)))
        engine.script = Engine.ScriptState()
        defer { engine.script = nil }
        do throws(CommandError) {
            return try script.effect(&engine, input)
        } catch {
            guard !error.text.hasPrefix(CommandError.notModelledCode) else { throw error }
            // The number of the line is not modelled.
            throw CommandError("\(error.text) script: \(arguments[0].text), on @user_script:0.")
        }
    }

    fileprivate mutating func script(_ arguments: [Bytes]) throws(CommandError) -> RESPValue {
        switch (arguments[0].capitals.text, arguments.count) {
        case ("LOAD", 2):
            // As a real server, which compiles the text.
            if loadsUntil != nil { throw .loading }
            let sha = try configuration.scripts.script(text: arguments[1]).script.sha
            loadedScripts.insert(sha.redisBytes)
            return .bulk(sha.redisBytes)
        case ("FLUSH", _):
            loadedScripts = []
            return .status("OK")
        case ("EXISTS", 2...):
            return .array(arguments.dropFirst().map { .integer(loadedScripts.contains($0) ? 1 : 0) })
        default:
            throw .notModelled("script \(arguments[0].text)")
        }
    }
}
