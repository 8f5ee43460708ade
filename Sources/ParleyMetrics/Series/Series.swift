/// One line, or for a histogram a group of lines, of a family.
protocol Series: AnyObject, Sendable {
    /// The name of the family.
    var family: String { get }
    var labels: LabelSet { get }
    /// The present value; of a histogram, how many values it has.
    var value: Double { get }
    /// Writes the present value.
    func write(to writer: inout ExpositionWriter)
}
