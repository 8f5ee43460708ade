// The part of SwiftUI that examples and articles use, with the signatures of Apple's documentation, so that they can be
// compiled on Linux. Nothing is drawn.

@_exported public import Foundation
@_exported public import Observation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("no view") }
}

/// A view that consists of nothing.
public protocol Leaf: View where Body == Never {}
extension Leaf {
    public var body: Never { fatalError("no body") }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView { TupleView() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Conditional<First, Second> {
        Conditional()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> Conditional<First, Second> {
        Conditional()
    }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
}

public struct TupleView: Leaf {}
public struct Conditional<First: View, Second: View>: Leaf {}
extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("no body") }
}

public struct EmptyView: Leaf { public nonisolated init() {} }
public struct AnyModified: Leaf {}

public struct Font: Sendable {
    public static let caption = Font()
    public static let headline = Font()
}
public protocol ShapeStyle: Sendable {}
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}
public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalEdge: Sendable { case top, bottom }
public struct UnitPoint: Sendable {
    public static let bottom = UnitPoint()
}

public struct Text: Leaf {
    public init<Content: StringProtocol>(_ content: Content) {}
    public func bold(_ isActive: Bool = true) -> Text { self }
    public func font(_ font: Font?) -> Text { self }
}

public struct Image: Leaf { public init(systemName: String) {} }

public struct Button: Leaf {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
}

public struct TextField: Leaf {
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) {}
}

public struct ProgressView: Leaf {
    public init() {}
    public init<Title: StringProtocol, Value: BinaryFloatingPoint>(_ title: Title, value: Value?) {}
}

public struct VStack: Leaf {
    public init<Content: View>(alignment: HorizontalAlignment = .center, @ViewBuilder content: () -> Content) {}
}
public struct LazyVStack: Leaf {
    public init<Content: View>(alignment: HorizontalAlignment = .center, @ViewBuilder content: () -> Content) {}
}
public struct HStack: Leaf { public init<Content: View>(@ViewBuilder content: () -> Content) {} }
public struct ScrollView: Leaf { public init<Content: View>(@ViewBuilder content: () -> Content) {} }
public struct NavigationStack: Leaf { public init<Root: View>(@ViewBuilder root: () -> Root) {} }
public struct NavigationLink: Leaf {
    public init<Value: Hashable, Label: View>(value: Value?, @ViewBuilder label: () -> Label) {}
}

public struct List: Leaf {
    public init<Data: RandomAccessCollection, Row: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where Data.Element: Identifiable {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Leaf {}
extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension ForEach {
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
    }
}

extension View {
    public func badge(_ count: Int) -> some View { AnyModified() }
    public func bold(_ isActive: Bool = true) -> some View { AnyModified() }
    public func font(_ font: Font?) -> some View { AnyModified() }
    public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { AnyModified() }
    public func lineLimit(_ number: Int?) -> some View { AnyModified() }
    public func padding() -> some View { AnyModified() }
    public func navigationTitle<Title: StringProtocol>(_ title: Title) -> some View { AnyModified() }
    public func navigationDestination<Value: Hashable, Content: View>(
        for data: Value.Type, @ViewBuilder destination: @escaping (Value) -> Content
    ) -> some View { AnyModified() }
    public func defaultScrollAnchor(_ anchor: UnitPoint?) -> some View { AnyModified() }
    public func safeAreaInset<Content: View>(edge: VerticalEdge, @ViewBuilder content: () -> Content) -> some View {
        AnyModified()
    }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { AnyModified() }
    public func onChange<Value: Equatable>(of value: Value, _ action: @escaping () -> Void) -> some View {
        AnyModified()
    }
    public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { AnyModified() }
}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value {
        get { fatalError("no value") }
        nonmutating set {}
    }
    public init(wrappedValue: Value) {}
    public init(initialValue: Value) {}
    public var projectedValue: Binding<Value> { Binding() }
}

@propertyWrapper public struct Binding<Value> {
    public init() {}
    public var wrappedValue: Value {
        get { fatalError("no value") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
}

@dynamicMemberLookup @propertyWrapper public struct Bindable<Value: AnyObject> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var projectedValue: Bindable<Value> { self }
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding()
    }
}

@propertyWrapper public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError("no value") }
}

public struct EnvironmentValues {
    public var scenePhase: ScenePhase { .active }
}

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor var body: Body { get }
}
extension Never: Scene {}
@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
public struct WindowGroup: Scene {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("no body") }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}
