/// The id of an entity, such as a user, a thread or a message.
///
/// It consists of 1 to 90 characters of `[A-Za-z0-9._-]`, which need no escaping in Redis channel names, URLs and JSON. Ids
/// made by Parley are 32 lower-case hex digits (UUIDv7), except `ConnectionID`; a back end may supply its own.
package struct Identifier<Kind>: Hashable, Sendable {
    package let text: String

    /// The maximum length of an identifier, in characters.
    package static var maximumLength: Int { 90 }

    /// Returns `nil` if `text` is empty, is too long, or contains a character outside `[A-Za-z0-9._-]`.
    package init?(_ text: String) {
        var text = text
        let isValid = text.withUTF8 { bytes in
            !bytes.isEmpty && bytes.count <= Self.maximumLength && bytes.allSatisfy(Self.allows)
        }
        guard isValid else { return nil }
        self.text = text
    }

    /// Makes an identifier from a UUID. Such identifiers sort by creation time.
    package init(_ uuid: UUIDv7) {
        self.text = uuid.description
    }

    /// Makes an identifier from a text composed by this program. Traps in debug builds if the text is not valid.
    package init(trusted text: String) {
        assert(Self(text) != nil, "not an identifier: \(text)")
        self.text = text
    }

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default:
            false
        }
    }
}

extension Identifier: CustomStringConvertible {
    package var description: String { text }
}

package enum UserKind {}
/// The tag of `ThreadID`. The kind of a thread is `ThreadInfo.Kind`.
package enum ThreadKindTag {}
package enum MessageKind {}
package enum AttachmentKind {}
package enum LinkKind {}
package enum DeviceKind {}

package typealias UserID = Identifier<UserKind>
package typealias ThreadID = Identifier<ThreadKindTag>
package typealias MessageID = Identifier<MessageKind>
package typealias AttachmentID = Identifier<AttachmentKind>
package typealias LinkID = Identifier<LinkKind>
package typealias DeviceID = Identifier<DeviceKind>
