package import ParleyJSON
package import ParleyModel

/// The lines of the stream of stored events: objects with an event, a cursor or an error.
extension JSONWriter {
    /// Writes an event with an id that is the same whenever it is sent.
    package mutating func feedEvent(_ event: LogEvent) {
        object { json in
            json.member("id", event.feedID)
            json.key("event")
            json.event(event)
        }
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
