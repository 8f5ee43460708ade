package import ParleyModel

/// The limits of users' uploads.
package struct AttachmentSettings: Hashable, Sendable {
    /// Maximum size of a file, in bytes.
    package var maximumBytes: Int64
    package var types: AttachmentTypes
    package var quota: AttachmentQuota
    /// The time until an unused file, or a use without a stored message, is removed; in milliseconds.
    package var orphanMilliseconds: Int64

    package init(
        maximumBytes: Int64 = 104_857_600, types: AttachmentTypes = AttachmentTypes(),
        quota: AttachmentQuota = AttachmentQuota(bytes: 1_073_741_824, files: 10_000),
        orphanMilliseconds: Int64 = 86_400_000
    ) {
        self.maximumBytes = maximumBytes
        self.types = types
        self.quota = quota
        self.orphanMilliseconds = orphanMilliseconds
    }
}

/// The MIME types that users may upload: exact ones, and `image/*` for all of a kind.
package struct AttachmentTypes: Hashable, Sendable {
    /// In lower case; `*/*` allows everything.
    package let patterns: [String]

    package init() {
        patterns = ["*/*"]
    }

    /// - Parameter text: patterns separated by commas.
    /// - Returns: `nil` if there are none, or one is malformed.
    package init?(parsing text: String) {
        let patterns = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " }.lowercased() }
        let areValid = patterns.allSatisfy { pattern in
            pattern == "*/*" || MediaPart.isMediaType(pattern)
                || pattern.hasSuffix("/*") && MediaPart.isMediaType(pattern.dropLast() + "x")
        }
        guard !patterns.isEmpty, areValid else { return nil }
        self.patterns = patterns
    }

    package func allows(_ type: String) -> Bool {
        patterns.contains { pattern in
            pattern == "*/*" || pattern == type || pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast())
        }
    }
}
