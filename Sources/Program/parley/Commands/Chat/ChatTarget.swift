import ParleyClient
import ParleyModel
import ParleyTerminal

/// The thread that the command line names.
enum ChatTarget: Hashable, Sendable {
    case room(String)
    case direct(String)

    /// Opens the thread: from what is kept on this machine, otherwise as soon as there is a connection.
    /// - Parameter wait: the longest time to wait; `nil` for no limit.
    /// - Throws: ``ChatFailure``.
    func open(with client: ChatClient, within wait: Duration?) async throws -> ChatThread.ID {
        let isWanted: (ChatThread) -> Bool =
            switch self {
            case .room(let title): { $0.kind == .room && $0.title == title }
            // Titles are names: what can only be an id is for the server to find.
            case .direct(let user):
                { [name = UserReference(user, idForm: .standard).name] in
                    $0.kind == .direct && $0.title == name
                }
            }
        if let known = await client.threads().current().first(where: isWanted) { return known.id }
        do {
            let opened = try await within(wait) {
                for await state in client.states where state == .connected { break }
                try Task.checkCancellation()
                return switch self {
                case .room(let title): try await client.joinRoom(title: title)
                case .direct(let user): try await client.openDirect(with: user)
                }
            }
            guard let opened else { throw ChatFailure("no connection to the server in time") }
            return opened
        } catch let error as ChatError {
            let name =
                switch self {
                case .room(let name), .direct(let name): name
                }
            throw ChatFailure("cannot open \(SafeText.line(name)): \(SafeText.line("\(error)"))")
        }
    }
}

/// Runs an operation for at most a time.
/// - Returns: `nil` if the time is over.
func within<Value: Sendable>(
    _ limit: Duration?, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    guard let limit else { return try await operation() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
