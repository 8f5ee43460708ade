/// What a line may contain as a guest's name; the listener normalises it and checks what it shows.
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
