package import ParleyModel

extension ModelDatabase: DeviceStore {
    package func registerDevice(
        _ device: NewDevice, at milliseconds: Int64
    ) async throws(StoreError) -> DeviceOutcome {
        try await write(.account) { tables, _ in
            guard tables.isValid(device) else { return .loginEnded }
            let known = tables.devices.values.first { $0.device.digest == device.digest }?.device
            let row = device.device(replacing: known, at: milliseconds)
            if let known { tables.devices[known.id] = nil }
            tables.devices[row.id] = DeviceRow(device: row, session: device.session)
            for old in tables.devices(of: row.user).filter({ $0.id != row.id }).dropFirst(PushDevice.mostOfUser - 1) {
                tables.devices[old.id] = nil
            }
            return .registered(row, isNew: row.id == device.id)
        }
    }

    package func devices(of user: UserID, at now: Int64) async throws(StoreError) -> [PushDevice] {
        try await read(.page) { $0.devices(of: user, at: now) }
    }

    package func deleteDevice(_ id: DeviceID, of user: UserID) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in
            guard tables.devices[id]?.device.user == user else { return false }
            tables.devices[id] = nil
            return true
        }
    }

    package func devicesToNotify(_ users: [UserID], at now: Int64) async throws(StoreError) -> [PushDevice] {
        try await read(.lookUp) { tables in
            Set(users.prefix(PushDevice.mostUsers)).sorted { $0.text < $1.text }.flatMap { user -> [PushDevice] in
                guard let row = tables.users[user], row.isPresent,
                    row.suspension?.suspension.isInForce(at: now) != true
                else { return [] }
                return tables.devices(of: user, at: now)
            }
        }
    }

    package func removeDeadDevice(_ device: PushDevice) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in
            guard let known = tables.devices[device.id]?.device, known.digest == device.digest,
                known.lastUsed == device.lastUsed
            else { return false }
            tables.devices[device.id] = nil
            return true
        }
    }
}

extension Tables {
    /// Whether the login of a registration has not ended.
    fileprivate func isValid(_ device: NewDevice) -> Bool {
        guard let user = users[device.user], user.isPresent else { return false }
        if let version = device.credentialsVersion, version != user.credentialsVersion { return false }
        return device.session.map { sessions[$0]?.user == device.user } ?? true
    }

    /// The devices of a user, the last used first.
    fileprivate func devices(of user: UserID) -> [PushDevice] {
        devices.values.map(\.device).filter { $0.user == user }
            .sorted { ($0.lastUsed, $0.id.text) > ($1.lastUsed, $1.id.text) }
    }

    /// The devices of a user whose sessions have not expired.
    fileprivate func devices(of user: UserID, at now: Int64) -> [PushDevice] {
        devices(of: user).filter { device in
            guard let session = devices[device.id]?.session else { return true }
            return sessions[session].map { $0.expires > now } ?? false
        }
    }

    /// Ends the devices of a user whose credentials version has risen.
    mutating func endDevices(of user: UserID, isErased: Bool) {
        for (id, row) in devices where row.device.user == user && (row.session == nil || isErased) { devices[id] = nil }
    }

    /// Ends the devices of a session that ends.
    mutating func endDevices(of session: TokenHash) {
        for (id, row) in devices where row.session == session { devices[id] = nil }
    }
}
