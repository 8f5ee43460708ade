// The part of Apple's BackgroundTasks framework that articles use, so that they can be compiled on Linux.

public import Foundation

public class BGTask: NSObject {
    public var expirationHandler: (() -> Void)?
    public func setTaskCompleted(success: Bool) {}
}

public class BGTaskRequest: NSObject {
    public let identifier: String
    init(name: String) { identifier = name }
}

public final class BGProcessingTaskRequest: BGTaskRequest {
    public var requiresNetworkConnectivity = false
    public init(identifier: String) { super.init(name: identifier) }
}

public final class BGTaskScheduler: NSObject {
    public static var shared: BGTaskScheduler { BGTaskScheduler() }
    public func submit(_ request: BGTaskRequest) throws {}
}
