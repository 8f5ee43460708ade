extension EventCursor {
    /// Whether this place is not after another one in any lane.
    ///
    /// Places are ordered in part only: of two places, each can be ahead in one lane.
    package func isCovered(by other: EventCursor) -> Bool {
        places.allSatisfy { lane, place in
            guard let otherPlace = other.places[lane] else { return false }
            if place.stamp != otherPlace.stamp { return place.stamp < otherPlace.stamp }
            guard let count = otherPlace.count else { return true }
            return place.count.map { $0 <= count } ?? false
        }
    }
}
