/// One exported line of a family, or the group of lines of a histogram.
protocol Series: AnyObject, Sendable {
    /// The name of the family.
    var family: String { get }
    var labels: LabelSet { get }
    /// The present value; for a histogram, the number of values.
    var value: Double { get }
    /// Writes the present value.
    func write(to writer: inout ExpositionWriter)
}
