import ParleyModel
import ParleyTestContracts

extension StorePairRun {
    mutating func changeNotifications() async throws {
        let (user, thread, milliseconds) = (user(), thread(), milliseconds)
        switch roll(4) {
        case 0: try await registerDevice(of: user)
        case 1:
            let level = pick(NotificationLevel.allCases)
            let hours = QuietHours(from: Int64(roll(1440)), to: Int64(roll(1440)), timeZone: "Europe/Berlin")
            var quiet = SettingChange<QuietHours>.keep
            if isOneOf(3) { quiet = .remove }
            if isOneOf(2), let hours { quiet = .set(hours) }
            let update = NotificationUpdate(
                direct: isOneOf(3) ? level : nil, room: isOneOf(3) ? level : nil,
                quiet: quiet,
                mutedUntil: isOneOf(3) ? .set(milliseconds) : .keep)
            try await pair.ask("setNotifications of \(user)") { try await $0.setNotifications(update, of: user.id) }
        case 2:
            let level: SettingChange<NotificationLevel> = isOneOf(2) ? .remove : .set(pick(NotificationLevel.allCases))
            let update = ThreadNotificationUpdate(
                level: level, mutedUntil: isOneOf(2) ? .set(milliseconds + Int64(roll(3)) - 1) : .keep)
            try await pair.ask("setThreadNotifications of \(user) in \(thread)") { store in
                try await store.setThreadNotifications(update, of: user.id, in: thread, at: milliseconds)
            }
        default:
            let isDeleted = isOneOf(2)
            try await pair.ask("the end of a device of \(user)") { store in
                guard let device = try await store.devices(of: user.id, at: 5).last else { return false }
                return isDeleted
                    ? try await store.deleteDevice(device.id, of: user.id) : try await store.removeDeadDevice(device)
            }
        }
    }

    private mutating func registerDevice(of user: User) async throws {
        let token = "t\(roll(9))"
        let address = isOneOf(2) ? PushAddress.fcm(token: token) : .web(endpoint: token, publicKey: "k", secret: "s")
        var login = NewDevice.Login.other(credentialsVersion: isOneOf(3) ? Int64(roll(3)) : nil)
        if isOneOf(2), let session = pickRecent(tokens) { login = .session(session) }
        let new = NewDevice(
            id: DeviceID(trusted: "d\(number())"), user: user.id, address: address,
            digest: TokenHash(FNV1a128.hex(of: address.identity)),
            login: login)
        let milliseconds = milliseconds + Int64(roll(3))
        try await pair.ask("registerDevice \(new)") { try await $0.registerDevice(new, at: milliseconds) }
    }

    mutating func readNotifications(of users: [User]) async throws {
        let (ids, thread) = (users.map(\.id), thread())
        try await pair.ask("devicesToNotify") { try await $0.devicesToNotify(ids, at: 5) }
        try await pair.ask("notifications in \(thread)") { try await $0.notifications(of: ids, in: thread) }
        for id in ids {
            try await pair.ask("devices of \(id)") { try await $0.devices(of: id, at: 5) }
            try await pair.ask("notifications of \(id)") { try await $0.notifications(of: id) }
            try await pair.ask("threadNotifications of \(id)") { try await $0.threadNotifications(of: id) }
            try await pair.ask("threadNotifications of \(id) in \(thread)") { store in
                try await store.threadNotifications(of: id, in: thread)
            }
        }
    }
}
