package import ParleyJSON

/// An action that a right of a room allows. The raw value is the name in the stores and on the wire.
package enum RoomRight: String, CaseIterable, Hashable, Sendable {
    /// Sending, editing, deleting, reacting and typing.
    case write
    /// Sending messages with parts that are not text.
    case attach
    /// Mentioning all members (`RoomMention`).
    case mention
    /// Adding members with the role `member`.
    case add

    /// The users who have a right.
    package enum Holder: String, CaseIterable, Hashable, Sendable {
        case everyone
        /// The owner and the moderators.
        case moderators
    }
}

/// The users who have each right of a room.
package struct RoomRights: Hashable, Sendable {
    /// The rights of a room that nothing was changed in.
    package static let standard = RoomRights()

    package var write = RoomRight.Holder.everyone
    package var attach = RoomRight.Holder.everyone
    package var mention = RoomRight.Holder.everyone
    package var add = RoomRight.Holder.moderators

    package init() {}

    package subscript(right: RoomRight) -> RoomRight.Holder {
        get {
            switch right {
            case .write: write
            case .attach: attach
            case .mention: mention
            case .add: add
            }
        }
        set {
            switch right {
            case .write: write = newValue
            case .attach: attach = newValue
            case .mention: mention = newValue
            case .add: add = newValue
            }
        }
    }
}

/// The part of a room's state that every node keeps with the memberships: what is checked for each message, the topic and the
/// picture.
///
/// A change reaches the nodes as a subject `t:` of the change feed.
package struct RoomOptions: Hashable, Sendable {
    /// The options of a room that nothing was changed in, and of every direct thread.
    package static let standard = RoomOptions()
    /// The maximum length of a topic, in Unicode scalars.
    package static let topicScalars = 250
    /// The longest pause of slow mode, in seconds: six hours.
    package static let longestSlowMode: Int64 = 21_600

    /// One line; `nil` for none.
    package var topic: String?
    /// An image that the owner or a moderator has uploaded; `nil` for none.
    package var picture: AttachmentID?
    package var isArchived = false
    /// The seconds between two messages of a member; 0 for no slow mode.
    package var slowSeconds: Int64 = 0
    package var rights = RoomRights.standard
    /// The number of changes, also of the description and the rules. Of two states of a room, the one with more changes is newer.
    package var changes: Int64 = 0

    package init() {}

    /// The member of the object, which the stores read too.
    package static let pictureKey = "picture"

    /// An object without the members that have their default.
    package var tree: JSONTree {
        var members: [(String, JSONTree)] = []
        if let topic { members.append(("topic", .text(topic))) }
        if let picture { members.append((Self.pictureKey, .text(picture.text))) }
        if isArchived { members.append(("archived", .bool(true))) }
        if slowSeconds > 0 { members.append(("slow_mode_seconds", .integer(slowSeconds))) }
        if rights != .standard {
            let rights = RoomRight.allCases.map { ($0.rawValue, JSONTree.text(self.rights[$0].rawValue)) }
            members.append(("rights", .ordered(rights)))
        }
        members.append(("changes", .integer(changes)))
        return .ordered(members)
    }

    /// Reads an object; a missing or unknown member has its default.
    package init(_ tree: JSONTree) {
        topic = tree["topic"]?.text
        picture = tree[Self.pictureKey]?.text.flatMap { AttachmentID($0) }
        if case .bool(true)? = tree["archived"] { isArchived = true }
        slowSeconds = min(max(tree["slow_mode_seconds"]?.integer ?? 0, 0), Self.longestSlowMode)
        for right in RoomRight.allCases {
            if let holder = tree["rights"]?[right.rawValue]?.text.flatMap({ RoomRight.Holder(rawValue: $0) }) {
                rights[right] = holder
            }
        }
        changes = max(tree["changes"]?.integer ?? 0, 0)
    }

    /// The text in the stores; `nil` for a room that nothing was changed in.
    package var stored: String? { self == .standard ? nil : tree.canonical }

    /// - Throws: `StoreError.failed` for a text that is no JSON.
    package init(stored text: String) throws(StoreError) {
        guard let tree = try? JSONTree(parsing: Array(text.utf8)) else {
            throw .failed("a room has options that are not readable")
        }
        self.init(tree)
    }
}

/// All that describes a room besides its title.
package struct RoomDetails: Hashable, Sendable {
    /// The maximum length of a description, in Unicode scalars.
    package static let descriptionScalars = 2000
    /// The maximum length of the rules, in Unicode scalars.
    package static let rulesScalars = 4000

    package var options = RoomOptions.standard
    /// Several lines; `nil` for none.
    package var description: String?
    package var rules: String?

    package init(options: RoomOptions = .standard, description: String? = nil, rules: String? = nil) {
        self.options = options
        self.description = description
        self.rules = rules
    }
}

/// A change of the details of a room. Members that are `nil` stay as they are.
package struct RoomUpdate: Hashable, Sendable {
    /// An empty text removes the topic; likewise the description and the rules.
    package var topic: String?
    package var description: String?
    package var rules: String?
    package var isArchived: Bool?
    package var slowSeconds: Int64?
    package var rights: [RoomRight: RoomRight.Holder]
    package var picture: SettingChange<AttachmentID>

    package init(
        topic: String? = nil, description: String? = nil, rules: String? = nil, isArchived: Bool? = nil,
        slowSeconds: Int64? = nil, rights: [RoomRight: RoomRight.Holder] = [:],
        picture: SettingChange<AttachmentID> = .keep
    ) {
        self.picture = picture
        self.topic = topic
        self.description = description
        self.rules = rules
        self.isArchived = isArchived
        self.slowSeconds = slowSeconds
        self.rights = rights
    }

    package var isEmpty: Bool { self == RoomUpdate() }

    /// Whether only the owner may make the change.
    package var isForOwner: Bool { isArchived != nil || !rights.isEmpty }

    /// Returns the details after the change; the number of changes rises unless all of them stay the same.
    package func applied(to details: RoomDetails) -> RoomDetails {
        var changed = details
        if let topic { changed.options.topic = topic.isEmpty ? nil : topic }
        if let description { changed.description = description.isEmpty ? nil : description }
        if let rules { changed.rules = rules.isEmpty ? nil : rules }
        if let isArchived { changed.options.isArchived = isArchived }
        if let slowSeconds { changed.options.slowSeconds = slowSeconds }
        changed.options.picture = picture.applied(to: changed.options.picture)
        for (right, holder) in rights { changed.options.rights[right] = holder }
        if changed != details { changed.options.changes += 1 }
        return changed
    }
}

/// The details of a room before and after a change. Both are equal if nothing was changed.
package struct RoomDetailsChange: Hashable, Sendable {
    package var before: RoomDetails
    package var after: RoomDetails

    package init(before: RoomDetails, after: RoomDetails) {
        self.before = before
        self.after = after
    }
}

/// The words that mention all members of a room.
package enum RoomMention {
    package static let words = ["all", "everyone", "channel", "here"]

    /// Whether a text has one of the words after an `@`, which no letter, digit or underscore precedes or follows.
    package static func isIn(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return false }
        var word = ""
        var (isMention, previous): (Bool, Character) = (false, " ")
        for character in text + " " {
            if character == "@" {
                if isMention, words.contains(word) { return true }
                (isMention, word) = (!isPartOfWord(previous), "")
            } else if isPartOfWord(character) {
                if isMention, word.utf8.count < 16 { word += character.lowercased() }
            } else {
                if isMention, words.contains(word) { return true }
                isMention = false
            }
            previous = character
        }
        return false
    }

    fileprivate static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}

/// The word that mentions a user.
package enum UserMention {
    /// Whether a text has the name after an `@`, in any case, which no letter, digit or underscore precedes or follows.
    package static func isIn(_ text: String, of name: String) -> Bool {
        guard !name.isEmpty, text.utf8.contains(UInt8(ascii: "@")) else { return false }
        let (text, word) = (text.lowercased(), "@" + name.lowercased())
        return text.ranges(of: word).contains { range in
            let previous = text.prefix(upTo: range.lowerBound).last
            let next = text.suffix(from: range.upperBound).first
            return previous.map(RoomMention.isPartOfWord) != true && next.map(RoomMention.isPartOfWord) != true
        }
    }
}
