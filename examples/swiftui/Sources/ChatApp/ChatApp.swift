import ChatViews
import Foundation
import ParleyClient
import SwiftUI

/// A chat with the server of `make run`. The session is kept in the keychain of a real app; this one logs in at each
/// start.
@main
struct ChatApp: App {
    @State private var session = Session()
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            if let client = session.client {
                InboxView(client)
                    .onChange(of: phase) { Task { await session.life?.phaseChanged(to: phase) } }
            } else {
                Text(session.problem ?? "Logging in …")
                    .task { await session.logIn() }
            }
        }
    }
}

@MainActor @Observable final class Session {
    private(set) var client: ChatClient?
    private(set) var life: ChatLife?
    private(set) var problem: String?

    func logIn() async {
        do {
            guard let server = URL(string: "http://127.0.0.1:8080") else { return }
            let credentials = try await ChatAccount(server: server).logInOrSignUp(
                username: "alice", password: "correct horse")
            let folder = try FileManager.default.url(
                for: .documentDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            let path = folder.appending(path: "alice.db").path(percentEncoded: false)
            let client = try ChatClient(
                configuration: ChatConfiguration(server: server, credentials: credentials, storage: .file(path)))
            life = ChatLife(client)
            self.client = client
        } catch {
            problem = error.localizedDescription
        }
    }
}
