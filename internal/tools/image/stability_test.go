package image

import (
	"encoding/base64"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestStability: request and answer have the form of Stability AI's REST API v2beta,
// "Stable Image Core" and "Stable Image Ultra", which make one picture at a time.
func TestStability(t *testing.T) {
	answer, requests := "", 0
	var path string
	var sent map[string][]string
	call, url := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
			return
		}
		path, sent = r.URL.Path, r.MultipartForm.Value
		if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer s1" || r.Header.Get("Accept") != "application/json" {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		_, _ = io.WriteString(w, answer)
	})
	call.Secrets = accounts{"stability": {"api_key": "s1", "base_url": url}}
	answer = `{"image":"` + base64.StdEncoding.EncodeToString([]byte(encoded(t, halves(16, 9), formatPNG))) +
		`","finish_reason":"SUCCESS","seed":343940597}`
	tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
		{Name: "core", Args: `{"prompt":"x","style":"anime","n":2,"outputPath":"a.png"}`, Check: func(t *testing.T, res tool.Result) {
			got := result[generateImageResult](t, res)
			if diff := cmp.Diff(map[string][]string{"prompt": {styled("x", "anime")}, "output_format": {"png"}}, sent); diff != "" ||
				path != "/v2beta/stable-image/generate/core" || requests != 2 || paths(got.Files) != "a.png 16×9, a_2.png 16×9" {
				t.Errorf("%s, %d requests, %+v (-want +got):\n%s", path, requests, got, diff)
			}
		}},
		{Name: "ultra", Args: `{"prompt":"x","quality":"hd","size":"1792x1024"}`, Check: func(t *testing.T, res tool.Result) {
			if path != "/v2beta/stable-image/generate/ultra" || sent["aspect_ratio"][0] != "16:9" ||
				result[generateImageResult](t, res).Model != "stable-image-ultra" {
				t.Errorf("%s with %v, result %s", path, sent, res.Value)
			}
		}},
	})
	for text, says := range map[string]string{
		`{"image":"AAAA","finish_reason":"CONTENT_FILTERED","seed":1}`: "its filter refused it",
		`{"image":"","finish_reason":"SUCCESS"}`:                       "no picture",
		`{"image":"%%%","finish_reason":"SUCCESS"}`:                    "not base64",
		`{"image":"AAAA","finish_reason":"SUCCESS"}`:                   "not a picture",
		`<html>`: "makes no sense",
	} {
		answer = text
		tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
			{Name: text, Args: `{"prompt":"x"}`, Fails: tool.ExecutionError, Message: says},
		})
	}
}
