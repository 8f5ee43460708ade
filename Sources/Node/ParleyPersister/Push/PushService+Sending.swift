import Logging
import ParleyMessaging
import ParleyModel
import Synchronization

/// Sends what is in the queue.
extension PushService {
    /// Begins to send to devices, as far as the queue allows.
    func send(_ notification: PushNotification, to devices: [PushDevice], _ group: inout DiscardingTaskGroup) {
        for device in devices {
            let isQueued = queue.withLock { $0.add(PushQueue.Push(notification, to: device)) }
            if !isQueued { metrics.sent(device.address.kind, .refused(reason: "too many devices wait")) }
        }
        begin(&group)
    }

    /// Sends the pushes that may be sent now, each in a task that continues with others.
    func begin(_ group: inout DiscardingTaskGroup) {
        while let push = nextPush() {
            group.addTask { [self] in
                var next: PushQueue.Push? = push
                while let push = next, !Task.isCancelled {
                    let outcome = await deliver(push)
                    queue.withLock { $0.finished(push, outcome, at: clock.milliseconds) }
                    next = nextPush()
                }
            }
        }
    }

    private func nextPush() -> PushQueue.Push? { queue.withLock { $0.next(at: clock.milliseconds) } }

    /// Whether a push that has waited still has a device, and its message has not been deleted. If the database cannot be asked, it
    /// is sent.
    private func isDue(_ push: PushQueue.Push) async -> Bool {
        guard push.hasWaited else { return true }
        do throws(StoreError) {
            let devices = try await store.devicesToNotify([push.device.user], at: clock.milliseconds)
            guard devices.contains(where: { $0.id == push.device.id }) else { return false }
            guard let alert = push.notification.alert else { return true }
            let seq = push.notification.seq
            let message = try await store.events(in: push.notification.thread, after: seq &- 1, limit: 1).events.first
            return message?.message.map { $0.id == alert.id && !$0.isDeleted } ?? false
        } catch {
            return true
        }
    }

    /// Makes one attempt.
    private func deliver(_ push: PushQueue.Push) async -> PushOutcome {
        guard let sender, let target = PushTarget(push.device.address) else { return .refused(reason: "no address") }
        guard await isDue(push) else { return .delivered }
        let outcome = await sender.send(push.notification, to: target)
        metrics.sent(push.device.address.kind, outcome)
        switch outcome {
        case .delivered, .retry: break
        case .gone: _ = try? await store.removeDeadDevice(push.device)
        case .refused(let reason), .misconfigured(let reason):
            logger.warning(
                "a push was refused",
                metadata: ["kind": "\(push.device.address.kind.rawValue)", "reason": "\(reason)"])
        }
        return outcome
    }
}
