/// The names that the core layer of channels_redis (`RedisChannelLayer`) allows.
package enum QueueNames {
    /// The length in code points that names must stay below.
    private static let lengthLimit = 100

    /// Whether a channel can have this name: plain characters, and optionally `!` and a local part.
    package static func isValidChannel(_ name: String) -> Bool {
        isValid(name) { rest in
            guard let mark = rest.firstIndex(of: "!") else { return rest.allSatisfy(isPlain) }
            let (plain, local) = (rest[..<mark], rest[rest.index(after: mark)...])
            return !plain.isEmpty && plain.allSatisfy(isPlain) && local.allSatisfy(isLocal)
        }
    }

    /// Returns the part of a channel's name that its queue is named after: up to and including `!`, or all of it.
    package static func queue(of channel: String) -> String {
        guard let mark = channel.utf8.firstIndex(of: UInt8(ascii: "!")) else { return channel }
        return String(channel[...mark])
    }

    private static func isValid(_ name: String, _ matches: (Substring.UnicodeScalarView) -> Bool) -> Bool {
        var rest = Substring(name).unicodeScalars
        guard !rest.isEmpty, rest.count < lengthLimit else { return false }
        // `$` of Python's regular expressions also matches before one line feed at the end.
        if rest.last == "\n" { rest.removeLast() }
        return !rest.isEmpty && matches(rest)
    }

    /// Whether a character matches `[a-zA-Z\d\-_.]`, where Python's `\d` is any decimal digit of Unicode.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
        default: scalar.properties.generalCategory == .decimalNumber
        }
    }

    /// Whether a character matches `[\d\w\-_.]`, where Python's `\w` is any letter or number of Unicode.
    private static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
        if isPlain(scalar) || scalar.properties.numericType != nil { return true }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }
}

/// The keys of the core layer. No separator follows the prefix.
extension ChannelNames {
    /// Returns the key of the sorted set of a group's members; on the host of the group's bare name.
    package func layerGroup(_ name: String) -> String {
        "\(prefix):group:\(name)"
    }

    /// Returns the key of the sorted set of a queue's events; on the host of the queue's name.
    /// - Parameter queue: See `QueueNames.queue(of:)`.
    package func layerQueue(_ queue: String) -> String {
        prefix + queue
    }
}

/// The keys of the fan-out to the core layer; see decision 040.
extension ChannelNames {
    /// The key of a host's threads with messages that are not yet sent to Django, by the time at which they may be taken.
    package var queueDue: String { "\(ownPrefix):django:due" }

    /// The key of the seq of the first unsent message of each of these threads.
    package var queueFrom: String { "\(ownPrefix):django:from" }

    /// Returns the key of the process that uses the queues of a node.
    package func queueNode(_ name: String) -> String { "\(ownPrefix):django:node:\(name)" }

    /// Returns the key of the last position of a thread that is in the queues of a host.
    package func queueSent(_ thread: String) -> String { "\(ownPrefix):django:sent:\(thread)" }
}
