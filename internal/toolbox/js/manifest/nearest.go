package manifest

import (
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/nearest"
)

// meant suggests the known name that an unknown name resembles, or states that it has
// no effect.
func meant(unknown string, known map[string]string) string {
	const longest = 64 // limits the work
	unknown = unknown[:min(len(unknown), longest)]
	best, least := "", len(unknown)/2+1
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if d := nearest.Distance(strings.ToLower(unknown), strings.ToLower(name), least); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return "it has no effect"
	}
	return "did you mean " + best + "?"
}
