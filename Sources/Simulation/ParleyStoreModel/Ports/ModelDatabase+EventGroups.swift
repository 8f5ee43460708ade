package import ParleyModel

extension ModelDatabase: EventGroups {
    package func leaseGroup(
        _ name: String, to reader: String, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventCursor? {
        try await write(.page) { tables, context in
            let known = tables.eventGroups[name]
            if let known, known.reader != reader, known.untilMilliseconds > context.now { return nil }
            guard known != nil || tables.eventGroups.count < EventGroup.maximumCount else { return nil }
            let place = known?.cursor ?? cursor
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: place, reader: reader, untilMilliseconds: context.now &+ milliseconds,
                acknowledgedMilliseconds: known?.acknowledgedMilliseconds)
            return place
        }
    }

    package func extendLease(
        of name: String, by reader: String, for milliseconds: Int64
    ) async throws(StoreError) -> Bool {
        try await write(.page) { tables, context in
            guard let known = tables.eventGroups[name], known.reader == reader else { return false }
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: known.cursor, reader: reader, untilMilliseconds: context.now &+ milliseconds,
                acknowledgedMilliseconds: known.acknowledgedMilliseconds)
            return true
        }
    }

    package func moveEventGroup(_ name: String, to cursor: EventCursor) async throws(StoreError) -> Bool {
        try await write(.page) { tables, _ in
            guard let known = tables.eventGroups[name] else { return false }
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: cursor, reader: "", untilMilliseconds: 0,
                acknowledgedMilliseconds: known.acknowledgedMilliseconds)
            return true
        }
    }

    package func acknowledge(
        _ cursor: EventCursor, of name: String, by reader: String
    ) async throws(StoreError) -> Bool {
        try await write(.page) { tables, context in
            guard let known = tables.eventGroups[name], known.reader == reader else { return false }
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: cursor, reader: reader, untilMilliseconds: known.untilMilliseconds,
                acknowledgedMilliseconds: context.now)
            return true
        }
    }

    package func eventGroups() async throws(StoreError) -> [EventGroup] {
        try await read(.page) { tables in
            Array(tables.eventGroups.values.sorted { $0.name < $1.name }.prefix(EventGroup.maximumCount))
        }
    }

    package func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool {
        try await write(.page) { tables, _ in tables.eventGroups.removeValue(forKey: name) != nil }
    }
}
