package import ParleyJSON
package import ParleyModel

/// The lines of the stream of stored events: objects with an event, a cursor or an error.
extension JSONWriter {
    /// Writes an event with an id that is the same whenever it is sent.
    package mutating func feedEvent(_ event: FeedEvent) {
        object { json in
            json.member("id", event.feedID)
            json.key("event")
            switch event {
            case .log(let event): json.event(event)
            // The object of the row, with the type.
            case .audit(let entry): json.row(of: .audit, entry.members)
            case .unseen(let message): json.row(of: .unseen, message.members)
            }
        }
    }

    private mutating func row(of lane: RowLane, _ members: [(String, JSONTree)]) {
        tree(.ordered([("type", .text(lane.rawValue))] + members))
    }

    /// Returns the body of a request of a webhook: an event with its ID, or an object with a list of them.
    package static func webhookBody(of events: [FeedEvent], isBatch: Bool) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        if isBatch {
            json.object { json in
                json.key("events")
                json.array(events) { json, event in json.feedEvent(event) }
            }
        } else if let event = events.first {
            json.feedEvent(event)
        }
        return Array(json.bytes)
    }

    /// Writes the place after the events before it.
    /// - Parameter isEnd: whether they were the last ones.
    package mutating func feedCursor(_ cursor: EventCursor, isEnd: Bool) {
        object { json in
            json.member("cursor", cursor.text)
            json.member("end", isEnd)
        }
    }

    /// Writes the reason that a stream has ended.
    package mutating func feedError(code: String, message: String) {
        object { json in
            json.key("error")
            json.object { json in
                json.member("code", code)
                json.member("message", message)
            }
        }
    }
}

extension FeedEvent {
    /// The member `type` of the event.
    package var v1Type: String { lane?.rawValue ?? log?.body.v1Type ?? "" }
}
