package console

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

const (
	// block is the side of the squares whose mean colours are compared, in pixels.
	block = 16
	// visible is the difference of a mean that a person sees, of 255.
	visible = 20
)

// differing returns the share of the squares of two pictures whose mean colours differ
// visibly: 1 if the pictures have different sizes.
func differing(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	r := a.Bounds()
	all, other := 0, 0
	for y := r.Min.Y; y < r.Max.Y; y += block {
		for x := r.Min.X; x < r.Max.X; x += block {
			square := image.Rect(x, y, x+block, y+block).Intersect(r)
			if all++; distance(mean(a, square), mean(b, square)) > visible {
				other++
			}
		}
	}
	return float64(other) / float64(max(all, 1))
}

// at returns the colour of a pixel of a page, which is not transparent.
func at(p image.Image, x, y int) color.RGBA {
	r, g, b, _ := p.At(x, y).RGBA()
	return color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 255}
}

// mean returns the mean colour of a part of a picture, each channel of 255.
func mean(p image.Image, part image.Rectangle) [3]float64 {
	var sum [3]float64
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			for i, v := range [...]uint32{r, g, b} {
				sum[i] += float64(v >> 8)
			}
		}
	}
	for i := range sum {
		sum[i] /= float64(max(part.Dx()*part.Dy(), 1))
	}
	return sum
}

// distance returns the largest difference of two colours in a channel.
func distance(a, b [3]float64) float64 {
	most := 0.0
	for i := range a {
		most = max(most, a[i]-b[i], b[i]-a[i])
	}
	return most
}

// shrunk returns a picture as a small PNG: with the 256 colours that it has most of, which
// of a page's are nearly all.
func shrunk(p image.Image) ([]byte, error) {
	count := map[color.RGBA]int{}
	r := p.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[at(p, x, y)]++
		}
	}
	small := image.NewPaletted(r, most(count, 256))
	index := make(map[color.RGBA]uint8, len(count))
	for c := range count {
		index[c] = uint8(small.Palette.Index(c))
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			small.SetColorIndex(x, y, index[at(p, x, y)])
		}
	}
	var out bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
	return out.Bytes(), err
}
