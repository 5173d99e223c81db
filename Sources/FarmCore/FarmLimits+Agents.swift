// Limits of short answers (`show`, `why`, `runs`) and of the server for agents, with unit and reason.

extension FarmLimits {
    /// Records of one short answer: as many as a reader with a small context can weigh.
    package static let briefRecordsMax = 10
    /// Unicode scalars of one text in a short answer: a paragraph.
    package static let briefTextMax = 400
    /// Unicode scalars of a failed test's output in a short answer, taken from its end.
    package static let briefOutputMax = 2_000
    /// Bytes of one message of an agent: its longest text is a reason, and a list of ids.
    package static let agentLineBytesMax = 256 << 10
    /// Bytes of the text of one answer to an agent; a plan of many cells is longer, and is cut.
    package static let agentTextBytesMax = 64 << 10
    /// Bytes of one picture in an answer to an agent, before base64; most screens have 100 KB.
    package static let agentPictureBytesMax = 2 << 20
    /// Bytes of the name that an agent gives itself: a name with a version.
    package static let agentNameBytesMax = 80
    /// Lines of a run's own output that an agent gets: its verdict, and what to do.
    package static let agentOutputLines = 40
}
