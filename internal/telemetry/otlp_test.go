package telemetry

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// spansOf returns one span of a name.
func spansOf(name string) []*traces.ResourceSpans {
	return []*traces.ResourceSpans{{ScopeSpans: []*traces.ScopeSpans{{Spans: []*traces.Span{{Name: name}}}}}}
}

func TestOTLPClientObeysTheEnvironment(t *testing.T) {
	clearOTEL(t)
	got := make(chan *http.Request, 1)
	var name string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(unpacked)
		var req collector.ExportTraceServiceRequest
		if err != nil || proto.Unmarshal(body, &req) != nil {
			t.Errorf("the body cannot be read: %v", err)
		}
		name = req.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0].GetName()
		got <- r
	}))
	defer srv.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL+"/base/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b, x-other=2")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization=Bearer%20s")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "30000")
	settings, err := otlpFrom("", traceSignal)
	if err != nil {
		t.Fatal(err)
	}
	if err := newOTLPClient(settings).UploadTraces(t.Context(), spansOf("one")); err != nil {
		t.Fatal(err)
	}
	r := <-got
	if name != "one" || r.URL.Path != "/base/v1/traces" || r.Header.Get("Authorization") != "Bearer s" || r.Header.Get("X-Key") != "" {
		t.Errorf("sent %q to %s with %v, want the settings for traces before those for all", name, r.URL.Path, r.Header)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "")
	if settings, err = otlpFrom("", traceSignal); err != nil || settings.headers["x-key"] != "a b" || settings.headers["x-other"] != "2" {
		t.Errorf("headers = %v, %v", settings.headers, err)
	}
}

func TestOTLPSettingsRefused(t *testing.T) {
	clearOTEL(t)
	noCertificate := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(noCertificate, []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, value, endpoint, want string }{
		{"X", "", "collector:4318", "not an http or https URL"},
		{"X", "", "ftp://collector", "not an http or https URL"},
		{"TIMEOUT", "soon", "http://c", "milliseconds"},
		{"COMPRESSION", "zip", "http://c", "neither gzip nor none"},
		{"HEADERS", "a=%zz", "http://c", "percent-encoded"},
		{"CERTIFICATE", "/nonexistent", "http://c", "/nonexistent"},
		{"CERTIFICATE", noCertificate, "http://c", "holds no certificate"},
		{"CLIENT_CERTIFICATE", "/nonexistent", "http://c", "/nonexistent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_"+tt.name, tt.value)
			if _, err := otlpFrom(tt.endpoint, traceSignal); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("otlpFrom(%q) with %s=%s = %v, want words about %s", tt.endpoint, tt.name, tt.value, err, tt.want)
			}
		})
	}
}

// reply is one response of a collector.
type reply struct {
	status  int
	headers http.Header
	body    string
}

// answers is a collector that answers in turn.
type answers []reply

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	next := (*a)[0]
	*a = (*a)[1:]
	if next.headers == nil {
		next.headers = http.Header{}
	}
	return &http.Response{
		StatusCode: next.status, Status: http.StatusText(next.status), Header: next.headers, Body: io.NopCloser(strings.NewReader(next.body)),
	}, nil
}

func TestOTLPClientTriesAgain(t *testing.T) {
	partial, err := proto.Marshal(&collector.ExportTraceServiceResponse{
		PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"},
	})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{}})
	if err != nil {
		t.Fatal(err)
	}
	protobuf := http.Header{"Content-Type": {"application/x-protobuf"}}
	for _, tt := range []struct {
		name    string
		answers answers
		took    time.Duration
		want    string
	}{
		{"stored", answers{{200, protobuf, string(whole)}}, 0, ""},
		{"busy, then stored", answers{{503, nil, ""}, {429, http.Header{"Retry-After": {"20"}}, ""}, {200, nil, ""}}, 25 * time.Second, ""},
		{"busy for ever", answers{{503, nil, "a"}, {503, nil, "a"}, {503, nil, "a"}, {503, nil, "full"}}, time.Minute, "full"},
		{"refused", answers{{400, nil, "no such tenant"}}, 0, "no such tenant"},
		{"partly stored", answers{{200, protobuf, string(partial)}}, 0, "rejected 3 spans: too old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newOTLPClient(otlpSettings{signal: traceSignal, url: "http://collector/v1/traces", timeout: 10 * time.Second})
				c.http.Transport = &tt.answers
				began := time.Now()
				err := c.UploadTraces(t.Context(), spansOf("one"))
				if took := time.Since(began); took != tt.took || (err == nil) != (tt.want == "") ||
					err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("UploadTraces = %v after %s, want %q after %s", err, took, tt.want, tt.took)
				}
			})
		})
	}
}

// TestOTLPClientStops: the end of a process does not wait for a collector that is away.
func TestOTLPClientStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newOTLPClient(otlpSettings{url: "http://collector/v1/traces", timeout: 10 * time.Second})
		c.http.Transport = &answers{{503, nil, ""}, {503, nil, ""}, {503, nil, ""}}
		done := make(chan error, 1)
		began := time.Now()
		go func() { done <- c.UploadTraces(context.WithoutCancel(t.Context()), spansOf("one")) }()
		synctest.Wait()
		if err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err == nil || time.Since(began) != 0 {
			t.Errorf("UploadTraces = %v after %s, want its failure when the client stopped", err, time.Since(began))
		}
	})
}
