/// A command with the `ref` that identifies its reply.
package struct V1Request: Hashable, Sendable {
    package var ref: Int64?
    package var command: V1Command

    package init(ref: Int64? = nil, _ command: V1Command) {
        self.ref = ref
        self.command = command
    }
}
