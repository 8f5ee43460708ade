package import ParleyModel
import ParleyStorage

extension ModelDatabase: EventGroups {
    package func leaseGroup(
        _ name: String, to reader: EventGroupReader, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventGroupLease {
        try await write(.page) { tables, context in
            let known = tables.eventGroups[name]
            if let known, known.reader != reader.worker, known.untilMilliseconds > context.now {
                return .refused(worker: known.reader)
            }
            guard known != nil || tables.eventGroups.count < EventGroup.maximumCount else { return .full }
            let place = known?.cursor ?? cursor
            tables.eventGroupTokens[name] = reader.token
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: place, reader: reader.worker, untilMilliseconds: context.now &+ milliseconds,
                acknowledgedMilliseconds: known?.acknowledgedMilliseconds)
            return .granted(place)
        }
    }

    package func extendLease(
        of name: String, by reader: EventGroupReader, for milliseconds: Int64
    ) async throws(StoreError) -> Bool {
        try await write(.page) { tables, context in
            guard let known = tables.eventGroups[name], tables.eventGroupTokens[name] == reader.token else {
                return false
            }
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: known.cursor, reader: known.reader, untilMilliseconds: context.now &+ milliseconds,
                acknowledgedMilliseconds: known.acknowledgedMilliseconds)
            return true
        }
    }

    package func moveEventGroup(_ name: String, to cursor: EventCursor) async throws(StoreError) -> Bool {
        try await write(.page) { tables, _ in
            guard let known = tables.eventGroups[name] else { return false }
            tables.eventGroupTokens[name] = nil
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: cursor, reader: "", untilMilliseconds: 0,
                acknowledgedMilliseconds: known.acknowledgedMilliseconds)
            return true
        }
    }

    package func acknowledge(
        _ cursor: EventCursor, of name: String, by worker: String
    ) async throws(StoreError) -> EventAcknowledgement {
        try await write(.page) { tables, context in
            guard let known = tables.eventGroups[name] else { return .unknown }
            let reply = EventAcknowledgement(cursor, by: worker, at: known.cursor, of: known.reader)
            guard reply == .accepted else { return reply }
            tables.eventGroups[name] = EventGroup(
                name: name, cursor: cursor, reader: worker, untilMilliseconds: known.untilMilliseconds,
                acknowledgedMilliseconds: context.now)
            return .accepted
        }
    }

    package func eventGroups() async throws(StoreError) -> [EventGroup] {
        try await read(.page) { tables in
            tables.eventGroups.values.sorted { $0.name < $1.name }.prefix(EventGroup.maximumCount).map { group in
                var group = group
                let bound = group.cursor.lowerBound(of: Tables.eventLane)
                let stamps = [
                    tables.eventBatches.first { $0.stamp > bound }?.stamp,
                    tables.unreadAudit(after: group.cursor).first { _ in true }?.stamp,
                ]
                group.unreadMilliseconds = stamps.compactMap { $0 }.min().map { $0 / 1000 }
                return group
            }
        }
    }

    package func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool {
        try await write(.page) { tables, _ in
            tables.eventGroupTokens[name] = nil
            return tables.eventGroups.removeValue(forKey: name) != nil
        }
    }
}
