package cli

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/identity/keyfile"
)

// blankTrail is a trail that nothing was recorded in yet.
type blankTrail struct{}

func (blankTrail) Follow(context.Context, uint64, func(audit.Message) error) error { return nil }

func (blankTrail) Read(context.Context, uint64, uint64, string, func(audit.Message) error) error {
	return nil
}

func (blankTrail) Extent(context.Context, string) (audit.Extent, error) { return audit.Extent{}, nil }

// unsealed is the seals of such a trail.
type unsealed struct{ audit.Seals }

func (unsealed) Get(context.Context, string, uint64) ([]byte, error) { return nil, nil }

func (unsealed) Last(context.Context, string) ([]byte, error) { return nil, nil }

func (unsealed) Read(context.Context, string, func(uint64, []byte) error) error { return nil }

func (unsealed) Noted(context.Context, string) ([]byte, error) { return nil, nil }

// notary serves an export with real signatures, and the key to it.
func notary(t *testing.T, key ed25519.PrivateKey) *httptest.Server {
	t.Helper()
	exporter := &audit.Exporter{Source: blankTrail{}, Seals: unsealed{}, Key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/audit/export", func(w http.ResponseWriter, r *http.Request) {
		lines, next, err := exporter.Page(r.Context(), "default", audit.Query{}, r.URL.Query().Get("cursor"), 1)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		page := struct {
			Lines []string `json:"lines"`
			Next  string   `json:"next,omitempty"`
		}{Next: next}
		for _, line := range lines {
			page.Lines = append(page.Lines, string(line))
		}
		json.NewEncoder(w).Encode(page)
	})
	mux.HandleFunc("GET /v1/audit/public-key", func(w http.ResponseWriter, _ *http.Request) {
		w.Write(keyfile.PublicPEM(key.Public().(ed25519.PublicKey)))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

// TestVerifyExport exports and checks with real signatures, with and without
// the server.
func TestVerifyExport(t *testing.T) {
	key, other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32))
	srv, liar := notary(t, key), notary(t, other)
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pem := file("key.pem", string(keyfile.PublicPEM(key.Public().(ed25519.PublicKey))))
	wrong := file("wrong.pem", string(keyfile.PublicPEM(other.Public().(ed25519.PublicKey))))
	exported := run(t.Context(), "audit", "export", "--server", srv.URL)
	if exported.code != 0 || exported.stdout == "" {
		t.Fatalf("export: %+v", exported)
	}
	whole := file("whole.jsonl", exported.stdout)
	lines := strings.SplitAfter(strings.TrimSuffix(exported.stdout, "\n"), "\n")
	cut := file("cut.jsonl", strings.Join(lines[:len(lines)-1], ""))
	changed := file("changed.jsonl", strings.Replace(exported.stdout, "default", "defaulT", 1))

	const down = "http://127.0.0.1:1"
	for _, tt := range []struct {
		name, server string
		args         []string
		code         int
	}{
		{"a file and a key need no server", down, []string{whole, "--public-key", pem}, exitOK},
		{"a file alone needs one", down, []string{whole}, exitUnreachable},
		{"a file and the server's key", srv.URL, []string{whole}, exitOK},
		{"the server's records and a key kept elsewhere", srv.URL, []string{"--public-key", pem}, exitOK},
		{"the wrong key", down, []string{whole, "--public-key", wrong}, exitError},
		{"a server that has another key", liar.URL, []string{"--public-key", pem}, exitError},
		{"a file that was cut", down, []string{cut, "--public-key", pem}, exitError},
		{"a file that was changed", down, []string{changed, "--public-key", pem}, exitError},
	} {
		got := run(t.Context(), append([]string{"audit", "verify", "--server", tt.server}, tt.args...)...)
		if got.code != tt.code || (got.stdout == "ok: 0 records, sealed up to 0\n") != (tt.code == exitOK) {
			t.Errorf("%s: %+v, want exit %d", tt.name, got, tt.code)
		}
	}

	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), []string{"audit", "verify", "-", "--public-key", pem, "--json"}, strings.NewReader(exported.stdout),
		&stdout, &stderr)
	if want := `{"ok":true,"records":0,"sealed_to":0,"problems":[],"problem_count":0}` + "\n"; code != exitOK || stdout.String() != want {
		t.Errorf("verify of standard input exits %d with %s%s, want %s", code, &stdout, &stderr, want)
	}
}

// TestExportFormats shows that the converters read the export.
func TestExportFormats(t *testing.T) {
	srv := notary(t, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)))
	var csv bytes.Buffer
	exported := run(t.Context(), "audit", "export", "--server", srv.URL)
	if err := audit.CSV(&csv, strings.NewReader(exported.stdout)); err != nil {
		t.Fatal(err)
	}
	if got := run(t.Context(), "audit", "export", "--server", srv.URL, "--format", "csv"); got != (output{0, csv.String(), ""}) ||
		csv.Len() == 0 {
		t.Errorf("--format csv: %+v, want %q", got, csv.String())
	}
	if got := run(t.Context(), "audit", "export", "--server", srv.URL, "--format", "ocsf"); got != (output{0, "", ""}) {
		t.Errorf("--format ocsf of no records: %+v, want nothing", got)
	}
}
