package manifest

import (
	"maps"
	"slices"
	"strings"
)

// meant says which of the known names a name that is not known was probably
// meant to be, or that it has no effect.
func meant(unknown string, known map[string]string) string {
	const longest = 64 // bounds the work
	unknown = unknown[:min(len(unknown), longest)]
	best, least := "", len(unknown)/2+1
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if d := distance(strings.ToLower(unknown), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return "it has no effect"
	}
	return "did you mean " + best + "?"
}

// distance is how many bytes must be added, removed or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
