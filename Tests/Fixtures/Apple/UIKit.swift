// The part of UIKit that examples and articles use, so that they can be compiled on Linux.

@_exported public import Foundation

public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier()
}

@MainActor open class UIResponder {
    public init() {}
}

@MainActor public final class UIApplication: UIResponder {
    public static let shared = UIApplication()

    public struct LaunchOptionsKey: Hashable, Sendable {}

    public func beginBackgroundTask(
        withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { .invalid }

    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    public func registerForRemoteNotifications() {}
}

public enum UIBackgroundFetchResult: UInt, Sendable { case newData, noData, failed }

@MainActor public protocol UIApplicationDelegate: AnyObject {}
