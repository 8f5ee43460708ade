// The part of Apple's UserNotifications framework that articles use, so that they can be compiled on Linux.

@_exported public import Foundation

public final class UNUserNotificationCenter: NSObject, Sendable {
    public static func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    public func setBadgeCount(_ count: Int) async throws {}
}
