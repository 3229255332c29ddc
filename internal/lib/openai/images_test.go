package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// imagesReply is an answer as the API reference shows it for gpt-image-1.
const imagesReply = `{"created":1713833628,"data":[{"b64_json":"cGljdHVyZQ=="}],"usage":{"total_tokens":100,"input_tokens":50,"output_tokens":50,"input_tokens_details":{"text_tokens":10,"image_tokens":40}}}`

// TestGenerate: the request has the form of the API reference, "Create image", with the
// values that each model knows.
func TestGenerate(t *testing.T) {
	for _, tt := range []struct {
		model, size, quality string
		want                 map[string]any
	}{
		{"", "1024x1024", "standard", map[string]any{"model": ImageModel, "n": 3.0, "size": "1024x1024", "quality": "medium"}},
		{"gpt-image-1-mini", "1024x1792", "hd", map[string]any{"model": "gpt-image-1-mini", "n": 3.0, "size": "1024x1536", "quality": "high"}},
		{"gpt-image-1", "1792x1024", "", map[string]any{"model": "gpt-image-1", "n": 3.0, "size": "1536x1024"}},
		{"gpt-image-1", "256x256", "standard", map[string]any{"model": "gpt-image-1", "n": 3.0, "size": "1024x1024", "quality": "medium"}},
		{
			"dall-e-3", "1024x1792", "hd",
			map[string]any{"model": "dall-e-3", "n": 1.0, "size": "1024x1792", "quality": "hd", "response_format": "b64_json"},
		},
		{
			"dall-e-3", "512x512", "standard",
			map[string]any{"model": "dall-e-3", "n": 1.0, "size": "1024x1024", "quality": "standard", "response_format": "b64_json"},
		},
		{"dall-e-2", "1792x1024", "hd", map[string]any{"model": "dall-e-2", "n": 3.0, "size": "1024x1024", "response_format": "b64_json"}},
		{
			"house", "1792x1024", "hd",
			map[string]any{"model": "house", "n": 3.0, "size": "1792x1024", "quality": "hd", "response_format": "b64_json"},
		},
	} {
		c, call := with(t, map[string]string{"image_model": tt.model}, func(w http.ResponseWriter, r *http.Request) {
			tt.want["prompt"] = "a cat"
			if diff := cmp.Diff(tt.want, decode(t, r)); diff != "" || r.Method != http.MethodPost || r.URL.Path != "/v1/images/generations" ||
				r.Header.Get("Authorization") != "Bearer secret-key" {
				t.Errorf("%s: %s %s (-want +got):\n%s", tt.model, r.Method, r.URL, diff)
			}
			_, _ = io.WriteString(w, imagesReply)
		})
		got, err := c.Generate(t.Context(), ImageRequest{Prompt: "a cat", Size: tt.size, Quality: tt.quality, N: 3})
		if err != nil || len(got.Pictures) != 1 || got.Model != tt.want["model"] || got.Size != tt.want["size"] {
			t.Fatalf("%s: %+v, %v", tt.model, got, err)
		}
		if data, err := c.Load(t.Context(), got.Pictures[0]); err != nil || string(data) != "picture" {
			t.Errorf("%s: picture %q, %v", tt.model, data, err)
		}
		if spent := spent(call); spent != "50 50 "+got.Model {
			t.Errorf("%s: spent %q", tt.model, spent)
		}
	}
}

// TestEditAndVary: the requests are forms as in "Create image edit" and "Create image
// variation".
func TestEditAndVary(t *testing.T) {
	picture := outward.File{Field: "image", Name: "image.png", Type: "image/png", Size: 3, Data: strings.NewReader("png")}
	mask := outward.File{Field: "mask", Name: "mask.png", Type: "image/png", Size: 4, Data: strings.NewReader("mask")}
	for _, tt := range []struct {
		model, path string
		send        func(*Client) (*Images, error)
		want        map[string]string
	}{
		{
			"", "/v1/images/edits", func(c *Client) (*Images, error) { return c.Edit(t.Context(), "a hat", picture, &mask) },
			map[string]string{"model": ImageModel, "prompt": "a hat", "image": "image.png image/png png", "mask": "mask.png image/png mask"},
		},
		{
			"dall-e-2", "/v1/images/edits", func(c *Client) (*Images, error) { return c.Edit(t.Context(), "a hat", picture, nil) },
			map[string]string{"model": "dall-e-2", "prompt": "a hat", "response_format": "b64_json", "image": "image.png image/png png"},
		},
		{
			"gpt-image-1", "/v1/images/variations", func(c *Client) (*Images, error) { return c.Vary(t.Context(), picture, 2, "512x512") },
			map[string]string{
				"model": VariationModel, "n": "2", "size": "512x512", "response_format": "b64_json", "image": "image.png image/png png",
			},
		},
		{
			"house", "/v1/images/variations", func(c *Client) (*Images, error) { return c.Vary(t.Context(), picture, 1, "512x512") },
			map[string]string{"model": "house", "n": "1", "size": "512x512", "response_format": "b64_json", "image": "image.png image/png png"},
		},
	} {
		picture.Data, mask.Data = strings.NewReader("png"), strings.NewReader("mask")
		c, _ := with(t, map[string]string{"image_model": tt.model}, func(w http.ResponseWriter, r *http.Request) {
			if diff := cmp.Diff(tt.want, form(t, r)); diff != "" || r.URL.Path != tt.path {
				t.Errorf("%s (-want +got):\n%s", r.URL, diff)
			}
			_, _ = io.WriteString(w, imagesReply)
		})
		if got, err := tt.send(c); err != nil || got.Model != tt.want["model"] {
			t.Errorf("%s %s: %+v, %v", tt.path, tt.model, got, err)
		}
	}
}

// TestImagesNonsense: an answer without pictures, and a picture without contents, are
// errors; a picture may be an address of the endpoint.
func TestImagesNonsense(t *testing.T) {
	var reply string
	c, call := with(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/files/1.png" {
			_, _ = io.WriteString(w, "fetched")
			return
		}
		_, _ = io.WriteString(w, reply)
	})
	for text, says := range map[string]string{
		`<html>`: "not the JSON", `{}`: "no picture", `{"data":[]}`: "no picture", `{"data":"x"}`: "not the JSON",
		`{"error":"x"}`: "no picture", `{"data":[{}]}`: "without contents", `{"data":[{"b64_json":"%%%"}]}`: "not base64",
		`{"data":[{"url":"file:///etc/passwd"}]}`: "not an http",
	} {
		reply = text
		got, err := c.Generate(t.Context(), ImageRequest{Prompt: "x", N: 1})
		if err == nil {
			_, err = c.Load(t.Context(), got.Pictures[0])
		}
		if e := tool.AsError(err); e == nil || e.Kind != tool.ExecutionError || !strings.Contains(e.Msg, says) {
			t.Errorf("%s: %v, want execution_error with %q", text, err, says)
		}
	}
	if spent := spent(call); spent != "" {
		t.Errorf("usage %q without a report", spent)
	}
	if data, err := c.Load(t.Context(), Picture{URL: "http://" + c.Host() + "/files/1.png"}); err != nil || string(data) != "fetched" {
		t.Errorf("Load of an address = %q, %v", data, err)
	}
}
