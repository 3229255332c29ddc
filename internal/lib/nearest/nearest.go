package nearest

// room is the length of words up to which Distance does not allocate.
const room = 64

// Distance returns the number of bytes that must be inserted, deleted, replaced or
// swapped with their neighbour to turn a into b (optimal string alignment). If the
// distance exceeds limit, the result is some number above limit. It compares bytes; the
// caller folds case.
func Distance(a, b string, limit int) int {
	if diff := len(a) - len(b); diff > limit || -diff > limit {
		return limit + 1
	}
	var small [3][room + 1]int
	rows := [3][]int{small[0][:], small[1][:], small[2][:]}
	if len(b) > room {
		for i := range rows {
			rows[i] = make([]int, len(b)+1)
		}
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := range len(a) {
		now, last, before := rows[(i+1)%3], rows[i%3], rows[(i+2)%3]
		now[0] = i + 1
		least := now[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(now[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			now[j+1] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
	}
	return rows[len(a)%3][len(b)]
}

// Most returns a limit that no two of these words exceed, so that Distance returns the
// exact distance of any pair.
func Most(a, b string) int { return max(len(a), len(b)) }
