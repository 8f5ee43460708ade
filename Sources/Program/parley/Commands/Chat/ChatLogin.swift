import Foundation
import ParleyClient

/// Gets a session: from the environment, from an earlier run, by a password, or by asking.
struct ChatLogin {
    let server: ChatServer
    let environment: [String: String]
    /// Whether an account is created without asking.
    let signsUp: Bool
    /// The longest time that the server may take to answer; `nil` for the limit of a request.
    let wait: Duration?

    /// The server accepts neither the name nor the password.
    struct Refused: Error {
        let reason: String
    }

    func folder(of user: String) -> ChatFolder { ChatFolder(server: server, user: user, environment: environment) }

    /// - Parameters:
    ///   - user: `nil` to ask for it.
    ///   - keeps: Whether the session, the outbox and the cache are kept.
    /// - Throws: ``ChatFailure``.
    func open(user: String?, keeps: Bool) async throws -> TerminalSession {
        let name = try user ?? askForName()
        let folder = folder(of: name)
        let password = value("PARLEY_CHAT_PASSWORD")
        let given = value("PARLEY_CHAT_TOKEN")
        if let given, !ChatFolder.isToken(given) { throw ChatFailure("PARLEY_CHAT_TOKEN is not a token", code: 64) }
        func session(_ token: String) -> TerminalSession {
            TerminalSession(
                user: name, folder: keeps ? folder : nil, token: token, password: password,
                source: given == nil ? .login : .environment, login: self)
        }
        if let token = given ?? folder.token() {
            if keeps { try folder.create() }
            return session(token)
        }
        let token: String
        if let password {
            do {
                token = try await logIn(name, password)
            } catch let refused as Refused {
                throw ChatFailure(refused.reason)
            }
        } else {
            guard let terminal = PromptTerminal() else {
                throw ChatFailure(
                    """
                    there is no session of \(name) in \(folder.tokenPath): set PARLEY_CHAT_PASSWORD, or log in once in a \
                    terminal
                    """, code: 64)
            }
            token = try await logIn(name, askingOn: terminal)
        }
        if keeps { try folder.keep(token: token) }
        return session(token)
    }

    /// Ends the kept session, and removes what is kept unless something is unsent.
    /// - Throws: ``ChatFailure``.
    func logOut(_ user: String?) async throws {
        let name = try user ?? askForName()
        let folder = folder(of: name)
        guard let token = folder.token() else {
            throw ChatFailure("no session of \(name) at \(server.name) is in \(folder.tokenPath)")
        }
        let unsent = try await unsentCount(folder, token)
        do {
            try await ChatAccount(server: server.url).logOut(.bearer(token))
        } catch {
            throw failure(error)
        }
        guard unsent == 0 else {
            folder.removeToken()
            return StandardError.print(
                "\(name) is logged out. What is unsent (\(unsent)) is kept for the next login.")
        }
        folder.remove()
        StandardError.print("\(name) is logged out.")
    }

    private func unsentCount(_ folder: ChatFolder, _ token: String) async throws -> Int {
        guard FileManager.default.fileExists(atPath: folder.databasePath) else { return 0 }
        do {
            let client = try ChatClient(
                configuration: ChatConfiguration(
                    server: server.url, credentials: .bearer(token), storage: .file(folder.databasePath)))
            let count = await client.unconfirmedCount
            await client.shutDown()
            return count
        } catch ChatError.storageInUse {
            throw ChatFailure("parley chat is running for this user; close it first")
        } catch {
            throw ChatFailure("nothing is removed, since \(folder.databasePath) cannot be read: \(error)")
        }
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    private func askForName() throws -> String {
        guard let terminal = PromptTerminal() else { throw ChatFailure("--user is needed", code: 64) }
        let name = try terminal.ask("Name: ").trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty else { throw ChatFailure("a name is needed", code: 64) }
        return name
    }

    // MARK: Passwords

    /// - Throws: ``Refused``, ``ChatFailure``.
    func logIn(_ name: String, _ password: String) async throws -> String {
        do {
            return try await enter { try await $0.logIn(username: name, password: password) }
        } catch ChatError.unauthorized {
            guard signsUp else {
                throw Refused(reason: "wrong password, or no account is called \(name); --sign-up creates it")
            }
            do {
                return try await enter { try await $0.signUp(username: name, password: password) }
            } catch ChatError.refused(.forbidden, _) {
                throw Refused(reason: "wrong password for \(name), or accounts cannot be created here")
            } catch ChatError.refused(_, let message) {
                throw Refused(reason: "not created: \(message)")
            }
        }
    }

    private func logIn(_ name: String, askingOn terminal: PromptTerminal) async throws -> String {
        for _ in 0..<3 {
            let password = try terminal.askPassword("Password of \(name): ")
            do {
                return try await enter { try await $0.logIn(username: name, password: password) }
            } catch ChatError.unauthorized {
                if let token = try await offerAccount(name, password, terminal) { return token }
            }
        }
        throw ChatFailure("not logged in")
    }

    /// - Returns: `nil` if the user is to try another password.
    private func offerAccount(
        _ name: String, _ password: String, _ terminal: PromptTerminal
    ) async throws -> String? {
        if !signsUp {
            terminal.say("Wrong password, or no account is called \(name).")
            guard try terminal.ask("Create the account \(name)? [y/N] ").lowercased().hasPrefix("y") else { return nil }
        }
        guard try terminal.askPassword("Repeat the password: ") == password else {
            terminal.say("The passwords differ.")
            return nil
        }
        do {
            return try await enter { try await $0.signUp(username: name, password: password) }
        } catch ChatError.refused(.forbidden, let message) {
            terminal.say("Not created: \(message).")
        } catch ChatError.refused(_, let message) {
            terminal.say("Not created: \(message).")
        }
        return nil
    }

    /// - Throws: ``ChatFailure``, or ``ChatError`` for what the user can correct.
    private func enter(
        _ call: @escaping @Sendable (ChatAccount) async throws -> ChatCredentials
    ) async throws -> String {
        do {
            let account = try ChatAccount(server: server.url)
            guard let credentials = try await within(wait, { try await call(account) }) else {
                throw ChatFailure("\(server.name) does not answer in time")
            }
            guard case .bearer(let token) = credentials else { throw ChatFailure("the server gave no session") }
            return token
        } catch ChatError.unauthorized {
            throw ChatError.unauthorized
        } catch ChatError.refused(let code, let message) where [.forbidden, .badRequest].contains(code) {
            throw ChatError.refused(code: code, message: message)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> ChatFailure {
        if let failure = error as? ChatFailure { return failure }
        if case ChatError.offline = error {
            return ChatFailure("no server answers at \(server.name); is it running? (`make run` starts one)")
        }
        return ChatFailure("\(error)")
    }
}
