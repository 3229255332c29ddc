package console

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"
)

// page returns a picture like a page: lines of text on a background, with a bar of an accent.
func page(background, accent color.Color, down int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, 640, 400))
	fill := func(r image.Rectangle, c color.Color) { draw.Draw(p, r, image.NewUniform(c), image.Point{}, draw.Src) }
	fill(p.Bounds(), background)
	fill(image.Rect(0, 0, 160, 400), accent)
	for line := range 10 {
		for letter := range 40 {
			x, y := 180+letter*10, 40+line*30+down
			fill(image.Rect(x, y, x+2, y+10), color.Gray{Y: 120})
		}
	}
	return p
}

func TestDiffering(t *testing.T) {
	teal, paper := color.RGBA{R: 13, G: 102, B: 117, A: 255}, color.RGBA{R: 250, G: 249, B: 245, A: 255}
	kept := page(paper, teal, 0)
	for name, tt := range map[string]struct {
		now         image.Image
		least, most float64
	}{
		"the same":          {page(paper, teal, 0), 0, 0},
		"text a pixel down": {page(paper, teal, 1), 0, 0.05},
		"another accent":    {page(paper, color.RGBA{R: 13, G: 102, B: 180, A: 255}, 0), 0.2, 0.3},
		"another theme":     {page(color.Black, teal, 0), 0.7, 1},
		"another size":      {image.NewRGBA(image.Rect(0, 0, 640, 401)), 1, 1},
	} {
		if got := differing(kept, tt.now); got < tt.least || got > tt.most {
			t.Errorf("%s: %.3f of the squares differ, want %v to %v", name, got, tt.least, tt.most)
		}
	}
	small, err := shrunk(kept)
	if err != nil {
		t.Fatal(err)
	}
	again, err := png.Decode(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	if got := differing(kept, again); got != 0 {
		t.Errorf("%.3f of the squares of a picture differ from those of the file it is kept in", got)
	}
}
