package people

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestPicture: a tool that costs money reports a missing account before a person is asked, asks,
// and then pays once, however often the call is sent. A look at the picture asks nobody.
func TestPicture(t *testing.T) {
	t.Parallel()
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 8, 6))); err != nil {
		t.Fatal(err)
	}
	var paid atomic.Int32
	painter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/images/generations" {
			http.NotFound(w, r)
			return
		}
		paid.Add(1)
		_, _ = fmt.Fprintf(w, `{"data": [{"b64_json": %q}], "usage": {"input_tokens": 5, "output_tokens": 7}}`,
			base64.StdEncoding.EncodeToString(drawn.Bytes()))
	}))
	defer painter.Close()
	s := system.Launch(t, system.Plan{Workers: 2, Groups: []string{"image"}})
	d := s.HTTP(0)
	paint := func(id string) string {
		return `{"call_id": "` + id + `", "tool": "generate_image", "arguments": {"prompt": "a boat", "outputPath": "boat.png"}}`
	}
	system.WantError(t, system.Execute(t, d, "default", system.AsUser(30000, paint("p0"))).Results[0], "not_configured",
		"helve config set openai --stdin api_key")
	if waiting := system.Consents(t, d, "default", "pending"); len(waiting) != 0 {
		t.Errorf("the person was asked: %+v", waiting)
	}
	if r := d.Ask(t, "default", "services.set", map[string]string{"service": "openai", "label": "default"},
		`{"fields": {"api_key": "k", "base_url": "`+painter.URL+`/v1"}}`); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	var e system.Element
	n := 0
	system.Eventually(t, "the workers have the account", func() bool {
		n++
		e = system.Execute(t, d, "default", system.AsUser(30000, paint(fmt.Sprint("p", n)))).Results[0]
		return e.State == "awaiting_consent"
	})
	if paid.Load() != 0 {
		t.Fatal("it was paid before the person agreed")
	}
	system.Grant(t, d, "default", e.ConsentID)
	e = system.Settled(t, d, "default", fmt.Sprint("p", n))
	if e.Status != "success" || !strings.Contains(string(e.Result), `"files":[{"path":"boat.png","width":8,"height":6,`) {
		t.Fatalf("the call ended as %v %s", e, e.Result)
	}
	if got := fmt.Sprint(e.Metadata["usage"]); got != "map[input_tokens:5 model:gpt-image-1 output_tokens:7]" {
		t.Errorf("usage %s", got)
	}
	for direction, want := range map[string]float64{"input": 5, "output": 7} {
		if got := s.Metric(t, `helve_service_tokens_total{direction="`+direction+`",service="openai"}`); got != want {
			t.Errorf("%v tokens of %s, want %v", got, direction, want)
		}
	}
	if files := fmt.Sprint(e.Metadata["files"]); !strings.HasPrefix(files, "[map[path:boat.png size:") ||
		!strings.HasSuffix(files, " type:image/png]]") {
		t.Errorf("files %s", files)
	}
	again := system.Execute(t, d, "default", system.AsUser(30000, paint(fmt.Sprint("p", n)))).Results[0]
	if string(again.Result) != string(e.Result) || paid.Load() != 1 {
		t.Errorf("the same call again = %v %s, paid %d times", again, again.Result, paid.Load())
	}
	seen := system.Execute(t, d, "default",
		system.AsUser(30000, `{"tool": "analyze_image", "arguments": {"image": "boat.png", "task": "colors"}}`)).Results[0]
	if seen.Status != "success" || !strings.Contains(string(seen.Result), `"hex":"#000000","percent":100`) {
		t.Errorf("analyze_image = %v %s", seen, seen.Result)
	}
}
