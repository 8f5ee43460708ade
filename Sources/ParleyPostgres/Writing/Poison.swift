/// Why an event cannot be stored although the database is well; the text becomes the reason of the reject.
struct Poison: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
