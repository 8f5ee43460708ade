/// A request to an S3-compatible storage before it is signed.
struct S3Request: Sendable {
    var method: String
    /// The key of an object in the bucket; empty for the bucket itself.
    var key = ""
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
}
