package client

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

var (
	largeValue = `"` + strings.Repeat("large ", 1<<17) + `"`
	largeHash  = fmt.Sprintf("%x", sha256.Sum256([]byte(largeValue)))
)

// refs are results whose value is stored apart, by call_id.
var refs = map[string]string{
	"good":  fmt.Sprintf(`{"object":"o","size":%d,"sha256":%q}`, len(largeValue), largeHash),
	"short": fmt.Sprintf(`{"object":"o","size":%d,"sha256":%q}`, len(largeValue)+1, largeHash),
	"long":  fmt.Sprintf(`{"object":"o","size":%d,"sha256":%q}`, len(largeValue)-1, largeHash),
	"other": fmt.Sprintf(`{"object":"o","size":%d,"sha256":%q}`, len(largeValue), strings.Repeat("0", 64)),
	"gone":  `{"object":"gone","size":5,"sha256":""}`,
	"huge":  `{"object":"o","size":99999999999,"sha256":""}`,
	"less":  `{"object":"o","size":-1,"sha256":""}`,
}

func withRef(a asked) reply {
	if a.op == "calls.get" {
		id := a.body["call_id"].(string)
		return reply{body: fmt.Sprintf(`{"call_id":%q,"tool":"x","status":"success","result_ref":%s}`, id, refs[id])}
	}
	return echo(a, func(id string) string { return `"status":"success","result_ref":` + refs[id] })
}

// farHTTPWithResults also serves the stored result.
func farHTTPWithResults(t *testing.T) *far {
	t.Helper()
	f := &far{answer: withRef}
	mux := f.mux()
	mux.HandleFunc("GET /v1/calls/{call_id}/result", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("call_id") == "gone" {
			http.Error(w, `{}`, http.StatusNotFound)
			return
		}
		w.Write([]byte(largeValue))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	f.url = srv.URL
	return f
}

func farNATSWithResults(t *testing.T) *far {
	t.Helper()
	f := farNATS(t, withRef)
	js, err := jetstream.New(f.nc)
	if err != nil {
		t.Fatal(err)
	}
	store, err := js.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: "HELVE_RESULTS"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutBytes(t.Context(), "o", []byte(largeValue)); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFetch(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *far{"http": farHTTPWithResults, "nats": farNATSWithResults} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, start(t))
			var out string
			if _, err := c.Call(t.Context(), "x", nil, CallID("good"), Into(&out)); err != nil || `"`+out+`"` != largeValue {
				t.Errorf("Call into a string: %d bytes, %v, want %d", len(out), err, len(largeValue)-2)
			}
			r, err := c.Get(t.Context(), "good")
			if err != nil || string(r.Value) != largeValue || r.Ref == nil {
				t.Errorf("Get: %d bytes, %v, want %d", len(r.Value), err, len(largeValue))
			}
			resp, err := c.Execute(t.Context(), Request{Calls: []Call{{ID: "gone", Tool: "x"}, {ID: "good", Tool: "x"}}})
			if err == nil || len(resp.Results) != 2 || string(resp.Results[1].Value) != largeValue || resp.Results[0].Value != nil {
				t.Errorf("Execute with one result gone: %d results, %v, want both and an error", len(resp.Results), err)
			}
			for id, want := range map[string]string{
				"short": "bytes are not the",
				"long":  "longer than announced",
				"other": "their hash is another",
				"gone":  "not_found",
				"huge":  "more than the 1073741824 a client reads",
				"less":  "a client reads",
			} {
				r, err := c.Get(t.Context(), id)
				if err == nil || !strings.Contains(err.Error(), want) || r.Value != nil {
					t.Errorf("Get(%s): error %v, want %s and no value", id, err, want)
				}
			}
		})
	}
}
