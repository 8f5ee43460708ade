extension PlantedFault {
    /// Which wrong, and to whom.
    package struct Order: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Hashable, Sendable {
            /// The delivery is not made.
            case drop
            /// It is made twice.
            case double
            /// It is made after the next one of the same socket.
            case swap
        }

        package let kind: Kind
        /// Which of the deliveries to this node's sockets, from 1 on; several messages that go out in one write are one.
        package let delivery: Int

        /// The variable that must be there, and what it must say.
        package static let permit = (
            variable: "PARLEY_PLANTED_FAULTS", value: "this server may lose and double messages"
        )

        /// - Parameter text: a kind, a colon and a number: `drop:300`; `nil` for every other text.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let delivery = Int(parts[1]),
                delivery > 0
            else { return nil }
            self.kind = kind
            self.delivery = delivery
        }
    }
}
