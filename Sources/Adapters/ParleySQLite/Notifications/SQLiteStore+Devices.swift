import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: DeviceStore {
    package func registerDevice(
        _ device: NewDevice, at milliseconds: Int64
    ) async throws(StoreError) -> DeviceOutcome {
        try await write { db in
            guard try Self.isValid(device, db) else { return .loginEnded }
            let known = try db.first(DeviceQueries.ofDigest, [device.digest.text]) { try $0.device() }
            let row = device.device(replacing: known, at: milliseconds)
            let address = row.address
            try db.run(DeviceQueries.removeDigest, [device.digest.text])
            try db.run(
                DeviceQueries.put,
                [
                    row.id.text, row.user.text, device.session?.text, address.kind.rawValue, address.token,
                    address.topic,
                    address.environment?.rawValue, address.publicKey, address.secret, row.digest.text, row.created,
                    row.lastUsed,
                ])
            try db.run(DeviceQueries.keepNewest, [row.user.text, row.digest.text, PushDevice.mostOfUser - 1])
            return .registered(row, isNew: row.id == device.id)
        }
    }

    /// Whether the login of a registration has not ended.
    private static func isValid(_ device: NewDevice, _ db: Database) throws -> Bool {
        let user = try db.first(DeviceQueries.user, [device.user.text, device.credentialsVersion]) { _ in true }
        guard user == true else { return false }
        guard let session = device.session else { return true }
        return try db.first(DeviceQueries.session, [session.text, device.user.text]) { _ in true } == true
    }

    package func devices(of user: UserID, at now: Int64) async throws(StoreError) -> [PushDevice] {
        try await read(.reading) { db in
            try db.all(DeviceQueries.ofUser, [user.text, now, PushDevice.mostOfUser]) { try $0.device() }
        }
    }

    package func deleteDevice(_ id: DeviceID, of user: UserID) async throws(StoreError) -> Bool {
        try await write { db in
            try db.run(DeviceQueries.remove, [id.text, user.text])
            return db.changesCount == 1
        }
    }

    package func devicesToNotify(_ users: [UserID], at now: Int64) async throws(StoreError) -> [PushDevice] {
        let users = users.prefix(PushDevice.mostUsers).map(\.text)
        guard !users.isEmpty else { return [] }
        return try await read { db in
            try db.all(DeviceQueries.toNotify, [Self.json(users), now, PushDevice.mostAtOnce]) { try $0.device() }
        }
    }

    package func removeDeadDevice(_ device: PushDevice) async throws(StoreError) -> Bool {
        try await write { db in
            try db.run(DeviceQueries.removeDead, [device.id.text, device.digest.text, device.lastUsed])
            return db.changesCount == 1
        }
    }
}

extension Row {
    /// Decodes the columns of `DeviceQueries.columns`.
    fileprivate func device() throws -> PushDevice {
        PushDevice(
            id: DeviceID(trusted: self[0]), user: UserID(trusted: self[1]),
            address: try PushAddress(
                kind: self[2], token: self[3], topic: self[4], environment: self[5], publicKey: self[6],
                secret: self[7]),
            digest: TokenHash(self[8]), created: self[9], lastUsed: self[10])
    }
}
