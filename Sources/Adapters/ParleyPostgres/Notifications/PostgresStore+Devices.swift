package import ParleyModel

extension PostgresStore: DeviceStore {
    package func registerDevice(
        _ device: NewDevice, at milliseconds: Int64
    ) async throws(StoreError) -> DeviceOutcome {
        try await change { transaction in
            let user = Parameter.text(device.user.text)
            // The user before the session, in the order of a transaction that ends sessions.
            var pipeline = Pipeline(Statement.begin())
            let held = pipeline.add(DeviceQueries.holdUser(user, .int(device.credentialsVersion)))
            let session = device.session.map { pipeline.add(DeviceQueries.holdSession(.text($0.text), user)) }
            let login = try transaction.connection.run(pipeline)
            guard login.count(held) == 1, session.map({ login.count($0) == 1 }) ?? true else {
                try transaction.connection.run(Pipeline(Statement.commit()))
                return .loginEnded
            }
            let address = device.address
            pipeline = Pipeline()
            let put = pipeline.add(
                DeviceQueries.put(
                    .text(device.id.text), user, .text(device.session?.text), .text(address.kind.rawValue),
                    .text(address.token), .text(address.topic), .text(address.environment?.rawValue),
                    .text(address.publicKey), .text(address.secret), .text(device.digest.text), .int(milliseconds)))
            pipeline.add(
                DeviceQueries.keepNewest(user, .text(device.digest.text), .int(Int64(PushDevice.mostOfUser - 1))),
                Statement.commit())
            guard let row = try transaction.connection.run(pipeline).first(put) else {
                throw StoreError.failed("the registration of a device returned no row")
            }
            return .registered(row, isNew: row.id == device.id)
        }
    }

    package func devices(of user: UserID, at now: Int64) async throws(StoreError) -> [PushDevice] {
        try await rows(
            .list, DeviceQueries.ofUser(.text(user.text), .int(now), .int(Int64(PushDevice.mostOfUser))))
    }

    package func deleteDevice(_ id: DeviceID, of user: UserID) async throws(StoreError) -> Bool {
        try await !rows(.account, DeviceQueries.remove(.text(id.text), .text(user.text))).isEmpty
    }

    package func devicesToNotify(_ users: [UserID], at now: Int64) async throws(StoreError) -> [PushDevice] {
        let users = users.prefix(PushDevice.mostUsers).map(\.text)
        guard !users.isEmpty else { return [] }
        return try await rows(
            .lookUp, DeviceQueries.toNotify(.texts(users), .int(now), .int(Int64(PushDevice.mostAtOnce))))
    }

    package func removeDeadDevice(_ device: PushDevice) async throws(StoreError) -> Bool {
        try await !rows(
            .account,
            DeviceQueries.removeDead(.text(device.id.text), .text(device.digest.text), .int(device.lastUsed))
        ).isEmpty
    }
}
