/// A place in the stream of stored events (`EventFeed`): everything up to it has been read.
///
/// The stream has several lanes, whose batches are in the order of their commits. A cursor has a place in each lane, so it
/// misses nothing that is committed later. A lane without a place has not been read. Rows of tables have lanes of their own
/// (`RowLane`).
package struct EventCursor: Hashable, Sendable {
    /// The position in one lane.
    package struct Place: Hashable, Sendable {
        /// The stamp of the last batch that has been read, at least in part.
        package var stamp: Int64
        /// The number of its events that have been read; `nil` for all.
        package var count: Int?

        package init(stamp: Int64, count: Int? = nil) {
            self.stamp = stamp
            self.count = count
        }
    }

    /// The maximum number of lanes of log events, from 0.
    package static let maximumLanes = 16
    /// The last lane. Those of `RowLane` come after the lanes of log events.
    package static let lastLane = maximumLanes + RowLane.allCases.count - 1
    /// The maximum length of `text`.
    package static let maximumLength = 512
    /// The version of the text.
    private static let version: UInt8 = 1

    /// Before the first event.
    package static let start = EventCursor()

    /// By the number of the lane.
    package private(set) var places: [Int: Place] = [:]

    package init() {}

    package init(_ places: [Int: Place]) {
        self.places = places
    }

    package mutating func move(to place: Place, in lane: Int) {
        places[lane] = place
    }

    /// The stamp after which the unread batches of a lane begin. A batch that has been read in part is unread.
    package func lowerBound(of lane: Int) -> Int64 {
        places[lane].map { $0.count == nil ? $0.stamp : $0.stamp &- 1 } ?? 0
    }

    // MARK: Text

    /// The cursor in hex digits, as clients store it. They do not depend on its form.
    package var text: String {
        var bytes = [Self.version]
        for (lane, place) in places.sorted(by: { $0.key < $1.key }) {
            Self.append(UInt64(clamping: lane), to: &bytes)
            Self.append(UInt64(clamping: place.stamp), to: &bytes)
            Self.append(UInt64(clamping: place.count ?? 0), to: &bytes)
        }
        return Hex.encode(bytes)
    }

    /// - Returns: `nil` for a text that no cursor has.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        var (digits, bytes) = (text.utf8.makeIterator(), [UInt8]())
        while let high = digits.next() {
            guard let low = digits.next(), let byte = Hex.byte(high, low) else { return nil }
            bytes.append(byte)
        }
        guard bytes.first == Self.version else { return nil }
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            guard let lane = Self.number(from: &rest), let stamp = Self.number(from: &rest),
                let count = Self.number(from: &rest), lane <= Self.lastLane, stamp > 0, places[Int(lane)] == nil
            else { return nil }
            places[Int(lane)] = Place(stamp: stamp, count: count == 0 ? nil : Int(count))
        }
    }

    /// Appends a number as LEB128.
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Removes a number of at most 56 bits.
    private static func number(from bytes: inout ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= Int64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
