package image

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// inBase64 returns the answer of OpenAI's API with pictures.
func inBase64(pictures ...string) map[string]any {
	var data []any
	for _, p := range pictures {
		data = append(data, map[string]any{"b64_json": base64.StdEncoding.EncodeToString([]byte(p)), "revised_prompt": "revised"})
	}
	return map[string]any{"created": 1713833628, "data": data, "usage": map[string]any{"input_tokens": 50, "output_tokens": 60}}
}

func wrote(t *testing.T, files tool.Files, name, format string, w, h int) {
	t.Helper()
	if pic, kind := picture(t, files, name); kind != format || pic.Bounds().Dx() != w || pic.Bounds().Dy() != h {
		t.Errorf("%s is a %s of %v, want a %s of %d×%d", name, kind, pic.Bounds(), format, w, h)
	}
}

func paths(files []madeFile) string {
	var all []string
	for _, f := range files {
		all = append(all, fmt.Sprintf("%s %d×%d", f.Path, f.Width, f.Height))
	}
	return strings.Join(all, ", ")
}

func TestGenerateImage(t *testing.T) {
	var sent map[string]any
	call, _ := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
		sent = body(t, r)
		pictures := slices.Repeat([]string{encoded(t, halves(32, 20), formatPNG)}, int(sent["n"].(float64)))
		reply(t, w, inBase64(pictures...))
	})
	put(t, call.Files, "set_2.png", "of the person")
	files := func(want string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			if got := paths(result[generateImageResult](t, res).Files); got != want {
				t.Errorf("files %q, want %q", got, want)
			}
		}
	}
	tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
		{Name: "to a path", Args: `{"prompt":"a cat","outputPath":"new/cat.png"}`, Check: func(t *testing.T, res tool.Result) {
			wrote(t, call.Files, "new/cat.png", formatPNG, 32, 20)
			prompt := styled("a cat", "realistic")
			want := generateImageResult{
				Prompt:         prompt,
				OriginalPrompt: "a cat",
				RevisedPrompt:  "revised",
				Style:          "realistic",
				Size:           "1024x1024",
				Quality:        "standard",
				Count:          1,
				Model:          "gpt-image-1",
			}
			got := result[generateImageResult](t, res)
			info, err := call.Files.Stat("new/cat.png")
			if err != nil {
				t.Fatal(err)
			}
			want.Files = []madeFile{{"new/cat.png", 32, 20, info.Size()}}
			if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(prompt, "a cat, true to life") {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]any{"model": "gpt-image-1", "prompt": prompt, "n": 1.0, "size": "1024x1024", "quality": "medium"},
				sent); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]any{"input_tokens": 50, "output_tokens": 60, "model": "gpt-image-1"},
				res.Metadata["usage"]); diff != "" || !strings.HasPrefix(res.Text, "Wrote new/cat.png (32×20, ") {
				t.Errorf("text %q, usage (-want +got):\n%s", res.Text, diff)
			}
		}},
		{
			Name:  "chosen name",
			Args:  `{"prompt":"Ein Kätzchen, auf dem Dach & so weiter bis zum Ende","style":"sketch"}`,
			Check: files("ein-kätzchen-auf-dem-dach-so-weiter-bis.png 32×20"),
		},
		{
			Name:  "again",
			Args:  `{"prompt":"Ein Kätzchen, auf dem Dach & so weiter bis zum Ende"}`,
			Check: files("ein-kätzchen-auf-dem-dach-so-weiter-bis_2.png 32×20"),
		},
		{Name: "no words", Args: `{"prompt":"?!"}`, Check: files("image.png 32×20")},
		{Name: "one long word", Args: `{"prompt":"` + strings.Repeat("猫", 30) + `"}`, Check: files(strings.Repeat("猫", 13) + ".png 32×20")},
		{Name: "several, none over another file", Args: `{"prompt":"x","n":3,"outputPath":"set.png"}`,
			Check: func(t *testing.T, res tool.Result) {
				files("set.png 32×20, set_3.png 32×20, set_4.png 32×20")(t, res)
			}},
		{
			Name:  "too many are four",
			Args:  `{"prompt":"x","n":99,"outputPath":"four.png"}`,
			Check: files("four.png 32×20, four_2.png 32×20, four_3.png 32×20, four_4.png 32×20"),
		},
		{Name: "fewer than one is one", Args: `{"prompt":"x","n":-3,"outputPath":"over.png"}`, Check: files("over.png 32×20")},
		{Name: "replaces the named file", Args: `{"prompt":"x","outputPath":"over.png"}`, Check: files("over.png 32×20")},
		{
			Name:  "in another format",
			Args:  `{"prompt":"x","outputPath":"a.jpeg"}`,
			Check: func(t *testing.T, _ tool.Result) { wrote(t, call.Files, "a.jpeg", formatJPEG, 32, 20) },
		},
		{Name: "without extension", Args: `{"prompt":"x","path":"plain"}`, Check: files("plain 32×20")},
		{Name: "another size", Args: `{"prompt":"x","size":"1024x1792","quality":"hd","outputPath":"tall.png"}`,
			Check: func(t *testing.T, res tool.Result) {
				if sent["size"] != "1024x1536" || sent["quality"] != "high" ||
					!slices.ContainsFunc(res.Notes, func(n string) bool { return strings.Contains(n, "asked for 1024x1536") }) {
					t.Errorf("sent %v, notes %q", sent, res.Notes)
				}
			}},
		{Name: "too long for a style", Args: `{"prompt":"` + strings.Repeat("é", 4000) + `","outputPath":"long.png"}`,
			Check: func(t *testing.T, _ tool.Result) {
				if sent["prompt"] != strings.Repeat("é", 4000) {
					t.Errorf("sent %d bytes", len(sent["prompt"].(string)))
				}
			}},
	})
	if f, err := call.Files.Open("set_2.png"); err != nil {
		t.Error(err)
	} else if text, err := io.ReadAll(f); string(text) != "of the person" || err != nil {
		t.Errorf("set_2.png holds %q, %v", text, err)
	}
}

// TestGenerateImageOneAtATime: a model that makes one picture with each request is asked
// several times, and a later failure loses none that is paid for.
func TestGenerateImageOneAtATime(t *testing.T) {
	var requests atomic.Int32
	call, _ := provider(t, map[string]string{"image_model": "dall-e-3"}, counted(&requests, func(w http.ResponseWriter, r *http.Request) {
		if requests.Load() == 3 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if sent := body(t, r); sent["n"] != 1.0 {
			t.Errorf("sent %v", sent)
		}
		reply(t, w, inBase64(encoded(t, halves(8, 8), formatPNG)))
	}))
	tooltest.Run(t, Set, "generate_image", call,
		[]tooltest.Case{{Name: "three", Args: `{"prompt":"x","n":3,"outputPath":"a.png"}`, Check: func(t *testing.T, res tool.Result) {
			if got := result[generateImageResult](t, res); paths(got.Files) != "a.png 8×8, a_2.png 8×8" || got.Count != 2 || requests.Load() != 3 {
				t.Errorf("%+v after %d requests", got, requests.Load())
			}
			if !slices.ContainsFunc(res.Notes, func(n string) bool { return strings.Contains(n, "2 of 3 pictures were stored") }) {
				t.Errorf("notes %q", res.Notes)
			}
		}}})
}

// TestGenerateImageFetches: a picture that the endpoint stored is fetched from there.
func TestGenerateImageFetches(t *testing.T) {
	var address string
	call, url := provider(t, map[string]string{"image_model": "house"}, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, encoded(t, halves(12, 8), formatWebP))
			return
		}
		reply(t, w, map[string]any{"data": []any{map[string]any{"url": address}}})
	})
	address = url + "/files/1"
	tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
		{Name: "url", Args: `{"prompt":"x"}`, Check: func(t *testing.T, _ tool.Result) { wrote(t, call.Files, "x.webp", formatWebP, 12, 8) }},
	})
}

// TestGenerateImageHostile: what a provider returns is checked before it is stored, and an
// answer leads to no internal host. Nothing is requested a second time.
func TestGenerateImageHostile(t *testing.T) {
	var requests atomic.Int32
	var answer any
	call, url := provider(t, map[string]string{"image_model": "house"}, counted(&requests, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			endless(w)
		case "/page":
			_, _ = io.WriteString(w, "<html>Sign in</html>")
		case "/away":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case "/none":
			http.NotFound(w, r)
		case "/v1/images/generations":
			if text, is := answer.(string); is {
				_, _ = io.WriteString(w, text)
				return
			}
			reply(t, w, answer)
		}
	}))
	put(t, call.Files, "kept.png", "old")
	at := func(address string) map[string]any {
		return map[string]any{"data": []any{map[string]any{"url": address}}}
	}
	for name, tt := range map[string]struct {
		answer any
		kind   tool.Kind
		says   string
	}{
		"page":         {"<html>", tool.ExecutionError, "makes no sense"},
		"no data":      {`{"data":[]}`, tool.ExecutionError, "no picture"},
		"garbage":      {`{"data":[{"b64_json":"%%%"}]}`, tool.ExecutionError, "not base64"},
		"text":         {inBase64("hello"), tool.ExecutionError, "not a picture"},
		"a bomb":       {inBase64(declares(20_000, 20_000)), tool.ExecutionError, "20000×20000"},
		"TIFF":         {inBase64("II*\x00...."), tool.ExecutionError, "not a picture"},
		"half":         {inBase64(encoded(t, halves(9, 9), formatPNG)[:20]), tool.ExecutionError, "may have been charged"},
		"page at url":  {at(url + "/page"), tool.ExecutionError, "not a picture"},
		"no such url":  {at(url + "/none"), tool.NetworkError, "status 404"},
		"endless url":  {at(url + "/endless"), tool.ExecutionError, "longer than"},
		"internal url": {at("http://169.254.169.254/x.png"), tool.PermissionDenied, "blocked internal address"},
		"another port": {at("http://127.0.0.1:1/x.png"), tool.PermissionDenied, "blocked internal address"},
		"redirect":     {at(url + "/away"), tool.PermissionDenied, "redirected"},
		"local file":   {at("file:///etc/passwd"), tool.ExecutionError, "not an http"},
	} {
		answer = tt.answer
		requests.Store(0)
		tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
			{Name: name, Args: `{"prompt":"x","outputPath":"kept.png"}`, Fails: tt.kind, Message: tt.says},
		})
		if n := requests.Load(); n != 1 {
			t.Errorf("%s: %d requests, want 1", name, n)
		}
	}
	answer = inBase64("hello", encoded(t, halves(9, 9), formatPNG))
	tooltest.Run(t, Set, "generate_image", call,
		[]tooltest.Case{{Name: "one good", Args: `{"prompt":"x","n":2,"outputPath":"good.png"}`, Check: func(t *testing.T, res tool.Result) {
			if got := result[generateImageResult](t, res); paths(got.Files) != "good.png 9×9" ||
				!strings.Contains(strings.Join(res.Notes, " "), "1 of 2") {
				t.Errorf("%+v, notes %q", got, res.Notes)
			}
		}}})
}

// TestGenerateImageBeforePaying: a call that cannot succeed costs nothing, and a full disk
// is reported with the cost.
func TestGenerateImageBeforePaying(t *testing.T) {
	var requests atomic.Int32
	call, _ := provider(t, nil, counted(&requests, func(w http.ResponseWriter, _ *http.Request) {
		reply(t, w, inBase64(encoded(t, halves(9, 9), formatPNG)))
	}))
	put(t, call.Files, "file", "x")
	if err := call.Files.MkdirAll("dir.png"); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
		{Name: "no prompt", Args: `{}`, Fails: tool.ValidationError, Message: "prompt"},
		{Name: "blank", Args: `{"prompt":" \n "}`, Fails: tool.ValidationError, Message: "empty"},
		{Name: "too long", Args: `{"prompt":"` + strings.Repeat("x", 4001) + `"}`, Fails: tool.ValidationError, Message: "4000"},
		{Name: "size", Args: `{"prompt":"x","size":"1x1"}`, Fails: tool.ValidationError, Message: "256x256"},
		{Name: "extension", Args: `{"prompt":"x","outputPath":"x.tiff"}`, Fails: tool.ValidationError, Message: ".tiff"},
		{Name: "outside", Args: `{"prompt":"x","outputPath":"../x.png"}`, Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: `{"prompt":"x","outputPath":"/tmp/x.png"}`, Fails: tool.PathNotAllowed},
		{Name: "directory", Args: `{"prompt":"x","outputPath":"dir.png"}`, Fails: tool.ValidationError, Message: "is a directory"},
		{Name: "slash", Args: `{"prompt":"x","outputPath":"none/"}`, Fails: tool.ValidationError, Message: "is a directory"},
		{Name: "below a file", Args: `{"prompt":"x","outputPath":"file/x.png"}`, Fails: tool.ValidationError},
	})
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests were paid for", n)
	}
	call.Files = full{call.Files}
	tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
		{
			Name:    "full",
			Args:    `{"prompt":"x","outputPath":"x.png"}`,
			Fails:   tool.ExecutionError,
			Message: "may have been charged, but it could not be stored: The disk is full",
		},
	})
	call.Secrets = accounts{}
	tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
		{
			Name:    "no service",
			Args:    `{"prompt":"x"}`,
			Fails:   tool.NotConfigured,
			Message: "helve config set openai --stdin api_key, or helve config set stability --stdin api_key",
		},
	})
}

// TestGenerateImageFallsOver: the second provider is used if the first certainly did
// nothing, and only then.
func TestGenerateImageFallsOver(t *testing.T) {
	for status, want := range map[int]tool.Kind{
		429: "", 500: "", 503: "", 401: "", 400: tool.ExecutionError, 502: tool.NetworkError, 504: tool.NetworkError,
	} {
		var first, second atomic.Int32
		call, url := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/images/generations" {
				first.Add(1)
				w.WriteHeader(status)
				return
			}
			second.Add(1)
			reply(t, w, map[string]any{
				"image": base64.StdEncoding.EncodeToString([]byte(encoded(t, halves(8, 8), formatPNG))), "finish_reason": "SUCCESS", "seed": 343940597,
			})
		})
		call.Secrets.(accounts)["stability"] = map[string]string{"api_key": "s1", "base_url": url}
		c := tooltest.Case{Name: fmt.Sprint(status), Args: `{"prompt":"x","outputPath":"x.png"}`, Fails: want}
		if want == "" {
			c.Check = func(t *testing.T, res tool.Result) {
				if got := result[generateImageResult](t, res); got.Model != "stable-image-core" ||
					!strings.Contains(strings.Join(res.Notes, " "), "stability made the picture, because openai failed") {
					t.Errorf("%+v, notes %q", got, res.Notes)
				}
			}
		}
		tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{c})
		if first.Load() != 1 || (second.Load() == 1) != (want == "") {
			t.Errorf("status %d: %d and %d requests", status, first.Load(), second.Load())
		}
	}
	call, url := provider(t, nil, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(map[bool]int{true: 500, false: 429}[strings.HasPrefix(r.URL.Path, "/v1/")])
	})
	call.Secrets.(accounts)["stability"] = map[string]string{"api_key": "s1", "base_url": url}
	tooltest.Run(t, Set, "generate_image", call, []tooltest.Case{
		{Name: "both", Args: `{"prompt":"x"}`, Fails: tool.RateLimited, Message: "before that, openai failed"},
	})
}
