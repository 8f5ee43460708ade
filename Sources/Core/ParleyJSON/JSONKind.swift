/// The kinds of JSON values.
package enum JSONKind: Hashable, Sendable {
    case object, array, string, number, bool, null
}
