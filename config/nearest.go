package config

import (
	"maps"
	"slices"
	"strings"
)

// longestCompared bounds the work on names that are far longer than any key.
const longestCompared = 64

// nearest returns the known name that unknown was probably meant to be: one
// that it begins, one with a few letters changed, or one with the same last
// part in another section.
func nearest(unknown string, known map[string]field) string {
	unknown = unknown[:min(len(unknown), longestCompared)]
	best, least := "", -1
	for _, name := range slices.Sorted(maps.Keys(known)) {
		d := min(distance(unknown, name), 2+distance(last(unknown), last(name)))
		if strings.HasPrefix(name, unknown) {
			d = 1
		}
		if least < 0 || d < least {
			best, least = name, d
		}
	}
	return best
}

func last(path string) string {
	return path[strings.LastIndexByte(path, '.')+1:]
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
