import ParleyModel
import Testing

extension StoreFact {
    private static let day: Int64 = 86_400_000

    /// Processes whose machines' clocks are wrong.
    static let time: [StoreFact] = [
        StoreFact("a database tells its time") { fixture in
            let system = WallClock.system.milliseconds
            // The database of the tests is on this machine.
            let time = try await fixture.store.databaseMilliseconds()
            #expect(abs(time - system) < 5000)
        },
        StoreFact("an upload is due by the database's clock, whatever those of its gateway and of the persister say") {
            fixture in
            let ann = try await fixture.user("ann")
            for (gateway, persister) in [(0, day), (0, -day), (day, 0), (-day, 0), (day, -day)] {
                let (uploads, removals) = (
                    try await Self.clock(ahead: gateway, of: fixture.store),
                    try await Self.clock(ahead: persister, of: fixture.store)
                )
                let name = "file\(gateway)\(persister)"
                let file = fixture.draft(name, of: ann, size: 1)
                let result = try await fixture.store.addAttachment(
                    file, within: AttachmentQuota(bytes: 0, files: 0), due: uploads.milliseconds + 3_600_000)
                #expect(result?.isAdded == true)
                #expect(try await fixture.store.claimRemovals(at: removals.milliseconds, limit: 10).isEmpty, "\(name)")
                let due = removals.milliseconds + 3_605_000
                #expect(try await fixture.store.claimRemovals(at: due, limit: 10).map(\.id) == [file.id], "\(name)")
                try await fixture.store.removedAttachments([file.id])
            }
        },
    ]

    /// The database's clock, as it is known on a machine whose own is wrong.
    private static func clock(ahead: Int64, of store: any StoreUnderTest) async throws -> WallClock {
        let clock = DatabaseClock(system: WallClock { WallClock.system.milliseconds + ahead })
        let found = try await clock.compare { try await store.databaseMilliseconds() }
        let difference = try #require(found)
        #expect(abs(difference - ahead) < 5000)
        return clock.wall
    }
}
