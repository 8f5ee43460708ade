/// A parameter value of a statement, sent in PostgreSQL's binary format.
package enum Parameter: Sendable {
    case text(String?)
    case int(Int64?)
    case bytes([UInt8])
    case texts([String])
    case optionalTexts([String?])
    case ints([Int64])
    case optionalInts([Int64?])
    case byteStrings([[UInt8]])

    /// The type's OID in `pg_type`, which is the same in every database.
    var oid: UInt32 {
        switch self {
        case .text: Self.textOID
        case .int: Self.intOID
        case .bytes: Self.bytesOID
        case .texts, .optionalTexts: 1009
        case .ints, .optionalInts: 1016
        case .byteStrings: 1001
        }
    }

    static let textOID: UInt32 = 25
    static let intOID: UInt32 = 20
    static let bytesOID: UInt32 = 17
}
