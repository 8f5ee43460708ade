/// The public data of a user besides the name.
package struct Profile: Hashable, Sendable {
    /// The display name: 1 to `maximumScalars` Unicode scalars without control characters, at least one of them visible
    /// (`DisplayText`); `nil` if unset.
    package var displayName: String?
    /// The http or https URL of a picture, at most `maximumURLBytes` long, or the path of an attachment; `nil` if unset.
    package var avatarURL: String?

    /// The maximum length of a display name, in Unicode scalars.
    package static let maximumScalars = 150
    /// The maximum length of a URL, in bytes.
    package static let maximumURLBytes = 2048

    package init(displayName: String? = nil, avatarURL: String? = nil) {
        self.displayName = displayName
        self.avatarURL = avatarURL
    }

    /// The attachment that is the user's picture; `nil` if there is no picture, or it is stored elsewhere.
    package var avatar: AttachmentID? {
        guard let avatarURL, avatarURL.hasPrefix(Attachment.pathPrefix) else { return nil }
        return AttachmentID(String(avatarURL.dropFirst(Attachment.pathPrefix.count)))
    }

    /// The reason that the profile is invalid, as a text for the client; `nil` if it is valid.
    package var violation: String? {
        if let displayName {
            guard !displayName.isEmpty, displayName.unicodeScalars.count <= Self.maximumScalars else {
                return "display_name must have 1 to \(Self.maximumScalars) characters"
            }
            let isClean = displayName.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
            guard isClean else { return "display_name contains a control character, which is not allowed" }
            if let violation = DisplayText.violation(in: displayName) { return "display_name \(violation.explanation)" }
        }
        if let avatarURL {
            guard avatarURL.utf8.count <= Self.maximumURLBytes else {
                return "avatar_url is too long; allowed are at most \(Self.maximumURLBytes) bytes"
            }
            let isAddress = avatarURL.hasPrefix("https://") || avatarURL.hasPrefix("http://") || avatar != nil
            guard isAddress, avatarURL.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
                return "avatar_url must be an address that begins with https:// or http://, "
                    + "or the path of an attachment, \(Attachment.pathPrefix)…"
            }
        }
        return nil
    }
}
