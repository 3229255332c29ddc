package console

import (
	"cmp"
	"image/color"
	"maps"
	"slices"
)

// most returns at most n of the colours: those that are counted most often.
func most(count map[color.RGBA]int, n int) color.Palette {
	all := slices.Collect(maps.Keys(count))
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	palette := make(color.Palette, 0, n)
	for _, c := range all[:min(n, len(all))] {
		palette = append(palette, c)
	}
	return palette
}
