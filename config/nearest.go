package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/nearest"
)

// longestCompared bounds the work on names that are far longer than any key.
const longestCompared = 64

// hint returns "; the nearest is NAME" if a known name is near, else a list of all
// names.
func hint(unknown string, known map[string]field) string {
	if name := nearestKey(unknown, known); name != "" {
		return "; the nearest is " + name
	}
	return "; --print-config lists them all"
}

// nearestKey returns the known name that unknown was probably meant to be: a name
// that begins with it, a name with a few letters changed, or a name with the same
// last part in another section. It returns "" if no name is nearest.
func nearestKey(unknown string, known map[string]field) string {
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
	if least > max(2, len(unknown)/3) {
		return ""
	}
	return best
}

func distance(a, b string) int { return nearest.Distance(a, b, nearest.Most(a, b)) }

func last(path string) string {
	return path[strings.LastIndexByte(path, '.')+1:]
}
