// The part of Apple's UserNotifications framework that articles use, so that they can be compiled on Linux.

@_exported public import Foundation

public final class UNUserNotificationCenter: NSObject, Sendable {
    public static func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    public func setBadgeCount(_ count: Int) async throws {}
    public func deliveredNotifications() async -> [UNNotification] { [] }
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}
}

public final class UNNotification: NSObject, Sendable {
    public var request: UNNotificationRequest { UNNotificationRequest() }
}

public final class UNNotificationRequest: NSObject, Sendable {
    public var identifier: String { "" }
    public var content: UNNotificationContent { UNNotificationContent() }
}

open class UNNotificationContent: NSObject, @unchecked Sendable {
    public var userInfo: [AnyHashable: Any] { [:] }
}

public final class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    public var badge: NSNumber?
    public var subtitle = ""
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
}
