package import ParleyModel

/// The limits on users' uploads.
package struct AttachmentSettings: Hashable, Sendable {
    /// The maximum size of a file, in bytes.
    package var maximumBytes: Int64
    package var types: AttachmentTypes
    package var quota: AttachmentQuota
    /// The time after which an unused file, or a use without a stored message, is removed, in milliseconds.
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

/// The MIME types that users may upload: exact types, and patterns such as `image/*`.
package struct AttachmentTypes: Hashable, Sendable {
    /// The patterns in lower case. `*/*` allows everything.
    package let patterns: [String]

    package init() {
        patterns = ["*/*"]
    }

    /// - Parameter text: Patterns separated by commas.
    /// - Returns: `nil` if there are no patterns, or one is malformed.
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
