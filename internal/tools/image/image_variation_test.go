package image

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestImageVariation(t *testing.T) {
	var sent map[string][]string
	fail := 0
	call, _ := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if fail != 0 {
			w.WriteHeader(fail)
			return
		}
		if kindOf([]byte(upload(t, r, "image"))) != formatPNG || r.URL.Path != "/v1/images/variations" {
			t.Errorf("%s without a PNG", r.URL)
		}
		sent = r.MultipartForm.Value
		n, err := strconv.Atoi(r.FormValue("n"))
		if err != nil {
			t.Error(err)
		}
		reply(t, w, inBase64(slices.Repeat([]string{encoded(t, halves(16, 16), formatPNG)}, n)...))
	})
	put(t, call.Files, "cat.jpg", encoded(t, halves(16, 16), formatJPEG))
	put(t, call.Files, "text.jpg", "hello")
	put(t, call.Files, "large.png", encoded(t, halves(8, 8), formatPNG)+strings.Repeat("x", maxSent))
	tooltest.Run(t, Set, "image_variation", call, []tooltest.Case{
		{Name: "beside", Args: `{"image":"cat.jpg"}`, Check: func(t *testing.T, res tool.Result) {
			got := result[imageVariationResult](t, res)
			if paths(got.Files) != "cat_variation.png 16×16" || got.Source != "cat.jpg" || got.Count != 1 || got.Size != "1024x1024" ||
				got.OutputDir != "." || got.Model != "dall-e-2" {
				t.Errorf("%+v", got)
			}
			if sent["model"][0] != "dall-e-2" || sent["size"][0] != "1024x1024" || sent["response_format"][0] != "b64_json" {
				t.Errorf("sent %v", sent)
			}
		}},
		{Name: "several in a directory", Args: `{"source":"cat.jpg","n":7.9,"size":"256x256","outputDir":"v/w"}`,
			Check: func(t *testing.T, res tool.Result) {
				got := result[imageVariationResult](t, res)
				if paths(got.Files) != "v/w/cat_variation.png 16×16, v/w/cat_variation_2.png 16×16, v/w/cat_variation_3.png 16×16, "+
					"v/w/cat_variation_4.png 16×16" ||
					got.OutputDir != "v/w" || sent["n"][0] != "4" || sent["size"][0] != "256x256" {
					t.Errorf("%+v, sent %v", got, sent)
				}
				wrote(t, call.Files, "v/w/cat_variation_4.png", formatPNG, 16, 16)
			}},
		{Name: "no picture", Args: `{"image":"text.jpg"}`, Fails: tool.ValidationError, Message: "supportedFormats"},
		{Name: "missing", Args: `{"image":"none.jpg"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"image":"../x.jpg"}`, Fails: tool.PathNotAllowed},
		{Name: "large", Args: `{"image":"large.png"}`, Fails: tool.FileTooLarge, Message: "10 MiB"},
		{Name: "directory outside", Args: `{"image":"cat.jpg","outputDir":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "size", Args: `{"image":"cat.jpg","size":"1792x1024"}`, Fails: tool.ValidationError, Message: "256x256"},
		{Name: "no image", Args: `{}`, Fails: tool.ValidationError, Message: "image"},
	})
	for status, kind := range map[int]tool.Kind{
		401: tool.NotConfigured, 404: tool.ExecutionError, 429: tool.RateLimited, 503: tool.NetworkError,
	} {
		fail = status
		tooltest.Run(t, Set, "image_variation", call, []tooltest.Case{{Name: strconv.Itoa(status), Args: `{"image":"cat.jpg"}`, Fails: kind}})
	}
	call.Secrets = accounts{}
	tooltest.Run(t, Set, "image_variation", call, []tooltest.Case{
		{Name: "no service", Args: `{"image":"cat.jpg"}`, Fails: tool.NotConfigured, Message: "(image_variation)"},
	})
}
