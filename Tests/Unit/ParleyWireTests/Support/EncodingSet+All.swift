import ParleyWire

extension EncodingSet {
    /// The set of all encodings.
    static let all = Encoding.all.reduce(into: EncodingSet()) { $0.insert($1) }
}
