import Foundation
import Network
import ParleyClient
import SwiftUI

#if canImport(UIKit)
    import UIKit
#endif

/// Connects a client while the app is in the foreground and the network changes, and gives it time to send what is
/// unsent when the app leaves.
@MainActor public final class ChatLife {
    private let client: ChatClient
    private let monitor = NWPathMonitor()
    private var isActive = false

    public init(_ client: ChatClient) {
        self.client = client
        monitor.pathUpdateHandler = { path in
            guard path.status == .satisfied else { return }
            Task { await client.networkChanged() }
        }
        monitor.start(queue: DispatchQueue(label: "chat.network"))
    }

    deinit { monitor.cancel() }

    /// Call it from `onChange(of: scenePhase)`.
    public func phaseChanged(to phase: ScenePhase) async {
        switch phase {
        case .active:
            isActive = true
            await client.start()
        case .background:
            isActive = false
            await leave()
        default: break
        }
    }

    /// Disconnects as soon as nothing is on its way, or the system's time is over. The rest is in the outbox.
    private func leave() async {
        let sending = Task { [client] in _ = await client.pendingCounts.first { $0 == 0 } }
        #if canImport(UIKit)
            let task = UIApplication.shared.beginBackgroundTask(withName: "chat.send") { sending.cancel() }
            defer { UIApplication.shared.endBackgroundTask(task) }
        #endif
        await sending.value
        // The user may be back.
        if !isActive { await client.stop() }
    }
}
