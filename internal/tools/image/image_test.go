package image

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/bmp"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// disk returns a workspace on disk that contains the given files.
func disk(t *testing.T, contents map[string]string) tool.Files {
	t.Helper()
	w, err := workspace.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range contents {
		if _, err := files.Write(name, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// serve starts a server and returns its URL and a guard that allows only this server.
func serve(t *testing.T, handler http.HandlerFunc) (string, tool.HTTP) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Options{Allow: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return server.URL, guard
}

// halves returns a picture whose left half is red and right half blue, with a green top
// left corner that shows its rotation.
func halves(w, h int) *image.RGBA {
	pic := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{R: 255, A: 255}
			if x >= w/2 {
				c = color.RGBA{B: 255, A: 255}
			}
			if x < w/4 && y < h/4 {
				c = color.RGBA{G: 255, A: 255}
			}
			pic.SetRGBA(x, y, c)
		}
	}
	return pic
}

// encoded returns a picture in a format.
func encoded(t *testing.T, pic image.Image, format string) string {
	t.Helper()
	var w bytes.Buffer
	var err error
	switch format {
	case formatPNG:
		err = png.Encode(&w, pic)
	case formatJPEG:
		err = jpeg.Encode(&w, pic, &jpeg.Options{Quality: 95})
	case formatGIF:
		err = gif.Encode(&w, pic, nil)
	case formatWebP:
		err = nativewebp.Encode(&w, pic, nil)
	case formatBMP:
		err = bmp.Encode(&w, pic)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// animated returns a GIF of two frames, the first of which covers a part of the canvas.
func animated(t *testing.T) string {
	t.Helper()
	var w bytes.Buffer
	first := image.NewPaletted(image.Rect(10, 10, 20, 20), palette.Plan9)
	for i := range first.Pix {
		first.Pix[i] = uint8(first.Palette.Index(color.RGBA{R: 255, A: 255}))
	}
	second := image.NewPaletted(image.Rect(0, 0, 40, 20), palette.Plan9)
	if err := gif.EncodeAll(&w, &gif.GIF{
		Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{Width: 40, Height: 20, ColorModel: first.Palette},
	}); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// picture decodes a file of the workspace.
func picture(t *testing.T, files tool.Files, name string) (image.Image, string) {
	t.Helper()
	f, err := files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	pic, err := decode(t.Context(), data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return pic.Image, pic.format
}

// wantColour compares one pixel, with a tolerance for JPEG.
func wantColour(t *testing.T, pic image.Image, x, y int, want color.RGBA) {
	t.Helper()
	got := color.RGBAModel.Convert(pic.At(pic.Bounds().Min.X+x, pic.Bounds().Min.Y+y)).(color.RGBA)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 40 }
	if !near(got.R, want.R) || !near(got.G, want.G) || !near(got.B, want.B) || !near(got.A, want.A) {
		t.Errorf("pixel %d,%d is %v, want about %v", x, y, got, want)
	}
}
