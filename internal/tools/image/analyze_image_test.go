package image

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestAnalyzeImage: the picture itself is sent, in a format that models take, with the
// question of the task; the provider gets no address and no name.
func TestAnalyzeImage(t *testing.T) {
	pictures, guard := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, encoded(t, halves(40, 20), formatJPEG))
	})
	answer, finish := "A red and a blue half.", "stop"
	var asked, detail, format string
	call, _ := provider(t, map[string]string{"vision_model": "seer"}, func(w http.ResponseWriter, r *http.Request) {
		sent := body(t, r)
		parts := sent["messages"].([]any)[0].(map[string]any)["content"].([]any)
		image := parts[1].(map[string]any)["image_url"].(map[string]any)
		asked, detail = parts[0].(map[string]any)["text"].(string), image["detail"].(string)
		kind, data, _ := strings.Cut(image["url"].(string), ";base64,")
		raw, err := base64.StdEncoding.DecodeString(data)
		format = kindOf(raw)
		if err != nil || kind != "data:image/"+format || sent["model"] != "seer" || r.URL.Path != "/v1/chat/completions" ||
			r.Header.Get("Authorization") != "Bearer k1" {
			t.Errorf("%s: model %v, picture %s, %v", r.URL, sent["model"], kind, err)
		}
		reply(t, w, map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"content": answer}, "finish_reason": finish}},
			"usage":   map[string]any{"prompt_tokens": 90, "completion_tokens": 7},
		})
	})
	for name, kind := range map[string]string{
		"a.png": formatPNG, "a.jpg": formatJPEG, "a.webp": formatWebP, "a.gif": formatGIF, "a.bmp": formatBMP,
	} {
		put(t, call.Files, name, encoded(t, halves(40, 20), kind))
	}
	put(t, call.Files, "moves.gif", animated(t))
	saw := func(question, how, kind string, more ...string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			if !strings.Contains(asked, question) || detail != how || format != kind {
				t.Errorf("asked %q with detail %s and a %s, want %q, %s and a %s", asked, detail, format, question, how, kind)
			}
			for _, want := range append(more, `"model":"seer"`) {
				if !strings.Contains(string(res.Value), want) {
					t.Errorf("result %s, want it to hold %s", res.Value, want)
				}
			}
		}
	}
	tooltest.Run(t, Set, "analyze_image", call, []tooltest.Case{
		{Name: "describe", Args: `{"image":"a.png"}`, Check: func(t *testing.T, res tool.Result) {
			saw("Describe this picture", "auto", formatPNG, `"source":"a.png"`, `"format":"png"`, `"width":40,"height":20`, `"task":"describe"`,
				`"detailLevel":"medium"`, `"text":"A red and a blue half."`)(t, res)
			want := map[string]any{"input_tokens": 90, "output_tokens": 7, "model": "seer"}
			if diff := cmp.Diff(want, res.Metadata["usage"]); diff != "" || res.Text != answer {
				t.Errorf("text %q, usage (-want +got):\n%s", res.Text, diff)
			}
		}},
		{Name: "alias", Args: `{"source":"a.jpg","detailLevel":"high"}`, Check: saw("small details", "high", formatJPEG, `"format":"jpeg"`)},
		{Name: "ocr", Args: `{"image":"a.webp","task":"ocr","detailLevel":"low"}`, Check: saw("all text", "low", formatWebP)},
		{Name: "faces", Args: `{"image":"a.gif","task":"faces"}`, Check: saw("Do not say who", "auto", formatGIF)},
		{
			Name:  "custom",
			Args:  `{"image":"a.png","task":"custom","question":"Is it round?"}`,
			Check: saw("Is it round?", "auto", formatPNG, `"prompt":"Is it round?"`),
		},
		{Name: "bmp", Args: `{"image":"a.bmp"}`, Check: saw("", "auto", formatPNG, `"format":"bmp"`)},
		{Name: "animation", Args: `{"image":"moves.gif"}`, Check: saw("", "auto", formatPNG, `"format":"gif"`)},
		{
			Name:  "data url",
			Args:  `{"image":"data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(encoded(t, halves(9, 9), formatPNG))) + `"}`,
			Check: saw("", "auto", formatPNG, `"source":"data:image/png"`),
		},
	})
	finish, answer = "length", "```json\n[\"cup\", {\"name\": \"table\"}, \" \"]\n```"
	tooltest.Run(t, Set, "analyze_image", call, []tooltest.Case{
		{Name: "objects", Args: `{"image":"a.png","task":"objects","maxTokens":5}`, Check: func(t *testing.T, res tool.Result) {
			saw("JSON array", "auto", formatPNG, `"objects":["cup","table"]`, `"text":"Objects: cup, table."`)(t, res)
			if !slices.ContainsFunc(res.Notes, func(n string) bool { return strings.Contains(n, "larger maxTokens") }) {
				t.Errorf("notes %q do not say that the answer was cut", res.Notes)
			}
		}},
	})
	answer = "I see a cup."
	call.HTTP = both{call.HTTP, guard, pictures}
	tooltest.Run(t, Set, "analyze_image", call, []tooltest.Case{
		{Name: "objects in prose", Args: `{"image":"a.png","task":"objects"}`, Check: saw("", "auto", formatPNG, `"text":"I see a cup."`)},
		{Name: "url", Args: `{"image":"` + pictures + `/a.jpg"}`, Check: saw("", "auto", formatJPEG, `"source":"`+pictures+`/a.jpg"`)},
	})
}

// both is a port that reaches one more host by another guard.
type both struct {
	tool.HTTP

	other tool.HTTP
	host  string
}

func (b both) Do(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), b.host) {
		return b.other.Do(r)
	}
	return b.HTTP.Do(r)
}

// TestAnalyzeImageColors: colours are measured without any service.
func TestAnalyzeImageColors(t *testing.T) {
	call := tool.Call{
		Files:   disk(t, map[string]string{"a.png": encoded(t, halves(400, 200), formatPNG), "a.gif": animated(t)}),
		HTTP:    tooltest.Doer(nil),
		Secrets: accounts{},
	}
	tooltest.Run(t, Set, "analyze_image", call, []tooltest.Case{
		{Name: "halves", Args: `{"image":"a.png","task":"colors"}`,
			Want:     `{"source":"a.png","format":"png","width":400,"height":200,"task":"colors","detailLevel":"medium","text":"Main colours: #0000ff (50 %), #ff0000 (43.8 %), #00ff00 (6.3 %).","colors":[{"hex":"#0000ff","percent":50},{"hex":"#ff0000","percent":43.8},{"hex":"#00ff00","percent":6.3}]}`,
			WantText: "Main colours: #0000ff (50 %), #ff0000 (43.8 %), #00ff00 (6.3 %)."},
		{Name: "transparent parts do not count", Args: `{"image":"a.gif","task":"colors"}`, Check: func(t *testing.T, res tool.Result) {
			if c := result[analyzeImageResult](t, res).Colors; len(c) != 1 || c[0].Hex != "#ff0000" || c[0].Percent != 100 {
				t.Errorf("colours %v, want red alone", c)
			}
		}},
		{
			Name:    "a model is needed for more",
			Args:    `{"image":"a.png"}`,
			Fails:   tool.NotConfigured,
			Message: "helve config set openai --stdin api_key",
		},
	})
}

// TestAnalyzeImageRefuses: nothing is sent for a picture that cannot be used.
func TestAnalyzeImageRefuses(t *testing.T) {
	call, _ := provider(t, nil, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s arrived", r.URL) })
	png := encoded(t, halves(320, 200), formatPNG)
	for name, text := range map[string]string{
		"text.png": "hello", "scan.tiff": "II*\x00....", "bomb.png": declares(20_000, 20_000), "cut.png": png[:20],
		"large.png": png + strings.Repeat("x", maxSent), "a.png": png,
	} {
		put(t, call.Files, name, text)
	}
	pictures, guard := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page.png":
			w.Header().Set("Content-Type", "image/png")
			_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in</title>")
		case "/away.png":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/endless.png":
			endless(w)
		default:
			http.NotFound(w, r)
		}
	})
	call.HTTP = guard
	var cases []tooltest.Case
	for ref, want := range map[string]struct {
		kind tool.Kind
		says string
	}{
		"text.png":                  {tool.ValidationError, "supportedFormats: jpg, jpeg, png, gif, webp, bmp"},
		"scan.tiff":                 {tool.ValidationError, "Unsupported image format: TIFF"},
		"bomb.png":                  {tool.FileTooLarge, "20000×20000"},
		"cut.png":                   {tool.ExecutionError, "damaged"},
		"large.png":                 {tool.FileTooLarge, "larger than 10 MiB"},
		"none.png":                  {tool.FileNotFound, "none.png"},
		"../x.png":                  {tool.PathNotAllowed, ""},
		pictures + "/page.png":      {tool.ValidationError, "Unsupported image format"},
		pictures + "/away.png":      {tool.PermissionDenied, "redirected to a blocked internal address"},
		pictures + "/endless.png":   {tool.FileTooLarge, "larger than 10 MiB"},
		pictures + "/none.png":      {tool.NetworkError, "404"},
		"http://169.254.169.254/x":  {tool.PermissionDenied, "blocked internal address"},
		"http://localhost/x.png":    {tool.PermissionDenied, "blocked internal address"},
		"data:text/plain,hello":     {tool.ValidationError, "Unsupported image format"},
		"data:image/png;base64,%%%": {tool.ValidationError, "cannot be decoded"},
	} {
		cases = append(cases, tooltest.Case{Name: ref, Args: fmt.Sprintf(`{"image":%q}`, ref), Fails: want.kind, Message: want.says})
	}
	tooltest.Run(t, Set, "analyze_image", call, append(cases, []tooltest.Case{
		{
			Name:    "custom without a question",
			Args:    `{"image":"a.png","task":"custom","question":" "}`,
			Fails:   tool.ValidationError,
			Message: "needs a question",
		},
		{Name: "task", Args: `{"image":"a.png","task":"guess"}`, Fails: tool.ValidationError, Message: "ocr"},
		{Name: "no image", Args: `{}`, Fails: tool.ValidationError, Message: "image"},
		{Name: "a bomb of colours", Args: `{"image":"bomb.png","task":"colors"}`, Fails: tool.FileTooLarge, Message: "20000×20000"},
	}...))
}

// TestAnalyzeImageProviderFails: each failure of a provider has its kind, after one request.
func TestAnalyzeImageProviderFails(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		kind   tool.Kind
		says   string
	}{
		{401, `{"error":{"message":"bad k1"}}`, tool.NotConfigured, "helve config set openai --stdin api_key"},
		{429, `{}`, tool.RateLimited, "in 9 seconds"},
		{500, ``, tool.NetworkError, "status 500"},
		{400, `{"error":{"message":"Invalid image for k1."}}`, tool.ExecutionError, "Invalid image for …"},
		{200, `<html>`, tool.ExecutionError, "makes no sense"},
		{200, `{"choices":[]}`, tool.ExecutionError, "makes no sense"},
	} {
		tries := 0
		call, _ := provider(t, nil, func(w http.ResponseWriter, _ *http.Request) {
			tries++
			w.Header().Set("Retry-After", "9")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		})
		put(t, call.Files, "a.png", encoded(t, halves(9, 9), formatPNG))
		tooltest.Run(t, Set, "analyze_image", call, []tooltest.Case{
			{Name: fmt.Sprint(tt.status, tt.body), Args: `{"image":"a.png"}`, Fails: tt.kind, Message: tt.says},
		})
		if tries != 1 {
			t.Errorf("status %d: %d requests, want 1", tt.status, tries)
		}
	}
}

// TestAnalyzeImageOwnEntry: an entry of a person reaches no internal address.
func TestAnalyzeImageOwnEntry(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an internal host was reached") }))
	defer inside.Close()
	call, _ := provider(t, nil, nil)
	call.Secrets = own{accounts{"openai": {"base_url": inside.URL}}}
	put(t, call.Files, "a.png", encoded(t, halves(9, 9), formatPNG))
	tooltest.Run(t, Set, "analyze_image", call, []tooltest.Case{
		{Name: "own", Args: `{"image":"a.png"}`, Fails: tool.PermissionDenied, Message: "blocked internal address"},
	})
}
