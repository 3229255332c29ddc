package image

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

var (
	red   = color.RGBA{R: 255, A: 255}
	green = color.RGBA{G: 255, A: 255}
	blue  = color.RGBA{B: 255, A: 255}
	white = color.RGBA{R: 255, G: 255, B: 255, A: 255}
)

// declares returns the beginning of a PNG that declares a size of w×h.
func declares(w, h uint32) string {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	head = append(binary.BigEndian.AppendUint32(head, h), 8, 2, 0, 0, 0)
	return "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" + string(binary.BigEndian.AppendUint32(head, crc32.ChecksumIEEE(head)))
}

func TestResizeImage(t *testing.T) {
	pic := halves(320, 200)
	files := disk(t, map[string]string{
		"picture.png": encoded(t, pic, formatPNG), "photo.JPG": encoded(t, pic, formatJPEG), "a.gif": encoded(t, pic, formatGIF),
		"a.webp": encoded(t, pic, formatWebP), "a.bmp": encoded(t, pic, formatBMP), "wrong.gif": encoded(t, pic, formatPNG),
		"bare": encoded(t, pic, formatPNG),
		"v1.2": encoded(t, pic, formatJPEG), "thin.png": encoded(t, halves(1000, 4), formatPNG), "one.png": encoded(t, halves(1, 1), formatPNG),
	})
	call := tool.Call{Files: files, HTTP: tooltest.Doer(nil)}
	shape := func(name, format string, w, h int) func(*testing.T, tool.Result) {
		return func(t *testing.T, _ tool.Result) {
			got, kind := picture(t, files, name)
			if got.Bounds().Dx() != w || got.Bounds().Dy() != h || kind != format {
				t.Errorf("%s is a %s of %v, want a %s of %d×%d", name, kind, got.Bounds(), format, w, h)
			}
			if w >= 8 && h >= 8 {
				wantColour(t, got, 1, 1, green)
				wantColour(t, got, 1, h-2, red)
				wantColour(t, got, w-2, h-2, blue)
			}
		}
	}
	tooltest.Run(t, Set, "resize_image", call, []tooltest.Case{
		{Name: "fits", Args: `{"image":"picture.png","width":160,"height":160}`, Check: func(t *testing.T, res tool.Result) {
			shape("picture_resized.png", formatPNG, 160, 100)(t, res)
			const want = `"success":true,"source":"picture.png","output":"picture_resized.png","format":"png","originalDimensions":{"width":320,"height":200},"newDimensions":{"width":160,"height":100},"fileSize":`
			if !strings.Contains(string(res.Value), want) || !strings.Contains(string(res.Value), `"quality":90`) {
				t.Errorf("result %s, want it to hold %s", res.Value, want)
			}
			if !strings.HasPrefix(res.Text, "Resized picture.png from 320×200 to 160×100, written to picture_resized.png (") {
				t.Errorf("text %q", res.Text)
			}
		}},
		{
			Name: "stretches", Args: `{"image":"picture.png","width":50,"height":90,"maintainAspectRatio":false,"outputPath":"new/dir/s.png"}`,
			Check: shape("new/dir/s.png", formatPNG, 50, 90),
		},
		{
			Name: "enlarges", Args: `{"image":"picture.png","width":640,"height":1000,"outputPath":"big.png"}`,
			Check: shape("big.png", formatPNG, 640, 400),
		},
		{
			Name: "same size", Args: `{"image":"./picture.png","width":320,"height":200,"outputPath":"same.png"}`,
			Check: shape("same.png", formatPNG, 320, 200),
		},
		{
			Name: "over itself", Args: `{"image":"big.png","width":64,"height":64,"outputPath":"big.png"}`,
			Check: shape("big.png", formatPNG, 64, 40),
		},
		{Name: "jpeg", Args: `{"image":"photo.JPG","width":80,"height":80,"quality":60}`, Check: shape("photo_resized.JPG", formatJPEG, 80, 50)},
		{Name: "gif", Args: `{"image":"a.gif","width":80,"height":80}`, Check: shape("a_resized.gif", formatGIF, 80, 50)},
		{Name: "webp", Args: `{"image":"a.webp","width":80,"height":80}`, Check: shape("a_resized.webp", formatWebP, 80, 50)},
		{Name: "bmp", Args: `{"image":"a.bmp","width":80,"height":80}`, Check: shape("a_resized.bmp", formatBMP, 80, 50)},
		{Name: "converts", Args: `{"image":"a.webp","width":80,"height":80,"outputPath":"c.JPEG"}`, Check: shape("c.JPEG", formatJPEG, 80, 50)},
		{
			Name: "contents decide, not names", Args: `{"image":"wrong.gif","width":80,"height":80}`,
			Check: shape("wrong_resized.png", formatPNG, 80, 50),
		},
		{Name: "no extension", Args: `{"image":"bare","width":80,"height":80}`, Check: shape("bare_resized.png", formatPNG, 80, 50)},
		{
			Name: "a dot that begins no extension", Args: `{"image":"v1.2","width":80,"height":80}`,
			Check: shape("v1.2_resized.jpg", formatJPEG, 80, 50),
		},
		{
			Name: "output without extension", Args: `{"image":"picture.png","width":8,"height":8,"outputPath":"plain","maintainAspectRatio":false}`,
			Check: shape("plain", formatPNG, 8, 8),
		},
		{
			Name: "never thinner than a pixel", Args: `{"image":"thin.png","width":10,"height":10}`,
			Check: shape("thin_resized.png", formatPNG, 10, 1),
		},
		{
			Name: "of one pixel", Args: `{"image":"one.png","width":7,"height":3,"maintainAspectRatio":false}`,
			Check: shape("one_resized.png", formatPNG, 7, 3),
		},

		{Name: "no height", Args: `{"image":"picture.png","width":10}`, Fails: tool.ValidationError, Message: "height"},
		{Name: "no image", Args: `{"width":10,"height":10}`, Fails: tool.ValidationError, Message: "image"},
		{Name: "width 0", Args: `{"image":"picture.png","width":0,"height":10}`, Fails: tool.ValidationError, Message: "width"},
		{Name: "negative", Args: `{"image":"picture.png","width":10,"height":-1}`, Fails: tool.ValidationError, Message: "height"},
		{Name: "half a pixel", Args: `{"image":"picture.png","width":0.5,"height":1}`, Fails: tool.ValidationError, Message: "width"},
		{Name: "too wide", Args: `{"image":"picture.png","width":20001,"height":1}`, Fails: tool.ValidationError, Message: "width"},
		{
			Name: "too many pixels", Args: `{"image":"picture.png","width":20000,"height":20000,"maintainAspectRatio":false}`,
			Fails: tool.ValidationError, Message: "too many",
		},
		{Name: "quality 0", Args: `{"image":"picture.png","width":10,"height":1,"quality":0}`, Fails: tool.ValidationError, Message: "quality"},
		{
			Name: "unknown output", Args: `{"image":"picture.png","width":10,"height":1,"outputPath":"x.tiff"}`, Fails: tool.ValidationError,
			Message: ".tiff",
		},
		{Name: "missing", Args: `{"image":"no.png","width":10,"height":1}`, Fails: tool.FileNotFound, Message: "no.png"},
		{Name: "outside", Args: `{"image":"../x.png","width":10,"height":1}`, Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: `{"image":"/etc/passwd","width":10,"height":1}`, Fails: tool.PathNotAllowed},
		{Name: "output outside", Args: `{"image":"picture.png","width":10,"height":1,"outputPath":"../x.png"}`, Fails: tool.PathNotAllowed},
	})
}

// A hostile or broken picture causes an error and no other cost.
func TestResizeImageHostile(t *testing.T) {
	jpg := encoded(t, halves(320, 200), formatJPEG)
	whole := encoded(t, halves(320, 200), formatPNG)
	files := disk(t, map[string]string{
		"text.png": "hello", "empty.png": "", "cut.png": whole[:len(whole)/2], "cut.jpg": jpg[:len(jpg)/2], "head.png": whole[:20],
		"bomb.png": declares(20_000, 20_000), "wide.png": declares(1<<30, 1), "most.png": declares(1<<31-1, 1<<31-1),
		"none.png": declares(0, 5), "scans.jpg": jpg + strings.Repeat("\xff\xda\x00\x02", maxScans),
		"x.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>", "x.heic": "\x00\x00\x00\x18ftypheic",
		"large.png": whole + strings.Repeat("x", maxBytes), "short.webp": "RIFF\x00\x00\x00\x00WEBPVP8 ", "short.gif": "GIF89a\xff\xff\xff\xff",
		"short.bmp": "BM\x00\x00\x00\x00\x00\x00\x00\x00",
	})
	if err := files.MkdirAll("dir.png"); err != nil {
		t.Fatal(err)
	}
	var cases []tooltest.Case
	for _, tt := range []struct {
		name, message string
		kind          tool.Kind
	}{
		{"text.png", "not an image", tool.ValidationError},
		{"empty.png", "not an image", tool.ValidationError},
		{"dir.png", "is a directory", tool.ValidationError},
		{"cut.png", "damaged", tool.ExecutionError},
		{"cut.jpg", "damaged", tool.ExecutionError},
		{"head.png", "damaged", tool.ExecutionError},
		{"none.png", "damaged", tool.ExecutionError},
		{"scans.jpg", "damaged", tool.ExecutionError},
		{"short.webp", "damaged", tool.ExecutionError},
		{"short.gif", "damaged", tool.ExecutionError},
		{"short.bmp", "damaged", tool.ExecutionError},
		{"bomb.png", "20000×20000", tool.FileTooLarge},
		{"wide.png", "at most 20000", tool.FileTooLarge},
		{"most.png", "", tool.ExecutionError},
		{"large.png", "larger than 25 MiB", tool.FileTooLarge},
		{"x.svg", "SVG images cannot be read", tool.Unsupported},
		{"x.heic", "HEIC images cannot be read", tool.Unsupported},
	} {
		cases = append(cases, tooltest.Case{
			Name:    tt.name,
			Args:    fmt.Sprintf(`{"image":%q,"width":10,"height":10}`, tt.name),
			Fails:   tt.kind,
			Message: tt.message,
		})
	}
	tooltest.Run(t, Set, "resize_image", tool.Call{Files: files, HTTP: tooltest.Doer(nil)}, cases)
}

func TestResizeImageSources(t *testing.T) {
	data := encoded(t, halves(40, 20), formatPNG)
	address, guard := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/img/cat.png":
			_, _ = io.WriteString(w, data)
		case "/..%2f..%2fevil", "/../../evil", "/evil":
			_, _ = io.WriteString(w, data)
		case "/page":
			_, _ = io.WriteString(w, "<html>no picture</html>")
		default:
			http.NotFound(w, r)
		}
	})
	files := disk(t, map[string]string{"x": ""})
	in64 := base64.StdEncoding.EncodeToString([]byte(data))
	outputs := func(source, output string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			if want := fmt.Sprintf(`"source":%q,"output":%q`, source, output); !strings.Contains(string(res.Value), want) {
				t.Errorf("result %s, want it to hold %s", res.Value, want)
			}
			if pic, _ := picture(t, files, output); pic.Bounds() != image.Rect(0, 0, 10, 5) {
				t.Errorf("%s is %v", output, pic.Bounds())
			}
		}
	}
	args := func(ref string) string { return fmt.Sprintf(`{"image":%q,"width":10,"height":10}`, ref) }
	tooltest.Run(t, Set, "resize_image", tool.Call{Files: files, HTTP: guard}, []tooltest.Case{
		{Name: "url", Args: args(address + "/img/cat.png"), Check: outputs(address+"/img/cat.png", "cat_resized.png")},
		{Name: "url with a hostile name", Args: args(address + "/..%2f..%2fevil"), Check: outputs(address+"/..%2f..%2fevil", "evil_resized.png")},
		{Name: "data url", Args: args("data:image/png;base64," + in64), Check: outputs("data:image/png", "image_resized.png")},
		{
			Name:  "data url with a wrong type",
			Args:  args("DATA:text/plain;base64," + in64),
			Check: outputs("data:text/plain", "image_resized.png"),
		},
		{Name: "base64", Args: args(in64), Check: outputs("base64", "image_resized.png")},
		{
			Name:  "base64 of the other alphabet",
			Args:  args(strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(data)), "=")),
			Check: outputs("base64", "image_resized.png"),
		},
		{Name: "not found", Args: args(address + "/none.png"), Fails: tool.NetworkError, Message: "404"},
		{Name: "a page", Args: args(address + "/page"), Fails: tool.ValidationError, Message: "not an image"},
		{Name: "a private address", Args: args("http://169.254.169.254/x.png"), Fails: tool.PermissionDenied},
		{Name: "no host", Args: args("http:///x.png"), Fails: tool.ValidationError, Message: "full one"},
		{Name: "a password", Args: args("http://u:secret@example.com/x.png"), Fails: tool.ValidationError, Message: "without"},
		{Name: "data url without data", Args: args("data:image/png;base64"), Fails: tool.ValidationError, Message: "comma"},
		{Name: "data url of rubbish", Args: args("data:image/png;base64,%%%"), Fails: tool.ValidationError, Message: "cannot be decoded"},
		{Name: "data url of text", Args: args("data:,hello%20world"), Fails: tool.ValidationError, Message: "not an image"},
		{Name: "a scheme nobody has", Args: args("file:///etc/passwd"), Fails: tool.FileNotFound},
	})
}

// The first frame of a GIF is drawn at its place, and a note reports the other frames.
func TestResizeImageAnimated(t *testing.T) {
	files := disk(t, map[string]string{"a.gif": animated(t)})
	tooltest.Run(t, Set, "resize_image", tool.Call{Files: files, HTTP: tooltest.Doer(nil)}, []tooltest.Case{
		{Name: "gif to png", Args: `{"image":"a.gif","width":80,"height":40,"outputPath":"a.png"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"note":"The GIF is animated; only its first frame was resized."`) {
				t.Errorf("result %s does not say that there were more frames", res.Value)
			}
			pic, _ := picture(t, files, "a.png")
			wantColour(t, pic, 30, 30, red)
			wantColour(t, pic, 5, 5, color.RGBA{})
		}},
		{Name: "gif to jpeg", Args: `{"image":"a.gif","width":80,"height":40,"outputPath":"a.jpg"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), "transparent parts became white") {
				t.Errorf("result %s does not say what became of the transparency", res.Value)
			}
			pic, _ := picture(t, files, "a.jpg")
			wantColour(t, pic, 30, 30, red)
			wantColour(t, pic, 5, 5, white)
		}},
		{Name: "gif to gif keeps transparency", Args: `{"image":"a.gif","width":80,"height":40}`, Check: func(t *testing.T, _ tool.Result) {
			pic, _ := picture(t, files, "a_resized.gif")
			wantColour(t, pic, 30, 30, red)
			wantColour(t, pic, 5, 5, color.RGBA{})
		}},
	})
}

// full is a workspace whose disk is full.
type full struct{ tool.Files }

func (full) Write(string, io.Reader) (int64, error) {
	return 0, tool.Fail(tool.ExecutionError, "The disk is full")
}

func TestResizeImageFullDisk(t *testing.T) {
	files := full{disk(t, map[string]string{"a.png": encoded(t, halves(8, 8), formatPNG)})}
	tooltest.Run(t, Set, "resize_image", tool.Call{Files: files, HTTP: tooltest.Doer(nil)}, []tooltest.Case{
		{Name: "full", Args: `{"image":"a.png","width":4,"height":4}`, Fails: tool.ExecutionError, Message: "full"},
	})
}

// The work ends when the call ends.
func TestResizeImageCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	for name, step := range map[string]func() error{
		"load": func() error {
			_, err := load(ctx, &tool.Call{Files: disk(t, map[string]string{"a": "x"})}, "a", maxBytes)
			return err
		},
		"decode":   func() error { _, err := decode(ctx, []byte(encoded(t, halves(9, 9), formatPNG))); return err },
		"resample": func() error { _, err := resample(ctx, halves(9, 9), 3, 3); return err },
	} {
		if err := step(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s after the end of its call: error %v, want %v", name, err, context.DeadlineExceeded)
		}
	}
}
