import NIOCore
import ParleyRedisClient

/// The execution of clients' commands, one after another.
extension RedisServerModel {
    /// Executes the commands of a connection that are complete, until one blocks.
    mutating func process(_ id: ServerConnectionID) {
        while let arguments = nextCommand(of: id) {
            let reply = reply(to: arguments, of: id)
            if let reply { outputs.append(to: id) { $0.write(reply) } }
            deliverMessages()
            serveBlocked()
        }
    }

    mutating func processUnblocked() {
        while !unblocked.isEmpty { process(unblocked.removeFirst()) }
    }

    private mutating func nextCommand(of id: ServerConnectionID) -> [Bytes]? {
        guard connections[id]?.isBlocked == false else { return nil }
        do throws(RequestReader.ReadError) {
            return try connections[id]?.reader.next()
        } catch {
            switch error {
            case .invalid(let text): outputs.append(to: id) { $0.write(.error(text)) }
            }
            close(id)
            return nil
        }
    }

    /// - Returns: `nil` if there is no reply yet, or it has been written.
    private mutating func reply(to arguments: [Bytes], of id: ServerConnectionID) -> RESPValue? {
        do throws(CommandError) {
            return try execute(arguments, of: id)
        } catch {
            if error.text.hasPrefix(CommandError.notModelledCode) { complain(error.text) }
            return .error(error.text)
        }
    }

    /// Executes a command outside of the order of a connection.
    mutating func replyDirectly(to arguments: [Bytes], of id: ServerConnectionID, at microseconds: Int64) -> RESPValue {
        moveTime(to: microseconds)
        let reply = reply(to: arguments, of: id) ?? .null
        deliverMessages()
        serveBlocked()
        processUnblocked()
        return reply
    }

    private mutating func execute(_ arguments: [Bytes], of id: ServerConnectionID) throws(CommandError) -> RESPValue? {
        guard let connection = connections[id], let name = arguments.first?.capitals else { return nil }
        engine.database = connection.database
        engine.isOverLimit = engine.memoryLimit.map { engine.keyspace.size > $0 } ?? false
        let command = ConnectionCommand.all[name]
        let flags = command?.flags ?? Command.all[name]?.flags ?? []
        let accepts = command?.accepts(count: arguments.count) ?? Command.all[name]?.accepts(count: arguments.count)
        if accepts == false { throw .wrongNumber(of: name.text.lowercased()) }
        if !connection.isAuthenticated, !flags.contains(.noAuthentication) { throw .unauthenticated }
        if engine.isOverLimit, flags.contains(.denyOOM) { throw .outOfMemory }
        if engine.isReplica, flags.contains(.write) { throw .readOnly }
        if engine.subscriptions.count(of: id) > 0, !flags.contains(.whileSubscribed) {
            let text = name.text.lowercased()
            throw CommandError(
                "ERR Can't execute '\(text)': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed"
                    + " in this context")
        }
        if loadsUntil != nil, !flags.contains(.loading) { throw .loading }
        if let command { return try command.body(&self, id, Array(arguments.dropFirst())) }
        return try engine.execute(arguments)
    }

    // MARK: Effects on other connections

    /// Sends the messages that were published.
    mutating func deliverMessages() {
        for message in engine.messages {
            let push = RESPValue.array([
                .bulk("message".redisBytes), .bulk(message.channel), .bulk(message.payload),
            ])
            outputs.append(to: message.receiver) { $0.write(push) }
        }
        engine.messages.removeAll(keepingCapacity: true)
    }

    /// Gives new elements to the clients that wait for them.
    mutating func serveBlocked() {
        while !engine.readyKeys.isEmpty {
            let keys = engine.readyKeys
            engine.readyKeys = []
            guard !blocked.isEmpty else { return }
            for key in keys { serveBlocked(key) }
        }
    }

    private mutating func serveBlocked(_ key: StoredKey) {
        for client in blocked where client.keys.contains(key) {
            guard engine.keyspace.typeName(of: key) == client.typeName else { continue }
            guard let reply = take(key, for: client) else { return }
            unblock(client.connection)
            outputs.append(to: client.connection) { $0.write(reply) }
        }
    }

    /// Takes an element for a client.
    /// - Returns: the reply; `nil` if there is no element.
    mutating func take(_ key: StoredKey, for client: BlockedClient) -> RESPValue? {
        engine.database = key.database
        guard let reply = try? engine.execute(client.command(key)) else { return nil }
        switch reply {
        case .bulk(let element): return .array([.bulk(key.name), .bulk(element)])
        case .array(let element) where element.count == 2: return .array([.bulk(key.name)] + element)
        default: return nil
        }
    }

    mutating func unblock(_ id: ServerConnectionID) {
        blocked.removeAll { $0.connection == id }
        connections[id]?.isBlocked = false
        unblocked.append(id)
    }

    /// Closes a connection from this side.
    mutating func close(_ id: ServerConnectionID) {
        guard connections[id] != nil else { return }
        remove(id)
        outputs.close(id)
    }
}
