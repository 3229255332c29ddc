package image

import (
	"image"
	"image/color"
	"testing"

	xdraw "golang.org/x/image/draw"
)

// resample must return the same as the library function that it replaces.
func TestResampleLikeTheLibrary(t *testing.T) {
	src := image.NewNRGBA(image.Rect(3, 5, 123, 82))
	for y := range 77 {
		for x := range 120 {
			src.SetNRGBA(3+x, 5+y, color.NRGBA{R: uint8(x * y), G: uint8(x * 2), B: uint8(y * 3), A: uint8(255 - x)})
		}
	}
	for _, to := range []image.Point{{60, 40}, {120, 77}, {7, 3}, {300, 200}, {1, 1}, {119, 300}} {
		got, err := resample(t.Context(), src, to.X, to.Y)
		if err != nil {
			t.Fatal(err)
		}
		want := image.NewRGBA(image.Rectangle{Max: to})
		xdraw.CatmullRom.Scale(want, want.Rect, src, src.Rect, xdraw.Src, nil)
		worst := 0
		for i := range want.Pix {
			worst = max(worst, int(want.Pix[i])-int(got.Pix[i]), int(got.Pix[i])-int(want.Pix[i]))
		}
		if worst > 2 {
			t.Errorf("to %v: a value is %d off", to, worst)
		}
	}
}

func BenchmarkResample(b *testing.B) {
	src := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	for b.Loop() {
		if _, err := resample(b.Context(), src, 1000, 750); err != nil {
			b.Fatal(err)
		}
	}
}
