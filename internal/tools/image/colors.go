package image

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
)

// colour is one of the main colours of a picture.
type colour struct {
	Hex     string  `json:"hex" doc:"The colour as #rrggbb."`
	Percent float64 `json:"percent" doc:"Its share of the picture, without transparent parts."`
}

const (
	// maxColours is the number of colours that are reported.
	maxColours = 6
	// grid is the number of samples on a side; a picture has no more than its square.
	grid = 160
	// near is the distance within which two colours count as one, of 441.
	near = 60
)

// group is a set of similar samples: the sums of their channels, and their number.
type group struct {
	r, g, b, n int
}

// distance returns how far apart the averages of two groups are.
func (a group) distance(b group) float64 {
	mean := func(sum, n int) float64 { return float64(sum) / float64(n) }
	return math.Sqrt(math.Pow(mean(a.r, a.n)-mean(b.r, b.n), 2) + math.Pow(mean(a.g, a.n)-mean(b.g, b.n), 2) +
		math.Pow(mean(a.b, a.n)-mean(b.b, b.n), 2))
}

// colours returns the main colours of a picture, the most frequent first. Samples are
// sorted into cells of the colour space, and small cells join the nearest larger colour.
func colours(pic image.Image) []colour {
	cells, total := sampled(pic)
	var found []group
	for _, cell := range cells {
		at := slices.IndexFunc(found, func(f group) bool { return f.distance(cell) < near })
		if at < 0 {
			found = append(found, cell)
			continue
		}
		f := &found[at]
		f.r, f.g, f.b, f.n = f.r+cell.r, f.g+cell.g, f.b+cell.b, f.n+cell.n
	}
	slices.SortStableFunc(found, func(a, b group) int { return cmp.Compare(b.n, a.n) })
	var main []colour
	for _, f := range found[:min(len(found), maxColours)] {
		share := math.Round(1000*float64(f.n)/float64(total)) / 10
		if share < 0.5 && len(main) > 0 {
			break
		}
		main = append(main, colour{fmt.Sprintf("#%02x%02x%02x", f.r/f.n, f.g/f.n, f.b/f.n), share})
	}
	return main
}

// sampled returns samples of a picture in cells, the largest cell first, and their number.
func sampled(pic image.Image) ([]group, int) {
	const bits = 4 // of each channel
	cells, total := map[int]group{}, 0
	bounds := pic.Bounds()
	stepX, stepY := max(1, bounds.Dx()/grid), max(1, bounds.Dy()/grid)
	for y := bounds.Min.Y + stepY/2; y < bounds.Max.Y; y += stepY {
		for x := bounds.Min.X + stepX/2; x < bounds.Max.X; x += stepX {
			c, ok := color.NRGBAModel.Convert(pic.At(x, y)).(color.NRGBA)
			if !ok || c.A < 0x80 {
				continue
			}
			r, g, b := int(c.R), int(c.G), int(c.B)
			key := r>>bits<<(2*bits) | g>>bits<<bits | b>>bits
			cell := cells[key]
			cells[key] = group{cell.r + r, cell.g + g, cell.b + b, cell.n + 1}
			total++
		}
	}
	all := make([]group, 0, len(cells))
	for _, cell := range cells {
		all = append(all, cell)
	}
	slices.SortFunc(all, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.r, b.r), cmp.Compare(a.g, b.g), cmp.Compare(a.b, b.b))
	})
	return all, total
}

// inWords lists colours in a sentence.
func inWords(all []colour) string {
	if len(all) == 0 {
		return "The image is transparent everywhere."
	}
	parts := make([]string, len(all))
	for i, c := range all {
		parts[i] = fmt.Sprintf("%s (%v %%)", c.Hex, c.Percent)
	}
	return "Main colours: " + strings.Join(parts, ", ") + "."
}
