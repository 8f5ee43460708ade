// The part of Apple's Network framework that examples and articles use, so that they can be compiled on Linux.

public import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

    public var status: Status { .satisfied }
    public var isExpensive: Bool { false }
}

public final class NWPathMonitor: Sendable {
    public init() {}

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { nil }
        set { newValue?(NWPath()) }
    }

    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
