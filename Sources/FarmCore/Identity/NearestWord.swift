// The suggestion for a misspelt word.

/// Returns the known word that is nearest to a misspelt one, or `nil` if all known words differ in
/// more than a third of the letters.
package func nearest(_ word: String, among known: [String]) -> String? {
    // A word of this length is not a misspelling.
    guard word.utf8.count <= 200 else { return nil }
    let ranked = known.map { (distance(word.lowercased(), $0.lowercased()), $0) }
    guard let best = ranked.min(by: { $0.0 < $1.0 }) else { return nil }
    return best.0 <= max(1, word.count / 3) ? best.1 : nil
}

/// Returns the number of letters to insert, remove, change or swap with a neighbour (the optimal
/// string alignment, because two swapped letters are the most common slip).
private func distance(_ left: String, _ right: String) -> Int {
    let source = Array(left)
    let target = Array(right)
    var beforeLast = [Int]()
    var last = Array(0...target.count)
    for i in source.indices {
        var row = [i + 1]
        for j in target.indices {
            let change = last[j] + (source[i] == target[j] ? 0 : 1)
            var cost = min(change, last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, source[i] == target[j - 1], source[i - 1] == target[j] {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[target.count]
}
