package image

import (
	"context"
	"image"
	"image/draw"
	"math"

	xdraw "golang.org/x/image/draw"
)

// span lists the pixels of a line that contribute to one pixel of the scaled line, with
// their weights, which add up to 1.
type span struct {
	from    int
	weights []float32
}

// spans returns the spans that scale n pixels to m, with the Catmull-Rom kernel, which
// is widened for shrinking so that no pixel is skipped.
func spans(n, m int) []span {
	kernel := xdraw.CatmullRom
	scale := float64(n) / float64(m)
	wide := max(scale, 1)
	reach := kernel.Support * wide
	all := make([]span, m)
	for i := range all {
		centre := (float64(i) + 0.5) * scale
		from := max(int(math.Ceil(centre-reach-0.5)), 0)
		to := min(int(math.Floor(centre+reach-0.5)), n-1)
		weights := make([]float32, max(to-from+1, 0))
		var sum float64
		for j := range weights {
			if d := math.Abs(float64(from+j)+0.5-centre) / wide; d < kernel.Support {
				w := kernel.At(d)
				weights[j] = float32(w)
				sum += w
			}
		}
		for j := range weights {
			weights[j] = float32(float64(weights[j]) / sum)
		}
		all[i] = span{from, weights}
	}
	return all
}

// resample scales a picture to w×h. It replaces the Scale method of
// golang.org/x/image/draw, which keeps 32 bytes for each source row times each target
// column: hundreds of megabytes for a phone's picture. This function keeps only the
// rows in use.
func resample(ctx context.Context, src image.Image, w, h int) (*image.RGBA, error) {
	bounds := src.Bounds()
	columns, rows := spans(bounds.Dx(), w), spans(bounds.Dy(), h)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	line := image.NewRGBA(image.Rect(0, 0, bounds.Dx(), 1))
	kept := map[int][]float32{} // scaled rows by their number in the source
	var free [][]float32
	next := 0
	for y, rowSpan := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for row, line := range kept {
			if row < rowSpan.from {
				free = append(free, line)
				delete(kept, row)
			}
		}
		for next = max(next, rowSpan.from); next < rowSpan.from+len(rowSpan.weights); next++ {
			draw.Draw(line, line.Rect, src, image.Pt(bounds.Min.X, bounds.Min.Y+next), draw.Src)
			var scaled []float32
			if n := len(free); n > 0 {
				scaled, free = free[n-1], free[:n-1]
			} else {
				scaled = make([]float32, 4*w)
			}
			scaleLine(scaled, line.Pix, columns)
			kept[next] = scaled
		}
		mix(out.Pix[y*out.Stride:][:4*w], kept, rowSpan)
	}
	return out, nil
}

// scaleLine scales one line of RGBA.
func scaleLine(dst []float32, src []uint8, columns []span) {
	for x, s := range columns {
		var r, g, b, a float32
		pix := src[4*s.from:]
		for j, weight := range s.weights {
			p := pix[4*j : 4*j+4 : 4*j+4]
			r += weight * float32(p[0])
			g += weight * float32(p[1])
			b += weight * float32(p[2])
			a += weight * float32(p[3])
		}
		d := dst[4*x : 4*x+4 : 4*x+4]
		d[0], d[1], d[2], d[3] = r, g, b, a
	}
}

// mix adds scaled lines to one line of the result.
func mix(dst []uint8, lines map[int][]float32, s span) {
	sum := make([]float32, len(dst))
	for j, weight := range s.weights {
		for i, v := range lines[s.from+j] {
			sum[i] += weight * v
		}
	}
	for i := 0; i < len(dst); i += 4 {
		alpha := level(sum[i+3], 255)
		dst[i+3] = alpha
		for c := range 3 { // a premultiplied colour is never brighter than its alpha
			dst[i+c] = level(sum[i+c], alpha)
		}
	}
}

func level(v float32, most uint8) uint8 {
	return uint8(min(max(v+0.5, 0), float32(most)))
}
