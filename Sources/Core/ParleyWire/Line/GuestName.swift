/// The rule for a line that is a guest's name. The listener normalises the name and checks how it looks.
package enum GuestName {
    /// Maximum length, in Unicode scalars.
    package static let maximumLength = 30

    /// 1 to 30 Unicode scalars, no colon, no control character (Unicode category Cc).
    package static func allows(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        return !scalars.isEmpty && scalars.prefix(maximumLength + 1).count <= maximumLength
            && scalars.allSatisfy { $0 != ":" && $0.properties.generalCategory != .control }
    }
}
