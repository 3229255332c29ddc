package httpapi

import (
	"encoding/json"
	"testing"
)

func TestDocument(t *testing.T) {
	s := serve(t, &calls{}, Options{})
	r := s.send("GET", "/openapi.json", "")
	var doc struct {
		OpenAPI string         `json:"openapi"`
		Paths   map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(r.body), &doc); err != nil || r.status != 200 || doc.OpenAPI != "3.1.0" ||
		doc.Paths["/v1/execute"] == nil {
		t.Fatalf("the document is %d %.200s (%v)", r.status, r.body, err)
	}
	tag := r.header.Get("ETag")
	if r.header.Get("Content-Type") != "application/json" || r.header.Get("Cache-Control") != "no-cache" || tag == "" {
		t.Errorf("the document has the headers %v", r.header)
	}
	packed := s.send("GET", "/openapi.json", "", "Accept-Encoding: gzip")
	if packed.header.Get("ETag") != tag || gunzipped(t, packed.body) != r.body {
		t.Errorf("compressed it is another one: %v", packed.header)
	}
	for _, known := range []string{tag, tag[2:], `"x", ` + tag} {
		if again := s.send("GET", "/openapi.json", "", "If-None-Match: "+known); again.status != 304 || again.body != "" ||
			again.header.Get("ETag") != tag {
			t.Errorf("asked for again as %s: %d %.100s", known, again.status, again.body)
		}
	}
	if other := s.send("GET", "/openapi.json", "", `If-None-Match: "other"`); other.status != 200 || other.body != r.body {
		t.Errorf("asked for as another one: %d", other.status)
	}
}
