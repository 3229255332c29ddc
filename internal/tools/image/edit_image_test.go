package image

import (
	"image"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestEditImage(t *testing.T) {
	var requests atomic.Int32
	var picked, mask string
	call, _ := provider(t, nil, counted(&requests, func(w http.ResponseWriter, r *http.Request) {
		picked, mask = upload(t, r, "image"), ""
		if len(r.MultipartForm.File["mask"]) > 0 {
			mask = upload(t, r, "mask")
		}
		if r.URL.Path != "/v1/images/edits" || r.FormValue("prompt") != "a hat" || r.FormValue("model") == "" {
			t.Errorf("%s with %v", r.URL, r.MultipartForm.Value)
		}
		reply(t, w, inBase64(encoded(t, halves(32, 20), formatPNG)))
	}))
	jpg := encoded(t, halves(32, 20), formatJPEG)
	for name, text := range map[string]string{
		"photos/me.jpg": jpg, "a.bmp": encoded(t, halves(32, 20), formatBMP),
		"mask.png":  encoded(t, image.NewNRGBA(image.Rect(0, 0, 32, 20)), formatPNG),
		"small.png": encoded(t, halves(3, 3), formatPNG), "text.png": "hello", "mask.gif": encoded(t, halves(32, 20), formatGIF),
	} {
		if strings.Contains(name, "/") {
			if err := call.Files.MkdirAll("photos"); err != nil {
				t.Fatal(err)
			}
		}
		put(t, call.Files, name, text)
	}
	tooltest.Run(t, Set, "edit_image", call, []tooltest.Case{
		{Name: "as it is", Args: `{"image":"photos/me.jpg","prompt":"a hat"}`, Check: func(t *testing.T, res tool.Result) {
			got := result[editImageResult](t, res)
			if picked != jpg || mask != "" || paths(got.Files) != "photos/me_edited.png 32×20" || got.Source != "photos/me.jpg" ||
				got.Prompt != "a hat" || got.RevisedPrompt != "revised" || got.Model != "gpt-image-1" {
				t.Errorf("%+v", got)
			}
		}},
		{Name: "again", Args: `{"source":"photos/me.jpg","prompt":"a hat"}`, Check: func(t *testing.T, res tool.Result) {
			if got := paths(result[editImageResult](t, res).Files); got != "photos/me_edited_2.png 32×20" {
				t.Errorf("files %s", got)
			}
		}},
		{Name: "with a mask", Args: `{"image":"a.bmp","mask":"mask.png","prompt":"a hat","outputPath":"out/a.jpg"}`,
			Check: func(t *testing.T, res tool.Result) {
				wrote(t, call.Files, "out/a.jpg", formatJPEG, 32, 20)
				if got := result[editImageResult](t, res); kindOf([]byte(picked)) != formatPNG || kindOf([]byte(mask)) != formatPNG ||
					got.Mask != "mask.png" {
					t.Errorf("%+v", got)
				}
			}},
		{Name: "a mask of another format", Args: `{"image":"a.bmp","mask":"mask.gif","prompt":"a hat"}`,
			Check: func(t *testing.T, _ tool.Result) {
				if kindOf([]byte(mask)) != formatPNG {
					t.Errorf("the mask was sent as %s", kindOf([]byte(mask)))
				}
			}},
	})
	requests.Store(0)
	tooltest.Run(t, Set, "edit_image", call, []tooltest.Case{
		{
			Name:    "a mask of another size",
			Args:    `{"image":"a.bmp","mask":"small.png","prompt":"a hat"}`,
			Fails:   tool.ValidationError,
			Message: "The mask has 3×3 pixels and the image 32×20",
		},
		{
			Name:    "a mask that is none",
			Args:    `{"image":"a.bmp","mask":"text.png","prompt":"a hat"}`,
			Fails:   tool.ValidationError,
			Message: "Unsupported image format",
		},
		{Name: "no such mask", Args: `{"image":"a.bmp","mask":"none.png","prompt":"a hat"}`, Fails: tool.FileNotFound},
		{Name: "no picture", Args: `{"image":"text.png","prompt":"a hat"}`, Fails: tool.ValidationError, Message: "supportedFormats"},
		{Name: "missing", Args: `{"image":"none.png","prompt":"a hat"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"image":"../x.png","prompt":"a hat"}`, Fails: tool.PathNotAllowed},
		{Name: "output outside", Args: `{"image":"a.bmp","prompt":"a hat","outputPath":"../x.png"}`, Fails: tool.PathNotAllowed},
		{Name: "output extension", Args: `{"image":"a.bmp","prompt":"a hat","outputPath":"x.svg"}`, Fails: tool.ValidationError, Message: ".svg"},
		{Name: "blank prompt", Args: `{"image":"a.bmp","prompt":" "}`, Fails: tool.ValidationError, Message: "empty"},
		{Name: "internal address", Args: `{"image":"http://127.0.0.1/x.png","prompt":"a hat"}`, Fails: tool.PermissionDenied},
	})
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests were paid for", n)
	}
	call.Secrets = accounts{}
	tooltest.Run(t, Set, "edit_image", call, []tooltest.Case{
		{
			Name:    "no service",
			Args:    `{"image":"a.bmp","prompt":"a hat"}`,
			Fails:   tool.NotConfigured,
			Message: "(edit_image). Set it: helve config set openai --stdin api_key",
		},
	})
}

// TestEditImageFails: each failure has its kind, after one request, and the bomb of a
// provider is not stored.
func TestEditImageFails(t *testing.T) {
	var requests atomic.Int32
	status, answer := 0, ""
	call, _ := provider(t, map[string]string{"image_model": "dall-e-2"}, counted(&requests, func(w http.ResponseWriter, r *http.Request) {
		if kindOf([]byte(upload(t, r, "image"))) != formatPNG || r.FormValue("response_format") != "b64_json" {
			t.Errorf("sent %v", r.MultipartForm.Value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	put(t, call.Files, "a.jpg", encoded(t, halves(8, 8), formatJPEG))
	put(t, call.Files, "large.png", encoded(t, halves(8, 8), formatPNG)+strings.Repeat("x", maxSent))
	for _, tt := range []struct {
		status int
		answer string
		kind   tool.Kind
		says   string
	}{
		{403, ``, tool.NotConfigured, "status 403"},
		{429, ``, tool.RateLimited, "seconds"},
		{502, ``, tool.NetworkError, "status 502"},
		{
			400, `{"error":{"message":"Your request was rejected as a result of our safety system.","code":"moderation_blocked"}}`,
			tool.ExecutionError, "safety system",
		},
		{200, `[]`, tool.ExecutionError, "makes no sense"},
	} {
		status, answer = tt.status, tt.answer
		requests.Store(0)
		tooltest.Run(t, Set, "edit_image", call, []tooltest.Case{
			{Name: tt.says, Args: `{"image":"a.jpg","prompt":"a hat"}`, Fails: tt.kind, Message: tt.says},
		})
		if n := requests.Load(); n != 1 {
			t.Errorf("status %d: %d requests, want 1", tt.status, n)
		}
	}
	tooltest.Run(t, Set, "edit_image", call, []tooltest.Case{
		{Name: "large", Args: `{"image":"large.png","prompt":"a hat"}`, Fails: tool.FileTooLarge, Message: "10 MiB"},
	})
}
